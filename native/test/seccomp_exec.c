/*
 * Runs a program under a seccomp filter that refuses sched_setaffinity, as a hardened container does:
 *
 *     seccomp_exec ERRNO PROGRAM [ARGUMENT...]
 *
 * ERRNO is the number that the call fails with. Exit code: that of the program; 77 if no filter can be installed here; 1
 * on wrong arguments. Reading a mask stays allowed: without it no JVM comes up, since glibc asks for it to find the
 * first thread's stack.
 */
#include <errno.h>
#include <unistd.h>

#include "check.h"

/* Some musl installations come without the kernel's headers. */
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>)

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: seccomp_exec ERRNO PROGRAM [ARGUMENT...]\n");
        return EXIT_FAILURE;
    }
    unsigned error = (unsigned)strtoul(arguments[1], NULL, 10) & SECCOMP_RET_DATA;
    /* Looks at the number only, not at the architecture: the program makes no foreign calls. */
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof program[0], .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0
            || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0L, 0L) != 0) {
        SKIP("a seccomp filter cannot be installed here");
    }
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    return EXIT_FAILURE;
}

#else

int main(void) {
    SKIP("built without the kernel's seccomp headers");
}

#endif
