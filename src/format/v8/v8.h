/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_V8_H
#define VARVE_FORMAT_V8_H

#include "format/collect.h"
#include "format/format.h"
#include "format/text.h"
#include "wire/json.h"

/*
 * The files that Chrome's developer tools and Node.js save: .cpuprofile (cpuprofile.c and
 * cpuprofile_encode.c) and .heapprofile (heapprofile.c), and what their decoders share (v8.c).
 */
extern const struct format format_cpuprofile, format_heapprofile;

int cpuprofile_encode(struct buf *out, const struct profile_batch *b,
		      const struct encode_options *o, struct err *e);

/* State of both decoders. */
struct v8_decoder {
	struct profile_builder builder;
	struct collector collector; /* its arena holds everything except the batch */
	struct text_warnings warnings;
	struct json doc;
	uint32_t script_type; /* attribute profile.frame.type = v8js */
};

/* Parse the file. Return 0 or -errno. Call v8_decoder_fini() in every case. */
MUST_USE int v8_decoder_init(struct v8_decoder *d, struct profile_batch *out, struct str in,
			     const struct decode_options *o, struct err *e);
void v8_decoder_fini(struct v8_decoder *d);

/* Add a resource, a scope and the collected profiles to the batch. */
MUST_USE int v8_decoder_finish(struct v8_decoder *d);

/* Add a sample type to collect. */
MUST_USE int v8_add_series(struct v8_decoder *d, struct str type, struct str unit,
			   uint32_t *series);

/*
 * Get the location of a node from its callFrame or, in the old layout, from the fields of the node
 * itself. Lines and columns count from 0 in a callFrame and from 1 in the old layout and in the
 * batch.
 */
MUST_USE int v8_add_location(struct v8_decoder *d, const struct json_value *node,
			     uint32_t *location);

/* Return whether the node is V8's artificial root, which is no function. */
bool v8_is_root(const struct json_value *node);

#endif
