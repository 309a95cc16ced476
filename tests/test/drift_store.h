/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_DRIFT_STORE_H
#define VARVE_TEST_DRIFT_STORE_H

#include "store/store.h"
#include "test/drift_service.h"

/*
 * Puts the profiles of a simulated service into a store: one of CPU time for each slot, in the middle
 * of it. Function i is "work_i", called by "main" (or several functions), in "work.c" or "more.c".
 */
enum { DRIFT_CALLERS = 16 };

struct drift_stored {
	struct drift_service service;
	const char *tenant, *name, *version; /* version: the label service_version; NULL: none */
	uint64_t shift;			     /* slots that are added to those of the service */
	uint32_t callers; /* of each function, at most DRIFT_CALLERS: so many stacks; 0: 1 */
};

/* Put the next slots, at most a day in one write. Return 0 or -errno. */
int drift_store_put(struct store *s, struct drift_stored *of, uint32_t slots);

#endif
