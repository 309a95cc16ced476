/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder for OTLP profiles (ExportProfilesServiceRequest, ProfilesData): messages, resources,
 * scopes and profiles. The dictionary is decoded first, wherever it is in the message, so that
 * indices can be checked and resolved as they are read. Follows
 * opentelemetry/proto/profiles/v1development and its older layouts (layout.h).
 */
#include "format/otlp/decode/decode.h"

#include <stdarg.h>
#include <stdio.h>

#include "format/otlp/decode/dictionary.h"
#include "format/otlp/decode/rows.h"
#include "format/otlp/decode/samples.h"
#include "format/otlp/decode/scan.h"
#include "format/otlp/decode/values.h"

struct otlp_decoder *otlp_decoder_new(struct profile_batch *out, struct str whole,
				      const struct decode_options *o, struct err *e)
{
	struct otlp_decoder *d = arena_alloc(&out->arena, 1, sizeof(*d));

	if (!d)
		return NULL;
	memset(d, 0, offsetof(struct otlp_decoder, parts));
	d->b = out;
	d->o = o;
	d->e = e;
	d->whole = whole;
	return d;
}

int otlp_repair(struct otlp_decoder *d, enum otlp_repair kind, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (d->observer || ((d->repaired >> kind & 1) && !(d->o && d->o->strict)))
		return 0;
	d->repaired |= 1u << kind;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (d->o && d->o->strict)
		return err_set(d->e, -EBADMSG, "%s", text);
	if (d->o && d->o->warn)
		d->o->warn(d->o->warn_arg, text);
	return 0;
}

/* The fields of a Profile message other than its samples. */
struct profile_fields {
	struct profile row;
	struct value_type types[OTLP_MAX_SAMPLE_TYPES]; /* more than one only in 1.7 */
	uint32_t type_count, default_type;
	uint32_t location_at;
	bool has_comments;
};

static int read_value_type(struct otlp_decoder *d, struct str bytes, struct value_type *out)
{
	struct proto_reader r = proto_reader_of(bytes);
	uint64_t type = 0, unit = 0, temporality = 0;
	int rc;

	while (proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_VARINT):
			type = proto_varint(&r);
			break;
		case PROTO_TAG(2, PROTO_VARINT):
			unit = proto_varint(&r);
			break;
		case PROTO_TAG(3, PROTO_VARINT): /* 1.7, 1.8 */
			temporality = proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	if (r.error)
		return proto_fail(&r, d->whole, d->e);
	rc = otlp_row(d, TABLE_STRINGS, type, &out->type);
	if (!rc)
		rc = otlp_row(d, TABLE_STRINGS, unit, &out->unit);
	if (!rc && temporality == 2)
		rc = otlp_repair(d, REPAIR_TEMPORALITY,
				 "cumulative temporality: layout 1.11 cannot represent it");
	return rc;
}

static int read_sample_type(struct otlp_decoder *d, struct str bytes, struct profile_fields *f)
{
	if (d->layout != OTLP_1_7)
		f->type_count = 0; /* not repeated: the last one wins */
	if (f->type_count == OTLP_MAX_SAMPLE_TYPES)
		return err_set(d->e, -E2BIG, "at byte %zu: more than %d sample types",
			       (size_t)(bytes.p - d->whole.p), OTLP_MAX_SAMPLE_TYPES);
	return read_value_type(d, bytes, &f->types[f->type_count++]);
}

static int read_profile_id(struct otlp_decoder *d, struct str bytes, struct profile *row)
{
	otlp_observe(d, EVENT_PROFILE_ID, d->b->profiles.n - 1, bytes.n);
	if (bytes.n == sizeof(row->id))
		memcpy(row->id, bytes.p, bytes.n);
	else if (bytes.n)
		return otlp_repair(d, REPAIR_PROFILE_ID,
				   "profile id has %zu bytes instead of 16: dropped", bytes.n);
	return 0;
}

static uint64_t clamp_negative(uint64_t wire)
{
	return wire > INT64_MAX ? 0 : wire;
}

