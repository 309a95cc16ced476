/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes and decodes the messages of control. The fields of both are tables. */
#include "wire/control_message.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "wire/proto.h"

const char *const control_lease_states[] = {"none", "applied", "refused", "ended"};
const char *const control_capture_states[] = {"waiting", "running", "done", "failed"};

/* By bit of enum varve_profile. */
static const char *const kind_names[] = {"cpu",	 "heap",    "mutex",	    "block",
					 "wall", "threads", "threadcreate", "mmap"};

void control_kinds_write(struct buf *out, unsigned kinds)
{
	const char *comma = "";

	for (size_t i = 0; i < countof(kind_names); i++)
		if (kinds >> i & 1) {
			buf_printf(out, "%s%s", comma, kind_names[i]);
			comma = ",";
		}
}

int control_kinds_read(struct str text, unsigned *kinds)
{
	*kinds = 0;
	do {
		struct str word = str_trim(str_cut(&text, ','));
		unsigned kind = str_eq(word, STR("all")) ? CONTROL_KINDS : 0;

		for (size_t i = 0; i < countof(kind_names); i++)
			if (str_eq(word, str_from(kind_names[i])))
				kind = 1u << i;
		if (!kind)
			return -EINVAL;
		*kinds |= kind;
	} while (text.p);
	return 0;
}

enum field_type { FIELD_TEXT, FIELD_U32, FIELD_U64, FIELD_FLAG };

/* A field of a message: its number, its place in the struct, and its limit. */
struct field {
	unsigned number;
	enum field_type type;
	size_t offset;
	uint64_t most; /* of the number, or bytes of the text */
	const char *name;
};

#define REPORT(number, type, field, most)                                                          \
	{                                                                                          \
		number, type, offsetof(struct control_report, field), most, #field                 \
	}
#define ORDER(number, type, field, most)                                                           \
	{                                                                                          \
		number, type, offsetof(struct control_order, field), most, #field                  \
	}

#define HEAP_INTERVAL_MAX (UINT64_C(1) << 40)

static const struct field report_fields[] = {
	REPORT(1, FIELD_TEXT, instance, CONTROL_INSTANCE_MAX),
	REPORT(2, FIELD_TEXT, service, CONTROL_NAME_MAX),
	REPORT(3, FIELD_TEXT, host, CONTROL_NAME_MAX),
	REPORT(4, FIELD_TEXT, version, CONTROL_NAME_MAX),
	REPORT(5, FIELD_U64, pid, UINT64_MAX),
	REPORT(6, FIELD_FLAG, now.has_profiles, 1),
	REPORT(7, FIELD_U32, now.profiles, CONTROL_KINDS),
	REPORT(8, FIELD_U32, now.cpu_hz, CONTROL_HZ_MAX),
	REPORT(9, FIELD_U32, now.wall_hz, CONTROL_HZ_MAX),
	REPORT(10, FIELD_U64, now.heap_interval, HEAP_INTERVAL_MAX),
	REPORT(11, FIELD_U32, max_cpu_hz, CONTROL_HZ_MAX),
	REPORT(12, FIELD_U32, max_profiles, CONTROL_KINDS),
	REPORT(13, FIELD_U32, max_seconds, CONTROL_LEASE_SECONDS_MAX),
	REPORT(14, FIELD_U64, lease, UINT64_MAX),
	REPORT(15, FIELD_U32, lease_state, CONTROL_LEASE_STATES - 1),
	REPORT(16, FIELD_TEXT, lease_error, CONTROL_TEXT_MAX),
	REPORT(17, FIELD_U64, capture, UINT64_MAX),
	REPORT(18, FIELD_U32, capture_state, CONTROL_CAPTURE_STATES - 1),
	REPORT(19, FIELD_TEXT, capture_error, CONTROL_TEXT_MAX),
};

static const struct field order_fields[] = {
	ORDER(1, FIELD_U32, poll_ms, CONTROL_POLL_MS_MAX),
	ORDER(2, FIELD_U64, lease, UINT64_MAX),
	ORDER(3, FIELD_U64, remaining_ms, CONTROL_LEASE_SECONDS_MAX *UINT64_C(1000)),
	ORDER(4, FIELD_FLAG, settings.has_profiles, 1),
	ORDER(5, FIELD_U32, settings.profiles, CONTROL_KINDS),
	ORDER(6, FIELD_U32, settings.cpu_hz, CONTROL_HZ_MAX),
	ORDER(7, FIELD_U32, settings.wall_hz, CONTROL_HZ_MAX),
	ORDER(8, FIELD_U64, settings.heap_interval, HEAP_INTERVAL_MAX),
	ORDER(9, FIELD_TEXT, author, CONTROL_NAME_MAX),
	ORDER(10, FIELD_TEXT, reason, CONTROL_TEXT_MAX),
	ORDER(11, FIELD_U64, capture, UINT64_MAX),
	ORDER(12, FIELD_U32, capture_kind, CONTROL_KINDS),
	ORDER(13, FIELD_U32, capture_seconds, CONTROL_CAPTURE_SECONDS_MAX),
};

