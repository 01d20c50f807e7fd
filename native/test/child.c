#include "child.h"

#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

pid_t in_child(void (*body)(void)) {
    fflush(NULL); /* or the child would print again what is still in the buffers */
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        body();
        exit(EXIT_SUCCESS);
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status) != EXIT_SUCCESS) {
        exit(WEXITSTATUS(status));
    }
    return pid;
}
