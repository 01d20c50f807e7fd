/* Runs part of a test in a forked child, for what cannot be undone: losing rights, dying, a seccomp filter. */
#ifndef CORELANE_TEST_CHILD_H
#define CORELANE_TEST_CHILD_H

#include <sys/types.h>

/*
 * Runs body in a child and waits for its end. A failed check or a skip in body becomes one of the whole test; the child
 * has printed the reason. Returns the child's process id, which names no thread any more.
 */
pid_t in_child(void (*body)(void));

#endif
