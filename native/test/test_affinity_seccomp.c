/* What a seccomp filter answers is passed on: -EPERM as in hardened containers, -ENOSYS as in old ones. */
#include <errno.h>

#include "check.h"

/* Some musl installations come without the kernel's headers. */
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>)

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "child.h"
#include "corelane_affinity.h"
#include "cpus.h"

/* Refuses three calls. Looks at the number only, not at the architecture: this program makes no foreign calls. */
static int install_filter(void) {
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getcpu, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof program[0], .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0) {
        return -1;
    }
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0L, 0L);
}

static void refused_calls_give_the_errno_of_the_filter(void) {
    struct cpu_list allowed;
    cpus_allowed(&allowed);
    if (install_filter() != 0) {
        SKIP("a seccomp filter cannot be installed here");
    }
    uint8_t mask[MAX_MASK_BYTES];
    mask_of(mask, sizeof mask, allowed.ids[0]);
    CHECK_EQ(corelane_thread_set_affinity(0, mask, sizeof mask), -EPERM);
    CHECK_EQ(corelane_thread_get_affinity(0, mask, sizeof mask), -EPERM);
    CHECK_EQ(corelane_current_node(), -ENOSYS);
}

int main(void) {
    in_child(refused_calls_give_the_errno_of_the_filter);
    return 0;
}

#else

int main(void) {
    SKIP("built without the kernel's seccomp headers");
}

#endif
