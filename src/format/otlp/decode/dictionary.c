/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder for the dictionary of a message: seven tables, appended to those of the batch in order of
 * their dependencies. scan.c has counted their rows before and appended the strings.
 */
#include "format/otlp/decode/dictionary.h"

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "format/otlp/decode/decode.h"
#include "format/otlp/decode/fast_path.h"
#include "format/otlp/decode/rows.h"
#include "format/otlp/decode/scan.h"
#include "format/otlp/decode/values.h"

typedef int row_decoder(struct otlp_decoder *d, struct str row);

/*
 * Call `decode` for each row of the table, except for the zero row, which the batch already has,
 * and the rows that `fast` (may be NULL) decodes.
 */
static int decode_rows(struct otlp_decoder *d, enum otlp_table table, row_decoder *decode,
		       otlp_fast_rows *fast)
{
	bool skip = !d->rows[table].real_zero && !d->observer;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < d->part_count; i++) {
		struct proto_reader r = {.at = d->parts[i].first[table],
					 .end = d->parts[i].end[table]};

		while (!rc && proto_next(&r)) {
			if (unlikely(r.tag != PROTO_TAG(table, PROTO_BYTES))) {
				proto_skip(&r);
				continue;
			}

			struct str row = proto_bytes(&r);

			if (likely(!skip))
				rc = decode(d, row);
			skip = false;
			if (!rc && fast && !d->no_fast_path)
				r.at = fast(d, r.at, r.end);
		}
	}
	return rc;
}

/* Repair strings that are not UTF-8; the scan has appended them unchecked. */
static int repair_strings(struct otlp_decoder *d)
{
	struct profile_batch *b = d->b;
	int rc = 0;

	for (uint32_t i = d->first_string; !rc && i < b->strings.n; i++)
		rc = otlp_read_string(d, b->strings.at[i], &b->strings.at[i]);
	return rc;
}

static int decode_function_row(struct otlp_decoder *d, struct str row)
{
	struct function f = {0};
	uint64_t fields[5];
	int rc = otlp_read_numbers(d, row, fields, 4);

	if (!rc)
		rc = otlp_row(d, TABLE_STRINGS, fields[1], &f.name);
	if (!rc)
		rc = otlp_row(d, TABLE_STRINGS, fields[2], &f.system_name);
	if (!rc)
		rc = otlp_row(d, TABLE_STRINGS, fields[3], &f.filename);
	f.start_line = (int64_t)fields[4];
	d->b->functions.at[d->b->functions.n++] = f;
	return rc;
}

static int decode_attribute(struct otlp_decoder *d, struct str row)
{
	struct proto_reader r = proto_reader_of(row);
	struct attribute a = {0};
	struct str key = {0};
	uint64_t key_index = 0, unit = 0;
	bool inline_key = false;
	int rc = 0;

	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_VARINT):
			key_index = proto_varint(&r);
			break;
		case PROTO_TAG(1, PROTO_BYTES): /* 1.7 */
			key = proto_bytes(&r);
			inline_key = true;
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			rc = otlp_read_value(d, proto_bytes(&r), &a.value);
			break;
		case PROTO_TAG(3, PROTO_VARINT):
			unit = proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	if (r.error)
		return proto_fail(&r, d->whole, d->e);
	if (!rc)
		rc = otlp_row(d, TABLE_STRINGS, unit, &a.unit);
	if (!rc && !inline_key)
		rc = otlp_row(d, TABLE_STRINGS, key_index, &a.key);
	if (!rc && inline_key) {
		rc = otlp_read_string(d, key, &key);
		a.key = d->b->strings.n;
		if (!rc)
			rc = vec_push(&d->b->arena, &d->b->strings, key);
	}
	if (!rc)
		d->b->attributes.at[d->b->attributes.n++] = a;
	return rc;
}

int otlp_new_attribute(struct otlp_decoder *d, struct str key, struct value value, uint32_t *row)
{
	struct profile_batch *b = d->b;
	struct attribute a = {.key = b->strings.n, .value = value};
	int rc = vec_push(&b->arena, &b->strings, key);

	*row = b->attributes.n;
	if (!rc)
		rc = vec_push(&b->arena, &b->attributes, a);
	return rc;
}

