/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_SAMPLE_SCAN_H
#define VARVE_QUERY_TIME_SAMPLE_SCAN_H

#include "query/tree/stack_filter.h"
#include "store/store.h"

/*
 * Filters single samples by timestamp and by stack. The range of store_select applies to profiles;
 * a time filter applies to the timestamps of samples and drops samples without one.
 */
struct time_filter {
	uint64_t from, to; /* from included, to excluded; 0, 0: any time */
	/* The time modulo phase_step must be in [phase_from, phase_to); step 0: any phase. */
	uint64_t phase_step, phase_from, phase_to;
};

/* Return whether the filter drops anything. */
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

/* Filter state for visitors of store_ops.scan(). Options are borrowed; both may be NULL. */
struct sample_scan {
	const struct time_filter *times;
	struct stack_tree stacks;
	struct stack_filter filter;
	bool by_stack;
};

/* Prepare a scan. 0 or -ENOMEM. Fini in every case. */
MUST_USE int sample_scan_init(struct sample_scan *c, const struct stack_filter_options *stacks,
			      const struct time_filter *times, struct budget *budget);
void sample_scan_fini(struct sample_scan *c);

/* Return the tree to pass to scan(): NULL if stacks are not needed. */
static inline struct stack_tree *sample_scan_tree(struct sample_scan *c)
{
	return c->by_stack ? &c->stacks : NULL;
}

/* Evaluate the nodes added to the tree; called at the start of a visitor. 0 or -errno. */
MUST_USE int sample_scan_decide(struct sample_scan *c);

static inline bool sample_scan_keeps(const struct sample_scan *c, const struct store_samples *s,
				     uint32_t i)
{
	if (c->times && !time_filter_keeps(c->times, s->times ? s->times[i] : 0))
		return false;
	return !c->by_stack || stack_filter_keeps(&c->filter, s->nodes[i]);
}

#endif
