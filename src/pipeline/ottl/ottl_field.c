/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between encoded fields (integers, doubles, ids, texts, attributes) and values. */
#include "pipeline/ottl/ottl_field.h"

#include <errno.h>

#include "wire/text.h"

enum { TRACE_ID_SIZE = 16, SPAN_ID_SIZE = 8 };

/* ---- reading ---- */

struct str ottl_find_bytes(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	struct str found = {0};

	while (proto_next(&r))
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			found = proto_bytes(&r);
		else
			proto_skip(&r);
	return found;
}

bool ottl_has_field(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	bool found = false;

	while (proto_next(&r)) {
		found |= proto_field(&r) == field;
		proto_skip(&r);
	}
	return found;
}

/* Return the last occurrence of a number as 64 bits, whatever its wire type is; 0 if missing. */
static uint64_t find_number(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t found = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_VARINT))
			found = proto_varint(&r);
		else if (r.tag == PROTO_TAG(field, PROTO_FIXED64))
			found = proto_fixed64(&r);
		else if (r.tag == PROTO_TAG(field, PROTO_FIXED32))
			found = proto_fixed32(&r);
		else
			proto_skip(&r);
	}
	return found;
}

static double double_of(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static struct ottl_value element_of(enum ottl_field_type type, struct proto_reader *r)
{
	if (type == FIELD_DOUBLES)
		return OTTL_VALUE_DOUBLE(proto_double(r));
	return OTTL_VALUE_INT(
		(int64_t)(type == FIELD_FIXED64S ? proto_fixed64(r) : proto_varint(r)));
}

/* Read a repeated number, packed or not, or repeated messages. */
static int read_repeated(struct str message, uint32_t field, enum ottl_field_type type,
			 struct arena *arena, struct ottl_value *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct ottl_list *list = ottl_list_new(arena);
	int rc = list ? 0 : -ENOMEM;

	while (!rc && proto_next(&r)) {
		struct proto_reader packed = {0};
		struct str bytes;

		if (proto_field(&r) != field) {
			proto_skip(&r);
			continue;
		}
		if ((r.tag & 7) != PROTO_BYTES && type != FIELD_MESSAGES) {
			rc = ottl_list_add(arena, list, element_of(type, &r));
			continue;
		}
		bytes = proto_bytes(&r);
		if (type == FIELD_MESSAGES)
			rc = ottl_list_add(arena, list,
					   (struct ottl_value){.kind = OTTL_BYTES, .s = bytes});
		else
			packed = proto_reader_of(bytes);
		while (!rc && packed.at < packed.end)
			rc = ottl_list_add(arena, list, element_of(type, &packed));
		if (packed.error)
			rc = -EBADMSG;
	}
	*out = (struct ottl_value){.kind = OTTL_LIST, .list = list};
	return rc ? rc : r.error ? -EBADMSG : 0;
}

/* Return the id; one that is missing or has the wrong size counts as zeros. */
static struct str find_id(struct str message, uint32_t field, size_t size)
{
	static const char zeros[TRACE_ID_SIZE];
	struct str id = ottl_find_bytes(message, field);

	return id.n == size ? id : str_of(zeros, size);
}

static int read_id_text(struct str id, struct arena *arena, struct ottl_value *out)
{
	char *text = arena_alloc(arena, 2 * id.n + 1, 1);

	if (!text)
		return -ENOMEM;
	hex_digits(text, id);
	*out = OTTL_VALUE_STRING(str_of(text, 2 * id.n));
	return 0;
}

static struct ottl_value scalar_of(uint64_t bits, enum ottl_field_type type)
{
	switch (type) {
	case FIELD_TIME:
		return (struct ottl_value){.kind = OTTL_TIME, .i = (int64_t)bits};
	case FIELD_DURATION:
		return (struct ottl_value){.kind = OTTL_DURATION, .i = (int64_t)bits};
	case FIELD_BOOL:
		return OTTL_VALUE_BOOL(bits != 0);
	case FIELD_DOUBLE:
		return OTTL_VALUE_DOUBLE(double_of(bits));
	case FIELD_SINT:
		return OTTL_VALUE_INT((int64_t)(bits >> 1) ^ -(int64_t)(bits & 1));
	default:
		return OTTL_VALUE_INT((int64_t)bits);
	}
}

int ottl_field_read(struct str message, uint32_t field, enum ottl_field_type type,
		    struct arena *arena, struct ottl_value *out)
{
	switch (type) {
	case FIELD_STRING:
		*out = OTTL_VALUE_STRING(ottl_find_bytes(message, field));
		return 0;
	case FIELD_BYTES:
	case FIELD_TRACE_ID:
	case FIELD_SPAN_ID:
		*out = (struct ottl_value){.kind = OTTL_BYTES};
		out->s = type == FIELD_BYTES
				 ? ottl_find_bytes(message, field)
				 : find_id(message, field,
					   type == FIELD_TRACE_ID ? TRACE_ID_SIZE : SPAN_ID_SIZE);
		return 0;
	case FIELD_TRACE_TEXT:
	case FIELD_SPAN_TEXT:
		return read_id_text(ottl_find_bytes(message, field), arena, out);
	case FIELD_DOUBLES:
	case FIELD_FIXED64S:
	case FIELD_VARINTS:
	case FIELD_MESSAGES:
		return read_repeated(message, field, type, arena, out);
	case FIELD_MAP:
	case FIELD_ANY:
		return -EBADMSG;
	default:
		*out = scalar_of(find_number(message, field), type);
		return 0;
	}
}

/* ---- writing ---- */

static bool has_kind(struct ottl_value *v, enum ottl_kind kind, const char **expected)
{
	*expected = ottl_kind_names[kind];
	return v->kind == kind;
}

static int write_number(struct proto_writer *w, uint32_t field, enum ottl_field_type type,
			bool explicit, uint64_t bits)
{
	bool fixed = type == FIELD_FIXED64 || type == FIELD_TIME || type == FIELD_DOUBLE;
	uint32_t low = (uint32_t)bits;

	if (!bits && !explicit)
		return 0;
	if (fixed) {
		proto_put_fixed64_raw(w, bits);
		proto_put_varint(w, PROTO_TAG(field, PROTO_FIXED64));
	} else if (type == FIELD_FIXED32) {
		proto_put_raw(w, &low, sizeof(low));
		proto_put_varint(w, PROTO_TAG(field, PROTO_FIXED32));
	} else {
		proto_put_varint(w, bits);
		proto_put_varint(w, PROTO_TAG(field, PROTO_VARINT));
	}
	return 0;
}

static int write_double(struct proto_writer *w, uint32_t field, bool explicit, struct ottl_value *v,
			const char **expected)
{
	uint64_t bits;

	if (!has_kind(v, OTTL_DOUBLE, expected))
		return -EINVAL;
	memcpy(&bits, &v->d, sizeof(bits));
	return write_number(w, field, FIELD_DOUBLE, explicit, bits);
}

static int write_id_field(struct proto_writer *w, uint32_t field, enum ottl_field_type type,
			  struct ottl_value *v, const char **expected)
{
	size_t size = type == FIELD_TRACE_ID ? TRACE_ID_SIZE : SPAN_ID_SIZE;

	*expected = type == FIELD_TRACE_ID ? "bytes: use TraceID(...), or the path with .string"
					   : "bytes: use SpanID(...), or the path with .string";
	if (v->kind != OTTL_BYTES || v->s.n != size)
		return -EINVAL;
	proto_put_entry(w, field, v->s);
	return 0;
}

static int write_id_text(struct proto_writer *w, uint32_t field, enum ottl_field_type type,
			 struct ottl_value *v, const char **expected)
{
	size_t n, size = type == FIELD_TRACE_TEXT ? TRACE_ID_SIZE : SPAN_ID_SIZE;
	char bytes[TRACE_ID_SIZE];

	*expected = type == FIELD_TRACE_TEXT ? "32 hex digits" : "16 hex digits";
	if (v->kind != OTTL_STRING || hex_decode(v->s, bytes, sizeof(bytes), &n) || n != size)
		return -EINVAL;
	proto_put_entry(w, field, str_of(bytes, n));
	return 0;
}

static int write_packed(struct proto_writer *w, uint32_t field, enum ottl_field_type type,
			const struct ottl_list *list, const char **expected)
{
	enum ottl_kind kind = type == FIELD_DOUBLES ? OTTL_DOUBLE : OTTL_INT;
	size_t end = proto_mark(w);

	for (uint32_t i = list->items.n; i-- > 0;) {
		struct ottl_value *v = &list->items.at[i];

		if (!has_kind(v, kind, expected))
			return -EINVAL;
		if (type == FIELD_VARINTS)
			proto_put_varint(w, (uint64_t)v->i);
		else
			proto_put_raw(w, &v->i, sizeof(v->i));
	}
	if (list->items.n)
		proto_put_header(w, field, end);
	return 0;
}

static int write_integer(struct proto_writer *w, uint32_t field, enum ottl_field_type type,
			 bool explicit, struct ottl_value *v, const char **expected)
{
	enum ottl_kind kind = type == FIELD_TIME       ? OTTL_TIME
			      : type == FIELD_DURATION ? OTTL_DURATION
			      : type == FIELD_BOOL     ? OTTL_BOOL
						       : OTTL_INT;
	uint64_t bits = (uint64_t)v->i;

	if (!has_kind(v, kind, expected))
		return -EINVAL;
	if (type == FIELD_SINT)
		bits = bits << 1 ^ (uint64_t)(v->i >> 63);
	return write_number(w, field, type, explicit, bits);
}

int ottl_field_write(struct proto_writer *w, uint32_t field, enum ottl_field_type type,
		     bool explicit, struct ottl_value *v, struct arena *arena,
		     const char **expected)
{
	int rc = ottl_value_open(arena, v);

	if (rc)
		return rc;
	switch (type) {
	case FIELD_STRING:
	case FIELD_BYTES:
		if (!has_kind(v, type == FIELD_STRING ? OTTL_STRING : OTTL_BYTES, expected))
			return -EINVAL;
		proto_put_bytes(w, field, v->s);
		return 0;
	case FIELD_TRACE_ID:
	case FIELD_SPAN_ID:
		return write_id_field(w, field, type, v, expected);
	case FIELD_TRACE_TEXT:
	case FIELD_SPAN_TEXT:
		return write_id_text(w, field, type, v, expected);
	case FIELD_DOUBLES:
	case FIELD_FIXED64S:
	case FIELD_VARINTS:
		if (!has_kind(v, OTTL_LIST, expected))
			return -EINVAL;
		return write_packed(w, field, type, v->list, expected);
	case FIELD_DOUBLE:
		return write_double(w, field, explicit, v, expected);
	case FIELD_MESSAGES:
	case FIELD_MAP:
	case FIELD_ANY:
		*expected = "nothing: the path is read-only";
		return -EINVAL;
	default:
		return write_integer(w, field, type, explicit, v, expected);
	}
}
