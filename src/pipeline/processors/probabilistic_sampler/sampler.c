/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules are those of the collector's processor. An item whose marks contradict its randomness,
 * that has no randomness, or that has marks where the mode does not use them, is in error: it is
 * dropped (fail_closed) or kept.
 */
#include "pipeline/processors/probabilistic_sampler/sampler.h"

#define RANDOMNESS_MAX (SAMPLING_RANGE - 1)

void sampler_init(struct sampler *s, enum sampler_mode mode, float percentage, uint32_t seed,
		  int precision, bool fail_closed)
{
	float share = percentage > 100 ? 100 : percentage;
	double ratio = (double)share / 100;

	if (ratio < 1.0 / (double)SAMPLING_RANGE)
		ratio = 1.0 / (double)SAMPLING_RANGE;
	*s = (struct sampler){.mode = mode,
			      .ratio = ratio,
			      .precision = precision,
			      .seed = seed,
			      .fail_closed = fail_closed};
	s->threshold = mode == SAMPLE_HASH_SEED ? sampling_hash_threshold(share)
						: sampling_threshold(ratio, precision);
	if (share == 0 || s->threshold == SAMPLING_NEVER)
		s->mode = SAMPLE_NONE;
}

/* What is known about an item on the way to the decision. */
struct sampler_state {
	uint64_t randomness;
	bool missing; /* there is no randomness */
	bool usable;  /* the marks can be written */
	bool failed;
};

static void take_hash(const struct sampler *s, struct sampled_item *item, struct sampler_state *st)
{
	st->missing = false;
	if (item->trace_id.n) {
		item->policy = POLICY_TRACE_HASH;
		st->randomness = sampling_hash_randomness(item->trace_id, s->seed);
	} else if (item->source.n) {
		item->policy = POLICY_ATTRIBUTE;
		st->randomness = sampling_hash_randomness(item->source, s->seed);
	} else {
		st->missing = true;
	}
	if (item->damaged || item->marks.has_randomness || item->marks.has_threshold) {
		st->failed = true;
		return;
	}
	st->usable = true;
	if (!st->missing || !item->is_log) {
		item->marks.has_randomness = true;
		item->marks.randomness = st->randomness;
	}
}

static void take_marked(struct sampled_item *item, struct sampler_state *st)
{
	st->failed = item->damaged;
	st->usable = !item->damaged;
	if (item->damaged)
		return;
	if (item->marks.has_randomness) {
		item->policy = POLICY_RANDOMNESS;
		st->randomness = item->marks.randomness;
	} else if (item->trace_id.n) {
		item->policy = POLICY_TRACE_ID;
		st->randomness = sampling_trace_randomness((const uint8_t *)item->trace_id.p);
	} else {
		return;
	}
	st->missing = false;
}

/* Find the randomness of an item. */
static struct sampler_state take_randomness(const struct sampler *s, struct sampled_item *item)
{
	struct sampler_state st = {.randomness = RANDOMNESS_MAX, .missing = true};

	item->policy = POLICY_MISSING;
	if (s->mode == SAMPLE_HASH_SEED) {
		take_hash(s, item, &st);
	} else if (s->mode == SAMPLE_NONE) {
		item->policy = POLICY_PRIORITY;
		st.missing = false;
		st.usable = !item->damaged;
		st.failed = item->damaged;
	} else {
		take_marked(item, &st);
	}
	return st;
}

/* A threshold that the randomness does not reach cannot be true: remove it. */
static void check_marks(struct sampled_item *item, struct sampler_state *st)
{
	if (st->failed)
		return;
	if (st->missing) {
		st->failed = true;
	} else if (st->usable && item->marks.has_threshold &&
		   st->randomness < item->marks.threshold) {
		item->marks.has_threshold = false;
		st->failed = true;
	}
}

static uint64_t choose_threshold(const struct sampler *s, const struct sampled_item *item)
{
	const struct sampling_marks *m = &item->marks;
	double before = m->has_threshold ? sampling_probability(m->threshold) : 1;

	switch (s->mode) {
	case SAMPLE_PROPORTIONAL:
		return sampling_threshold(before * s->ratio, s->precision);
	case SAMPLE_EQUALIZING:
		return m->has_threshold && m->threshold > s->threshold ? m->threshold
								       : s->threshold;
	case SAMPLE_HASH_SEED:
		return s->threshold;
	case SAMPLE_NONE:
		break;
	}
	return SAMPLING_NEVER;
}

bool sampler_decide(const struct sampler *s, struct sampled_item *item)
{
	struct sampler_state st = take_randomness(s, item);
	uint64_t threshold;

	check_marks(item, &st);
	if (st.failed)
		threshold = s->fail_closed ? SAMPLING_NEVER : SAMPLING_ALWAYS;
	else
		threshold = choose_threshold(s, item);
	if (item->priority) {
		threshold = *item->priority;
		item->policy = POLICY_PRIORITY;
	}
	if (st.randomness < threshold)
		return false;
	item->marked = st.usable;
	if (!item->marks.has_threshold || threshold >= item->marks.threshold) {
		item->marks.has_threshold = true;
		item->marks.threshold = threshold;
	}
	return true;
}