/* Append a flag of 1.7 as an attribute to the list at the end of the pool, unless it is present. */
static int add_flag_attribute(struct otlp_decoder *d, enum row_flag flag, uint32_t from)
{
	static const struct str keys[ROW_FLAGS] = {
		[FLAG_HAS_FUNCTIONS] = STR_INIT("pprof.mapping.has_functions"),
		[FLAG_HAS_FILENAMES] = STR_INIT("pprof.mapping.has_filenames"),
		[FLAG_HAS_LINE_NUMBERS] = STR_INIT("pprof.mapping.has_line_numbers"),
		[FLAG_HAS_INLINE_FRAMES] = STR_INIT("pprof.mapping.has_inline_frames"),
		[FLAG_IS_FOLDED] = STR_INIT("pprof.location.is_folded"),
	};
	struct profile_batch *b = d->b;
	int rc = 0;

	if (profile_find_attribute(b, b->attribute_refs.at + from, b->attribute_refs.n - from,
				   keys[flag]))
		return 0;
	if (!d->flag_attributes[flag])
		rc = otlp_new_attribute(d, keys[flag], VALUE_OF_BOOL(1), &d->flag_attributes[flag]);
	return rc ? rc : vec_push(&b->arena, &b->attribute_refs, d->flag_attributes[flag]);
}

/*
 * Read a field that mappings and locations share: attributes, a flag of 1.7, or an unknown field.
 */
static inline int read_common_field(struct otlp_decoder *d, unsigned role, struct proto_reader *r,
				    unsigned *flags)
{
	switch (role) {
	case ROW_ATTRIBUTES:
		return otlp_read_rows(d, TABLE_ATTRIBUTES, proto_bytes(r), &d->b->attribute_refs);
	case ROW_ATTRIBUTE:
		return otlp_read_row(d, TABLE_ATTRIBUTES, proto_varint(r), &d->b->attribute_refs);
	case ROW_UNKNOWN:
		proto_skip(r);
		return 0;
	default:
		if (proto_varint(r))
			*flags |= 1u << (role - ROW_FLAG_FIRST);
		return 0;
	}
}

static inline int end_row_attributes(struct otlp_decoder *d, uint32_t from, unsigned flags,
				     struct list *out)
{
	struct profile_batch *b = d->b;
	int rc = otlp_end_list(d, &b->attribute_refs, from);

	for (unsigned flag = 0; !rc && flags >> flag; flag++)
		if (flags >> flag & 1)
			rc = add_flag_attribute(d, (enum row_flag)flag, from);
	*out = (struct list){from, b->attribute_refs.n - from};
	return rc;
}

static int decode_mapping_row(struct otlp_decoder *d, struct str row)
{
	struct proto_reader r = proto_reader_of(row);
	struct profile_batch *b = d->b;
	struct mapping m = {0};
	uint32_t from = b->attribute_refs.n;
	uint64_t filename = 0;
	unsigned flags = 0;
	int rc = 0;

	while (!rc && proto_next(&r)) {
		unsigned role = r.tag < OTLP_ROW_TAGS ? d->roles->mapping[r.tag] : ROW_UNKNOWN;

		switch (role) {
		case ROW_START:
			m.start = proto_varint(&r);
			break;
		case ROW_LIMIT:
			m.limit = proto_varint(&r);
			break;
		case ROW_OFFSET:
			m.offset = proto_varint(&r);
			break;
		case ROW_FILENAME:
			filename = proto_varint(&r);
			break;
		default:
			rc = read_common_field(d, role, &r, &flags);
		}
	}
	if (r.error)
		return proto_fail(&r, d->whole, d->e);
	if (!rc)
		rc = otlp_row(d, TABLE_STRINGS, filename, &m.filename);
	if (!rc)
		rc = end_row_attributes(d, from, flags, &m.attributes);
	if (!rc)
		b->mappings.at[b->mappings.n++] = m;
	return rc;
}

static int decode_line_row(struct otlp_decoder *d, struct str bytes)
{
	struct line l;
	uint64_t fields[4];
	int rc = otlp_read_numbers(d, bytes, fields, 3);

	if (!rc)
		rc = otlp_row(d, TABLE_FUNCTIONS, fields[1], &l.function);
	l.line = (int64_t)fields[2];
	l.column = (int64_t)fields[3];
	return rc ? rc : vec_push(&d->b->arena, &d->b->lines, l);
}

/* The fields of a location other than its lists, which are appended to their pools. */
struct location_fields {
	uint64_t mapping, address;
	bool has_mapping;
	unsigned flags;
};

static int read_location(struct otlp_decoder *d, struct str row, struct location_fields *f)
{
	struct proto_reader r = proto_reader_of(row);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		unsigned role = r.tag < OTLP_ROW_TAGS ? d->roles->location[r.tag] : ROW_UNKNOWN;

		switch (role) {
		case ROW_MAPPING:
			f->mapping = proto_varint(&r);
			f->has_mapping = true;
			break;
		case ROW_ADDRESS:
			f->address = proto_varint(&r);
			break;
		case ROW_LINE:
			rc = decode_line_row(d, proto_bytes(&r));
			break;
		default:
			rc = read_common_field(d, role, &r, &f->flags);
		}
	}
	return r.error ? proto_fail(&r, d->whole, d->e) : rc;
}

