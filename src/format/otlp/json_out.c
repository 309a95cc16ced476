/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf to OTLP's JSON, by the schema table. What is on the wire is written, in its order;
 * the elements of a repeated field are gathered where its first one stands. Fields that the table does
 * not know are left out.
 */
#include "format/otlp/json.h"

#include "wire/json_write.h"
#include "wire/proto.h"
#include "wire/text.h"

enum { MAX_DEPTH = 256 };

struct transcoder {
	struct json_writer w;
	struct str whole;
	struct err *e;
	struct buf text; /* of ids and bytes, reused */
	unsigned depth;
};

static int write_message(struct transcoder *t, const struct otlp_message *m, struct str message);

static void write_number(struct transcoder *t, const struct otlp_field *f, uint64_t number)
{
	double real;

	switch (f->type) {
	case OTLP_BOOL:
		json_put_bool(&t->w, number != 0);
		break;
	case OTLP_INT32:
		json_put_i64(&t->w, (int32_t)number);
		break;
	case OTLP_UINT32:
		json_put_u64(&t->w, (uint32_t)number);
		break;
	case OTLP_INT64:
		json_put_i64_string(&t->w, (int64_t)number);
		break;
	case OTLP_DOUBLE:
		memcpy(&real, &number, sizeof(real));
		json_put_double(&t->w, real);
		break;
	default:
		json_put_u64_string(&t->w, number);
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by MAX_DEPTH */
static int write_bytes(struct transcoder *t, const struct otlp_field *f, struct str bytes)
{
	switch (f->type) {
	case OTLP_MESSAGE:
		return write_message(t, f->message, bytes);
	case OTLP_STRING:
		json_put_string(&t->w, bytes);
		return 0;
	default:
		buf_clear(&t->text);
		if (f->type == OTLP_ID)
			hex_encode(&t->text, bytes);
		else
			base64_encode(&t->text, bytes);
		json_put_string(&t->w, buf_str(&t->text));
		return buf_error(&t->text);
	}
}

static bool is_fixed(const struct otlp_field *f)
{
	return f->type == OTLP_FIXED64 || f->type == OTLP_DOUBLE;
}

static uint64_t read_number(struct proto_reader *r, const struct otlp_field *f)
{
	return is_fixed(f) ? proto_fixed64(r) : proto_varint(r);
}

/* Is this what the schema says, or a packed list of it? */
static bool fits(const struct proto_reader *r, const struct otlp_field *f)
{
	uint32_t wire = r->tag & 7;

	if (f->type < OTLP_BOOL)
		return wire == PROTO_BYTES;
	if (wire == PROTO_BYTES)
		return f->flags & OTLP_REPEATED;
	return wire == (is_fixed(f) ? PROTO_FIXED64 : PROTO_VARINT);
}

static int write_packed(struct transcoder *t, const struct otlp_field *f, struct str bytes)
{
	struct proto_reader r = proto_reader_of(bytes);

	while (r.at < r.end) {
		uint64_t number = read_number(&r, f);

		if (r.error)
			return proto_fail(&r, t->whole, t->e);
		write_number(t, f, number);
	}
	return 0;
}

/* The value the reader stands on. NOLINTNEXTLINE(misc-no-recursion) */
static int write_value(struct transcoder *t, const struct otlp_field *f, struct proto_reader *r)
{
	if ((r->tag & 7) != PROTO_BYTES) {
		uint64_t number = read_number(r, f);

		if (!r->error)
			write_number(t, f, number);
		return 0;
	}

	struct str bytes = proto_bytes(r);

	if (r->error)
		return 0; /* the caller sees it */
	return f->type >= OTLP_BOOL ? write_packed(t, f, bytes) : write_bytes(t, f, bytes);
}

/* All elements from the one `r` stands on. NOLINTNEXTLINE(misc-no-recursion) */
static int write_list(struct transcoder *t, const struct otlp_field *f, struct proto_reader r)
{
	int rc = 0;

	json_open_array(&t->w);
	do {
		if (proto_field(&r) == f->number && fits(&r, f))
			rc = write_value(t, f, &r);
		else
			proto_skip(&r);
	} while (!rc && proto_next(&r));
	json_close_array(&t->w);
	if (!rc && r.error)
		rc = proto_fail(&r, t->whole, t->e);
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by MAX_DEPTH */
static int write_fields(struct transcoder *t, const struct otlp_message *m, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	uint32_t written = 0; /* bits: field numbers are small */
	int rc = 0;

	while (!rc && proto_next(&r)) {
		const struct otlp_field *f = otlp_field_by_number(m, proto_field(&r));

		if (!f || !fits(&r, f) || (written >> f->number & 1)) {
			proto_skip(&r);
			continue;
		}
		written |= 1u << f->number;
		json_put_key(&t->w, f->name);
		if (f->flags & OTLP_REPEATED) {
			rc = write_list(t, f, r);
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
static int write_message(struct transcoder *t, const struct otlp_message *m, struct str message)
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

int otlp_transcode_to_json(struct buf *out, const struct otlp_message *m, struct str message,
			   struct err *e)
{
	struct transcoder t = {.w = json_writer_to(out, 0), .whole = message, .e = e};
	int rc;

	buf_init(&t.text, out->budget);
	rc = write_message(&t, m, message);
	buf_fini(&t.text);
	return rc ? rc : buf_error(out);
}
