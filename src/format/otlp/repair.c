/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repair of messages that strict decoders refuse. Driven by the schema, because it says which
 * fields are text. Messages are written back to front, so fields are listed before they are
 * written.
 */
#include "format/otlp/repair.h"

#include <errno.h>

#include "base/container/vec.h"
#include "format/otlp/utf8_repair.h"
#include "wire/proto.h"

enum { REPAIR_DEPTH_MAX = 64 };

struct repair {
	struct proto_writer out;
	struct arena *arena;
	struct str whole;
	struct err *e;
};

struct repair_field {
	const struct schema_field *field;
	uint32_t tag;
	struct str bytes; /* of the value, without tag and length */
};

struct repair_fields {
	VEC(struct repair_field) list;
};

static uint32_t wire_of_field(const struct schema_field *f)
{
	switch (f->type) {
	case SCHEMA_MESSAGE_TYPE:
	case SCHEMA_STRING:
	case SCHEMA_BYTES:
	case SCHEMA_ID:
		return PROTO_BYTES;
	case SCHEMA_FIXED64:
	case SCHEMA_SFIXED64:
	case SCHEMA_DOUBLE:
		return PROTO_FIXED64;
	case SCHEMA_FIXED32:
		return PROTO_FIXED32;
	default:
		return PROTO_VARINT;
	}
}

static struct str repair_value(struct proto_reader *r)
{
	const uint8_t *from = r->at;

	if ((r->tag & 7) == PROTO_BYTES)
		return proto_bytes(r);
	proto_skip(r);
	return str_of((const char *)from, (size_t)(r->at - from));
}

static bool repair_keeps(const struct schema_message *m, const struct repair_field *f)
{
	if (!f->field || wire_of_field(f->field) != (f->tag & 7))
		return false;
	return f->field->type != SCHEMA_ID || !f->bytes.n || f->bytes.n == f->field->id_size ||
	       str_eq(str_from(m->name), STR("Span"));
}

static int repair_list(struct repair *w, const struct schema_message *m, struct str message,
		       struct repair_fields *out)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		struct repair_field f = {schema_field_by_number(m, proto_field(&r)), r.tag,
					 repair_value(&r)};

		if (!r.error && repair_keeps(m, &f))
			rc = vec_push(w->arena, &out->list, f);
	}
	if (!rc && r.error)
		rc = proto_fail(&r, w->whole, w->e);
	return rc;
}

static int repair_message(struct repair *w, const struct schema_message *m, struct str message,
			  unsigned depth);

static int repair_field(struct repair *w, const struct repair_field *f, unsigned depth)
{
	size_t end = proto_mark(&w->out);
	struct str text = f->bytes;
	int rc = 0;

	if (f->field->type == SCHEMA_MESSAGE_TYPE) {
		rc = repair_message(w, f->field->message, f->bytes, depth + 1);
	} else {
		if (f->field->type == SCHEMA_STRING)
			rc = otlp_repair_utf8(w->arena, f->bytes, &text);
		proto_put_raw(&w->out, text.p, text.n);
	}
	if ((f->tag & 7) == PROTO_BYTES)
		proto_put_varint(&w->out, proto_mark(&w->out) - end);
	proto_put_varint(&w->out, f->tag);
	return rc;
}

static int repair_message(struct repair *w, const struct schema_message *m, struct str message,
			  unsigned depth)
{
	struct repair_fields fields = {0};
	int rc = depth > REPAIR_DEPTH_MAX
			 ? err_set(w->e, -EBADMSG, "at byte %zu: messages are nested too deep",
				   (size_t)(message.p - w->whole.p))
			 : repair_list(w, m, message, &fields);

	for (uint32_t i = fields.list.n; !rc && i-- > 0;)
		rc = repair_field(w, &fields.list.at[i], depth);
	return rc;
}

int otlp_repair_message(const struct schema_message *schema, struct str message,
			struct arena *arena, struct str *out, struct err *e)
{
	struct repair w = {.arena = arena, .whole = message, .e = e};
	int rc;

	proto_writer_init(&w.out, arena->budget);
	rc = repair_message(&w, schema, message, 0);
	if (!rc)
		rc = proto_writer_error(&w.out);
	if (!rc)
		rc = arena_copy_str(arena, proto_writer_str(&w.out), out);
	proto_writer_fini(&w.out);
	return rc;
}
