/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf to JSON by the schema table. Fields are written in the order of the wire; the elements
 * of a repeated field are collected at the position of the first one. Unknown fields are omitted.
 */
#include "wire/json_write.h"
#include "wire/proto.h"
#include "wire/schema.h"
#include "wire/text.h"

enum { MAX_DEPTH = 256 };

struct json_encoder {
	struct json_writer w;
	struct str whole;
	struct err *e;
	struct buf text; /* scratch for ids, bytes and keys */
	unsigned depth;
};

static int write_message(struct json_encoder *t, const struct schema_message *m,
			 struct str message);

static void write_enum(struct json_encoder *t, const struct schema_field *f, int32_t number)
{
	bool by_name = f->names && !f->names->as_number;

	for (size_t i = 0; by_name && i < f->names->name_count; i++)
		if (f->names->names[i].number == number) {
			json_put_string(&t->w, f->names->names[i].name);
			return;
		}
	json_put_i64(&t->w, number);
}

static void write_number(struct json_encoder *t, const struct schema_field *f, uint64_t number)
{
	double real;

	switch (f->type) {
	case SCHEMA_BOOL:
		json_put_bool(&t->w, number != 0);
		break;
	case SCHEMA_INT32:
		json_put_i64(&t->w, (int32_t)number);
		break;
	case SCHEMA_SINT32:
		json_put_i64(&t->w, (int32_t)((uint32_t)number >> 1 ^ -((uint32_t)number & 1)));
		break;
	case SCHEMA_UINT32:
	case SCHEMA_FIXED32:
		json_put_u64(&t->w, (uint32_t)number);
		break;
	case SCHEMA_ENUM:
		write_enum(t, f, (int32_t)number);
		break;
	case SCHEMA_INT64:
	case SCHEMA_SFIXED64:
		json_put_i64_string(&t->w, (int64_t)number);
		break;
	case SCHEMA_DOUBLE:
		memcpy(&real, &number, sizeof(real));
		json_put_double(&t->w, real);
		break;
	default:
		json_put_u64_string(&t->w, number);
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by MAX_DEPTH */
static int write_length_delimited(struct json_encoder *t, const struct schema_field *f,
				  struct str bytes)
{
	switch (f->type) {
	case SCHEMA_MESSAGE_TYPE:
		return write_message(t, f->message, bytes);
	case SCHEMA_STRING:
		json_put_string(&t->w, bytes);
		return 0;
	default:
		buf_clear(&t->text);
		if (f->type == SCHEMA_ID)
			hex_encode(&t->text, bytes);
		else
			base64_encode(&t->text, bytes);
		json_put_string(&t->w, buf_str(&t->text));
		return buf_error(&t->text);
	}
}

static bool is_fixed64_type(const struct schema_field *f)
{
	return f->type == SCHEMA_FIXED64 || f->type == SCHEMA_SFIXED64 || f->type == SCHEMA_DOUBLE;
}

static uint64_t read_wire_number(struct proto_reader *r, const struct schema_field *f)
{
	if (f->type == SCHEMA_FIXED32)
		return proto_fixed32(r);
	return is_fixed64_type(f) ? proto_fixed64(r) : proto_varint(r);
}

/* Return whether the wire type matches the schema, also as a packed list. */
static bool wire_type_fits(const struct proto_reader *r, const struct schema_field *f)
{
	uint32_t wire = r->tag & 7;

	if (f->type < SCHEMA_BOOL)
		return wire == PROTO_BYTES;
	if (wire == PROTO_BYTES)
		return f->flags & SCHEMA_REPEATED;
	if (f->type == SCHEMA_FIXED32)
		return wire == PROTO_FIXED32;
	return wire == (is_fixed64_type(f) ? PROTO_FIXED64 : PROTO_VARINT);
}

static int write_packed(struct json_encoder *t, const struct schema_field *f, struct str bytes)
{
	struct proto_reader r = proto_reader_of(bytes);

	while (r.at < r.end) {
		uint64_t number = read_wire_number(&r, f);

		if (r.error)
			return proto_fail(&r, t->whole, t->e);
		write_number(t, f, number);
	}
	return 0;
}

/* Write the value of the current field. NOLINTNEXTLINE(misc-no-recursion) */
static int write_value(struct json_encoder *t, const struct schema_field *f, struct proto_reader *r)
{
	if ((r->tag & 7) != PROTO_BYTES) {
		uint64_t number = read_wire_number(r, f);

		if (!r->error)
			write_number(t, f, number);
		return 0;
	}

	struct str bytes = proto_bytes(r);

	if (r->error)
		return 0; /* the caller reports r->error */
	return f->type >= SCHEMA_BOOL ? write_packed(t, f, bytes)
				      : write_length_delimited(t, f, bytes);
}

/* Write all elements from the current field on. NOLINTNEXTLINE(misc-no-recursion) */
static int write_list(struct json_encoder *t, const struct schema_field *f, struct proto_reader r)
{
	int rc = 0;

	json_open_array(&t->w);
	do {
		if (proto_field(&r) == f->number && wire_type_fits(&r, f))
			rc = write_value(t, f, &r);
		else
			proto_skip(&r);
	} while (!rc && proto_next(&r));
	json_close_array(&t->w);
	if (!rc && r.error)
		rc = proto_fail(&r, t->whole, t->e);
	return rc;
}

/* Write the key of a map's entry as text. */
static int write_key(struct json_encoder *t, const struct schema_field *f, struct str entry)
{
	struct proto_reader r = proto_reader_of(entry);
	struct str text = {0};
	uint64_t number = 0;

	while (proto_next(&r)) {
		if (proto_field(&r) != 1 || !wire_type_fits(&r, f))
			proto_skip(&r);
		else if (f->type < SCHEMA_BOOL)
			text = proto_bytes(&r);
		else
			number = read_wire_number(&r, f);
	}
	if (r.error)
		return proto_fail(&r, t->whole, t->e);
	if (f->type >= SCHEMA_BOOL) {
		buf_clear(&t->text);
		if (f->type == SCHEMA_BOOL)
			buf_put_str(&t->text, number ? STR("true") : STR("false"));
		else if (f->type == SCHEMA_UINT32 || f->type == SCHEMA_UINT64 || is_fixed64_type(f))
			buf_put_u64(&t->text, number);
		else
			buf_put_i64(&t->text, (int64_t)number);
		text = buf_str(&t->text);
	}
	json_put_key(&t->w, text);
	return buf_error(&t->text);
}

/* Write the default of a missing value. */
static void write_default(struct json_encoder *t, const struct schema_field *f)
{
	if (f->type == SCHEMA_MESSAGE_TYPE) {
		json_open_object(&t->w);
		json_close_object(&t->w);
	} else if (f->type < SCHEMA_BOOL) {
		json_put_string(&t->w, STR(""));
	} else {
		write_number(t, f, 0);
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by MAX_DEPTH */
static int write_entry(struct json_encoder *t, const struct schema_field *f, struct str entry)
{
	const struct schema_field *value = schema_field_by_number(f->message, 2);
	struct proto_reader r = proto_reader_of(entry);
	bool written = false;
	int rc = write_key(t, schema_field_by_number(f->message, 1), entry);

	while (!rc && proto_next(&r)) {
		if (proto_field(&r) != 2 || !wire_type_fits(&r, value) || written) {
			proto_skip(&r);
			continue;
		}
		written = true;
		rc = write_value(t, value, &r);
	}
	if (!rc && r.error)
		return proto_fail(&r, t->whole, t->e);
	if (!rc && !written)
		write_default(t, value);
	return rc;
}

/* Write all entries from the current field on. NOLINTNEXTLINE(misc-no-recursion) */
static int write_map(struct json_encoder *t, const struct schema_field *f, struct proto_reader r)
{
	int rc = 0;

	json_open_object(&t->w);
	do {
		if (proto_field(&r) != f->number || !wire_type_fits(&r, f)) {
			proto_skip(&r);
			continue;
		}

		struct str entry = proto_bytes(&r);

		if (!r.error)
			rc = write_entry(t, f, entry);
	} while (!rc && proto_next(&r));
	json_close_object(&t->w);
	if (!rc && r.error)
		rc = proto_fail(&r, t->whole, t->e);
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by MAX_DEPTH */
static int write_fields(struct json_encoder *t, const struct schema_message *m, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t written = 0; /* bit set by index in the table */
	int rc = 0;

	while (!rc && proto_next(&r)) {
		const struct schema_field *f = schema_field_by_number(m, proto_field(&r));

		size_t index = f ? (size_t)(f - m->fields) % SCHEMA_FIELDS_MAX : 0;

		if (!f || !wire_type_fits(&r, f) || (written >> index & 1)) {
			proto_skip(&r);
			continue;
		}
		written |= (uint64_t)1 << index;
		json_put_key(&t->w, f->name);
		if (f->flags & SCHEMA_REPEATED) {
			rc = f->flags & SCHEMA_MAP ? write_map(t, f, r) : write_list(t, f, r);
			proto_skip(&r);
		} else {
			rc = write_value(t, f, &r);
		}
	}
	if (!rc && r.error)
		rc = proto_fail(&r, t->whole, t->e);
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by MAX_DEPTH */
static int write_message(struct json_encoder *t, const struct schema_message *m, struct str message)
{
	int rc;

	if (t->depth == MAX_DEPTH)
		return err_set(t->e, -EBADMSG, "at byte %zu: messages nested deeper than %d",
			       (size_t)(message.p - t->whole.p), MAX_DEPTH);
	t->depth++;
	json_open_object(&t->w);
	rc = write_fields(t, m, message);
	json_close_object(&t->w);
	t->depth--;
	return rc;
}

int schema_to_json(struct buf *out, const struct schema_message *m, struct str message,
		   struct err *e)
{
	struct json_encoder t = {.w = json_writer_to(out, 0), .whole = message, .e = e};
	int rc;

	buf_init(&t.text, out->budget);
	rc = write_message(&t, m, message);
	buf_fini(&t.text);
	return rc ? rc : buf_error(out);
}