static int decode_location_row(struct otlp_decoder *d, struct str row)
{
	struct profile_batch *b = d->b;
	uint32_t lines = b->lines.n, attributes = b->attribute_refs.n;
	/* in 1.7 the mapping is optional; an absent field means none, not index 0 */
	struct location_fields f = {.has_mapping = d->layout != OTLP_1_7};
	struct location l = {.lines = {.at = lines}};
	int rc = read_location(d, row, &f);

	l.address = f.address;
	l.lines.n = b->lines.n - lines;
	if (!rc && f.has_mapping)
		rc = otlp_row(d, TABLE_MAPPINGS, f.mapping, &l.mapping);
	if (!rc)
		rc = end_row_attributes(d, attributes, f.flags, &l.attributes);
	if (!rc)
		b->locations.at[b->locations.n++] = l;
	return rc;
}

static int decode_stack(struct otlp_decoder *d, struct str row)
{
	struct proto_reader r = proto_reader_of(row);
	struct profile_batch *b = d->b;
	uint32_t from = b->stack_locations.n;
	int rc = 0;

	while (!rc && proto_next(&r))
		if (likely(r.tag == PROTO_TAG(1, PROTO_BYTES)))
			rc = otlp_read_rows(d, TABLE_LOCATIONS, proto_bytes(&r),
					    &b->stack_locations);
		else if (r.tag == PROTO_TAG(1, PROTO_VARINT))
			rc = otlp_read_row(d, TABLE_LOCATIONS, proto_varint(&r),
					   &b->stack_locations);
		else
			proto_skip(&r);
	if (r.error)
		return proto_fail(&r, d->whole, d->e);
	if (!rc)
		b->stacks.at[b->stacks.n++] = (struct list){from, b->stack_locations.n - from};
	return rc;
}

static int decode_link(struct otlp_decoder *d, struct str row)
{
	struct proto_reader r = proto_reader_of(row);
	struct profile_batch *b = d->b;
	struct str trace = {0}, span = {0};
	struct link l = {0};
	int rc = 0;

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			trace = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			span = proto_bytes(&r);
		else
			proto_skip(&r);
	if (r.error)
		return proto_fail(&r, d->whole, d->e);
	otlp_observe(d, EVENT_LINK, b->links.n, (uint64_t)trace.n << 32 | (uint32_t)span.n);
	if (trace.n == sizeof(l.trace_id))
		memcpy(l.trace_id, trace.p, trace.n);
	if (span.n == sizeof(l.span_id))
		memcpy(l.span_id, span.p, span.n);
	if ((trace.n && trace.n != sizeof(l.trace_id)) || (span.n && span.n != sizeof(l.span_id)))
		rc = otlp_repair(
			d, REPAIR_LINK_ID,
			"link has a trace id of %zu bytes and a span id of %zu bytes instead of "
			"16 and 8: ids dropped",
			trace.n, span.n);
	b->links.at[b->links.n++] = l;
	return rc;
}

/* Reserve the rows that the scan has counted, so that appending a row needs no check. */
static int reserve_tables(struct otlp_decoder *d)
{
	struct profile_batch *b = d->b;
	struct arena *a = &b->arena;
	const struct otlp_rows *rows = d->rows;
	int rc = vec_reserve(a, &b->functions, rows[TABLE_FUNCTIONS].count);

	if (!rc)
		rc = vec_reserve(a, &b->attributes, rows[TABLE_ATTRIBUTES].count);
	if (!rc)
		rc = vec_reserve(a, &b->mappings, rows[TABLE_MAPPINGS].count);
	if (!rc)
		rc = vec_reserve(a, &b->locations, rows[TABLE_LOCATIONS].count);
	if (!rc)
		rc = vec_reserve(a, &b->lines, rows[TABLE_LOCATIONS].count);
	if (!rc)
		rc = vec_reserve(a, &b->stacks, rows[TABLE_STACKS].count);
	if (!rc)
		rc = vec_reserve(a, &b->links, rows[TABLE_LINKS].count);
	return rc;
}

/*
 * Classes of keys with equal text. Each string is hashed once, however many attributes use it:
 * of_string[i] caches the class of string row first + i, or 0.
 */
struct key_classes {
	uint32_t first, count;
	uint32_t *of_string;
	uint32_t *unit;	   /* 1.7: the unit of all attributes of the class */
	struct idset seen; /* string rows, one per class */
};

