/* Java refuses a library of another version: the number changes on purpose only. */
#include "check.h"
#include "corelane_affinity.h"

int main(void) {
    CHECK_EQ(corelane_abi_version(), 2);
    return 0;
}
