/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_DRIFT_DRIFT_COSTS_H
#define VARVE_QUERY_DRIFT_DRIFT_COSTS_H

#include "base/container/idset.h"
#include "base/container/vec.h"
#include "store/store.h"

/*
 * What each function of a service costs by itself in a range of time, and which builds of programs
 * and libraries ran. Functions are told apart by the key of their name (drift_name.h). Code without
 * a name counts for its module, as "[libc.so.6]".
 */
struct drift_source {
	struct store *store;
	struct str tenant, service, type;
	struct budget *budget;	       /* of the query; may be NULL */
	const _Atomic bool *cancelled; /* may be NULL */
};

struct drift_cost {
	struct str key, name, file; /* a name that was seen with this key */
	uint64_t self;
	bool related; /* to drift_costs.target: calls it, is called by it, or is in its file */
};

struct drift_build {
	struct str id;
	uint64_t self; /* of its functions */
};

enum { DRIFT_COSTS_MAX = 200000, DRIFT_BUILDS_MAX = 256 };

struct drift_costs {
	struct arena *arena; /* borrowed; has all that follows */
	struct idset index;
	VEC(struct drift_cost) functions;
	VEC(struct drift_build) builds;
	uint64_t total;
	uint64_t least;	   /* the smallest value of a stack */
	uint64_t divisor;  /* the greatest common divisor of the values of stacks */
	struct str target; /* a key, or empty; set after drift_costs_init() */
};

/* Begin with no costs. Return 0 or -ENOMEM. */
MUST_USE int drift_costs_init(struct drift_costs *c, struct arena *arena);

/* Add the costs of the range, in nanoseconds since 1970. Return 0 or -errno. */
MUST_USE int drift_costs_add(struct drift_costs *c, const struct drift_source *source,
			     uint64_t from, uint64_t to, struct err *e);

/* Return the function with that key, or NULL. */
const struct drift_cost *drift_costs_find(const struct drift_costs *c, struct str key);

/* Return what one sample counts for, as far as the values show it; at least 1. */
uint64_t drift_costs_unit(const struct drift_costs *c);

/* Select the series of the source. Return 0 or -ENOMEM; selector_fini() in either case. */
MUST_USE int drift_source_select(const struct drift_source *source, struct selector *selector,
				 struct store_select *select, struct err *e);

#endif
