/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder of the mappings, functions and locations of a pprof file. Row r of the batch is the r-th
 * message of the file, whatever its id; id_table finds rows by id.
 */
#include "format/pprof/decode/decode_tables.h"

#include <errno.h>

#include "format/pprof/schema.h"

#define UNKNOWN_FUNCTION STR("[unknown]")

static int alloc_ids(struct pprof_decoder *d, struct id_table *t, const struct message_list *s)
{
	t->ids = arena_alloc(&d->out->arena, (size_t)s->bodies.n + 1, sizeof(*t->ids));
	return t->ids ? 0 : -ENOMEM;
}

/*
 * Return whether function ids may be missing, and warn once. Pyroscope's .NET profiler writes
 * functions without ids: function i belongs to location i, and lines refer to it by the id of that
 * location, which counts from 1. Other writers omit the function of a line. Both violate
 * profile.proto, which reserves the id 0, and google/pprof rejects them, but the rest of such a
 * file is usable.
 */
static bool accept_missing_ids(struct pprof_decoder *d)
{
	if (d->options && d->options->strict)
		return false;
	if (!d->warned_function && d->options && d->options->warn)
		d->options->warn(d->options->warn_arg,
				 "functions have the id 0: those without a name are [unknown]");
	d->warned_function = true;
	return true;
}

/* Assign ids 1, 2, ... to functions if none of them has one. */
static void assign_function_ids(struct pprof_decoder *d, struct id_table *t)
{
	for (uint32_t row = 1; row <= t->count; row++)
		if (t->ids[row])
			return;
	if (t->count != d->locations.bodies.n || !t->count || !accept_missing_ids(d))
		return;
	for (uint32_t row = 1; row <= t->count; row++)
		t->ids[row] = row;
	d->unknown_function = t->count == 1; /* lines without a function can only mean this one */
}

static int seal_ids(struct pprof_decoder *d, struct id_table *t, const struct message_list *s,
		    const char *what)
{
	uint32_t bad = 0;
	int rc;

	if (t == &d->function_ids)
		assign_function_ids(d, t);
	rc = id_table_seal(t, &d->out->arena, &bad);

	if (rc != -EBADMSG)
		return rc;
	if (!t->ids[bad] && !t->allow_zero)
		return pprof_fail(d, s->bodies.at[bad - 1].p, "expected a %s id, found 0 or none",
				  what);
	return pprof_fail(d, s->bodies.at[bad - 1].p,
			  "expected distinct %s ids, found %llu a second time", what,
			  (unsigned long long)t->ids[bad]);
}

/*
 * Append a reference to a bool attribute that many rows share, creating it on first use in *slot.
 */
static int add_shared_flag(struct pprof_decoder *d, uint32_t *slot, struct str key, bool value)
{
	int rc = *slot ? 0 : pprof_new_attribute(d, key, VALUE_OF_BOOL(value), slot);

	return rc ? rc : vec_push(&d->out->arena, &d->out->attribute_refs, *slot);
}

static int add_build_id(struct pprof_decoder *d, uint32_t string)
{
	struct attribute row = {.value = VALUE_OF_STR(d->out->strings.at[string])};
	uint32_t id = d->out->attributes.n;
	int rc = 0;

	if (!d->build_id_key)
		rc = pprof_new_string(d, PPROF_ATTR_BUILD_ID, &d->build_id_key);
	row.key = d->build_id_key;
	if (!rc)
		rc = vec_push(&d->out->arena, &d->out->attributes, row);
	return rc ? rc : vec_push(&d->out->arena, &d->out->attribute_refs, id);
}

/*
 * Append the build id and flags of a mapping. has_functions is always present: its absence means to
 * the encoder that the mapping does not come from pprof and the flags must be derived.
 */
static int add_mapping_attributes(struct pprof_decoder *d, uint32_t build_id, unsigned flags)
{
	const struct str keys[PPROF_MAPPING_FLAGS] = {
		PPROF_ATTR_HAS_FUNCTIONS,
		PPROF_ATTR_HAS_FILENAMES,
		PPROF_ATTR_HAS_LINE_NUMBERS,
		PPROF_ATTR_HAS_INLINE_FRAMES,
	};
	int rc = d->out->strings.at[build_id].n ? add_build_id(d, build_id) : 0;

	if (!rc && !(flags & 1))
		rc = add_shared_flag(d, &d->no_functions_attribute, keys[0], false);
	for (unsigned i = 0; !rc && i < PPROF_MAPPING_FLAGS; i++)
		if (flags & 1u << i)
			rc = add_shared_flag(d, &d->flag_attributes[i], keys[i], true);
	return rc;
}

