/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_FAULT_INJECT_H
#define VARVE_TEST_FAULT_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Failing allocations and failing I/O, on demand.
 *
 * The linker redirects the product's calls of the allocator, of the arena, of constructors of other
 * libraries and of file functions to wrappers (INJECT_WRAPS in tests/meson.build); SQLite is given an
 * allocator and a VFS of ours. While armed, the wrappers count the calls and let chosen ones fail:
 * memory functions return NULL, file functions return -1 with EIO. Disarmed wrappers pass every call on.
 *
 * A sweep runs a scenario again and again, with another call failing each time, until each was hit:
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
 * The first round fails nothing: it counts the calls and notes their call stacks. Up to INJECT_ALL calls
 * are failed one by one; of more calls, those that have a call stack of their own. Call stacks are
 * cut at INJECT_DEPTH frames.
 */
enum { INJECT_MEMORY = 1, INJECT_IO = 2 };

enum inject_mode {
	/* only the n-th call fails */
	INJECT_ONE,
	/* the n-th call and every call after it */
	INJECT_REST,
};

enum { INJECT_ALL = 60, INJECT_DEPTH = 6, INJECT_SITES_MAX = 20000 };

struct inject_sweep {
	unsigned kinds;
	enum inject_mode mode;
	/* 0 is the round that counts; then the call that fails */
	uint64_t round;
	/* did a call fail in this round? */
	bool hit;
	/* what failed, for messages */
	char site[96];
};

/* Give SQLite its allocator and VFS. Call it in main(), before SQLite is used. */
void inject_init(void);

struct inject_sweep inject_sweep(unsigned which, enum inject_mode mode);

/* Is there another round? */
bool inject_next(struct inject_sweep *s);

void inject_arm(struct inject_sweep *s);
void inject_disarm(struct inject_sweep *s);

/*
 * Report what a fault broke. The sweep goes on, so that one run shows all; inject_check() at the end of the
 * test fails it when something was reported.
 */
void inject_report(const struct inject_sweep *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void inject_check(void);

/* The calling thread's calls pass and do not count, until inject_exempt(false). Nests. */
void inject_exempt(bool on);

#endif
