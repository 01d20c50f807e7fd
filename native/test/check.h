/* What every test uses: a failed check ends the program with 1 and the values, a skip with 77 and the reason. */
#ifndef CORELANE_TEST_CHECK_H
#define CORELANE_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

enum { EXIT_SKIPPED = 77 };

#define CHECK_EQ(actual, expected) check_eq(__FILE__, __LINE__, #actual, (long long)(actual), (long long)(expected))
#define CHECK(condition) check_eq(__FILE__, __LINE__, #condition, (condition) ? 1 : 0, 1)
/* As CHECK_EQ, for a check in a loop: the note, a number, says which round it was. */
#define CHECK_EQ_AT(note, actual, expected) \
    check_eq_at(__FILE__, __LINE__, #actual, (long long)(actual), (long long)(expected), #note, (long long)(note))
#define SKIP(reason) skip_test(reason)

static inline void check_eq(const char *file, int line, const char *what, long long actual, long long expected) {
    if (actual != expected) {
        fprintf(stderr, "%s:%d: %s = %lld (expected %lld)\n", file, line, what, actual, expected);
        exit(EXIT_FAILURE);
    }
}

static inline void check_eq_at(const char *file, int line, const char *what, long long actual, long long expected,
                               const char *note, long long note_value) {
    if (actual != expected) {
        fprintf(stderr, "%s:%d: %s = %lld (expected %lld) with %s = %lld\n", file, line, what, actual, expected, note,
                note_value);
        exit(EXIT_FAILURE);
    }
}

_Noreturn static inline void skip_test(const char *reason) {
    printf("skipped: %s\n", reason);
    exit(EXIT_SKIPPED);
}

#endif
