/* Affinity belongs to a thread: tid 0 is the caller and not the process, and any thread can be bound by its tid. */
#define _GNU_SOURCE /* pthread_barrier_t */

#include <pthread.h>
#include <string.h>

#include "check.h"
#include "corelane_affinity.h"
#include "cpus.h"

/* The two threads take turns; each meeting point is passed by both. */
static pthread_barrier_t turn;
static struct cpu_list allowed;
static int32_t second_tid;

static void next_turn(void) {
    int result = pthread_barrier_wait(&turn);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void bind_thread(int32_t tid, int cpu) {
    uint8_t mask[MAX_MASK_BYTES];
    mask_of(mask, sizeof mask, cpu);
    CHECK_EQ(corelane_thread_set_affinity(tid, mask, sizeof mask), 0);
}

static int bound_only_to(int32_t tid, int cpu) {
    uint8_t mask[MAX_MASK_BYTES];
    CHECK(corelane_thread_get_affinity(tid, mask, sizeof mask) > 0);
    return mask_has(mask, sizeof mask, cpu) && mask_count(mask, sizeof mask) == 1;
}

static void *second_thread(void *unused) {
    second_tid = corelane_thread_id();
    CHECK(bound_only_to(0, allowed.ids[0])); /* inherited from the first thread */
    bind_thread(0, allowed.ids[1]);
    next_turn(); /* 1: bound to two different CPUs */
    CHECK(cpus_only(allowed.ids[1]));
    CHECK(bound_only_to(0, allowed.ids[1]));
    next_turn(); /* 2: both have looked */
    next_turn(); /* 3: the first thread has bound this one by its tid */
    CHECK(cpus_only(allowed.ids[0]));
    CHECK_EQ(corelane_current_cpu(), allowed.ids[0]);
    next_turn(); /* 4 */
    return unused;
}

int main(void) {
    cpus_allowed(&allowed);
    if (allowed.count < 2) {
        SKIP("one CPU is allowed, two are needed");
    }
    CHECK_EQ(pthread_barrier_init(&turn, NULL, 2), 0);
    bind_thread(0, allowed.ids[0]);
    pthread_t second;
    CHECK_EQ(pthread_create(&second, NULL, second_thread, NULL), 0);
    next_turn(); /* 1 */
    CHECK(cpus_only(allowed.ids[0]));
    CHECK(bound_only_to(second_tid, allowed.ids[1]));
    next_turn(); /* 2 */
    bind_thread(second_tid, allowed.ids[0]);
    bind_thread(0, allowed.ids[1]);
    next_turn(); /* 3 */
    CHECK(cpus_only(allowed.ids[1]));
    CHECK(bound_only_to(second_tid, allowed.ids[0]));
    next_turn(); /* 4 */
    CHECK_EQ(pthread_join(second, NULL), 0);
    CHECK_EQ(pthread_barrier_destroy(&turn), 0);
    cpus_restore(&allowed);
    return 0;
}