/* Read a field that is not a plain number. Unknown fields are skipped. */
static int read_nested_field(struct otlp_decoder *d, struct proto_reader *r,
			     struct profile_fields *f, unsigned role)
{
	struct profile_batch *b = d->b;

	switch (role) {
	case PROFILE_SAMPLE_TYPE:
		return read_sample_type(d, proto_bytes(r), f);
	case PROFILE_PERIOD_TYPE:
		return read_value_type(d, proto_bytes(r), &f->row.period_type);
	case PROFILE_PROFILE_ID:
		return read_profile_id(d, proto_bytes(r), &f->row);
	case PROFILE_PAYLOAD_FORMAT:
		return otlp_read_string(d, proto_bytes(r), &f->row.payload_format);
	case PROFILE_ATTRIBUTES:
		return otlp_read_rows(d, TABLE_ATTRIBUTES, proto_bytes(r), &b->attribute_refs);
	case PROFILE_ATTRIBUTE:
		return otlp_read_row(d, TABLE_ATTRIBUTES, proto_varint(r), &b->attribute_refs);
	case PROFILE_LOCATIONS:
		return otlp_read_rows(d, TABLE_LOCATIONS, proto_bytes(r), &b->stack_locations);
	case PROFILE_LOCATION:
		return otlp_read_row(d, TABLE_LOCATIONS, proto_varint(r), &b->stack_locations);
	default:
		proto_skip(r);
		return 0;
	}
}

/* Read all fields; skip the samples of 1.7, which need the other fields first. */
static int read_profile_fields(struct otlp_decoder *d, struct str bytes, struct profile_fields *f)
{
	struct proto_reader r = proto_reader_of(bytes);
	const uint8_t *roles = d->roles->profile;
	struct otlp_sample_plan plan = {0};
	int rc = 0;

	while (!rc && proto_next(&r)) {
		unsigned role = r.tag < OTLP_PROFILE_TAGS ? roles[r.tag] : PROFILE_UNKNOWN;

		switch (role) {
		case PROFILE_SAMPLE:
			if (d->layout == OTLP_1_7)
				proto_bytes(&r);
			else
				rc = otlp_decode_samples(d, &r, &plan);
			break;
		case PROFILE_TIME:
			f->row.time_unix_nano = proto_fixed64(&r);
			break;
		case PROFILE_TIME_VARINT:
			f->row.time_unix_nano = clamp_negative(proto_varint(&r));
			break;
		case PROFILE_DURATION:
			f->row.duration_nano = proto_varint(&r);
			if (d->layout == OTLP_1_7)
				f->row.duration_nano = clamp_negative(f->row.duration_nano);
			break;
		case PROFILE_PERIOD:
			f->row.period = (int64_t)proto_varint(&r);
			break;
		case PROFILE_DROPPED:
			f->row.dropped_attributes = (uint32_t)proto_varint(&r);
			break;
		case PROFILE_PAYLOAD:
			f->row.payload = proto_bytes(&r);
			break;
		case PROFILE_DEFAULT_TYPE:
			f->default_type = (uint32_t)proto_varint(&r);
			break;
		case PROFILE_COMMENTS:
		case PROFILE_COMMENT:
			f->has_comments = true;
			proto_skip(&r);
			break;
		default:
			rc = read_nested_field(d, &r, f, role);
		}
	}
	if (!rc && r.error)
		rc = proto_fail(&r, d->whole, d->e);
	return rc;
}

static void put_comment(struct otlp_decoder *d, struct proto_writer *w, uint32_t row)
{
	size_t mark = proto_mark(w);

	proto_put_entry(w, 1, string_of(d->b, row));
	proto_put_header(w, 1, mark);
}

