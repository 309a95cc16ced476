/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON to protobuf by the schema table. The rules are those of proto3's JSON mapping and OTLP: ids
 * in hex, unknown keys ignored, 64-bit numbers as numbers or strings, enums by name or number,
 * names in either spelling, null for the default value.
 */
#include "wire/proto.h"
#include "wire/schema.h"
#include "wire/text.h"

struct proto_encoder {
	const struct json *doc;
	struct buf *out;
	struct err *e;
};

static void append_varint(struct buf *out, uint64_t value)
{
	char bytes[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (char)(value | 0x80);
	bytes[n++] = (char)value;
	buf_put(out, bytes, n);
}

static void put_tag(struct proto_encoder *t, const struct schema_field *f, enum proto_wire wire)
{
	append_varint(t->out, PROTO_TAG(f->number, wire));
}

/* Begin a length-delimited field. One byte is reserved for the length, which is enough for most. */
static size_t begin_bytes(struct proto_encoder *t, const struct schema_field *f)
{
	put_tag(t, f, PROTO_BYTES);
	buf_put_char(t->out, 0);
	return t->out->n;
}

static void end_bytes(struct proto_encoder *t, size_t from)
{
	struct buf *out = t->out;
	size_t n, more;

	if (out->failed)
		return;
	n = out->n - from;
	more = proto_varint_size(n) - 1;
	if (more) {
		if (!buf_reserve(out, more))
			return;
		memmove(out->p + from + more, out->p + from, n);
	}
	out->n = from - 1;
	append_varint(out, n);
	out->n += n;
}

static int put_message(struct proto_encoder *t, const struct schema_message *m,
		       const struct json_value *v);

static int put_string_value(struct proto_encoder *t, const struct schema_field *f,
			    const struct json_value *v)
{
	struct str s = json_str(v);

	if (json_kind(v) != JSON_STRING)
		return json_fail(t->doc, v, t->e, "a string");
	put_tag(t, f, PROTO_BYTES);
	append_varint(t->out, s.n);
	buf_put_str(t->out, s);
	return 0;
}

/* Base64. Ids are hex; base64 is accepted because the plain proto3 mapping writes it. */
static int put_bytes(struct proto_encoder *t, const struct schema_field *f,
		     const struct json_value *v)
{
	struct str s = json_str(v);
	size_t from, n = 0, room = BASE64_DECODED_MAX(s.n);
	char *to;
	int rc = -EINVAL;

	if (json_kind(v) != JSON_STRING)
		return json_fail(t->doc, v, t->e, "a string");
	from = begin_bytes(t, f);
	to = buf_reserve(t->out, room);
	if (!to)
		return -ENOMEM;
	if (f->type == SCHEMA_ID && (!f->id_size || s.n == 2 * f->id_size))
		rc = hex_decode(s, to, room, &n);
	if (rc)
		rc = base64_decode(s, to, room, &n);
	if (rc && f->type == SCHEMA_ID)
		rc = hex_decode(s, to, room, &n);
	if (rc)
		return json_fail(t->doc, v, t->e,
				 f->type == SCHEMA_ID ? "hex digits" : "base64 text");
	t->out->n += n;
	end_bytes(t, from);
	return 0;
}

static int read_enum(const struct schema_field *f, const struct json_value *v, int64_t *out)
{
	struct str name = json_str(v);

	for (size_t i = 0; f->names && name.n && i < f->names->name_count; i++)
		if (str_eq(f->names->names[i].name, name)) {
			*out = f->names->names[i].number;
			return 0;
		}
	if (!json_i64(v, out))
		return 0;
	*out = 0;
	return f->names && f->names->open && json_kind(v) == JSON_STRING ? 0 : -EINVAL;
}

static uint32_t zigzag32(int32_t n)
{
	return (uint32_t)n << 1 ^ (uint32_t)(n >> 31);
}

/* Read a number in its wire representation: 64 bits for varints and fixed64. */
static int read_json_number(struct proto_encoder *t, const struct schema_field *f,
			    const struct json_value *v, uint64_t *out)
{
	static const char *const expected[] = {
		[SCHEMA_BOOL] = "true or false",
		[SCHEMA_INT32] = "a 32-bit integer",
		[SCHEMA_UINT32] = "a 32-bit integer of 0 or more",
		[SCHEMA_SINT32] = "a 32-bit integer",
		[SCHEMA_FIXED32] = "a 32-bit integer of 0 or more",
		[SCHEMA_ENUM] = "a name or number of the enum",
		[SCHEMA_INT64] = "a 64-bit integer",
		[SCHEMA_UINT64] = "a 64-bit integer of 0 or more",
		[SCHEMA_FIXED64] = "a 64-bit integer of 0 or more",
		[SCHEMA_SFIXED64] = "a 64-bit integer",
		[SCHEMA_DOUBLE] = "a number",
	};
	int64_t number = 0;
	double real;
	bool yes = false;
	int rc;

	*out = 0;
	if (json_kind(v) == JSON_NULL)
		return 0;
	switch (f->type) {
	case SCHEMA_BOOL:
		rc = json_bool(v, &yes);
		*out = yes;
		break;
	case SCHEMA_ENUM:
	case SCHEMA_INT32:
	case SCHEMA_SINT32:
		rc = f->type == SCHEMA_ENUM ? read_enum(f, v, &number) : json_i64(v, &number);
		if (!rc && (number < INT32_MIN || number > INT32_MAX))
			rc = -ERANGE;
		*out = f->type == SCHEMA_SINT32 ? zigzag32((int32_t)number) : (uint64_t)number;
		break;
	case SCHEMA_INT64:
	case SCHEMA_SFIXED64:
		rc = json_i64(v, &number);
		*out = (uint64_t)number;
		break;
	case SCHEMA_DOUBLE:
		rc = json_double(v, &real);
		if (!rc)
			memcpy(out, &real, sizeof(*out));
		break;
	default:
		rc = json_u64(v, out);
		if (!rc && (f->type == SCHEMA_UINT32 || f->type == SCHEMA_FIXED32) &&
		    *out > UINT32_MAX)
			rc = -ERANGE;
	}
	return rc ? json_fail(t->doc, v, t->e, expected[f->type]) : 0;
}

static enum proto_wire number_wire_type(const struct schema_field *f)
{
	switch (f->type) {
	case SCHEMA_FIXED32:
		return PROTO_FIXED32;
	case SCHEMA_FIXED64:
	case SCHEMA_SFIXED64:
	case SCHEMA_DOUBLE:
		return PROTO_FIXED64;
	default:
		return PROTO_VARINT;
	}
}

static void put_number_value(struct proto_encoder *t, const struct schema_field *f, uint64_t number)
{
	enum proto_wire wire = number_wire_type(f);

	if (wire == PROTO_VARINT)
		append_varint(t->out, number);
	else /* assumes a little-endian machine */
		buf_put(t->out, &number, wire == PROTO_FIXED32 ? 4 : 8);
}

/* NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth */
static int put_element(struct proto_encoder *t, const struct schema_field *f,
		       const struct json_value *v)
{
	uint64_t number;
	size_t from;
	int rc;

	switch (f->type) {
	case SCHEMA_MESSAGE_TYPE:
		from = begin_bytes(t, f);
		rc = put_message(t, f->message, v);
		end_bytes(t, from);
		return rc;
	case SCHEMA_STRING:
		return put_string_value(t, f, v);
	case SCHEMA_BYTES:
	case SCHEMA_ID:
		return put_bytes(t, f, v);
	default:
		rc = read_json_number(t, f, v, &number);
		if (rc || (!number && !(f->flags & SCHEMA_ONEOF)))
			return rc;
		put_tag(t, f, number_wire_type(f));
		put_number_value(t, f, number);
		return 0;
	}
}

/* A null element becomes a default one, so that indices stay the same. */
static int put_null_element(struct proto_encoder *t, const struct schema_field *f)
{
	put_tag(t, f, PROTO_BYTES);
	append_varint(t->out, 0);
	return 0;
}

static int put_list(struct proto_encoder *t, const struct schema_field *f,
		    const struct json_value *v)
{
	bool packed = f->type >= SCHEMA_BOOL;
	size_t from = 0;
	int rc = 0;

	if (json_kind(v) != JSON_ARRAY)
		return json_fail(t->doc, v, t->e, "an array");
	if (packed && json_count(v))
		from = begin_bytes(t, f);
	json_each(item, v)
	{
		uint64_t number;

		if (packed) {
			rc = read_json_number(t, f, item, &number);
			put_number_value(t, f, number);
		} else if (json_kind(item) == JSON_NULL) {
			rc = put_null_element(t, f);
		} else {
			rc = put_element(t, f, item);
		}
		if (rc)
			break;
	}
	if (from)
		end_bytes(t, from);
	return rc;
}

/* Encode an object's members as key-value entries. NOLINTNEXTLINE(misc-no-recursion) */
static int put_map(struct proto_encoder *t, const struct schema_field *f,
		   const struct json_value *v)
{
	const struct schema_field *key_field = schema_field_by_number(f->message, 1);
	const struct schema_field *value_field = schema_field_by_number(f->message, 2);
	int rc = 0;

	if (json_kind(v) != JSON_OBJECT)
		return json_fail(t->doc, v, t->e, "an object");
	json_each_member(key, v)
	{
		size_t from = begin_bytes(t, f);

		rc = put_element(t, key_field, key); /* numbers may be strings */
		if (!rc && json_kind(json_member(key)) != JSON_NULL)
			rc = put_element(t, value_field, json_member(key));
		end_bytes(t, from);
		if (rc)
			break;
	}
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth */
static int put_schema_field(struct proto_encoder *t, const struct schema_field *f,
			    const struct json_value *v)
{
	if (f->flags & SCHEMA_MAP)
		return put_map(t, f, v);
	return f->flags & SCHEMA_REPEATED ? put_list(t, f, v) : put_element(t, f, v);
}

/* NOLINTNEXTLINE(misc-no-recursion): the parser bounds the depth */
static int put_message(struct proto_encoder *t, const struct schema_message *m,
		       const struct json_value *v)
{
	int rc = 0;

	if (json_kind(v) != JSON_OBJECT)
		return json_fail(t->doc, v, t->e, "an object");
	json_each_member(key, v)
	{
		const struct json_value *value = json_member(key);
		const struct schema_field *f = schema_field_by_name(m, json_str(key));

		if (!f || json_kind(value) == JSON_NULL)
			continue;
		rc = put_schema_field(t, f, value);
		if (rc)
			break;
	}
	return rc;
}

int schema_to_proto(struct buf *out, const struct schema_message *m, const struct json *doc,
		    struct err *e)
{
	struct proto_encoder t = {.doc = doc, .out = out, .e = e};
	int rc = put_message(&t, m, json_root(doc));

	return rc ? rc : buf_error(out);
}
