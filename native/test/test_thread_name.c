/* Names of up to 15 bytes come back whole, here and in procfs; a longer one is refused instead of being cut. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "corelane_affinity.h"

#define NAME_OF_15 "wsp-123@c0456-x"

enum { NAME_BYTES = 16, GUARD = 0x5A };

static void comm_is(const char *expected) {
    char path[64];
    char comm[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", corelane_thread_id());
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    CHECK(fgets(comm, sizeof comm, file) != NULL);
    fclose(file);
    comm[strcspn(comm, "\n")] = '\0';
    CHECK_EQ(strcmp(comm, expected), 0);
}

static void round_trip(const char *set) {
    char name[NAME_BYTES];
    CHECK_EQ(corelane_thread_set_name(set), 0);
    CHECK_EQ(corelane_thread_get_name(name, sizeof name), strlen(set));
    CHECK_EQ(strcmp(name, set), 0);
    comm_is(set);
}

static void names_up_to_15_bytes_come_back(void) {
    CHECK_EQ(strlen(NAME_OF_15), 15);
    round_trip("w");
    round_trip("wsp-1@c1");
    round_trip("\xC3\xA4-7"); /* not ASCII */
    round_trip(NAME_OF_15);
}

static void an_empty_name_comes_back(void) {
    char name[1] = {GUARD};
    CHECK_EQ(corelane_thread_set_name(""), 0);
    CHECK_EQ(corelane_thread_get_name(name, sizeof name), 0);
    CHECK_EQ(name[0], 0);
}

static void a_longer_name_is_refused_and_not_cut(void) {
    CHECK_EQ(corelane_thread_set_name("before"), 0);
    CHECK_EQ(corelane_thread_set_name(NAME_OF_15 "y"), -ERANGE);
    CHECK_EQ(corelane_thread_set_name(NAME_OF_15 "and much more than that"), -ERANGE);
    comm_is("before");
}

static void a_buffer_without_room_is_refused_and_not_written(void) {
    char name[NAME_BYTES];
    memset(name, GUARD, sizeof name);
    CHECK_EQ(corelane_thread_set_name(NAME_OF_15), 0);
    for (int32_t length = 1; length < NAME_BYTES; length++) {
        CHECK_EQ_AT(length, corelane_thread_get_name(name, length), -ERANGE);
        CHECK_EQ_AT(length, name[0], GUARD);
    }
    CHECK_EQ(corelane_thread_set_name("abc"), 0);
    CHECK_EQ(corelane_thread_get_name(name, 4), 3);
    CHECK_EQ(strcmp(name, "abc"), 0);
    CHECK_EQ(name[4], GUARD);
}

static void bad_arguments_are_refused(void) {
    char name[NAME_BYTES] = {GUARD};
    CHECK_EQ(corelane_thread_set_name(NULL), -EFAULT);
    CHECK_EQ(corelane_thread_get_name(NULL, NAME_BYTES), -EFAULT);
    CHECK_EQ(corelane_thread_get_name(name, 0), -EINVAL);
    CHECK_EQ(corelane_thread_get_name(name, -1), -EINVAL);
    CHECK_EQ(name[0], GUARD);
}

static void *second_thread(void *unused) {
    round_trip("second");
    return unused;
}

static void a_name_belongs_to_one_thread(void) {
    pthread_t second;
    CHECK_EQ(corelane_thread_set_name("first"), 0);
    CHECK_EQ(pthread_create(&second, NULL, second_thread, NULL), 0);
    CHECK_EQ(pthread_join(second, NULL), 0);
    comm_is("first");
}

int main(void) {
    char original[NAME_BYTES];
    CHECK(corelane_thread_get_name(original, sizeof original) > 0);
    comm_is(original);
    names_up_to_15_bytes_come_back();
    an_empty_name_comes_back();
    a_longer_name_is_refused_and_not_cut();
    a_buffer_without_room_is_refused_and_not_written();
    bad_arguments_are_refused();
    a_name_belongs_to_one_thread();
    round_trip(original);
    return 0;
}
