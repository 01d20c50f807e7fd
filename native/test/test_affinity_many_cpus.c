/* On a made-up kernel: CPU numbers up to 8191, and the edges between what fits into a buffer and what does not. */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "corelane_affinity.h"
#include "fake_kernel.h"

enum { GUARD = 0xA5 };

static uint8_t mask[MAX_MASK_BYTES + 9];

static void set_and_get(int cpu, int32_t length) {
    mask_of(mask, (size_t)length, cpu);
    CHECK_EQ_AT(cpu, corelane_thread_set_affinity(0, mask, length), 0);
    CHECK_EQ_AT(cpu, mask_has(fake_kernel.affinity, MAX_MASK_BYTES, cpu), 1);
    CHECK_EQ_AT(cpu, mask_count(fake_kernel.affinity, MAX_MASK_BYTES), 1);

    memset(mask, GUARD, sizeof mask);
    int32_t expected = length < (int32_t)fake_kernel.mask_bytes ? length : (int32_t)fake_kernel.mask_bytes;
    CHECK_EQ_AT(cpu, corelane_thread_get_affinity(0, mask, length), expected);
    CHECK_EQ_AT(cpu, mask_has(mask, (size_t)length, cpu), 1);
    CHECK_EQ_AT(cpu, mask_count(mask, (size_t)length), 1);
    CHECK_EQ_AT(cpu, mask[length], GUARD);
}

static void every_cpu_of_the_largest_kernel_can_be_set_and_read(void) {
    fake_kernel_start(MAX_CPUS);
    for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
        set_and_get(cpu, MAX_MASK_BYTES);
        set_and_get(cpu, MAX_MASK_BYTES + 1);
        set_and_get(cpu, MAX_MASK_BYTES + 8);
    }
}

static void every_cpu_fits_into_the_shortest_mask_of_its_own_kernel(void) {
    for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
        fake_kernel_start((unsigned)cpu + 1);
        set_and_get(cpu, mask_bytes_for(cpu));
    }
}

static void a_cpu_one_past_the_buffer_is_refused_and_not_dropped(void) {
    for (int32_t length = 1; length < MAX_MASK_BYTES; length++) {
        int first_outside = length * 8;
        fake_kernel_start((unsigned)first_outside + 1);
        fake_kernel.affinity[0] = 1; /* a CPU that fits, so that the other one could be dropped without notice */
        fake_kernel.affinity[length] = 1;
        memset(mask, GUARD, sizeof mask);
        CHECK_EQ_AT(length, corelane_thread_get_affinity(0, mask, length), -EINVAL);
        CHECK_EQ_AT(length, mask[0], GUARD);
        int32_t used = corelane_thread_get_affinity(0, mask, length + 1);
        CHECK_EQ_AT(length, used, length + 1);
        CHECK_EQ_AT(length, mask_count(mask, (size_t)used), 2);
    }
}

static void a_last_cpu_of_a_word_is_refused_if_the_word_is_cut(void) {
    fake_kernel_start(64);
    set_and_get(63, 8);
    for (int32_t length = 1; length < 8; length++) {
        CHECK_EQ_AT(length, corelane_thread_get_affinity(0, mask, length), -EINVAL);
    }
}

static void a_buffer_below_the_cpu_numbers_is_refused_even_if_the_set_fits(void) {
    fake_kernel_start(MAX_CPUS);
    set_and_get(0, MAX_MASK_BYTES);
    for (int32_t length = 1; length <= MAX_MASK_BYTES - 8; length++) {
        CHECK_EQ_AT(length, corelane_thread_get_affinity(0, mask, length), -EINVAL);
    }
    for (int32_t length = MAX_MASK_BYTES - 7; length <= MAX_MASK_BYTES; length++) {
        CHECK_EQ_AT(length, corelane_thread_get_affinity(0, mask, length), length);
    }
}

static void growing_on_einval_ends_with_the_whole_set(void) {
    fake_kernel_start(5000);
    memcpy(fake_kernel.affinity, fake_kernel.usable, MAX_MASK_BYTES);
    int32_t length = 1;
    int32_t used;
    while ((used = corelane_thread_get_affinity(0, mask, length)) == -EINVAL && length < MAX_MASK_BYTES) {
        length *= 2;
    }
    CHECK_EQ(used, 632); /* 5000 CPUs in whole words */
    CHECK_EQ(mask_count(mask, (size_t)used), 5000);
}

static void a_short_mask_sets_no_cpu_that_it_does_not_name(void) {
    fake_kernel_start(MAX_CPUS);
    memset(mask, 0xFF, sizeof mask);
    for (int32_t length = 1; length <= 17; length++) {
        CHECK_EQ_AT(length, corelane_thread_set_affinity(0, mask, length), 0);
        CHECK_EQ_AT(length, mask_count(fake_kernel.affinity, MAX_MASK_BYTES), length * 8);
    }
}

static void cpus_that_cannot_be_used_are_left_out_until_none_is_left(void) {
    fake_kernel_start(128);
    fake_kernel.usable[0] = 0x0E; /* CPU 0 is offline */
    mask_of(mask, 16, 0);
    CHECK_EQ(corelane_thread_set_affinity(0, mask, 16), -EINVAL);
    mask[0] = 0x03;
    CHECK_EQ(corelane_thread_set_affinity(0, mask, 16), 0);
    CHECK_EQ(corelane_thread_get_affinity(0, mask, 16), 16);
    CHECK_EQ(mask[0], 0x02);
}

static void the_kernel_is_never_given_a_length_whose_bits_overflow(void) {
    static uint8_t large[1 << 20]; /* a stand-in for 2^29 bytes, which are 2^32 bits and so 0 for the kernel */
    fake_kernel_start(64);
    set_and_get(63, 8);
    CHECK_EQ(corelane_thread_get_affinity(0, large, sizeof large), 8);
    CHECK(fake_kernel.last_length <= MAX_MASK_BYTES * 8);
    CHECK_EQ(corelane_thread_set_affinity(0, large, sizeof large), 0);
    CHECK(fake_kernel.last_length <= MAX_MASK_BYTES * 8);
}

int main(void) {
    every_cpu_of_the_largest_kernel_can_be_set_and_read();
    every_cpu_fits_into_the_shortest_mask_of_its_own_kernel();
    a_cpu_one_past_the_buffer_is_refused_and_not_dropped();
    a_last_cpu_of_a_word_is_refused_if_the_word_is_cut();
    a_buffer_below_the_cpu_numbers_is_refused_even_if_the_set_fits();
    growing_on_einval_ends_with_the_whole_set();
    a_short_mask_sets_no_cpu_that_it_does_not_name();
    cpus_that_cannot_be_used_are_left_out_until_none_is_left();
    the_kernel_is_never_given_a_length_whose_bits_overflow();
    return 0;
}