static int decode_mapping(struct pprof_decoder *d, struct str body, uint64_t *id)
{
	struct proto_reader r = proto_reader_of(body);
	struct mapping row = {.attributes = {d->out->attribute_refs.n, 0}};
	uint32_t build_id = 0;
	unsigned flags = 0;
	int rc = 0;

	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(PPROF_MAPPING_ID, PROTO_VARINT):
			*id = proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_MAPPING_START, PROTO_VARINT):
			row.start = proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_MAPPING_LIMIT, PROTO_VARINT):
			row.limit = proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_MAPPING_OFFSET, PROTO_VARINT):
			row.offset = proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_MAPPING_FILENAME, PROTO_VARINT):
			rc = pprof_string(d, proto_varint(&r), body.p, &row.filename);
			break;
		case PROTO_TAG(PPROF_MAPPING_BUILD_ID, PROTO_VARINT):
			rc = pprof_string(d, proto_varint(&r), body.p, &build_id);
			break;
		case PROTO_TAG(PPROF_MAPPING_HAS_FUNCTIONS, PROTO_VARINT):
		case PROTO_TAG(PPROF_MAPPING_HAS_FILENAMES, PROTO_VARINT):
		case PROTO_TAG(PPROF_MAPPING_HAS_LINE_NUMBERS, PROTO_VARINT):
		case PROTO_TAG(PPROF_MAPPING_HAS_INLINE_FRAMES, PROTO_VARINT): {
			unsigned flag = 1u << (proto_field(&r) - PPROF_MAPPING_HAS_FUNCTIONS);

			flags = proto_varint(&r) ? flags | flag : flags & ~flag;
			break;
		}
		default:
			proto_skip(&r);
		}
	if (r.error)
		return proto_fail(&r, d->in, d->e);
	if (!rc)
		rc = add_mapping_attributes(d, build_id, flags);
	row.attributes.n = d->out->attribute_refs.n - row.attributes.at;
	return rc ? rc : vec_push(&d->out->arena, &d->out->mappings, row);
}

/* Set *row to the function of lines without one, creating it on first use. */
static int find_unknown_function(struct pprof_decoder *d, uint32_t *row)
{
	struct function unknown = {0};
	int rc = d->unknown_function ? 0 : pprof_new_string(d, UNKNOWN_FUNCTION, &unknown.name);

	if (!rc && !d->unknown_function) {
		d->unknown_function = d->out->functions.n;
		rc = vec_push(&d->out->arena, &d->out->functions, unknown);
	}
	*row = d->unknown_function;
	return rc;
}

static int decode_function(struct pprof_decoder *d, struct str body, uint64_t *id)
{
	struct proto_reader r = proto_reader_of(body);
	struct function row = {0};
	int rc = 0;

	if (likely(proto_next_is(&r, PROTO_TAG(PPROF_FUNCTION_ID, PROTO_VARINT))))
		*id = proto_varint(&r);
	if (likely(proto_next_is(&r, PROTO_TAG(PPROF_FUNCTION_NAME, PROTO_VARINT))))
		rc = pprof_string(d, proto_varint(&r), body.p, &row.name);
	if (!rc && proto_next_is(&r, PROTO_TAG(PPROF_FUNCTION_SYSTEM_NAME, PROTO_VARINT)))
		rc = pprof_string(d, proto_varint(&r), body.p, &row.system_name);
	if (!rc && proto_next_is(&r, PROTO_TAG(PPROF_FUNCTION_FILENAME, PROTO_VARINT)))
		rc = pprof_string(d, proto_varint(&r), body.p, &row.filename);
	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(PPROF_FUNCTION_ID, PROTO_VARINT):
			*id = proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_FUNCTION_NAME, PROTO_VARINT):
			rc = pprof_string(d, proto_varint(&r), body.p, &row.name);
			break;
		case PROTO_TAG(PPROF_FUNCTION_SYSTEM_NAME, PROTO_VARINT):
			rc = pprof_string(d, proto_varint(&r), body.p, &row.system_name);
			break;
		case PROTO_TAG(PPROF_FUNCTION_FILENAME, PROTO_VARINT):
			rc = pprof_string(d, proto_varint(&r), body.p, &row.filename);
			break;
		case PROTO_TAG(PPROF_FUNCTION_START_LINE, PROTO_VARINT):
			row.start_line = (int64_t)proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	if (r.error)
		return proto_fail(&r, d->in, d->e);
	if (!rc && unlikely(!*id) && accept_missing_ids(d) && !string_of(d->out, row.name).n)
		rc = pprof_new_string(d, UNKNOWN_FUNCTION, &row.name);
	return rc ? rc : vec_push(&d->out->arena, &d->out->functions, row);
}

static int decode_line(struct pprof_decoder *d, struct str body)
{
	struct proto_reader r = proto_reader_of(body);
	struct line row = {0};
	uint64_t function = 0;
	int rc = 0;

	if (likely(proto_next_is(&r, PROTO_TAG(PPROF_LINE_FUNCTION, PROTO_VARINT))))
		function = proto_varint(&r);
	if (likely(proto_next_is(&r, PROTO_TAG(PPROF_LINE_LINE, PROTO_VARINT))))
		row.line = (int64_t)proto_varint(&r);
	while (proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(PPROF_LINE_FUNCTION, PROTO_VARINT):
			function = proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_LINE_LINE, PROTO_VARINT):
			row.line = (int64_t)proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_LINE_COLUMN, PROTO_VARINT):
			row.column = (int64_t)proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	if (unlikely(r.error))
		return proto_fail(&r, d->in, d->e);
	row.function = id_table_find(&d->function_ids, function);
	if (unlikely(!row.function && !function && accept_missing_ids(d)))
		rc = find_unknown_function(d, &row.function);
	else if (unlikely(!row.function))
		rc = pprof_fail(d, body.p, "expected the id of a function in a line, found %llu",
				(unsigned long long)function);
	return rc ? rc : vec_push(&d->out->arena, &d->out->lines, row);
}

