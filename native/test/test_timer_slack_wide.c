/* Timer slack beyond an int comes back whole, though libc's prctl() returns an int. */
#define _GNU_SOURCE /* syscall */

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "corelane_affinity.h"

int main(void) {
    static const int64_t slacks[] = {INT64_C(1) << 31, INT64_C(3000000000), INT64_C(5000000000), INT64_MAX};
    int64_t original = corelane_thread_get_timer_slack();
    CHECK(original >= 0);
    for (int i = 0; i < 4; i++) {
        int64_t nanos = slacks[i];
        CHECK_EQ_AT(nanos, corelane_thread_set_timer_slack(nanos), 0);
        long kernels = syscall(SYS_prctl, PR_GET_TIMERSLACK, 0L, 0L, 0L, 0L);
        int64_t ours = corelane_thread_get_timer_slack();
        /* Before anything that prints: with such a slack a timed wait may not end. */
        CHECK_EQ(corelane_thread_set_timer_slack(original), 0);
        if (kernels != nanos) {
            SKIP("the system call itself does not keep a wide slack: an emulator, or a real-time policy");
        }
        CHECK_EQ_AT(nanos, ours, nanos);
    }
    return 0;
}
