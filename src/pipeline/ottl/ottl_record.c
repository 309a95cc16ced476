/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the changes of a message in a list, and writes the message with them at the end. */
#include "pipeline/ottl/ottl_record.h"

#include <errno.h>

enum { SET_OF_CHANGES_MAX = 64 };

static struct ottl_change *find_change(const struct ottl_record *r, uint32_t field)
{
	for (uint32_t i = 0; i < r->changes.n; i++)
		if (r->changes.at[i].field == field)
			return &r->changes.at[i];
	return NULL;
}

struct str ottl_record_field(const struct ottl_record *r, uint32_t field)
{
	const struct ottl_change *c = r->changes.n ? find_change(r, field) : NULL;

	return c ? c->bytes : r->message;
}

int ottl_record_put(struct ottl_record *r, struct arena *arena, uint32_t field, struct str bytes)
{
	struct ottl_change *c = find_change(r, field);

	if (c) {
		c->bytes = bytes;
		return 0;
	}
	return vec_push(arena, &r->changes, (struct ottl_change){field, bytes}) ? -ENOMEM : 0;
}

struct ottl_slot *ottl_record_loaded(struct ottl_record *r, uint32_t field)
{
	for (unsigned i = 0; i < OTTL_SLOTS; i++)
		if (r->slots[i].field == field)
			return &r->slots[i];
	return NULL;
}

/* Read an AnyValue field, the last one if there are several. */
static int load_any(struct str message, uint32_t field, struct ottl_value *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct value v = {0};
	bool good = true;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			good &= otlp_value_read(proto_bytes(&r), &v);
		else
			proto_skip(&r);
	}
	*out = ottl_value_of(&v);
	return good && !r.error ? 0 : -EBADMSG;
}

int ottl_record_load(struct ottl_record *r, struct arena *arena, uint32_t field, bool any,
		     struct ottl_slot **out)
{
	struct ottl_slot *s = ottl_record_loaded(r, field);
	struct ottl_value value = {.kind = OTTL_MAP};
	int rc;

	*out = s;
	if (s)
		return 0;
	s = ottl_record_loaded(r, 0);
	if (!s)
		return -ENOMEM;
	if (any) {
		rc = load_any(ottl_record_field(r, field), field, &value);
	} else {
		value.map = ottl_map_new(arena);
		rc = value.map ? ottl_map_read(arena, ottl_record_field(r, field), field, value.map)
			       : -ENOMEM;
	}
	if (rc)
		return rc;
	*s = (struct ottl_slot){.field = field, .any = any, .value = value};
	*out = s;
	return 0;
}

bool ottl_record_changed(const struct ottl_record *r)
{
	bool changed = r->changes.n > 0;

	for (unsigned i = 0; i < OTTL_SLOTS; i++)
		changed |= r->slots[i].changed;
	return changed;
}

int ottl_take_written(struct proto_writer *w, struct arena *arena, struct str *out)
{
	struct str written = proto_writer_str(w);
	int rc = proto_writer_error(w);
	char *copy = rc ? NULL : arena_alloc(arena, max_size(written.n, 1), 1);

	if (copy && written.n)
		memcpy(copy, written.p, written.n);
	if (copy)
		*out = str_of(copy, written.n);
	proto_writer_clear(w);
	return copy ? 0 : -ENOMEM;
}

/* Encode the slots that were changed. */
static int put_slots(struct ottl_record *r, struct proto_writer *w, struct arena *arena)
{
	for (unsigned i = 0; i < OTTL_SLOTS; i++) {
		struct ottl_slot *s = &r->slots[i];
		struct str bytes;
		size_t end;
		int rc;

		if (!s->changed)
			continue;
		proto_writer_clear(w);
		end = proto_mark(w);
		if (s->any && s->value.kind != OTTL_NIL) {
			ottl_value_write(w, &s->value);
			proto_put_header(w, s->field, end);
		} else if (!s->any) {
			ottl_map_write(w, s->field, s->value.map);
		}
		rc = ottl_take_written(w, arena, &bytes);
		if (!rc)
			rc = ottl_record_put(r, arena, s->field, bytes);
		if (rc)
			return rc;
		s->changed = false;
	}
	return 0;
}

/* The output of a replacement, and which changes were written. */
struct replacement {
	const struct ottl_change *changes;
	uint32_t count;
	char *at;
	uint64_t written;
};

static void put_raw(struct replacement *x, const void *p, size_t n)
{
	if (n)
		memcpy(x->at, p, n);
	x->at += n;
}

static void put_change(struct replacement *x, uint32_t i)
{
	if (x->written & (uint64_t)1 << i)
		return;
	x->written |= (uint64_t)1 << i;
	put_raw(x, x->changes[i].bytes.p, x->changes[i].bytes.n);
}

/* Return the index of the change of a field, or the number of changes. */
static uint32_t change_of(const struct replacement *x, uint32_t field)
{
	uint32_t i = 0;

	while (i < x->count && x->changes[i].field != field)
		i++;
	return i;
}

/* Changes are written where their fields were, so that these stay in their usual order. */
int ottl_message_replace(struct str message, const struct ottl_change *changes, uint32_t count,
			 struct arena *arena, struct str *out)
{
	struct replacement x = {.changes = changes, .count = count};
	struct proto_reader r = proto_reader_of(message);
	const uint8_t *copied = r.at, *field_at = r.at;
	size_t room = message.n;
	char *start;

	if (count > SET_OF_CHANGES_MAX)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		room += changes[i].bytes.n;
	start = x.at = arena_alloc(arena, max_size(room, 1), 1);
	if (!start)
		return -ENOMEM;
	for (; proto_next(&r); field_at = r.at) {
		uint32_t i;

		proto_skip(&r);
		i = r.error ? count : change_of(&x, proto_field(&r));
		if (i == count)
			continue;
		put_raw(&x, copied, (size_t)(field_at - copied));
		copied = r.at;
		put_change(&x, i);
	}
	if (r.error)
		return -EBADMSG;
	put_raw(&x, copied, (size_t)(r.end - copied));
	for (uint32_t i = 0; i < count; i++)
		put_change(&x, i);
	*out = str_of(start, (size_t)(x.at - start));
	return 0;
}

int ottl_record_write(struct ottl_record *r, struct proto_writer *w, struct arena *arena,
		      struct str *out)
{
	int rc = put_slots(r, w, arena);

	return rc ? rc : ottl_message_replace(r->message, r->changes.at, r->changes.n, arena, out);
}
