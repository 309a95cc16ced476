/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_TEMPO_PROFILE_LINKS_H
#define VARVE_API_TEMPO_PROFILE_LINKS_H

#include "api/request.h"
#include "base/container/map.h"

/*
 * Links from the spans of a trace to their profiles. Grafana shows the flame graph of a span that
 * has the attribute pyroscope.profile.id, and queries it by the value, the id of the span. SDKs of
 * Pyroscope set the attribute; here it is added to spans that have samples and lack it.
 */
struct profile_links {
	struct arena arena;
	struct map spans; /* ids of the spans that have samples */
	uint32_t n;
};

MUST_USE int profile_links_init(struct profile_links *l, struct budget *budget);
void profile_links_fini(struct profile_links *l);

/*
 * Find the spans of the trace that have samples in profiles of about the time range, which is that
 * of the trace. Return 0 or -errno.
 */
MUST_USE int profile_links_find(struct profile_links *l, struct request *r,
				const uint8_t trace_id[TRACE_ID_SIZE], uint64_t from, uint64_t to,
				struct err *e);

/*
 * Set *out to the batch with the attribute added. It shares the memory of `in`, and more is in the
 * arena of the links. Return 0 or -ENOMEM.
 */
MUST_USE int profile_links_add(struct profile_links *l, const struct span_batch *in,
			       struct span_batch *out);

#endif
