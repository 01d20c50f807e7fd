/* On the real kernel: masks of any length, odd, too long for the kernel or too short, give the same set or EINVAL. */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "corelane_affinity.h"
#include "cpus.h"

static const int32_t LENGTHS[] = {1,    2,    3,    7,    8,    9,    16,   63,   64,   128,
                                  129,  1016, 1023, 1024, 1025, 4096, 8191, 8192, 8193, 20000};
enum { LENGTH_COUNT = sizeof LENGTHS / sizeof LENGTHS[0], LONGEST = 20000, GUARD = 0xA5 };

static uint8_t mask[LONGEST + 1];

static void what_is_set_is_what_is_read(int32_t length, int cpu) {
    mask_of(mask, (size_t)length, cpu);
    CHECK_EQ_AT(length, corelane_thread_set_affinity(0, mask, length), 0);
    CHECK_EQ_AT(length, cpus_only(cpu), 1);

    memset(mask, GUARD, sizeof mask);
    int32_t used = corelane_thread_get_affinity(0, mask, length);
    if (used == -EINVAL && length < MAX_MASK_BYTES) {
        CHECK_EQ_AT(length, mask[0], GUARD); /* this kernel's own masks are longer: refused, and nothing written */
        return;
    }
    CHECK_EQ_AT(length, used >= mask_bytes_for(cpu) && used <= length, 1);
    CHECK_EQ_AT(length, mask_has(mask, (size_t)length, cpu), 1);
    CHECK_EQ_AT(length, mask_count(mask, (size_t)length), 1); /* the bytes after the kernel's are 0 */
    CHECK_EQ_AT(length, mask[length], GUARD);
}

static void the_length_of_the_kernel_is_returned(void) {
    int32_t used = corelane_thread_get_affinity(0, mask, LONGEST);
    CHECK(used > 0 && used % (int32_t)sizeof(long) == 0);
    CHECK_EQ(corelane_thread_get_affinity(0, mask, used), used);
}

static void a_cpu_without_room_is_not_set(const struct cpu_list *allowed) {
    int cpu = allowed->ids[0];
    mask_of(mask, sizeof mask, cpu);
    if (cpu / 8 > 0) {
        CHECK_EQ(corelane_thread_set_affinity(0, mask, cpu / 8), -EINVAL);
    }
    mask[LONGEST - 1] = 1; /* CPU 159992, past all that a kernel may have */
    CHECK_EQ(corelane_thread_set_affinity(0, mask, LONGEST), -EINVAL);
    CHECK_EQ(corelane_thread_set_affinity(0, mask, LONGEST - 1), 0);
}

int main(void) {
    struct cpu_list allowed;
    cpus_allowed(&allowed);
    for (int i = 0; i < LENGTH_COUNT; i++) {
        for (int k = 0; k < allowed.count; k++) {
            if (LENGTHS[i] >= mask_bytes_for(allowed.ids[k])) {
                what_is_set_is_what_is_read(LENGTHS[i], allowed.ids[k]);
            }
        }
    }
    the_length_of_the_kernel_is_returned();
    a_cpu_without_room_is_not_set(&allowed);
    cpus_restore(&allowed);
    return 0;
}
