/* A thread bound to one CPU runs there when the call returns, and says so; the node is the one that has the CPU. */
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "corelane_affinity.h"
#include "cpus.h"

static int node_has_cpu(int node, int cpu) {
    char path[80];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpu%d", node, cpu);
    return access(path, F_OK) == 0;
}

int main(void) {
    struct cpu_list allowed;
    cpus_allowed(&allowed);
    int nodes_known = access("/sys/devices/system/node/node0", F_OK) == 0; /* a kernel without NUMA has none */
    for (int i = 0; i < allowed.count; i++) {
        int cpu = allowed.ids[i];
        uint8_t mask[MAX_MASK_BYTES];
        mask_of(mask, sizeof mask, cpu);
        CHECK_EQ_AT(cpu, corelane_thread_set_affinity(0, mask, sizeof mask), 0);
        CHECK_EQ_AT(cpu, corelane_current_cpu(), cpu);
        int32_t node = corelane_current_node();
        CHECK_EQ_AT(cpu, node >= 0, 1);
        CHECK_EQ_AT(cpu, !nodes_known || node_has_cpu(node, cpu), 1);
    }
    cpus_restore(&allowed);
    return 0;
}
