/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_FAULT_INJECT_H
#define VARVE_TEST_FAULT_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Fault injection: failing allocations and failing I/O.
 *
 * The linker redirects the product's calls of the allocator, of the arena, of constructors of other
 * libraries and of file functions to wrappers (INJECT_WRAPS in tests/meson.build); SQLite is given
 * its own allocator and VFS. While armed, the wrappers count the calls and make the chosen ones
 * fail: memory functions return NULL, file functions return -1 with EIO. Disarmed wrappers pass
 * every call on.
 *
 * A sweep repeats a scenario, each time with another failing call, until each call has failed once:
 *
 *	struct inject_sweep s = inject_sweep(INJECT_MEMORY, INJECT_ONE);
 *	while (inject_next(&s)) {
 *		prepare();
 *		inject_arm(&s);
 *		rc = scenario();
 *		inject_disarm(&s);
 *		check(rc, s.hit);
 *	}
 *
 * No call fails in the first round, which counts the calls and records their call stacks. Up to
 * INJECT_ALL calls fail one by one; if there are more, one call for each distinct call stack. Call
 * stacks are cut at INJECT_DEPTH frames.
 */
enum { INJECT_MEMORY = 1, INJECT_IO = 2 };

enum inject_mode {
	/* Only the n-th call fails. */
	INJECT_ONE,
	/* The n-th call and every later call fail. */
	INJECT_REST,
};

enum { INJECT_ALL = 60, INJECT_DEPTH = 6, INJECT_SITES_MAX = 20000 };

struct inject_sweep {
	unsigned kinds;
	enum inject_mode mode;
	/* 0 in the counting round, else the number of the failing call. */
	uint64_t round;
	/* Whether a call failed in this round. */
	bool hit;
	/* Where the call failed, for messages. */
	char site[96];
};

/* Install the allocator and VFS of SQLite. Call this in main(), before SQLite is used. */
void inject_init(void);

struct inject_sweep inject_sweep(unsigned which, enum inject_mode mode);

/* Begin the next round. Return false when the sweep is complete. */
bool inject_next(struct inject_sweep *s);

void inject_arm(struct inject_sweep *s);
void inject_disarm(struct inject_sweep *s);

/*
 * Report a wrong reaction to a fault. The sweep continues, so that one run shows all errors;
 * inject_check() at the end of the test fails it if there are any.
 */
void inject_report(const struct inject_sweep *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void inject_check(void);

/* Let the calling thread's calls pass uncounted until inject_exempt(false). Calls nest. */
void inject_exempt(bool on);

#endif
