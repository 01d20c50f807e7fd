/* Each errno that needs no rights to be seen: EFAULT, EINVAL and ESRCH; and that a refused call changes nothing. */
#include <errno.h>
#include <limits.h>

#include "check.h"
#include "child.h"
#include "corelane_affinity.h"
#include "cpus.h"

static uint8_t mask[MAX_MASK_BYTES];

static void null_gives_efault(void) {
    CHECK_EQ(corelane_thread_get_affinity(0, NULL, MAX_MASK_BYTES), -EFAULT);
    CHECK_EQ(corelane_thread_set_affinity(0, NULL, MAX_MASK_BYTES), -EFAULT);
    CHECK_EQ(corelane_thread_get_affinity(0, NULL, 0), -EFAULT);
    CHECK_EQ(corelane_thread_set_affinity(0, NULL, 0), -EFAULT);
}

static void a_length_below_1_gives_einval(int usable_cpu) {
    static const int32_t lengths[] = {0, -1, -8, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        mask_of(mask, sizeof mask, usable_cpu);
        CHECK_EQ_AT(lengths[i], corelane_thread_set_affinity(0, mask, lengths[i]), -EINVAL);
        CHECK_EQ_AT(lengths[i], corelane_thread_get_affinity(0, mask, lengths[i]), -EINVAL);
        CHECK_EQ_AT(lengths[i], mask_has(mask, sizeof mask, usable_cpu), 1);
    }
}

static void the_empty_set_gives_einval(void) {
    static const uint8_t empty[MAX_MASK_BYTES];
    for (int32_t length = 1; length <= MAX_MASK_BYTES; length++) {
        CHECK_EQ_AT(length, corelane_thread_set_affinity(0, empty, length), -EINVAL);
    }
}

static void an_absent_cpu_gives_einval(int cpu) {
    mask_of(mask, sizeof mask, cpu);
    CHECK_EQ_AT(cpu, corelane_thread_set_affinity(0, mask, sizeof mask), -EINVAL);
    CHECK_EQ_AT(cpu, corelane_thread_set_affinity(0, mask, mask_bytes_for(cpu)), -EINVAL);
}

static void a_set_with_one_usable_cpu_is_taken_without_the_absent_ones(int usable_cpu, int absent_cpu) {
    mask_of(mask, sizeof mask, absent_cpu);
    mask[usable_cpu / 8] |= (uint8_t)(1U << (usable_cpu % 8));
    CHECK_EQ(corelane_thread_set_affinity(0, mask, sizeof mask), 0);
    CHECK(cpus_only(usable_cpu)); /* as documented: only reading back shows that a CPU was left out */
}

static void end_at_once(void) {
}

static void a_thread_that_is_gone_gives_esrch(int usable_cpu) {
    pid_t gone = in_child(end_at_once);
    mask_of(mask, sizeof mask, usable_cpu);
    CHECK_EQ(corelane_thread_set_affinity(gone, mask, sizeof mask), -ESRCH);
    CHECK_EQ(corelane_thread_get_affinity(gone, mask, sizeof mask), -ESRCH);
    CHECK_EQ(corelane_thread_set_affinity(INT_MAX, mask, sizeof mask), -ESRCH);
    CHECK_EQ(corelane_thread_get_affinity(-1, mask, sizeof mask), -ESRCH);
    CHECK_EQ(corelane_thread_set_affinity(-1, mask, sizeof mask), -ESRCH);
    CHECK(mask_has(mask, sizeof mask, usable_cpu));
}

/* The highest CPU number is absent on all but the largest machines there are. */
static int last_cpu_is_absent(const struct cpu_list *allowed) {
    return allowed->ids[allowed->count - 1] != MAX_CPUS - 1;
}

int main(void) {
    struct cpu_list before;
    struct cpu_list after;
    cpus_allowed(&before);

    null_gives_efault();
    a_length_below_1_gives_einval(before.ids[0]);
    the_empty_set_gives_einval();
    a_thread_that_is_gone_gives_esrch(before.ids[0]);
    CHECK(last_cpu_is_absent(&before));
    an_absent_cpu_gives_einval(MAX_CPUS - 1);
    an_absent_cpu_gives_einval(MAX_CPUS - 8);

    cpus_allowed(&after);
    CHECK_EQ(after.count, before.count);
    for (int i = 0; i < before.count; i++) {
        CHECK_EQ_AT(i, after.ids[i], before.ids[i]);
    }

    a_set_with_one_usable_cpu_is_taken_without_the_absent_ones(before.ids[0], MAX_CPUS - 1);
    cpus_restore(&before);
    return 0;
}
