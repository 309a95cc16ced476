/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces fields of a protobuf message: unchanged bytes between the edited fields are copied in
 * runs.
 */
#include "pipeline/processors/message_edit.h"

#include "base/container/vec.h"
#include "wire/proto.h"

/* A field that has changed: where it was, with its tag, and its new message. */
struct edited_field {
	const uint8_t *from, *to;
	struct str message;
};

struct edited_fields {
	VEC(struct edited_field) list;
	size_t room; /* of the new fields */
};

enum { HEADER_MAX = 5 + 10 }; /* tag and length */

static int edit_fields(struct str message, uint32_t field, message_editor *edit, void *arg,
		       struct arena *arena, struct edited_fields *edited)
{
	struct proto_reader r = proto_reader_of(message);
	const uint8_t *from = r.at;
	int rc = 0;

	for (; !rc && proto_next(&r); from = r.at) {
		struct str old, changed;

		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		old = changed = proto_bytes(&r);
		if (r.error)
			break;
		rc = edit(arg, arena, old, &changed);
		if (rc || changed.p == old.p)
			continue;
		rc = vec_push(arena, &edited->list, (struct edited_field){from, r.at, changed});
		edited->room += changed.n + HEADER_MAX;
	}
	return !rc && r.error ? -EBADMSG : rc;
}

static char *append_raw(char *at, const void *p, size_t n)
{
	if (n)
		memcpy(at, p, n);
	return at + n;
}

static char *append_number(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	return at;
}

int message_edit(struct str message, uint32_t field, message_editor *edit, void *arg,
		 struct arena *arena, struct str *out)
{
	struct edited_fields edited = {0};
	const uint8_t *copied = (const uint8_t *)message.p;
	int rc = edit_fields(message, field, edit, arg, arena, &edited);
	char *start, *at;

	*out = message;
	if (rc || !edited.list.n)
		return rc;
	at = start = arena_alloc(arena, message.n + edited.room, 1);
	if (!start)
		return -ENOMEM;
	for (uint32_t i = 0; i < edited.list.n; i++) {
		const struct edited_field *f = &edited.list.at[i];

		at = append_raw(at, copied, (size_t)(f->from - copied));
		at = append_number(at, PROTO_TAG(field, PROTO_BYTES));
		at = append_number(at, f->message.n);
		at = append_raw(at, f->message.p, f->message.n);
		copied = f->to;
	}
	at = append_raw(at, copied, (size_t)((const uint8_t *)message.p + message.n - copied));
	*out = str_of(start, (size_t)(at - start));
	return 0;
}