static int init_key_classes(struct otlp_decoder *d, struct key_classes *c)
{
	struct profile_batch *b = d->b;
	uint32_t n = b->strings.n - d->first_string + 1;

	c->first = d->first_string;
	c->count = 1; /* class 0: empty keys */
	c->of_string = arena_zalloc(&b->arena, n, sizeof(*c->of_string));
	c->unit = NULL;
	if (d->layout == OTLP_1_7)
		c->unit = arena_zalloc(&b->arena, n, sizeof(*c->unit));
	if (!c->of_string || (d->layout == OTLP_1_7 && !c->unit))
		return -ENOMEM;
	return idset_init(&c->seen, &b->arena, 32);
}

static int class_of_key(const struct profile_batch *b, struct key_classes *c, uint32_t key,
			uint32_t *out)
{
	uint32_t *class, hash, other;
	struct idset_cursor at;
	int rc = 0;

	*out = 0;
	if (key < c->first || key >= b->strings.n || !string_of(b, key).n)
		return 0; /* empty keys are class 0, whatever their row */
	class = &c->of_string[key - c->first];
	if (!*class) {
		hash = hash32(string_of(b, key));
		at = idset_seek(&c->seen, hash);
		while (!*class && idset_next(&c->seen, &at, &other))
			if (str_eq(string_of(b, other), string_of(b, key)))
				*class = c->of_string[other - c->first];
		if (!*class) {
			*class = c->count++;
			rc = idset_add(&c->seen, hash, key);
		}
	}
	*out = *class;
	return rc;
}

static int classify_keys(struct otlp_decoder *d, struct key_classes *c)
{
	struct profile_batch *b = d->b;
	uint32_t n = b->attributes.n - d->first_attribute;
	int rc = 0;

	d->key_class = arena_alloc(&b->arena, n, sizeof(*d->key_class));
	if (!d->key_class)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = class_of_key(b, c, b->attributes.at[d->first_attribute + i].key,
				  &d->key_class[i]);
	d->class_rows = n;
	d->classes = c->count;
	return rc;
}

/* Decode an AttributeUnit of 1.7, which sets the unit of all attributes with a key. */
static int decode_attribute_unit(struct otlp_decoder *d, struct str row)
{
	uint64_t fields[3];
	uint32_t key = 0, unit = 0, class = 0;
	int rc = otlp_read_numbers(d, row, fields, 2);

	if (!rc)
		rc = otlp_row(d, TABLE_STRINGS, fields[1], &key);
	if (!rc)
		rc = otlp_row(d, TABLE_STRINGS, fields[2], &unit);
	if (!rc)
		rc = class_of_key(d->b, d->key_classes, key, &class);
	if (!rc)
		d->key_classes->unit[class] = unit;
	return rc;
}

static int decode_attribute_units(struct otlp_decoder *d, struct key_classes *c)
{
	int rc;

	d->key_classes = c;
	d->rows[TABLE_STACKS].real_zero = true; /* decode all rows, also the first */
	rc = decode_rows(d, TABLE_STACKS, decode_attribute_unit, NULL);
	d->key_classes = NULL;
	for (uint32_t i = 0; !rc && i < d->class_rows; i++)
		d->b->attributes.at[d->first_attribute + i].unit = c->unit[d->key_class[i]];
	return rc;
}

int otlp_decode_dictionary(struct otlp_decoder *d)
{
	struct key_classes classes;
	int rc = reserve_tables(d);

	d->first_attribute = d->b->attributes.n;
	d->key_class = d->marks = NULL;
	d->class_rows = 0;
	memset(d->flag_attributes, 0, sizeof(d->flag_attributes));
	if (!rc && d->has_profiles)
		rc = otlp_report_tables(d);
	d->place = IN_STRING_TABLE;
	if (!rc && d->non_ascii_strings)
		rc = repair_strings(d);
	if (!rc)
		rc = decode_rows(d, TABLE_FUNCTIONS, decode_function_row, otlp_fast_functions);
	d->place = IN_ATTRIBUTE_TABLE;
	if (!rc)
		rc = decode_rows(d, TABLE_ATTRIBUTES, decode_attribute, NULL);
	if (!rc) {
		rc = init_key_classes(d, &classes);
		if (!rc)
			rc = classify_keys(d, &classes);
		if (!rc && d->layout == OTLP_1_7)
			rc = decode_attribute_units(d, &classes);
	}
	if (!rc)
		rc = decode_rows(d, TABLE_MAPPINGS, decode_mapping_row, NULL);
	if (!rc)
		rc = decode_rows(d, TABLE_LOCATIONS, decode_location_row, otlp_fast_locations);
	if (!rc && d->layout != OTLP_1_7)
		rc = decode_rows(d, TABLE_STACKS, decode_stack, otlp_fast_stacks);
	if (!rc)
		rc = decode_rows(d, TABLE_LINKS, decode_link, NULL);
	return rc;
}