/* ---- writing ---- */

static void put_field(struct proto_writer *w, const struct field *f, const void *at)
{
	uint64_t number = 0;
	struct str text;

	switch (f->type) {
	case FIELD_TEXT:
		text = str_head(*(const struct str *)at, (size_t)f->most);
		if (text.n)
			proto_put_bytes(w, f->number, text);
		return;
	case FIELD_U32:
		number = *(const unsigned *)at;
		break;
	case FIELD_U64:
		number = *(const uint64_t *)at;
		break;
	case FIELD_FLAG:
		number = *(const bool *)at;
		break;
	}
	if (number)
		proto_put_uint(w, f->number, number);
}

static int encode_message(struct buf *out, const struct field *fields, size_t n,
			  const void *message)
{
	struct proto_writer w;
	int rc;

	proto_writer_init(&w, NULL);
	for (size_t i = n; i--;)
		put_field(&w, &fields[i], (const char *)message + fields[i].offset);
	rc = proto_writer_error(&w);
	if (!rc && proto_mark(&w)) /* an empty message has no buffer */
		buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
	return rc ? rc : buf_error(out);
}

int control_report_encode(struct buf *out, const struct control_report *r)
{
	return encode_message(out, report_fields, countof(report_fields), r);
}

int control_order_encode(struct buf *out, const struct control_order *o)
{
	return encode_message(out, order_fields, countof(order_fields), o);
}

/* ---- reading ---- */

/* Return whether a text is UTF-8 without control characters, which a terminal would interpret. */
static bool is_plain_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < 0x20 || c == 0x7f)
			return false;
		if (c == 0xc2 && i + 1 < s.n && (unsigned char)s.p[i + 1] < 0xa0)
			return false; /* U+0080 to U+009F */
	}
	return str_utf8_valid(s) == s.n;
}

/* Return whether an id may be part of a file name and of a URL. */
static bool is_plain_id(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isalnum((unsigned char)s.p[i]) && !strchr("._:-", s.p[i]))
			return false;
	return s.n > 0;
}

static int take_field(struct proto_reader *r, const struct field *f, void *at, struct err *e)
{
	uint64_t number;
	struct str text;

	if (f->type == FIELD_TEXT) {
		text = proto_bytes(r);
		if (text.n > f->most || !is_plain_text(text))
			return err_set(e, -EBADMSG,
				       "%s: expected at most %llu bytes of printable UTF-8",
				       f->name, (unsigned long long)f->most);
		*(struct str *)at = text;
		return 0;
	}
	number = proto_varint(r);
	if (number > f->most)
		return err_set(e, -EBADMSG, "%s: %llu is more than %llu", f->name,
			       (unsigned long long)number, (unsigned long long)f->most);
	if (f->type == FIELD_U32)
		*(unsigned *)at = (unsigned)number;
	else if (f->type == FIELD_U64)
		*(uint64_t *)at = number;
	else
		*(bool *)at = number != 0;
	return 0;
}

static int decode_message(const struct field *fields, size_t n, struct str message, void *out,
			  struct err *e)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	if (message.n > CONTROL_MESSAGE_MAX)
		return err_set(e, -EBADMSG, "the message has more than %d bytes",
			       CONTROL_MESSAGE_MAX);
	while (!rc && proto_next(&r)) {
		const struct field *f = NULL;

		for (size_t i = 0; i < n && !f; i++)
			if (r.tag ==
			    PROTO_TAG(fields[i].number,
				      fields[i].type == FIELD_TEXT ? PROTO_BYTES : PROTO_VARINT))
				f = &fields[i];
		if (f)
			rc = take_field(&r, f, (char *)out + f->offset, e);
		else
			proto_skip(&r);
	}
	return r.error ? proto_fail(&r, message, e) : rc;
}

int control_report_decode(struct control_report *out, struct str message, struct err *e)
{
	int rc;

	*out = (struct control_report){0};
	rc = decode_message(report_fields, countof(report_fields), message, out, e);
	if (!rc && !is_plain_id(out->instance))
		rc = err_set(e, -EBADMSG, "instance: expected letters, digits, . _ : and -");
	if (!rc && !out->service.n)
		rc = err_set(e, -EBADMSG, "a report needs a service");
	return rc;
}

int control_order_decode(struct control_order *out, struct str message, struct err *e)
{
	int rc;

	*out = (struct control_order){0};
	rc = decode_message(order_fields, countof(order_fields), message, out, e);
	if (!rc && out->capture &&
	    (!out->capture_kind || out->capture_kind & (out->capture_kind - 1)))
		rc = err_set(e, -EBADMSG, "capture_kind: expected one kind");
	return rc;
}
