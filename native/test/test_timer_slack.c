/* Timer slack comes back as it was set; 0 restores the default; a negative one is refused. */
#include <errno.h>
#include <pthread.h>

#include "check.h"
#include "corelane_affinity.h"

static void round_trip(int64_t nanos) {
    CHECK_EQ_AT(nanos, corelane_thread_set_timer_slack(nanos), 0);
    CHECK_EQ_AT(nanos, corelane_thread_get_timer_slack(), nanos);
}

static void *a_new_thread_starts_with_the_slack_of_its_creator(void *creators_nanos) {
    int64_t inherited = *(int64_t *)creators_nanos;
    CHECK_EQ(corelane_thread_get_timer_slack(), inherited);
    round_trip(5);
    CHECK_EQ(corelane_thread_set_timer_slack(0), 0);
    CHECK_EQ(corelane_thread_get_timer_slack(), inherited);
    return NULL;
}

int main(void) {
    int64_t original = corelane_thread_get_timer_slack();
    CHECK(original >= 0);
    if (original == 0) {
        SKIP("a real-time policy, which has no timer slack");
    }
    CHECK_EQ(corelane_thread_set_timer_slack(0), 0);
    int64_t preset = corelane_thread_get_timer_slack();
    CHECK(preset > 0);

    round_trip(1);
    round_trip(50000);
    round_trip(INT32_MAX);

    round_trip(1234);
    CHECK_EQ(corelane_thread_set_timer_slack(-1), -EINVAL);
    CHECK_EQ(corelane_thread_set_timer_slack(INT64_MIN), -EINVAL);
    CHECK_EQ(corelane_thread_get_timer_slack(), 1234);

    int64_t mine = 1234;
    pthread_t second;
    CHECK_EQ(pthread_create(&second, NULL, a_new_thread_starts_with_the_slack_of_its_creator, &mine), 0);
    CHECK_EQ(pthread_join(second, NULL), 0);
    CHECK_EQ(corelane_thread_get_timer_slack(), 1234);

    CHECK_EQ(corelane_thread_set_timer_slack(0), 0);
    CHECK_EQ(corelane_thread_get_timer_slack(), preset);
    round_trip(original);
    return 0;
}
