/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder of pprof protobuf into a profile batch.
 *
 * Protobuf fields may come in any order, and real writers put the tables after the samples that
 * refer to them. Therefore a first pass over the top-level fields (scan_input()) reads the strings
 * and records where the messages of each kind are; then the kinds are decoded in order of their
 * dependencies: mappings, functions, locations, samples.
 *
 * Strings keep their index and are borrowed from the input. Each sample type becomes a profile, and
 * sample i of the file is sample i of every profile, with its own stack row; only labels are
 * hashed. If the caller only merges the samples, they are added to the merge one by one instead.
 * The decoder rejects what profile.CheckValid of google/pprof rejects, and strings that are not
 * UTF-8.
 */
#include <errno.h>

#include "format/pprof/decode/decode_samples.h"
#include "format/pprof/decode/decode_tables.h"
#include "format/pprof/decode/decoder.h"
#include "format/pprof/list_value.h"
#include "format/pprof/pprof.h"
#include "format/pprof/schema.h"

/* More sample types than any writer has; for each type all samples are repeated. */
enum { MAX_SAMPLE_TYPES = 256 };

/*
 * Record the samples, locations and functions that follow, as long as there is room and their
 * lengths take one byte. Some writers interleave these kinds, so the destination is looked up by
 * field number instead of branching on it, which would be mispredicted.
 */
static void record_short_messages(struct pprof_decoder *d, struct proto_reader *r)
{
	enum { FIELDS = 8, FIELD_TAG = 0xc7 /* mask that clears a field number below 8 */ };
	struct message_list *lists[] = {&d->samples, &d->locations, &d->functions};
	static const uint8_t fields[] = {PPROF_SAMPLE, PPROF_LOCATION, PPROF_FUNCTION};
	struct {
		struct str *to, *full; /* equal: no room, or not a recorded field */
		size_t bytes;
	} kinds[FIELDS] = {0};
	const uint8_t *at = r->at, *end = r->end; /* in registers: each step depends on the last */

	for (size_t i = 0; i < countof(fields); i++) {
		kinds[fields[i]].to = lists[i]->bodies.at + lists[i]->bodies.n;
		kinds[fields[i]].full = lists[i]->bodies.at + lists[i]->bodies.cap;
	}
	while (end - at > 2) {
		uint8_t tag = at[0], n = at[1], field = tag / 8 % FIELDS;

		if (unlikely((tag & FIELD_TAG) != PROTO_BYTES || n >= 0x80 || n > end - at - 2 ||
			     kinds[field].to == kinds[field].full))
			break;
		*kinds[field].to++ = str_of((const char *)at + 2, n);
		kinds[field].bytes += n;
		at += 2 + n;
	}
	r->at = at;
	for (size_t i = 0; i < countof(fields); i++) {
		lists[i]->bodies.n = (uint32_t)(kinds[fields[i]].to - lists[i]->bodies.at);
		lists[i]->bytes += kinds[fields[i]].bytes;
	}
}

/* Record the message at the reader, and short messages that directly follow it. */
static int record_message(struct pprof_decoder *d, struct message_list *s, struct proto_reader *r)
{
	struct str body = proto_bytes(r);
	int rc = vec_push(&d->out->arena, &s->bodies, body);

	s->bytes += body.n;
	if (!rc && !r->error)
		record_short_messages(d, r);
	return rc;
}

static int read_string(struct pprof_decoder *d, struct proto_reader *r)
{
	struct str s = proto_bytes(r);
	size_t valid = str_utf8_valid(s);

	if (unlikely(valid < s.n))
		return pprof_fail(d, s.p + valid, "expected UTF-8 in string %u, found byte 0x%02x",
				  d->has_strings ? d->out->strings.n : 0,
				  (unsigned char)s.p[valid]);
	if (!d->has_strings) { /* row 0 of the batch exists already */
		d->has_strings = true;
		if (s.n)
			return pprof_fail(d, s.p, "expected an empty string 0, found %zu bytes",
					  s.n);
		return 0;
	}
	return vec_push(&d->out->arena, &d->out->strings, s);
}

static struct string_ref read_ref(struct proto_reader *r)
{
	const uint8_t *at = r->at;

	return (struct string_ref){proto_varint(r), at};
}

static int read_value_type(struct pprof_decoder *d, struct proto_reader *outer,
			   struct type_refs *out)
{
	struct proto_reader r = proto_message(outer);

	*out = (struct type_refs){{0, r.at}, {0, r.at}};
	while (proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(PPROF_TYPE_TYPE, PROTO_VARINT):
			out->type = read_ref(&r);
			break;
		case PROTO_TAG(PPROF_TYPE_UNIT, PROTO_VARINT):
			out->unit = read_ref(&r);
			break;
		default:
			proto_skip(&r);
		}
	return r.error ? proto_fail(&r, d->in, d->e) : 0;
}

