/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_DELIVERY_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_DELIVERY_H

#include "pipeline/component.h"
#include "pipeline/receivers/pprof/profile_delta.h"
#include "pipeline/receivers/scrape/scrape.h"

/* The way of the bytes of a profile from any source into the pipeline. */

/* The largest profile that is read, compressed and uncompressed, unless configured otherwise. */
#define PROFILE_BODY_MAX (64 * MIB)
enum { PROFILE_LABELS_MAX = 256 };

/* A source of profiles: an address, a file, this process. One thread at a time. */
struct profile_source {
	const struct component_env *env;
	const char *transport; /* of deliveries; may be NULL */
	const char *what;      /* for the log: "target", "file" */
	struct str name;       /* for the log: its URL without parameters, or its path */
	/* Of all profiles, among them service_name and, if it is known, __name__. */
	const struct keyvalue *labels;
	uint32_t label_count;	     /* at most PROFILE_LABELS_MAX */
	size_t body_max;	     /* 0: PROFILE_BODY_MAX */
	struct profile_delta *delta; /* NULL: profiles are passed on as they are */
	struct telemetry_value *scraped, *errored;
	bool failing; /* the last profile failed, which was reported */
};

/* Set the counters of a source. */
void profile_source_counters(struct profile_source *s);

struct fetched_profile {
	struct buf body; /* is taken over */
	/*
	 * For profiles without a time: nanoseconds since 1970. Also the time of a snapshot for the
	 * subtraction of sums.
	 */
	uint64_t time;
	bool content_id; /* identify the profile by its bytes: a second one is a duplicate */
};

/*
 * Decode a profile and deliver it; wait until it is done, or the run is cancelled. Return 0, or a
 * negative errno with text in `e`. The body is freed in every case.
 */
MUST_USE int profile_deliver(struct profile_source *s, struct fetched_profile *p,
			     const struct scrape_run *run, struct err *e);

/* Count the result of a scrape; log the first failure after a success, and the next success. */
void profile_source_report(struct profile_source *s, const struct scrape_run *run, int rc,
			   const struct err *e);

#endif
