/*
 * Built with musl by check_musl.sh: loads a library that was built with another libc, by its path as Java does, and calls
 * every function.
 */
#define _GNU_SOURCE /* gettid is not in each musl, so syscall; sched_getcpu */

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "corelane_affinity.h"

static void *library;

/* ISO C has no conversion from an object pointer to a function pointer; POSIX wants the bytes to be the same. */
static void bind(const char *name, void *function, size_t bytes) {
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(EXIT_FAILURE);
    }
    CHECK_EQ(bytes, sizeof symbol);
    memcpy(function, &symbol, bytes);
}

#define BIND(name)                \
    __typeof__(&name) call_##name; \
    bind(#name, &call_##name, sizeof call_##name)

/* glibc beside musl in one process would be two allocators and two sets of thread-local data. */
static bool maps_glibc(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    char line[4096];
    bool found = false;
    while (fgets(line, sizeof line, maps) != NULL) {
        found = found || strstr(line, "ld-linux") != NULL || strstr(line, "libc.so.6") != NULL;
    }
    fclose(maps);
    return found;
}

int main(int count, char **arguments) {
    CHECK_EQ(count, 2);
    library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return EXIT_FAILURE;
    }
    BIND(corelane_abi_version);
    BIND(corelane_thread_get_affinity);
    BIND(corelane_thread_set_affinity);
    BIND(corelane_thread_id);
    BIND(corelane_current_cpu);
    BIND(corelane_current_node);
    BIND(corelane_thread_set_name);
    BIND(corelane_thread_get_name);
    BIND(corelane_thread_set_timer_slack);
    BIND(corelane_thread_get_timer_slack);
    BIND(corelane_file_lock);
    BIND(corelane_file_unlock);

    CHECK_EQ(call_corelane_abi_version(), 2);
    CHECK_EQ(call_corelane_thread_id(), syscall(SYS_gettid));

    uint8_t mask[8192];
    CHECK(call_corelane_thread_get_affinity(0, mask, sizeof mask) > 0);
    int32_t cpu = call_corelane_current_cpu();
    CHECK(cpu >= 0);
    uint8_t one[8192] = {0};
    one[cpu / 8] = (uint8_t)(1 << cpu % 8);
    CHECK_EQ(call_corelane_thread_set_affinity(0, one, sizeof one), 0);
    CHECK_EQ(sched_getcpu(), cpu);
    CHECK_EQ(call_corelane_current_cpu(), cpu);
    CHECK(call_corelane_current_node() >= 0);
    CHECK_EQ(call_corelane_thread_set_affinity(0, mask, sizeof mask), 0);
    uint8_t none[8192] = {0};
    CHECK_EQ(call_corelane_thread_set_affinity(0, none, sizeof none), -EINVAL); /* errno of musl's own thread */

    char name[16];
    CHECK_EQ(call_corelane_thread_set_name("on-musl"), 0);
    CHECK_EQ(call_corelane_thread_get_name(name, sizeof name), 7);
    CHECK_EQ(strcmp(name, "on-musl"), 0);
    CHECK_EQ(call_corelane_thread_set_timer_slack(1234), 0);
    CHECK_EQ(call_corelane_thread_get_timer_slack(), 1234);

    char path[] = "/tmp/corelane-musl-XXXXXX";
    CHECK_EQ(close(mkstemp(path)), 0);
    int32_t handle = call_corelane_file_lock(path);
    CHECK(handle >= 0);
    CHECK_EQ(call_corelane_file_lock(path), -EAGAIN);
    CHECK_EQ(call_corelane_file_unlock(handle), 0);
    CHECK_EQ(call_corelane_file_unlock(handle), -EBADF);
    CHECK_EQ(unlink(path), 0);

    CHECK(!maps_glibc());
    CHECK_EQ(dlclose(library), 0);
    return 0;
}
