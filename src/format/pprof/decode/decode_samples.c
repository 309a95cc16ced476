/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder of the samples of a pprof file. Samples are decoded once, into the rows of the first
 * profile; the other profiles get copies of these columns, and each value is stored directly in the
 * row of its type. With a merge there is only one row, which every sample uses before it is added
 * to the merge.
 */
#include "format/pprof/decode/decode_samples.h"

#include <errno.h>

#include "format/pprof/decode/decode_fast_path.h"
#include "format/pprof/decode/decode_labels.h"
#include "format/pprof/schema.h"
#include "wire/varints.h"

static int fail_location(struct pprof_decoder *d, uint64_t id, const void *at)
{
	return pprof_fail(d, at, "expected the id of a location in a sample, found %llu",
			  (unsigned long long)id);
}

static int read_locations(struct pprof_decoder *d, struct str packed)
{
	struct profile_batch *b = d->out;
	struct proto_reader r = proto_reader_of(packed);
	struct varint_list ids = {.at = r.at,
				  .end = r.end,
				  .readable = (const uint8_t *)d->in.p + d->in.n,
				  .last = d->location_ids.count};
	int rc = vec_reserve(&b->arena, &b->stack_locations, packed.n + VARINT_ROOM);

	if (unlikely(rc))
		return rc;
	ids.out = b->stack_locations.at + b->stack_locations.n;
	while (r.at < r.end) {
		if (likely(d->location_ids.identity)) {
			ids.at = r.at;
			varint_take_indices(&ids);
			r.at = ids.at;
		}
		if (likely(r.at == r.end))
			break;

		const uint8_t *at = r.at;
		uint64_t id = proto_varint(&r);

		*ids.out = id_table_find(&d->location_ids, id);
		if (unlikely(r.error))
			return proto_fail(&r, d->in, d->e);
		if (unlikely(!*ids.out++))
			return fail_location(d, id, at);
	}
	b->stack_locations.n = (uint32_t)(ids.out - b->stack_locations.at);
	return 0;
}

static int read_location(struct pprof_decoder *d, struct proto_reader *r)
{
	const uint8_t *at = r->at;
	uint64_t id = proto_varint(r);
	uint32_t row = id_table_find(&d->location_ids, id);

	if (r->error)
		return 0; /* the caller reports it */
	return row ? vec_push(&d->out->arena, &d->out->stack_locations, row)
		   : fail_location(d, id, at);
}

/*
 * Store the value of the next type. Excess values are only counted; finish_sample() rejects them.
 */
static inline void store_value(struct pprof_decoder *d, uint32_t *n, uint64_t value)
{
	if (likely(*n < d->types.n))
		d->out->values.at[(size_t)*n * d->rows + d->row] = (int64_t)value;
	++*n;
}

static int read_values(struct pprof_decoder *d, struct str packed, uint32_t *n)
{
	struct proto_reader r = proto_reader_of(packed);
	const uint8_t *input_end = (const uint8_t *)d->in.p + d->in.n;

	if (likely(!*n && input_end - r.end >= VARINT_SLACK))
		*n = varint_take_numbers(&r.at, r.end, d->out->values.at + d->row, d->rows,
					 d->types.n);
	while (unlikely(r.at < r.end)) /* long varints, the end of the input, or excess values */
		store_value(d, n, proto_varint(&r));
	return r.error ? proto_fail(&r, d->in, d->e) : 0;
}

/* Add the current sample to the merge, and clear it. */
static int merge_current_sample(struct pprof_decoder *d, uint32_t link)
{
	struct profile_batch *b = d->out;
	struct merge_sample sample = {
		.locations = b->stack_locations.at,
		.location_count = b->stack_locations.n,
		.attributes = b->sample_attributes.at,
		.attribute_count = b->sample_attributes.n,
		.link = link,
		.values = b->values.at,
	};

	d->link = link;
	b->stack_locations.n = 0;
	b->sample_attributes.n = 0;
	return profile_merge_sample(d->merge, &sample);
}

/* Append the sample to the columns of the first profile, for which memory is reserved. */
static void append_row(struct pprof_decoder *d, uint32_t stack_at, uint32_t link)
{
	struct profile_batch *b = d->out;
	uint32_t depth = b->stack_locations.n - stack_at;

	b->sample_stack[d->row] = depth ? b->stacks.n : 0;
	b->sample_link[d->row] = link;
	b->sample_attributes_at[++d->row] = b->sample_attributes.n;
	if (depth)
		b->stacks.at[b->stacks.n++] = (struct list){stack_at, depth};
}

static int finish_sample(struct pprof_decoder *d, struct str body, uint32_t sample,
			 uint32_t stack_at, uint32_t values)
{
	uint32_t link = 0;
	int rc = 0;

	if (unlikely(values != d->types.n))
		return pprof_fail(d, body.p, "expected %u values in a sample, found %u", d->types.n,
				  values);
	if (d->labels.n)
		rc = pprof_end_labels(d, sample, body, &link);
	if (rc)
		return rc;
	if (d->merge)
		return merge_current_sample(d, link);
	append_row(d, stack_at, link);
	return 0;
}

/* Read any field of a sample. */
static int read_sample_field(struct pprof_decoder *d, struct proto_reader *r, uint32_t sample,
			     uint32_t *values)
{
	switch (r->tag) {
	case PROTO_TAG(PPROF_SAMPLE_LOCATION, PROTO_BYTES):
		return read_locations(d, proto_bytes(r));
	case PROTO_TAG(PPROF_SAMPLE_VALUE, PROTO_BYTES):
		return read_values(d, proto_bytes(r), values);
	case PROTO_TAG(PPROF_SAMPLE_LABEL, PROTO_BYTES):
		return pprof_read_label(d, sample, proto_bytes(r));
	case PROTO_TAG(PPROF_SAMPLE_LOCATION, PROTO_VARINT):
		return read_location(d, r);
	case PROTO_TAG(PPROF_SAMPLE_VALUE, PROTO_VARINT):
		store_value(d, values, proto_varint(r));
		return 0;
	default:
		proto_skip(r);
		return 0;
	}
}

