/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes, events, links and status of running spans. Each is encoded at once as a field of the
 * future OTLP Span message: name (5), attributes (9), events (11), links (13) and status (15). A
 * field is a tag of one byte, a length and its bytes. So the end of a span only copies them.
 */
#include "sdk/trace/span_attributes.h"

#include <stdlib.h>

#include "base/clock.h"
#include "sdk/attributes.h"
#include "sdk/trace/span_slot.h"

enum {
	TAG_NAME = 0x2a,
	TAG_ATTRIBUTE = 0x4a,
	TAG_EVENT = 0x5a,
	TAG_LINK = 0x6a,
	TAG_STATUS = 0x7a,
};

static size_t varint_size(size_t n)
{
	return n < 0x80 ? 1 : n < 0x4000 ? 2 : 3; /* nothing here is longer than 64 KiB */
}

static uint8_t *put_varint(uint8_t *at, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*at++ = (uint8_t)(n | 0x80);
	*at++ = (uint8_t)n;
	return at;
}

static uint8_t *put_text_field(uint8_t *at, uint8_t tag, struct str s)
{
	*at++ = tag;
	at = put_varint(at, s.n);
	if (s.n)
		memcpy(at, s.p, s.n);
	return at + s.n;
}

static size_t text_size(struct str s)
{
	return 1 + varint_size(s.n) + s.n;
}

/* Double the capacity until `n` more bytes fit. False: over the limit, or no memory. */
static bool grow_fields(struct span_slot *s, size_t n)
{
	size_t capacity = s->capacity;
	uint8_t *more;

	if (s->size + n > SPAN_FIELDS_MAX)
		return false;
	while (capacity < s->size + n)
		capacity *= 2;
	capacity = min_size(capacity, SPAN_FIELDS_MAX);
	more = malloc(capacity);
	if (!more)
		return false;
	memcpy(more, s->fields, s->size);
	if (s->fields != s->inside)
		free(s->fields);
	s->fields = more;
	s->capacity = (uint32_t)capacity;
	return true;
}

/*
 * Append a field's tag and length, and room for `n` bytes, which the caller fills. NULL: no room.
 */
static uint8_t *append_field(struct span_slot *s, uint8_t tag, size_t n)
{
	size_t whole = 1 + varint_size(n) + n;
	uint8_t *at;

	if (unlikely(s->size + whole > s->capacity) && !grow_fields(s, whole))
		return NULL;
	at = s->fields + s->size;
	s->size += (uint32_t)whole;
	*at++ = tag;
	return put_varint(at, n);
}

/*
 * Return the text as valid UTF-8, as protobuf requires, with a question mark for each invalid byte,
 * cut between characters to at most `max` bytes. `copy` has room for `max` bytes and is used only
 * if bytes had to be replaced.
 */
static struct str clean_text(const char *text, size_t max, char *copy)
{
	struct str s = str_of(text ? text : "", text ? strnlen(text, max + 1) : 0);
	size_t good, at = 0;

	if (s.n > max) {
		s.n = max;
		while (s.n && ((unsigned char)text[s.n] & 0xc0) == 0x80)
			s.n--;
	}
	while (at < s.n && (unsigned char)s.p[at] < 0x80)
		at++; /* fast path for ASCII */
	if (likely(at == s.n))
		return s;
	good = str_utf8_valid(s);
	if (good == s.n)
		return s;
	at = good;
	memcpy(copy, s.p, s.n);
	while (at < s.n) {
		at += str_utf8_valid(str_of(copy + at, s.n - at));
		if (at < s.n)
			copy[at] = '?';
	}
	return str_of(copy, s.n);
}

void span_fields_begin(struct span_slot *s, struct str name)
{
	char copy[SPAN_NAME_MAX];
	struct str clean;
	uint8_t *at;

	s->fields = s->inside;
	s->capacity = sizeof(s->inside);
	s->size = 0;
	s->attributes = s->events = s->links = 0;
	s->lost_attributes = s->lost_events = s->lost_links = 0;
	if (!s->recorded)
		return;
	clean = clean_text(name.p, SPAN_NAME_MAX, copy);
	at = append_field(s, TAG_NAME, clean.n); /* fits, as the first field */
	memcpy(at, clean.p, clean.n);
}

void span_fields_end(struct span_slot *s)
{
	if (unlikely(s->fields && s->fields != s->inside))
		free(s->fields);
	s->fields = NULL;
}

/*
 * -- iteration over fields ----------------------------------------------------------------------
 */