/* Write the comments of 1.7 and 1.8 as the value of their attribute in 1.11: a list of strings. */
static int write_comments(struct otlp_decoder *d, struct proto_writer *w, struct str profile)
{
	struct proto_reader r = proto_reader_of(profile);
	VEC(uint32_t) rows = {0};
	int rc = 0;

	while (!rc && proto_next(&r)) {
		unsigned role = r.tag < OTLP_PROFILE_TAGS ? d->roles->profile[r.tag] : 0;

		if (role == PROFILE_COMMENTS)
			rc = otlp_read_rows(d, TABLE_STRINGS, proto_bytes(&r), &rows);
		else if (role == PROFILE_COMMENT)
			rc = otlp_read_row(d, TABLE_STRINGS, proto_varint(&r), &rows);
		else
			proto_skip(&r);
	}
	for (uint32_t i = rc ? 0 : rows.n; i > 0; i--) /* after an error rows may be invalid */
		put_comment(d, w, rows.at[i - 1]);
	proto_put_header(w, 5, 0);
	return rc ? rc : proto_writer_error(w);
}

static int add_comments_attribute(struct otlp_decoder *d, struct str profile,
				  struct list *attributes)
{
	static const struct str key = STR_INIT("pprof.profile.comment");
	struct profile_batch *b = d->b;
	struct value v = {.kind = VALUE_LIST};
	struct proto_writer w;
	uint32_t row = 0;
	int rc;

	if (profile_find_attribute(b, b->attribute_refs.at + attributes->at, attributes->n, key))
		return 0;
	proto_writer_init(&w, b->arena.budget);
	rc = write_comments(d, &w, profile);
	if (!rc)
		rc = arena_copy_str(&b->arena, proto_writer_str(&w), &v.s);
	if (!rc)
		rc = otlp_new_attribute(d, key, v, &row);
	if (!rc)
		rc = vec_push(&b->arena, &b->attribute_refs, row);
	attributes->n += !rc;
	proto_writer_fini(&w);
	return rc;
}

/* Report the strings that comments refer to, for the checker. */
static void observe_comments(struct otlp_decoder *d, struct str profile)
{
	struct proto_reader r = proto_reader_of(profile);

	while (proto_next(&r)) {
		unsigned role = r.tag < OTLP_PROFILE_TAGS ? d->roles->profile[r.tag] : 0;

		if (role == PROFILE_COMMENTS) {
			struct proto_reader list = proto_message(&r);

			while (list.at < list.end)
				otlp_observe(d, EVENT_STRING_USED, 0,
					     (uint32_t)proto_varint(&list));
		} else if (role == PROFILE_COMMENT) {
			otlp_observe(d, EVENT_STRING_USED, 0, (uint32_t)proto_varint(&r));
		} else {
			proto_skip(&r);
		}
	}
}

/* Append a profile for one of the sample types of a 1.7 profile. */
static int push_profile_1_7(struct otlp_decoder *d, struct str bytes, struct profile *row,
			    struct otlp_sample_plan *plan)
{
	struct proto_reader r = proto_reader_of(bytes);
	int rc;

	row->sample_first = d->b->sample_count;
	plan->sample = 0;
	rc = vec_push(&d->b->arena, &d->b->profiles, *row);
	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = otlp_decode_samples(d, &r, plan);
		else
			proto_skip(&r);
	return rc; /* read_profile_fields() has already checked r.error over these bytes */
}

/*
 * Samples of 1.7 have one value per sample type. Append one profile per sample type, over the same
 * stacks, the default type first.
 */
static int push_profiles_1_7(struct otlp_decoder *d, struct str bytes, struct profile_fields *f)
{
	uint32_t first = f->default_type < f->type_count ? f->default_type : 0;
	struct otlp_sample_plan plan = {
		.value_at = first,
		.type_count = f->type_count,
		.location_at = f->location_at,
		.location_count = d->b->stack_locations.n - f->location_at,
		.stack_first = d->b->stacks.n,
		.make_stacks = true,
	};
	int rc;

	d->b->profiles.n--; /* replaced by one row per type */
	f->row.sample_type = f->types[first];
	rc = push_profile_1_7(d, bytes, &f->row, &plan);
	memset(f->row.id, 0, sizeof(f->row.id)); /* an id identifies one profile: the first */
	plan.make_stacks = false;
	for (uint32_t i = 0; !rc && i < f->type_count; i++) {
		plan.value_at = i;
		f->row.sample_type = f->types[i];
		if (i != first)
			rc = push_profile_1_7(d, bytes, &f->row, &plan);
	}
	return rc;
}

