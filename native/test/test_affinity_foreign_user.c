/* Binding a thread of another user gives EPERM and leaves that thread alone; reading its set needs no rights. */
#define _GNU_SOURCE /* setgroups */

#include <errno.h>
#include <grp.h>
#include <unistd.h>

#include "check.h"
#include "child.h"
#include "corelane_affinity.h"
#include "cpus.h"

enum { NOBODY = 65534 };

/* Asks for the set that the thread has already: should the call be allowed after all, it does no harm. */
static int32_t bind_as_it_is(pid_t thread) {
    uint8_t mask[MAX_MASK_BYTES];
    CHECK(corelane_thread_get_affinity(thread, mask, sizeof mask) > 0);
    return corelane_thread_set_affinity(thread, mask, sizeof mask);
}

static void bind_parent_as_nobody(void) {
    if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
        SKIP("root of this container may not become another user");
    }
    CHECK_EQ(bind_as_it_is(getppid()), -EPERM);
}

int main(void) {
    if (geteuid() == 0) {
        in_child(bind_parent_as_nobody);
        return 0;
    }
    int32_t result = bind_as_it_is(1);
    if (result == 0) {
        SKIP("not root, and process 1 belongs to the same user: no thread of another user is known");
    }
    CHECK_EQ(result, -EPERM);
    return 0;
}
