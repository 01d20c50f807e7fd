/* A CPU that is present but switched off gives EINVAL, as an absent one does. Needs a machine that has one. */
#include <errno.h>
#include <stdio.h>

#include "check.h"
#include "corelane_affinity.h"
#include "cpus.h"

/* The first number of a list as the kernel prints it ("4-7,12"), or -1 if the list is empty or cannot be read. */
static int first_in(const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return -1;
    }
    int cpu;
    if (fscanf(file, "%d", &cpu) != 1) {
        cpu = -1;
    }
    fclose(file);
    return cpu;
}

int main(void) {
    int cpu = first_in("/sys/devices/system/cpu/offline");
    if (cpu < 0) {
        SKIP("no CPU of this machine is offline");
    }
    uint8_t mask[MAX_MASK_BYTES];
    mask_of(mask, sizeof mask, cpu);
    CHECK_EQ(corelane_thread_set_affinity(0, mask, sizeof mask), -EINVAL);
    return 0;
}
