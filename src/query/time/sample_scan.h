/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_SAMPLE_SCAN_H
#define VARVE_QUERY_TIME_SAMPLE_SCAN_H

#include "query/tree/stack_filter.h"
#include "store/store.h"

/*
 * Single samples by when each was taken, and by their stacks. A range of store_select is about profiles; this is about
 * the times that samples have of their own: those without one are left out as soon as a time is asked for.
 */
struct time_filter {
	uint64_t from, to; /* from included, to excluded; 0, 0: any time */
	/* Only where the time modulo this is in [phase_from, phase_to); 0: anywhere. */
	uint64_t phase_step, phase_from, phase_to;
};

/* Does it ask for anything? */
static inline bool time_filter_any(const struct time_filter *f)
{
	return f && (f->to || f->phase_step);
}

static inline bool time_filter_keeps(const struct time_filter *f, uint64_t time)
{
	uint64_t phase = f->phase_step ? time % f->phase_step : 0;

	return time && (!f->to || (time >= f->from && time < f->to)) &&
	       (!f->phase_step || (phase >= f->phase_from && phase < f->phase_to));
}

/* For visitors of store_ops.scan(): which of the samples that come are meant. Options are borrowed; both may be NULL. */
struct sample_scan {
	const struct time_filter *times;
	struct stack_tree stacks;
	struct stack_filter filter;
	bool by_stack;
};

/* 0 or -ENOMEM. Fini in every case. */
MUST_USE int sample_scan_init(struct sample_scan *c, const struct stack_filter_options *stacks,
			      const struct time_filter *times, struct budget *budget);
void sample_scan_fini(struct sample_scan *c);

/* What to give to scan(): NULL where nobody looks at stacks. */
static inline struct stack_tree *sample_scan_tree(struct sample_scan *c)
{
	return c->by_stack ? &c->stacks : NULL;
}

/* At the head of a visitor: what the tree has now is decided. 0 or -errno. */
MUST_USE int sample_scan_decide(struct sample_scan *c);

static inline bool sample_scan_keeps(const struct sample_scan *c, const struct store_samples *s,
				     uint32_t i)
{
	if (c->times && !time_filter_keeps(c->times, s->times ? s->times[i] : 0))
		return false;
	return !c->by_stack || stack_filter_keeps(&c->filter, s->nodes[i]);
}

#endif