/* Fill in the last profile row, which was appended empty before its samples were read. */
static void complete_profile(struct otlp_decoder *d, const struct profile_fields *f)
{
	struct profile *row = &d->b->profiles.at[d->b->profiles.n - 1];
	uint32_t samples = row->sample_count;

	*row = f->row;
	row->sample_type = f->types[0];
	row->sample_count = samples;
}

static int decode_profile(struct otlp_decoder *d, struct str bytes)
{
	struct profile_batch *b = d->b;
	struct profile_fields f;
	uint32_t from = b->attribute_refs.n;
	int rc;

	f.row = (struct profile){.scope = b->scopes.n - 1, .sample_first = b->sample_count};
	memset(f.types, 0, sizeof(f.types[0]));
	f.type_count = f.default_type = 0;
	f.location_at = b->stack_locations.n;
	f.has_comments = false;
	d->place = IN_PROFILE;
	rc = vec_push(&b->arena, &b->profiles, f.row);
	if (!rc)
		rc = read_profile_fields(d, bytes, &f);
	if (!rc)
		rc = otlp_end_list(d, &b->attribute_refs, from);
	f.row.attributes = (struct list){from, b->attribute_refs.n - from};
	if (!rc && f.has_comments && d->observer)
		observe_comments(d, bytes);
	else if (!rc && f.has_comments)
		rc = add_comments_attribute(d, bytes, &f.row.attributes);
	if (rc)
		return rc;
	if (d->layout == OTLP_1_7)
		return push_profiles_1_7(d, bytes, &f);
	complete_profile(d, &f);
	return 0;
}

static int read_scope_fields(struct otlp_decoder *d, struct str bytes, struct scope *s)
{
	struct proto_reader r = proto_reader_of(bytes);
	int rc = 0;

	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES):
			rc = otlp_read_string(d, proto_bytes(&r), &s->name);
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			rc = otlp_read_string(d, proto_bytes(&r), &s->version);
			break;
		case PROTO_TAG(4, PROTO_VARINT):
			s->dropped_attributes = (uint32_t)proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	if (!rc && r.error)
		rc = proto_fail(&r, d->whole, d->e);
	return rc ? rc : otlp_read_keyvalues(d, bytes, 3, &s->attributes);
}

/*
 * Set *good to whether all fields of an EntityRef, which are text, are UTF-8. Return 0 or -EBADMSG.
 */
static int check_entity_ref(struct otlp_decoder *d, struct str bytes, bool *good)
{
	struct proto_reader r = proto_reader_of(bytes);

	*good = true;
	while (proto_next(&r)) {
		if ((r.tag & 7) != PROTO_BYTES) {
			proto_skip(&r);
			continue;
		}

		struct str text = proto_bytes(&r);

		*good &= str_utf8_valid(text) == text.n;
	}
	return r.error ? proto_fail(&r, d->whole, d->e) : 0;
}

/*
 * Set *field to the next field 3 including its tag and *bytes to its content; false if there is
 * none.
 */
static bool next_entity_ref(struct proto_reader *r, struct str *field, struct str *bytes)
{
	for (const uint8_t *at = r->at; proto_next(r); at = r->at) {
		if (r->tag != PROTO_TAG(3, PROTO_BYTES)) {
			proto_skip(r);
			continue;
		}
		*bytes = proto_bytes(r);
		*field = str_of((const char *)at, (size_t)(r->at - at));
		return true;
	}
	return false;
}