/*
 * If the next field is length-delimited with a length of one byte, as nearly all are, set *list to
 * its content and return its tag; else return 0.
 */
static inline unsigned next_list(const struct proto_reader *r, struct str *list)
{
	if (unlikely(r->end - r->at < 2 || r->at[1] >= 0x80 || r->end - r->at - 2 < r->at[1]))
		return 0;
	*list = str_of((const char *)r->at + 2, r->at[1]);
	return r->at[0];
}

int pprof_decode_sample(struct pprof_decoder *d, struct str body, uint32_t sample)
{
	struct proto_reader r = proto_reader_of(body);
	uint32_t stack_at = d->out->stack_locations.n, values = 0;
	struct str list;
	int rc = 0;

	while (!rc && r.at < r.end) {
		switch (next_list(&r, &list)) {
		case PROTO_TAG(PPROF_SAMPLE_LOCATION, PROTO_BYTES):
			rc = read_locations(d, list);
			break;
		case PROTO_TAG(PPROF_SAMPLE_VALUE, PROTO_BYTES):
			rc = read_values(d, list, &values);
			break;
		case PROTO_TAG(PPROF_SAMPLE_LABEL, PROTO_BYTES):
			rc = pprof_read_label(d, sample, list);
			break;
		default:
			rc = proto_next(&r) ? read_sample_field(d, &r, sample, &values) : 0;
			continue;
		}
		r.at = (const uint8_t *)list.p + list.n;
	}
	if (unlikely(r.error))
		return proto_fail(&r, d->in, d->e);
	return rc ? rc : finish_sample(d, body, sample, stack_at, values);
}

/*
 * Reject input whose samples are too small in total to hold one value per type, at least a byte
 * each, before memory is reserved for them. At least one of its samples is too short then.
 */
static int check_sizes(struct pprof_decoder *d)
{
	size_t rows = (size_t)d->samples.bodies.n * d->types.n;

	if (rows >= VEC_MAX)
		return -EOVERFLOW;
	if (rows <= d->samples.bytes)
		return 0;

	const struct str *body = d->samples.bodies.at;

	while (body->n >= d->types.n) /* terminates: at least one is shorter */
		body++;
	return pprof_fail(d, body->p, "expected %u values in a sample, found %zu bytes", d->types.n,
			  body->n);
}

/* Reserve the rows of all profiles. */
static int reserve_rows(struct pprof_decoder *d)
{
	struct profile_batch *b = d->out;
	size_t rows = (size_t)d->rows * d->types.n;
	int rc = profile_batch_reserve_samples(b, rows);

	if (!rc)
		rc = vec_reserve(&b->arena, &b->values, rows);
	if (!rc)
		rc = vec_reserve(&b->arena, &b->stacks, d->rows);
	return rc;
}

/* Copy the rows of the first profile to the other profiles. */
static int copy_rows(struct pprof_decoder *d)
{
	struct profile_batch *b = d->out;
	size_t n = d->samples.bodies.n, types = d->types.n;
	uint32_t refs = b->sample_attributes.n;
	int rc = vec_reserve(&b->arena, &b->sample_attributes, refs * (types - 1));

	if (rc)
		return rc;
	for (size_t t = 1; t < types; t++) {
		uint32_t *at = b->sample_attributes_at + t * n;

		memcpy(b->sample_stack + t * n, b->sample_stack, n * sizeof(*b->sample_stack));
		memcpy(b->sample_link + t * n, b->sample_link, n * sizeof(*b->sample_link));
		if (refs)
			memcpy(b->sample_attributes.at + t * refs, b->sample_attributes.at,
			       refs * sizeof(*b->sample_attributes.at));
		for (size_t i = 1; i <= n; i++)
			at[i] = b->sample_attributes_at[i] + (uint32_t)t * refs;
	}
	b->sample_attributes.n = (uint32_t)(types * refs);
	return 0;
}

/* Fill the columns that are the same for all input: each row has one value and no times. */
static void finish_columns(struct pprof_decoder *d)
{
	struct profile_batch *b = d->out;
	uint32_t rows = d->samples.bodies.n * d->types.n;

	for (uint32_t i = 0; i <= rows; i++) {
		b->sample_values_at[i] = i;
		b->sample_times_at[i] = 0;
	}
	b->values.n = rows;
	b->sample_count = rows;
	for (uint32_t p = 0; p < b->profiles.n; p++)
		b->profiles.at[p].sample_count = d->samples.bodies.n;
}

int pprof_decode_samples(struct pprof_decoder *d)
{
	int rc;

	if (!d->samples.bodies.n)
		return 0;
	d->rows = d->merge ? 1 : d->samples.bodies.n;
	rc = check_sizes(d);
	if (!rc)
		rc = reserve_rows(d);
	if (!rc && d->merge)
		rc = profile_merge_begin(d->merge, d->out);
	if (!rc && d->merge)
		return pprof_merge_samples(d);
	for (uint32_t i = 0; !rc && i < d->samples.bodies.n; i++)
		rc = pprof_decode_sample(d, d->samples.bodies.at[i], i);
	if (!rc)
		rc = copy_rows(d);
	if (!rc)
		finish_columns(d);
	return rc;
}
