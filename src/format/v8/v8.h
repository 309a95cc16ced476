/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_V8_H
#define VARVE_FORMAT_V8_H

#include "format/collect.h"
#include "format/format.h"
#include "format/text.h"
#include "wire/json.h"

/* What Chrome's developer tools and Node.js save: .cpuprofile and .heapprofile. */
extern const struct format format_cpuprofile, format_heapprofile;

int cpuprofile_encode(struct buf *out, const struct profile_batch *b,
		      const struct encode_options *o, struct err *e);

/* What both decoders have. */
struct v8_decoder {
	struct profile_builder builder;
	struct collector collector; /* its arena holds all that is not the batch's */
	struct text_warnings warnings;
	struct json doc;
	uint32_t script_type; /* attribute profile.frame.type = v8js */
};

/* Parse the file. 0 or -errno; fini in every case. */
MUST_USE int v8_decoder_init(struct v8_decoder *d, struct profile_batch *out, struct str in,
			     const struct decode_options *o, struct err *e);
void v8_decoder_fini(struct v8_decoder *d);

/* A resource, a scope, and the profiles that were collected. */
MUST_USE int v8_decoder_finish(struct v8_decoder *d);

/* A sample type to collect. */
MUST_USE int v8_add_series(struct v8_decoder *d, struct str type, struct str unit,
			   uint32_t *series);

/*
 * The location of a node: its callFrame, or in the old layout the fields of the node itself.
 * Lines and columns count from 0 in the one and from 1 in the other; ours from 1.
 */
MUST_USE int v8_add_location(struct v8_decoder *d, const struct json_value *node,
			     uint32_t *location);

/* Is the node the one that V8 puts above all others? It is no function. */
bool v8_is_root(const struct json_value *node);

#endif
