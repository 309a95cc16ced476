/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_PYROSCOPE_PUSH_ENCODE_H
#define VARVE_PIPELINE_EXPORTERS_PYROSCOPE_PUSH_ENCODE_H

#include "config/settings.h"
#include "signal/series.h"
#include "wire/proto.h"

/*
 * Encodes a batch of profiles as push.v1's PushRequest: a series with its labels and one pprof file
 * for the profiles of the batch that belong together, such as the four types of a heap profile.
 * Labels of samples stay in the file; the server makes series of them.
 *
 * Sample counts that docs/series.md converts to CPU time are converted here, so that a profile has
 * the same type at each server.
 */
struct push_encoding {
	const struct profile_batch *batch;
	const struct series_map *series;    /* of the batch */
	const struct setting_map *external; /* labels of each series; they replace others */
	bool gzip;			    /* compress each file */
	struct arena *arena;		    /* for working memory */

	/* Results. */
	uint32_t files;
	uint64_t refused;  /* samples of profiles that cannot be sent */
	struct str reason; /* of the first of them, in the arena or borrowed */
};

/* Write the request, back to front. Return 0 or a negative errno with text in `e`. */
MUST_USE int push_encode(struct push_encoding *x, struct proto_writer *out, struct err *e);

#endif
