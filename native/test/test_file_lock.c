/* A lock has one holder, ends with its process however that ends, and leads nowhere that its path does not name. */
#define _GNU_SOURCE /* mkdtemp, kill */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "corelane_affinity.h"

static char directory[] = "/tmp/corelane-lock-XXXXXX";
static char file[64];
static char link_to_file[64];

static int32_t lock(void) {
    return corelane_file_lock(file);
}

static void one_call_gets_it_and_the_next_one_after_the_unlock(void) {
    int32_t handle = lock();
    CHECK(handle >= 0);
    CHECK_EQ(lock(), -EAGAIN);
    int reader = open(file, O_RDONLY);
    CHECK(reader >= 0);
    CHECK_EQ(close(reader), 0);
    CHECK_EQ(lock(), -EAGAIN); /* the close of another handle has not released it */
    CHECK_EQ(corelane_file_unlock(handle), 0);
    CHECK_EQ(corelane_file_unlock(handle), -EBADF);
    CHECK_EQ(corelane_file_unlock(-1), -EBADF);
    handle = lock();
    CHECK(handle >= 0);
    CHECK_EQ(corelane_file_unlock(handle), 0);
}

static void the_file_is_for_its_owner_alone(void) {
    struct stat status;
    CHECK_EQ(stat(file, &status), 0);
    CHECK_EQ(status.st_mode & 07777, 0600);
    CHECK_EQ(status.st_uid, geteuid());
}

/* Starts a child that takes the lock and then runs the body, which does not return; returns when the lock is held. */
static pid_t holder(void (*body)(void)) {
    int ready[2];
    CHECK_EQ(pipe(ready), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(lock() >= 0);
        CHECK_EQ(write(ready[1], "", 1), 1);
        body();
        _exit(EXIT_FAILURE);
    }
    char byte;
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void wait_for_a_signal(void) {
    for (;;) {
        pause();
    }
}

static void a_holder_that_is_killed_leaves_it_free(void) {
    pid_t child = holder(wait_for_a_signal);
    CHECK_EQ(lock(), -EAGAIN);
    CHECK_EQ(kill(child, SIGKILL), 0);
    CHECK_EQ(waitpid(child, NULL, 0), child);
    int32_t handle = lock();
    CHECK(handle >= 0);
    CHECK_EQ(corelane_file_unlock(handle), 0);
}

/* Runs a program that outlives its parent; the pipe tells when it does run, by closing with the exec. */
static int program_runs[2];
static pid_t program;

static void run_a_program_and_die(void) {
    pid_t child = fork();
    if (child == 0) {
        execlp("sleep", "sleep", "60", (char *)NULL);
        _exit(EXIT_FAILURE);
    }
    CHECK_EQ(write(program_runs[1], &child, sizeof child), sizeof child);
    wait_for_a_signal();
}

static void a_program_that_the_holder_runs_does_not_inherit_it(void) {
    CHECK_EQ(pipe(program_runs), 0);
    CHECK_EQ(fcntl(program_runs[1], F_SETFD, FD_CLOEXEC), 0);
    pid_t child = holder(run_a_program_and_die);
    CHECK_EQ(read(program_runs[0], &program, sizeof program), sizeof program);
    CHECK_EQ(kill(child, SIGKILL), 0);
    CHECK_EQ(waitpid(child, NULL, 0), child);
    CHECK_EQ(close(program_runs[1]), 0);
    char byte;
    CHECK_EQ(read(program_runs[0], &byte, 1), 0); /* nobody has the writing end: the program is being executed */
    CHECK_EQ(kill(program, 0), 0);
    int32_t handle = lock();
    for (int i = 0; i < 5000 && handle == -EAGAIN; i++) { /* the kernel closes one file after the other */
        CHECK_EQ(usleep(1000), 0);
        handle = lock();
    }
    CHECK_EQ(kill(program, SIGKILL), 0);
    CHECK(handle >= 0);
    CHECK_EQ(corelane_file_unlock(handle), 0);
}

static void links_are_not_followed(void) {
    CHECK_EQ(symlink("victim", link_to_file), 0);
    CHECK_EQ(corelane_file_lock(link_to_file), -ELOOP);
    char victim[64];
    snprintf(victim, sizeof victim, "%s/victim", directory);
    CHECK_EQ(access(victim, F_OK), -1);
    CHECK_EQ(errno, ENOENT);
    CHECK_EQ(unlink(link_to_file), 0);
}

int main(void) {
    CHECK_EQ(corelane_file_lock(NULL), -EFAULT);
    CHECK(mkdtemp(directory) != NULL);
    snprintf(file, sizeof file, "%s/lock", directory);
    snprintf(link_to_file, sizeof link_to_file, "%s/link", directory);
    one_call_gets_it_and_the_next_one_after_the_unlock();
    the_file_is_for_its_owner_alone();
    a_holder_that_is_killed_leaves_it_free();
    a_program_that_the_holder_runs_does_not_inherit_it();
    links_are_not_followed();
    CHECK_EQ(corelane_file_lock("/nonexistent/lock"), -ENOENT);
    CHECK_EQ(corelane_file_lock(directory), -EISDIR);
    CHECK_EQ(unlink(file), 0);
    CHECK_EQ(rmdir(directory), 0);
    return 0;
}
