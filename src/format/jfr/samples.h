/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_SAMPLES_H
#define VARVE_FORMAT_JFR_SAMPLES_H

#include "format/jfr/labels.h"

/*
 * Collects the events of all chunks. Each event is one observation (time, value) of an identity
 * (stack, thread, state, class, correlation). At the end the observations of an identity become one
 * sample with all their times. The events of a group make one or two profiles: their number, and
 * their amount.
 */
enum jfr_group {
	JFR_CPU,
	JFR_CPU_TIME, /* the JDK's second sampler, from 25 on: must not be added to the first */
	JFR_WALL,
	JFR_NATIVE,
	JFR_IN_TLAB,
	JFR_OUTSIDE_TLAB,
	JFR_ALLOC_SAMPLE,
	JFR_LIVE,
	JFR_MUTEX,
	JFR_BLOCK,
	JFR_MALLOC,
	JFR_GROUPS,
};

/* Ids of the batch, 0 for none. There is no padding, because it is hashed as bytes. */
struct jfr_identity {
	uint32_t stack;
	uint32_t thread_name, thread_id, state, class; /* attributes */
	uint32_t correlation;			       /* row of samples->correlations */
};

/* Ids that connect an event with a request. */
struct jfr_correlation {
	uint64_t context, span, span_name;
};

struct jfr_observation {
	uint64_t time;
	int64_t value;
	uint32_t identity;
};

struct jfr_observations {
	struct idset index;
	VEC(struct jfr_identity) identities;
	VEC(struct jfr_observation) rows;
	/* Excluded by jfr_samples_select_type(): only `seen` is kept. */
	bool excluded;
	/* There was an event of this group. */
	bool seen;
	/* Number of leading observations whose values are in the group's unit already. */
	uint32_t scaled;
	int64_t period;
};

struct jfr_samples {
	struct arena *arena; /* borrowed */
	struct jfr_observations group[JFR_GROUPS];
	VEC(struct jfr_correlation) correlations; /* row 0: none */
	struct idset correlation_index;
	bool some_excluded;
	uint64_t start, end; /* Unix nanoseconds; span of all chunks and observations */
};

/* Initialize; all memory comes from `arena`. Return 0 or -ENOMEM. */
MUST_USE int jfr_samples_init(struct jfr_samples *s, struct arena *arena);

/*
 * Exclude all groups that make no profile of that type ("cpu" or "cpu/nanoseconds"). If no group
 * makes one, exclude nothing.
 */
void jfr_samples_select_type(struct jfr_samples *s, struct str type);

/* Extend the time range to include [start, end). */
void jfr_samples_extend_time(struct jfr_samples *s, uint64_t start, uint64_t end);

/* Get the row of a correlation, added if new. Return 0 or -ENOMEM. */
MUST_USE int jfr_samples_add_correlation(struct jfr_samples *s, const struct jfr_correlation *c,
					 uint32_t *row);

/* Get the id of an identity in a group for jfr_samples_add(), added if new. Return 0 or -errno. */
MUST_USE int jfr_samples_add_identity(struct jfr_samples *s, enum jfr_group group,
				      const struct jfr_identity *who, uint32_t *id);

/* Add an observation of that identity. Return 0 or -errno. */
static inline int jfr_samples_add(struct jfr_samples *s, enum jfr_group group, uint32_t id,
				  struct jfr_observation observation)
{
	struct jfr_observations *o = &s->group[group];

	observation.identity = id;
	s->start = observation.time < s->start ? observation.time : s->start;
	/* `end` is exclusive: one past the last observation */
	s->end = observation.time >= s->end ? observation.time + 1 : s->end;
	return vec_push(s->arena, &o->rows, observation);
}

/*
 * Multiply the observations of a group since the last call by its period: numbers of samples become
 * nanoseconds.
 */
void jfr_samples_scale(struct jfr_samples *s, enum jfr_group group, int64_t period);

/*
 * Append all profiles to the batch, whose resource and scope must exist. `event` is the event that
 * async-profiler sampled by if it is not a clock ("cache-misses"), else empty. Return 0 or -errno.
 */
MUST_USE int jfr_samples_emit(struct jfr_samples *s, struct profile_builder *b,
			      const struct jfr_labels *labels, struct str event);

#endif