/* Set *out to all fields 3, still encoded: a slice if they are contiguous, else a copy. */
static int read_entity_refs(struct otlp_decoder *d, struct str resource, struct str *out)
{
	struct proto_reader r = proto_reader_of(resource);
	struct str field, bytes;
	size_t n = 0;
	char *copy = NULL;
	bool good, slice = true;
	int rc = 0;

	*out = (struct str){0};
	while (!rc && next_entity_ref(&r, &field, &bytes)) {
		rc = check_entity_ref(d, bytes, &good);
		if (!good)
			otlp_observe(d, EVENT_UTF8, 0, 0);
		if (!rc && !good)
			rc = otlp_repair(d, REPAIR_UTF8, "entity reference is not UTF-8: dropped");
		out->p = n ? out->p : field.p;
		slice &= good && out->p + n == field.p;
		n += field.n;
	}
	out->n = n;
	if (rc || slice)
		return rc;
	copy = arena_alloc(&d->b->arena, n, 1);
	if (!copy)
		return -ENOMEM;
	*out = str_of(copy, 0);
	r = proto_reader_of(resource);
	while (!rc && next_entity_ref(&r, &field, &bytes)) {
		rc = check_entity_ref(d, bytes, &good);
		if (!good)
			continue;
		memcpy(copy + out->n, field.p, field.n);
		out->n += field.n;
	}
	return rc;
}

static int read_resource_fields(struct otlp_decoder *d, struct str bytes, struct resource *out)
{
	struct proto_reader r = proto_reader_of(bytes);
	int rc;

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(2, PROTO_VARINT))
			out->dropped_attributes = (uint32_t)proto_varint(&r);
		else
			proto_skip(&r);
	if (r.error)
		return proto_fail(&r, d->whole, d->e);
	rc = otlp_read_keyvalues(d, bytes, 1, &out->attributes);
	return rc ? rc : read_entity_refs(d, bytes, &out->entity_refs);
}

/*
 * Read fields 1 and 3 of ResourceProfiles or ScopeProfiles: the resource or scope (*owner), which
 * must be known before the children in field 2 are decoded, and the schema URL.
 */
static int read_envelope(struct otlp_decoder *d, struct str bytes, struct str *owner,
			 struct str *schema_url)
{
	struct proto_reader r = proto_reader_of(bytes);
	int rc = 0;

	*owner = (struct str){0};
	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			*owner = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(3, PROTO_BYTES))
			rc = otlp_read_string(d, proto_bytes(&r), schema_url);
		else
			proto_skip(&r);
	if (!rc && r.error)
		rc = proto_fail(&r, d->whole, d->e);
	return rc;
}

static int decode_children(struct otlp_decoder *d, struct str bytes, uint32_t field,
			   int (*decode)(struct otlp_decoder *, struct str))
{
	struct proto_reader r = proto_reader_of(bytes);
	int rc = 0;

	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			rc = decode(d, proto_bytes(&r));
		else
			proto_skip(&r);
	return rc; /* the caller has already checked r.error over these bytes */
}

static int decode_scope_profiles(struct otlp_decoder *d, struct str bytes)
{
	struct scope s = {.resource = d->b->resources.n - 1};
	struct str owner;
	int rc;

	d->place = IN_SCOPE;
	rc = read_envelope(d, bytes, &owner, &s.schema_url);
	if (!rc)
		rc = read_scope_fields(d, owner, &s);
	if (!rc)
		rc = vec_push(&d->b->arena, &d->b->scopes, s);
	return rc ? rc : decode_children(d, bytes, 2, decode_profile);
}

static int decode_resource_profiles(struct otlp_decoder *d, struct str bytes)
{
	struct resource row = {0};
	struct str owner;
	int rc;

	d->place = IN_RESOURCE;
	rc = read_envelope(d, bytes, &owner, &row.schema_url);
	if (!rc)
		rc = read_resource_fields(d, owner, &row);
	if (!rc)
		rc = vec_push(&d->b->arena, &d->b->resources, row);
	return rc ? rc : decode_children(d, bytes, 2, decode_scope_profiles);
}

int otlp_decode_message(struct otlp_decoder *d, struct str message)
{
	bool ambiguous = false;
	int rc;

	d->layout = d->layout_known ? OTLP_1_11 : otlp_find_layout(message, &ambiguous);
	d->roles = &otlp_roles[d->layout];
	rc = otlp_scan_dictionary(d, message);
	if (!rc)
		rc = otlp_decode_dictionary(d);
	if (!rc && ambiguous && !otlp_field_2_has_attributes(d, message)) {
		d->layout = OTLP_1_9;
		d->roles = &otlp_roles[d->layout];
	}
	if (!rc)
		rc = decode_children(d, message, 1, decode_resource_profiles);
	return rc;
}
