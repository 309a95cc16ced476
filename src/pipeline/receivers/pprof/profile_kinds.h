/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_KINDS_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_KINDS_H

#include "config/settings.h"

/* The profiles that services serve over HTTP, with the names of Alloy's pyroscope.scrape. */
struct profile_kind {
	struct str key;	 /* in the configuration */
	struct str name; /* of the profile type: __name__ */
	struct str path;
	bool enabled; /* unless configured otherwise */
	bool delta;   /* the server records for some seconds */
	/* Its sums count from the start of the process; see profile_delta.h. */
	bool cumulative;
};

enum { PROFILE_KINDS = 9, PROFILE_CUSTOM_MAX = 32 };
extern const struct profile_kind profile_kinds[PROFILE_KINDS];

/* Return the kind that a URL serves by the end of its path (/debug/pprof/heap), or NULL. */
const struct profile_kind *profile_kind_of_url(struct str url);

/* A configured profile of a job. */
struct profile_choice {
	struct str name, path;
	bool set, enabled, delta, cumulative;
};

struct profile_customs {
	const struct profile_choice *at;
	uint32_t n;
};

/* The section profiling_config. */
struct profiling_settings {
	struct str path_prefix;
	struct profile_choice kinds[PROFILE_KINDS]; /* as configured */
	struct profile_customs customs;
};

extern const struct setting profiling_table[];

/*
 * Write the profiles that are enabled to `out`, which has room for PROFILE_KINDS +
 * PROFILE_CUSTOM_MAX. Return their number.
 */
uint32_t profiling_enabled(const struct profiling_settings *s, struct profile_choice *out);

#endif
