#define _GNU_SOURCE /* sched_getaffinity, CPU_SET_S */

#include "cpus.h"

#include <sched.h>
#include <string.h>

#include "check.h"

enum { SETS = MAX_CPUS / CPU_SETSIZE };

void cpus_allowed(struct cpu_list *allowed) {
    cpu_set_t sets[SETS];
    CHECK_EQ(sched_getaffinity(0, sizeof sets, sets), 0);
    allowed->count = 0;
    for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
        if (CPU_ISSET_S((size_t)cpu, sizeof sets, sets)) {
            allowed->ids[allowed->count++] = cpu;
        }
    }
    CHECK(allowed->count > 0);
}

void cpus_restore(const struct cpu_list *allowed) {
    cpu_set_t sets[SETS];
    CPU_ZERO_S(sizeof sets, sets);
    for (int i = 0; i < allowed->count; i++) {
        CPU_SET_S((size_t)allowed->ids[i], sizeof sets, sets);
    }
    CHECK_EQ(sched_setaffinity(0, sizeof sets, sets), 0);
}

bool cpus_only(int cpu) {
    struct cpu_list allowed;
    cpus_allowed(&allowed);
    return allowed.count == 1 && allowed.ids[0] == cpu;
}

void mask_of(uint8_t *mask, size_t mask_bytes, int cpu) {
    CHECK((size_t)cpu / 8 < mask_bytes);
    memset(mask, 0, mask_bytes);
    mask[cpu / 8] = (uint8_t)(1U << (cpu % 8));
}

bool mask_has(const uint8_t *mask, size_t mask_bytes, int cpu) {
    return (size_t)cpu / 8 < mask_bytes && (mask[cpu / 8] >> (cpu % 8) & 1) != 0;
}

int mask_count(const uint8_t *mask, size_t mask_bytes) {
    int count = 0;
    for (size_t i = 0; i < mask_bytes; i++) {
        count += __builtin_popcount(mask[i]);
    }
    return count;
}

int mask_bytes_for(int cpu) {
    return cpu / 8 + 1;
}
