/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TRACE_POLICY_H
#define VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TRACE_POLICY_H

#include "base/regex.h"
#include "pipeline/host.h"
#include "pipeline/processors/tail_sampling/policy_settings.h"
#include "pipeline/processors/tail_sampling/profiled_traces.h"
#include "signal/otlp/tree.h"

/* Evaluates policies. One thread at a time, because rates and expressions have a state. */
struct policy_trace {
	const struct trace_key *key;
	struct otlp_tree *trees; /* not changed */
	uint32_t tree_count;
	uint64_t spans, bytes;
	uint64_t now_ns; /* monotonic; for rates */
};

/* How much is left of a rate per second. */
struct trace_rate {
	double left, burst, per_second;
	uint64_t since_ns;
};

/* composite: how many spans a sub-policy may keep in a second, and how many it has kept. */
struct trace_share {
	uint64_t max, used;
};

struct trace_policy {
	const struct policy_settings *settings;
	struct trace_policy *below; /* and, not, drop */
	uint32_t below_count;
	struct regex **regexes; /* of string_attribute */
	uint64_t threshold;	/* probabilistic */
	struct trace_rate rate;
	struct trace_share *shares; /* of composite, by sub-policy */
	uint64_t second;	    /* composite: in which shares were used */
	struct ottl *ottl;
	struct ottl_program *span_condition, *event_condition; /* or NULL */
	struct profiled_traces *profiled;
	struct telemetry_value *sampled, *not_sampled; /* of the top level */
};

enum trace_verdict { TRACE_NOT_SAMPLED, TRACE_SAMPLED, TRACE_DROPPED };

struct trace_policies {
	struct trace_policy *at;
	uint32_t n;
	struct ottl *ottl; /* of all conditions */
};

/*
 * Compile the policies; memory is in `arena`, texts are borrowed. Return 0, -ENOMEM, or -EINVAL
 * with text in `e`. Call trace_policies_fini() in every case.
 */
MUST_USE int trace_policies_init(struct trace_policies *p, const struct policy_list *list,
				 struct host *host, struct arena *arena, struct err *e);
void trace_policies_fini(struct trace_policies *p);

/*
 * Evaluate all policies and count their results: a policy that drops wins, then one that samples.
 */
enum trace_verdict trace_policies_decide(const struct trace_policies *p,
					 const struct policy_trace *view);

#endif
