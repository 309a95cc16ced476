/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_PROBABILISTIC_SAMPLER_SAMPLER_H
#define VARVE_PIPELINE_PROCESSORS_PROBABILISTIC_SAMPLER_SAMPLER_H

#include "pipeline/processors/probabilistic_sampler/consistent_sampling.h"

/* The decision of the processor about one item, whether span or log record. */
enum sampler_mode {
	SAMPLE_HASH_SEED,    /* by a hash of the trace id or of an attribute */
	SAMPLE_PROPORTIONAL, /* a share of what arrives */
	SAMPLE_EQUALIZING,   /* a share of what there was before any sampling */
	SAMPLE_NONE,	     /* the percentage is 0 */
};

struct sampler {
	enum sampler_mode mode;
	uint64_t threshold; /* hash_seed and equalizing */
	double ratio;	    /* proportional */
	int precision;
	uint32_t seed;
	bool fail_closed;
};

/* Where the randomness of an item is from, or what decided. */
enum sampler_policy {
	POLICY_TRACE_HASH,
	POLICY_TRACE_ID,
	POLICY_RANDOMNESS,
	POLICY_PRIORITY,
	POLICY_MISSING,
	POLICY_ATTRIBUTE,
	SAMPLER_POLICIES,
};

struct sampled_item {
	struct str trace_id; /* 16 bytes, or empty: none */
	struct str source;   /* the value of the attribute that replaces it; hash_seed */
	bool damaged;	     /* the marks could not be read */
	bool is_log;
	/* The threshold that the item asks for; NULL: none. */
	const uint64_t *priority;
	struct sampling_marks marks; /* in, and out if `marked` */

	bool marked; /* the item is kept with other marks */
	enum sampler_policy policy;
};

/* `percentage` is from 0 on. */
void sampler_init(struct sampler *s, enum sampler_mode mode, float percentage, uint32_t seed,
		  int precision, bool fail_closed);

/* Return whether the item is kept. */
bool sampler_decide(const struct sampler *s, struct sampled_item *item);

#endif
