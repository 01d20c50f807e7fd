/* A slack that procfs made too large for int64_t is an error, and not mistaken for some other errno. */
#include <errno.h>
#include <stdio.h>

#include "check.h"
#include "corelane_affinity.h"

int main(void) {
    int64_t original = corelane_thread_get_timer_slack();
    CHECK(original >= 0);
    FILE *file = fopen("/proc/self/timerslack_ns", "w");
    if (file == NULL) {
        SKIP("/proc/self/timerslack_ns cannot be written");
    }
    fputs("18446744073709500000", file); /* as a long: -51616 */
    if (fclose(file) != 0 || original == 0) {
        SKIP("the kernel does not take a timer slack from /proc/self/timerslack_ns");
    }
    int64_t slack = corelane_thread_get_timer_slack();
    CHECK_EQ(corelane_thread_set_timer_slack(original), 0); /* first: with such a slack no timed wait would end */
    CHECK_EQ(slack, -EOVERFLOW);
    return 0;
}