static int read_sample_type(struct pprof_decoder *d, struct proto_reader *r)
{
	struct type_refs type;
	const uint8_t *at = r->at;
	int rc = read_value_type(d, r, &type);

	if (rc)
		return rc;
	if (d->types.n == MAX_SAMPLE_TYPES)
		return pprof_fail(d, at, "expected at most %d sample types", MAX_SAMPLE_TYPES);
	return vec_push(&d->out->arena, &d->types, type);
}

static int read_packed_comments(struct pprof_decoder *d, struct proto_reader *outer)
{
	struct proto_reader r = proto_message(outer);
	int rc = 0;

	while (!rc && r.at < r.end)
		rc = vec_push(&d->out->arena, &d->comments, read_ref(&r));
	return r.error ? proto_fail(&r, d->in, d->e) : rc;
}

/* Read time_nanos. Like google/pprof, take a second one as a sign of two concatenated files. */
static int read_time_nanos(struct pprof_decoder *d, struct proto_reader *r)
{
	if (d->time)
		return pprof_fail(d, r->at, "expected one profile, found a second one after it");
	d->time = (int64_t)proto_varint(r);
	return 0;
}

/* Read a field that occurs once per file. */
static int read_header_field(struct pprof_decoder *d, struct proto_reader *r)
{
	switch (r->tag) {
	case PROTO_TAG(PPROF_DROP_FRAMES, PROTO_VARINT):
		d->drop_frames = read_ref(r);
		break;
	case PROTO_TAG(PPROF_KEEP_FRAMES, PROTO_VARINT):
		d->keep_frames = read_ref(r);
		break;
	case PROTO_TAG(PPROF_TIME_NANOS, PROTO_VARINT):
		return read_time_nanos(d, r);
	case PROTO_TAG(PPROF_DURATION_NANOS, PROTO_VARINT):
		d->duration = (int64_t)proto_varint(r);
		break;
	case PROTO_TAG(PPROF_PERIOD_TYPE, PROTO_BYTES):
		return read_value_type(d, r, &d->period_type);
	case PROTO_TAG(PPROF_PERIOD, PROTO_VARINT):
		d->period = (int64_t)proto_varint(r);
		break;
	case PROTO_TAG(PPROF_COMMENT, PROTO_VARINT):
		return vec_push(&d->out->arena, &d->comments, read_ref(r));
	case PROTO_TAG(PPROF_COMMENT, PROTO_BYTES):
		return read_packed_comments(d, r);
	case PROTO_TAG(PPROF_DEFAULT_SAMPLE_TYPE, PROTO_VARINT):
		d->default_type = read_ref(r);
		break;
	case PROTO_TAG(PPROF_DOC_URL, PROTO_VARINT):
		d->doc_url = read_ref(r);
		break;
	default:
		proto_skip(r);
	}
	return 0;
}

/*
 * Reserve what a small file is likely to need: growing step by step would copy everything about
 * once.
 */
static int reserve_messages(struct pprof_decoder *d)
{
	size_t bytes = min_size(d->in.n, MIB);
	int rc = vec_reserve(&d->out->arena, &d->samples.bodies, bytes / 32);

	if (!rc)
		rc = vec_reserve(&d->out->arena, &d->locations.bodies, bytes / 128);
	return rc ? rc : vec_reserve(&d->out->arena, &d->functions.bodies, bytes / 256);
}

/* Read the strings and header fields, and record all other messages. */
static int scan_input(struct pprof_decoder *d)
{
	struct proto_reader r = proto_reader_of(d->in);
	int rc = reserve_messages(d);

	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(PPROF_SAMPLE, PROTO_BYTES):
			rc = record_message(d, &d->samples, &r);
			break;
		case PROTO_TAG(PPROF_LOCATION, PROTO_BYTES):
			rc = record_message(d, &d->locations, &r);
			break;
		case PROTO_TAG(PPROF_STRING_TABLE, PROTO_BYTES):
			rc = read_string(d, &r);
			break;
		case PROTO_TAG(PPROF_FUNCTION, PROTO_BYTES):
			rc = record_message(d, &d->functions, &r);
			break;
		case PROTO_TAG(PPROF_MAPPING, PROTO_BYTES):
			rc = record_message(d, &d->mappings, &r);
			break;
		case PROTO_TAG(PPROF_SAMPLE_TYPE, PROTO_BYTES):
			rc = read_sample_type(d, &r);
			break;
		default:
			rc = read_header_field(d, &r);
		}
	return r.error ? proto_fail(&r, d->in, d->e) : rc;
}

static int resolve_type(struct pprof_decoder *d, const struct type_refs *refs,
			struct value_type *out)
{
	int rc = pprof_string(d, refs->type.index, refs->type.at, &out->type);

