/* The thread id is the kernel's: that of the process for the first thread, another one for the next. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "corelane_affinity.h"

static void *second_thread(void *first_tid) {
    int32_t tid = corelane_thread_id();
    CHECK(tid > 0);
    CHECK(tid != *(int32_t *)first_tid);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", tid);
    CHECK_EQ(access(path, F_OK), 0);
    return NULL;
}

int main(void) {
    int32_t tid = corelane_thread_id();
    CHECK_EQ(tid, getpid());
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, second_thread, &tid), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return 0;
}
