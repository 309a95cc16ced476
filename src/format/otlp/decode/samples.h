/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_SAMPLES_H
#define VARVE_FORMAT_OTLP_DECODE_SAMPLES_H

#include "format/otlp/decode/decoder.h"
#include "wire/proto.h"

/* Progress within the samples of one profile, and what samples of 1.7 take from their profile. */
struct otlp_sample_plan {
	uint32_t sample;		      /* samples decoded so far */
	uint32_t value_at, type_count;	      /* 1.7: position of the value, number of values */
	uint32_t location_at, location_count; /* 1.7: the profile's locations, in stack_locations */
	uint32_t stack_first;		      /* 1.7: row of the first sample's stack */
	bool make_stacks;		      /* 1.7: append stacks; else they already exist */
};

/*
 * Decode the sample that the reader is positioned on and the samples that directly follow it, and
 * append them to the last profile of the batch. Return 0 or -errno. A protobuf error of the profile
 * itself is left in r->error.
 */
MUST_USE int otlp_decode_samples(struct otlp_decoder *d, struct proto_reader *r,
				 struct otlp_sample_plan *plan);

/*
 * Return whether field 2 of all samples holds valid attribute indices with distinct keys, as in
 * 1.11. (In 1.9 the field holds values.)
 */
bool otlp_field_2_has_attributes(struct otlp_decoder *d, struct str message);

#endif