struct field {
	uint8_t tag;
	uint8_t *start, *body, *end;
};

static bool next_field(const struct span_slot *s, uint8_t *at, struct field *out)
{
	uint64_t n = 0;
	unsigned shift = 0;

	if (at >= s->fields + s->size)
		return false;
	out->start = at;
	out->tag = *at++;
	do {
		n |= (uint64_t)(*at & 0x7f) << shift;
		shift += 7;
	} while (*at++ & 0x80);
	out->body = at;
	out->end = at + n;
	return true;
}

static void remove_field(struct span_slot *s, const struct field *f)
{
	size_t behind = (size_t)(s->fields + s->size - f->end);

	memmove(f->start, f->end, behind);
	s->size -= (uint32_t)(f->end - f->start);
}

/* Remove the attribute of this key, if there is one: the last value counts. */
static void remove_attribute(struct span_slot *s, struct str key)
{
	struct field f = {.end = s->fields};
	char head[1 + 3 + SPAN_NAME_MAX];
	size_t n = (size_t)(put_text_field((uint8_t *)head, 0x0a, key) - (uint8_t *)head);

	if (!s->attributes)
		return;
	while (next_field(s, f.end, &f)) {
		if (f.tag == TAG_ATTRIBUTE && (size_t)(f.end - f.body) >= n &&
		    !memcmp(f.body, head, n)) {
			remove_field(s, &f);
			s->attributes--;
			return;
		}
	}
}

/*
 * Append KeyValue { key = 1, value = 2 }; `value` is an encoded AnyValue. Replaces an attribute of
 * the same key.
 */
static void append_attribute(struct span_slot *s, struct str key, struct str value)
{
	uint8_t *at;

	remove_attribute(s, key);
	at = s->attributes < SPAN_ATTRIBUTES_MAX
		     ? append_field(s, TAG_ATTRIBUTE, text_size(key) + text_size(value))
		     : NULL;
	if (!at) {
		s->lost_attributes++;
		return;
	}
	s->attributes++;
	put_text_field(put_text_field(at, 0x0a, key), 0x12, value);
}

/* Set an attribute of the span, if it runs and is recorded. */
static void set_attribute(struct varve_span *span, const char *key, struct str value)
{
	struct span_thread *t = span && key && *key ? span_enter() : NULL;
	struct span_slot *s = t ? span_lock(span) : NULL;
	char copy[SPAN_NAME_MAX];

	if (s && s->recorded)
		append_attribute(s, clean_text(key, SPAN_NAME_MAX, copy), value);
	if (s)
		span_unlock(s);
	if (t)
		span_leave(t);
}

void varve_span_set_str(struct varve_span *span, const char *key, const char *value)
{
	char copy[SPAN_TEXT_MAX];
	uint8_t any[SPAN_TEXT_MAX + 8];
	struct str text;

	if (!span || !value)
		return;
	text = clean_text(value, SPAN_TEXT_MAX, copy);
	set_attribute(span, key,
		      str_of((char *)any, (size_t)(put_text_field(any, 0x0a, text) - any)));
}

void varve_span_set_int(struct varve_span *span, const char *key, int64_t value)
{
	uint8_t any[16] = {0x18};

	set_attribute(span, key,
		      str_of((char *)any, (size_t)(put_varint(any + 1, (uint64_t)value) - any)));
}

void varve_span_set_double(struct varve_span *span, const char *key, double value)
{
	uint8_t any[9] = {0x21};

	memcpy(any + 1, &value, sizeof(value));
	set_attribute(span, key, str_of((char *)any, sizeof(any)));
}

void varve_span_set_bool(struct varve_span *span, const char *key, int value)
{
	uint8_t any[2] = {0x10, value != 0};

	set_attribute(span, key, str_of((char *)any, sizeof(any)));
}

void varve_span_set_kind(struct varve_span *span, enum varve_span_kind kind)
{
	struct span_thread *t = span ? span_enter() : NULL;
	struct span_slot *s = t ? span_lock(span) : NULL;

	if (s) {
		s->kind = (uint8_t)kind;
		span_unlock(s);
	}
	if (t)
		span_leave(t);
}