/* Look up a mapping. As in google/pprof, an unknown id means no mapping; warn about it once. */
static int find_mapping_row(struct pprof_decoder *d, uint64_t id, const void *at, uint32_t *row)
{
	*row = id_table_find(&d->mapping_ids, id);
	if (likely(*row || !id))
		return 0;
	if (d->options && d->options->strict)
		return pprof_fail(d, at, "expected the id of a mapping, found %llu",
				  (unsigned long long)id);
	if (!d->warned_mapping && d->options && d->options->warn)
		d->options->warn(d->options->warn_arg,
				 "locations refer to mappings that are not in the file");
	d->warned_mapping = true;
	return 0;
}

static int decode_location(struct pprof_decoder *d, struct str body, uint64_t *id)
{
	struct proto_reader r = proto_reader_of(body);
	struct location row = {.lines = {d->out->lines.n, 0},
			       .attributes = {d->out->attribute_refs.n, 0}};
	bool folded = false;
	int rc = 0;

	if (likely(proto_next_is(&r, PROTO_TAG(PPROF_LOCATION_ID, PROTO_VARINT))))
		*id = proto_varint(&r);
	if (proto_next_is(&r, PROTO_TAG(PPROF_LOCATION_MAPPING, PROTO_VARINT)))
		rc = find_mapping_row(d, proto_varint(&r), body.p, &row.mapping);
	if (!rc && proto_next_is(&r, PROTO_TAG(PPROF_LOCATION_ADDRESS, PROTO_VARINT)))
		row.address = proto_varint(&r);
	if (!rc && proto_next_is(&r, PROTO_TAG(PPROF_LOCATION_LINE, PROTO_BYTES)))
		rc = decode_line(d, proto_bytes(&r));
	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(PPROF_LOCATION_ID, PROTO_VARINT):
			*id = proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_LOCATION_MAPPING, PROTO_VARINT):
			rc = find_mapping_row(d, proto_varint(&r), body.p, &row.mapping);
			break;
		case PROTO_TAG(PPROF_LOCATION_ADDRESS, PROTO_VARINT):
			row.address = proto_varint(&r);
			break;
		case PROTO_TAG(PPROF_LOCATION_LINE, PROTO_BYTES):
			rc = decode_line(d, proto_bytes(&r));
			break;
		case PROTO_TAG(PPROF_LOCATION_IS_FOLDED, PROTO_VARINT):
			folded = proto_varint(&r) != 0;
			break;
		default:
			proto_skip(&r);
		}
	if (unlikely(r.error))
		return proto_fail(&r, d->in, d->e);
	if (!rc && folded)
		rc = add_shared_flag(d, &d->folded_attribute, PPROF_ATTR_IS_FOLDED, true);
	row.lines.n = d->out->lines.n - row.lines.at;
	row.attributes.n = d->out->attribute_refs.n - row.attributes.at;
	return rc ? rc : vec_push(&d->out->arena, &d->out->locations, row);
}

struct table_decoder {
	const char *name;
	struct message_list *messages;
	struct id_table *ids;
	int (*decode)(struct pprof_decoder *d, struct str body, uint64_t *id);
};

static int decode_table(struct pprof_decoder *d, const struct table_decoder *t)
{
	int rc = alloc_ids(d, t->ids, t->messages);

	for (uint32_t i = 0; !rc && i < t->messages->bodies.n; i++) {
		uint64_t id = 0;

		rc = t->decode(d, t->messages->bodies.at[i], &id);
		t->ids->ids[++t->ids->count] = id;
	}
	return rc ? rc : seal_ids(d, t->ids, t->messages, t->name);
}

int pprof_decode_tables(struct pprof_decoder *d)
{
	const struct table_decoder tables[] = {
		{"mapping", &d->mappings, &d->mapping_ids, decode_mapping},
		{"function", &d->functions, &d->function_ids, decode_function},
		{"location", &d->locations, &d->location_ids, decode_location},
	};
	int rc = vec_reserve(&d->out->arena, &d->out->locations, d->locations.bodies.n);

	d->function_ids.allow_zero = !(d->options && d->options->strict);
	if (!rc)
		rc = vec_reserve(&d->out->arena, &d->out->lines, d->locations.bodies.n);
	if (!rc)
		rc = vec_reserve(&d->out->arena, &d->out->functions, d->functions.bodies.n);
	for (size_t i = 0; !rc && i < countof(tables); i++)
		rc = decode_table(d, &tables[i]);
	return rc;
}
