/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_SPEEDSCOPE_H
#define VARVE_FORMAT_SPEEDSCOPE_H

#include "format/format.h"

/*
 * speedscope's JSON: shared frames, and profiles as events or as weighted stacks. Implemented by
 * decode.c and encode.c.
 */
extern const struct format format_speedscope;

/* The units of the file format and the sample types that they map to. */
struct speedscope_unit {
	struct str name;       /* in the file */
	struct str type, unit; /* of the samples */
	int64_t factor;	       /* from the file's unit to the batch's */
	bool time;
};
extern const struct speedscope_unit speedscope_units[]; /* ends with an empty name */

extern const struct str speedscope_schema;

int speedscope_encode(struct buf *out, const struct profile_batch *b,
		      const struct encode_options *o, struct err *e);

#endif
