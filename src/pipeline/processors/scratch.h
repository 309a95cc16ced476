/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_SCRATCH_H
#define VARVE_PIPELINE_PROCESSORS_SCRATCH_H

#include <pthread.h>

#include "base/arena.h"
#include "base/regex.h"

/*
 * What a processor needs while it works on one payload: memory and compiled regular expressions,
 * which only one thread at a time can use. A processor has a pool of them, and each call of
 * consume() takes one, so that threads do not wait for each other and memory is reused.
 */
struct scratch {
	struct scratch *next; /* in the pool */
	struct arena arena;
	struct regex *regexes[]; /* by the index of scratch_pool_add() */
};

struct scratch_pattern {
	struct str text;
	unsigned flags; /* enum regex_flags */
};

enum { SCRATCH_PATTERNS_MAX = 1000 };

struct scratch_pool {
	struct budget *budget;
	struct scratch_pattern *patterns; /* fixed before the first scratch_take() */
	uint32_t pattern_count;
	pthread_mutex_t mu; /* guards `first` */
	struct scratch *first;
};

void scratch_pool_init(struct scratch_pool *pool, struct budget *budget);
void scratch_pool_fini(struct scratch_pool *pool);

/*
 * Add a regular expression, whose text outlives the pool. Return 0, -ENOMEM, or -EINVAL with text
 * in `e`.
 */
MUST_USE int scratch_pool_add(struct scratch_pool *pool, struct str pattern, unsigned flags,
			      uint32_t *index, struct err *e);

/* Take a scratch with an empty arena; NULL without memory. Any thread. */
struct scratch *scratch_take(struct scratch_pool *pool);

/* Give it back; what was in the arena is gone. Takes NULL. */
void scratch_give(struct scratch_pool *pool, struct scratch *s);

/* Return whether the expression matches; one that needs too many steps does not. */
bool scratch_match(const struct scratch *s, uint32_t index, struct str text);

#endif