/* Set Status { message = 2, code = 3 }, replacing an earlier one. */
static void set_status(struct varve_span *span, uint8_t code, struct str message)
{
	struct span_thread *t = span ? span_enter() : NULL;
	struct span_slot *s = t ? span_lock(span) : NULL;
	struct field f;
	uint8_t *at;

	if (s) {
		s->failed = code == 2;
		f.end = s->fields;
		while (next_field(s, f.end, &f)) {
			if (f.tag == TAG_STATUS) {
				remove_field(s, &f);
				break;
			}
		}
		at = s->recorded ? append_field(s, TAG_STATUS, text_size(message) + 2) : NULL;
		if (at) {
			at = put_text_field(at, 0x12, message);
			*at++ = 0x18;
			*at = code;
		}
		span_unlock(s);
	}
	if (t)
		span_leave(t);
}

void varve_span_set_ok(struct varve_span *span)
{
	set_status(span, 1, (struct str){"", 0});
}

void varve_span_set_error(struct varve_span *span, const char *message)
{
	char copy[SPAN_TEXT_MAX];

	set_status(span, 2, clean_text(message, SPAN_TEXT_MAX, copy));
}

/* Event { time_unix_nano = 1 (fixed64), name = 2, attributes = 3, dropped_attributes = 4 }. */
void varve_span_add_event_with(struct varve_span *span, const char *name,
			       const struct varve_attribute *attributes, size_t count)
{
	enum { ATTRIBUTES = 3 };
	struct span_thread *t = span ? span_enter() : NULL;
	struct span_slot *s = t ? span_lock(span) : NULL;
	uint64_t now = clock_monotonic_ns() + atomic_load(&tracer.unix_offset_ns);
	uint8_t encoded[ATTRIBUTES_BYTES];
	char copy[SPAN_TEXT_MAX];
	struct str text;
	size_t n = 0;
	bool all = true;
	uint8_t *at;

	if (s && s->recorded) {
		text = clean_text(name, SPAN_TEXT_MAX, copy);
		if (attributes && count)
			all = attributes_encode(encoded, &n, attributes, count);
		attributes_retag(encoded, n, ATTRIBUTES);
		at = s->events < SPAN_EVENTS_MAX
			     ? append_field(s, TAG_EVENT, 9 + text_size(text) + n + (all ? 0 : 2))
			     : NULL;
		if (at) {
			s->events++;
			*at++ = 0x09;
			memcpy(at, &now, sizeof(now));
			at = put_text_field(at + 8, 0x12, text);
			if (n)
				memcpy(at, encoded, n);
			if (!all)
				memcpy(at + n, "\x20\x01", 2); /* some were dropped */
		} else {
			s->lost_events++;
		}
	}
	if (s)
		span_unlock(s);
	if (t)
		span_leave(t);
}

void varve_span_add_event(struct varve_span *span, const char *name)
{
	varve_span_add_event_with(span, name, NULL, 0);
}

void varve_span_record_exception(struct varve_span *span, const char *type, const char *message,
				 const char *stacktrace, const struct varve_attribute *attributes,
				 size_t count)
{
	const struct varve_attribute parts[] = {varve_str("exception.type", type),
						varve_str("exception.message", message),
						varve_str("exception.stacktrace", stacktrace)};
	struct varve_attribute all[ATTRIBUTES_MAX + countof(parts)];
	size_t n = attributes ? min_size(count, ATTRIBUTES_MAX) : 0;

	if (n)
		memcpy(all, attributes, n * sizeof(*all));
	for (size_t i = 0; i < countof(parts); i++)
		if (parts[i].value.string)
			all[n++] = parts[i];
	varve_span_add_event_with(span, "exception", all, n);
}

/* Link { trace_id = 1, span_id = 2, trace_state = 3, flags = 6 (fixed32) }. */
void varve_span_add_link(struct varve_span *span, const struct varve_context *to)
{
	struct span_thread *t = span && to ? span_enter() : NULL;
	struct span_slot *s = t ? span_lock(span) : NULL;
	struct str state;
	uint32_t flags;
	uint8_t *at;

	if (s && s->recorded) {
		state = str_of(to->trace_state, strnlen(to->trace_state, SPAN_STATE_MAX));
		flags = to->flags;
		at = s->links < SPAN_LINKS_MAX ? append_field(s, TAG_LINK, 33 + text_size(state))
					       : NULL;
		if (at) {
			s->links++;
			at = put_text_field(at, 0x0a, str_of((const char *)to->trace_id, 16));
			at = put_text_field(at, 0x12, str_of((const char *)to->span_id, 8));
			at = put_text_field(at, 0x1a, state);
			*at++ = 0x35;
			memcpy(at, &flags, sizeof(flags));
		} else {
			s->lost_links++;
		}
	}
	if (s)
		span_unlock(s);
	if (t)
		span_leave(t);
}