	return rc ? rc : pprof_string(d, refs->unit.index, refs->unit.at, &out->unit);
}

/* Add a string attribute to the profiles, unless it is empty. */
static int add_text_attribute(struct pprof_decoder *d, const struct string_ref *ref, struct str key)
{
	uint32_t string, id;
	int rc = pprof_string(d, ref->index, ref->at, &string);

	if (rc || !d->out->strings.at[string].n)
		return rc;
	rc = pprof_new_attribute(d, key, VALUE_OF_STR(d->out->strings.at[string]), &id);
	return rc ? rc : vec_push(&d->out->arena, &d->out->attribute_refs, id);
}

static int add_comment_attribute(struct pprof_decoder *d)
{
	struct list_item *items = arena_zalloc(&d->out->arena, d->comments.n, sizeof(*items));
	struct value list;
	uint32_t id;
	int rc = items ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < d->comments.n; i++) {
		uint32_t string = 0;

		rc = pprof_string(d, d->comments.at[i].index, d->comments.at[i].at, &string);
		items[i].value = VALUE_OF_STR(d->out->strings.at[string]);
	}
	if (!rc)
		rc = list_value_encode(&d->out->arena, items, d->comments.n, &list);
	if (!rc)
		rc = pprof_new_attribute(d, PPROF_ATTR_COMMENT, list, &id);
	return rc ? rc : vec_push(&d->out->arena, &d->out->attribute_refs, id);
}

/* Create the attributes that all profiles of the file share. */
static int add_profile_attributes(struct pprof_decoder *d, struct list *out)
{
	uint32_t at = d->out->attribute_refs.n;
	int rc = d->comments.n ? add_comment_attribute(d) : 0;

	if (!rc)
		rc = add_text_attribute(d, &d->doc_url, PPROF_ATTR_DOC_URL);
	if (!rc)
		rc = add_text_attribute(d, &d->drop_frames, PPROF_ATTR_DROP_FRAMES);
	if (!rc)
		rc = add_text_attribute(d, &d->keep_frames, PPROF_ATTR_KEEP_FRAMES);
	*out = (struct list){at, d->out->attribute_refs.n - at};
	return rc;
}

static int add_resource_and_scope(struct pprof_decoder *d)
{
	struct profile_batch *b = d->out;
	struct scope scope = {.attributes = {b->keyvalues.n, 0}};
	uint32_t string;
	int rc = pprof_string(d, d->default_type.index, d->default_type.at, &string);

	if (!rc && b->strings.at[string].n) {
		struct keyvalue pair = {PPROF_ATTR_DEFAULT_SAMPLE_TYPE,
					VALUE_OF_STR(b->strings.at[string])};

		rc = vec_push(&b->arena, &b->keyvalues, pair);
		scope.attributes.n = 1;
	}
	if (!rc)
		rc = vec_push(&b->arena, &b->resources, (struct resource){0});
	return rc ? rc : vec_push(&b->arena, &b->scopes, scope);
}

/*
 * Append one profile per sample type. A file without types, and so without samples, gets type "".
 */
static int add_profiles(struct pprof_decoder *d)
{
	struct profile row = {
		.period = d->period,
		.time_unix_nano = (uint64_t)d->time,
		.duration_nano = (uint64_t)d->duration,
	};
	uint32_t count = d->types.n ? d->types.n : 1;
	int rc = add_profile_attributes(d, &row.attributes);

	if (!rc)
		rc = resolve_type(d, &d->period_type, &row.period_type);
	for (uint32_t t = 0; !rc && t < count; t++) {
		if (d->types.n)
			rc = resolve_type(d, &d->types.at[t], &row.sample_type);
		row.sample_first = d->merge ? 0 : t * d->samples.bodies.n;
		if (!rc)
			rc = vec_push(&d->out->arena, &d->out->profiles, row);
	}
	return rc;
}

int pprof_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
		 struct err *e)
{
	struct pprof_decoder d = {
		.out = out, .in = in, .options = o, .merge = o ? o->merge : NULL, .e = e};
	int rc;

	if (!in.n)
		return err_set(e, -EBADMSG, "at byte 0: expected a profile, found an empty file");
	rc = scan_input(&d);
	d.string_count = out->strings.n;
	if (!rc && !d.types.n && d.samples.bodies.n)
		rc = pprof_fail(&d, d.samples.bodies.at[0].p,
				"expected sample types, found only samples");
	if (!rc)
		rc = add_resource_and_scope(&d);
	if (!rc)
		rc = add_profiles(&d);
	if (!rc)
		rc = pprof_decode_tables(&d);
	if (!rc)
		rc = pprof_decode_samples(&d);
	if (rc)
		err_errno(e, rc, "decoding pprof");
	return rc;
}
