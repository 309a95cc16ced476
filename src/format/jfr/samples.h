/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_SAMPLES_H
#define VARVE_FORMAT_JFR_SAMPLES_H

#include "format/jfr/labels.h"

/*
 * What the events of all chunks add up to. Each event is one observation (when, how much) of an
 * identity (stack, thread, state, class, context); at the end the observations of one identity
 * become one sample with all their times. Events of one group make one or two profiles: how
 * many, and how much.
 */
enum jfr_group {
	JFR_CPU,
	JFR_CPU_TIME, /* the JDK's second sampler, from 25 on: not to be added to the first */
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

/* Who was seen: ids of the batch, 0 for none. No padding: it is hashed as bytes. */
struct jfr_identity {
	uint32_t stack;
	uint32_t thread_name, thread_id, state, class; /* attributes */
	uint32_t correlation;			       /* row of samples->correlations */
};

/* What ties an event to a request. */
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
	bool left_out; /* nobody wants them: only that there are some is known */
	bool seen;
	uint32_t scaled; /* observations before this one have their value in the group's unit */
	int64_t period;
};

struct jfr_samples {
	struct arena *arena; /* borrowed */
	struct jfr_observations group[JFR_GROUPS];
	VEC(struct jfr_correlation) correlations; /* row 0: none */
	struct idset correlation_index;
	bool some_left_out;
	uint64_t start, end; /* unix nanoseconds; of all chunks and observations */
};

MUST_USE int jfr_samples_init(struct jfr_samples *s, struct arena *arena);

/* Leave out all groups that make no profile of that type, "cpu" or "cpu/nanoseconds", unless it is one that none makes. */
void jfr_samples_want(struct jfr_samples *s, struct str type);

/* Count the time of a chunk in. */
void jfr_samples_span(struct jfr_samples *s, uint64_t start, uint64_t end);

/* The row of a correlation. 0 or -ENOMEM. */
MUST_USE int jfr_samples_correlate(struct jfr_samples *s, const struct jfr_correlation *c,
				   uint32_t *row);

/* The number of an identity in a group, for jfr_samples_add(). 0 or -errno. */
MUST_USE int jfr_samples_identify(struct jfr_samples *s, enum jfr_group group,
				  const struct jfr_identity *who, uint32_t *id);

/* One observation of that identity. 0 or -errno. */
static inline int jfr_samples_add(struct jfr_samples *s, enum jfr_group group, uint32_t id,
				  struct jfr_observation observation)
{
	struct jfr_observations *o = &s->group[group];

	observation.identity = id;
	s->start = observation.time < s->start ? observation.time : s->start;
	/* a profile ends after its last observation */
	s->end = observation.time >= s->end ? observation.time + 1 : s->end;
	return vec_push(s->arena, &o->rows, observation);
}

/* Multiply what came to a group since the last call by its period: numbers of samples become nanoseconds. */
void jfr_samples_scale(struct jfr_samples *s, enum jfr_group group, int64_t period);

/*
 * Append all profiles to the batch: its resource and scope are there. `event` is what async-profiler
 * sampled by, when that is no clock ("cache-misses"); else empty. 0 or -errno.
 */
MUST_USE int jfr_samples_emit(struct jfr_samples *s, struct profile_builder *b,
			      const struct jfr_labels *labels, struct str event);

#endif
