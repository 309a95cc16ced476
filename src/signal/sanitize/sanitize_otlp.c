/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk driven by a table: for each message and field the place of its text, or the message in it.
 * A message that does not change costs a pass over its bytes; one that does is copied with its
 * changed fields.
 *
 * A rule that removes an attribute removes its KeyValue; one that removes an item removes the
 * nearest message around the text that is one: a span, a log record, a data point, a metric, or all
 * items of a scope or resource.
 */
#include "signal/sanitize/sanitize_otlp.h"

#include <errno.h>

#include "base/container/vec.h"
#include "wire/proto.h"

enum { WALK_DEPTH_MAX = 100 };

enum walk_message {
	W_TRACES,
	W_METRICS,
	W_LOGS,
	W_RESOURCE_SPANS,
	W_RESOURCE_METRICS,
	W_RESOURCE_LOGS,
	W_SCOPE_SPANS,
	W_SCOPE_METRICS,
	W_SCOPE_LOGS,
	W_RESOURCE,
	W_ENTITY,
	W_SCOPE,
	W_KEY_VALUE,
	W_ANY_VALUE,
	W_LIST,
	W_MAP,
	W_SPAN,
	W_EVENT,
	W_LINK,
	W_STATUS,
	W_LOG_RECORD,
	W_METRIC,
	W_NUMBERS, /* Gauge and Sum */
	W_HISTOGRAM,
	W_EXPONENTIAL,
	W_SUMMARY,
	W_NUMBER_POINT,
	W_HISTOGRAM_POINT,
	W_EXPONENTIAL_POINT,
	W_SUMMARY_POINT,
	W_EXEMPLAR,
	W_MESSAGES,
};

/* What a field is: nothing that matters (0), a text, or a message. */
enum {
	W_TEXT = 1,	  /* + the number of the place's bit */
	W_VALUE_TEXT = 9, /* a text at the place of the values around it */
	W_NESTED = 16,	  /* + enum walk_message */
	W_FIELDS = 16,
};
#define NESTED(message) (W_NESTED + (message))
enum {
	KEY_TEXT = W_TEXT + 1,
	SPAN_TEXT = W_TEXT + 4,
	OTHER_TEXT = W_TEXT + 7,
	ATTRIBUTE = NESTED(W_KEY_VALUE),
};

static const uint8_t walk_fields[W_MESSAGES][W_FIELDS] = {
	[W_TRACES] = {[1] = NESTED(W_RESOURCE_SPANS)},
	[W_METRICS] = {[1] = NESTED(W_RESOURCE_METRICS)},
	[W_LOGS] = {[1] = NESTED(W_RESOURCE_LOGS)},
	[W_RESOURCE_SPANS] =
		{[1] = NESTED(W_RESOURCE), [2] = NESTED(W_SCOPE_SPANS), [3] = OTHER_TEXT},
	[W_RESOURCE_METRICS] =
		{[1] = NESTED(W_RESOURCE), [2] = NESTED(W_SCOPE_METRICS), [3] = OTHER_TEXT},
	[W_RESOURCE_LOGS] =
		{[1] = NESTED(W_RESOURCE), [2] = NESTED(W_SCOPE_LOGS), [3] = OTHER_TEXT},
	[W_SCOPE_SPANS] = {[1] = NESTED(W_SCOPE), [2] = NESTED(W_SPAN), [3] = OTHER_TEXT},
	[W_SCOPE_METRICS] = {[1] = NESTED(W_SCOPE), [2] = NESTED(W_METRIC), [3] = OTHER_TEXT},
	[W_SCOPE_LOGS] = {[1] = NESTED(W_SCOPE), [2] = NESTED(W_LOG_RECORD), [3] = OTHER_TEXT},
	[W_RESOURCE] = {[1] = ATTRIBUTE, [3] = NESTED(W_ENTITY)},
	[W_ENTITY] = {[1] = OTHER_TEXT, [2] = OTHER_TEXT, [3] = KEY_TEXT, [4] = KEY_TEXT},
	[W_SCOPE] = {[1] = OTHER_TEXT, [2] = OTHER_TEXT, [3] = ATTRIBUTE},
	[W_KEY_VALUE] = {[1] = KEY_TEXT, [2] = NESTED(W_ANY_VALUE)},
	[W_ANY_VALUE] =
		{[1] = W_VALUE_TEXT, [5] = NESTED(W_LIST), [6] = NESTED(W_MAP), [7] = W_VALUE_TEXT},
	[W_LIST] = {[1] = NESTED(W_ANY_VALUE)},
	[W_MAP] = {[1] = ATTRIBUTE},
	[W_SPAN] = {[3] = OTHER_TEXT,
		    [5] = SPAN_TEXT,
		    [9] = ATTRIBUTE,
		    [11] = NESTED(W_EVENT),
		    [13] = NESTED(W_LINK),
		    [15] = NESTED(W_STATUS)},
	[W_EVENT] = {[2] = SPAN_TEXT, [3] = ATTRIBUTE},
	[W_LINK] = {[3] = OTHER_TEXT, [4] = ATTRIBUTE},
	[W_STATUS] = {[2] = SPAN_TEXT},
	[W_LOG_RECORD] =
		{[3] = OTHER_TEXT, [5] = NESTED(W_ANY_VALUE), [6] = ATTRIBUTE, [12] = OTHER_TEXT},
	[W_METRIC] = {[1] = OTHER_TEXT,
		      [2] = OTHER_TEXT,
		      [3] = OTHER_TEXT,
		      [5] = NESTED(W_NUMBERS),
		      [7] = NESTED(W_NUMBERS),
		      [9] = NESTED(W_HISTOGRAM),
		      [10] = NESTED(W_EXPONENTIAL),
		      [11] = NESTED(W_SUMMARY),
		      [12] = ATTRIBUTE},
	[W_NUMBERS] = {[1] = NESTED(W_NUMBER_POINT)},
	[W_HISTOGRAM] = {[1] = NESTED(W_HISTOGRAM_POINT)},
	[W_EXPONENTIAL] = {[1] = NESTED(W_EXPONENTIAL_POINT)},
	[W_SUMMARY] = {[1] = NESTED(W_SUMMARY_POINT)},
	[W_NUMBER_POINT] = {[5] = NESTED(W_EXEMPLAR), [7] = ATTRIBUTE},
	[W_HISTOGRAM_POINT] = {[8] = NESTED(W_EXEMPLAR), [9] = ATTRIBUTE},
	[W_EXPONENTIAL_POINT] = {[1] = ATTRIBUTE, [11] = NESTED(W_EXEMPLAR)},
	[W_SUMMARY_POINT] = {[7] = ATTRIBUTE},
	[W_EXEMPLAR] = {[7] = ATTRIBUTE},
};

/* Return whether a rule that removes the item removes this message. */
static bool is_item(uint32_t message)
{
	return (message >= W_RESOURCE_SPANS && message <= W_SCOPE_LOGS) || message == W_SPAN ||
	       message == W_LOG_RECORD || message == W_METRIC ||
	       (message >= W_NUMBER_POINT && message <= W_SUMMARY_POINT);
}

struct walk {
	struct sanitize_run *run;
	enum sanitize_place values; /* the place of values */
	struct str key;		    /* of the innermost attribute */
	unsigned depth;
	bool removed; /* an item was removed */
};

/* A field that changes; `remove`: it is left out. */
struct walk_edit {
	const uint8_t *from, *to;
	uint32_t tag;
	struct str bytes;
	bool remove;
};

struct walk_edits {
	VEC(struct walk_edit) list;
	size_t room;
};

static int walk_message(struct walk *w, uint32_t message, struct str in, struct str *out);

/* Set the key of the attributes below, and the place of the values. */
static void enter_message(struct walk *w, uint32_t message, struct str in)
{
	struct proto_reader r = proto_reader_of(in);

	if (message == W_METRIC)
		w->values = SANITIZE_METRICS;
	if (message != W_KEY_VALUE)
		return;
	w->key = (struct str){0};
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			w->key = proto_bytes(&r);
		else
			proto_skip(&r);
}

static int walk_text(struct walk *w, unsigned kind, struct str in, struct str *out)
{
	enum sanitize_place place =
		kind == W_VALUE_TEXT ? w->values : (enum sanitize_place)(1u << (kind - W_TEXT));
	struct str key = kind == W_VALUE_TEXT ? w->key : (struct str){0};
	int verdict = sanitize_text(w->run, place, key, in, out);

	if (verdict == SANITIZE_REMOVE && kind != W_VALUE_TEXT && kind != KEY_TEXT) {
		*out = (struct str){0};
		return SANITIZE_CHANGED;
	}
	return verdict;
}

static int walk_nested(struct walk *w, uint32_t parent, uint32_t message, struct str in,
		       struct str *out)
{
	const struct walk outer = *w;
	int verdict;

	if (parent == W_LOG_RECORD && message == W_ANY_VALUE) {
		w->values = SANITIZE_BODIES;
		w->key = (struct str){0};
	}
	verdict = walk_message(w, message, in, out);
	w->values = outer.values;
	w->key = outer.key;
	return verdict;
}

/* Return whether the verdict on a field means that the field is left out. */
static bool leaves_out(struct walk *w, uint32_t parent, unsigned kind, int verdict)
{
	uint32_t message = kind - W_NESTED;

	if (kind < W_NESTED)
		return false;
	if (verdict == SANITIZE_REMOVE)
		return message == W_KEY_VALUE || (message == W_ANY_VALUE && parent == W_LOG_RECORD);
	if (verdict != SANITIZE_REMOVE_ITEM || !is_item(message))
		return false;
	w->removed = true;
	return true;
}

/* Examine the field that `r` is at. Return 0, a verdict that is for the message around, or -errno. */
static int walk_field(struct walk *w, uint32_t message, struct proto_reader *r, const uint8_t *from,
		      struct walk_edits *edits)
{
	uint32_t field = r->tag >> 3;
	unsigned kind = field < W_FIELDS ? walk_fields[message][field] : 0;
	struct str in, out;
	bool remove;
	int verdict;

	if (!kind || (r->tag & 7) != PROTO_BYTES) {
		proto_skip(r);
		return 0;
	}
	in = out = proto_bytes(r);
	if (r->error)
		return -EBADMSG;
	verdict = kind < W_NESTED ? walk_text(w, kind, in, &out)
				  : walk_nested(w, message, kind - W_NESTED, in, &out);
	if (verdict <= 0)
		return verdict;
	remove = leaves_out(w, message, kind, verdict);
	if (!remove && verdict != SANITIZE_CHANGED)
		return verdict;
	edits->room += out.n + 20;
	return vec_push(w->run->arena, &edits->list,
			(struct walk_edit){from, r->at, r->tag, out, remove});
}

static char *put_number(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	return at;
}

static char *put_bytes(char *at, const void *p, size_t n)
{
	if (n)
		memcpy(at, p, n);
	return at + n;
}

static int write_edits(struct walk *w, struct str in, const struct walk_edits *edits,
		       struct str *out)
{
	const uint8_t *copied = (const uint8_t *)in.p, *end = copied + in.n;
	char *start = arena_alloc(w->run->arena, in.n + edits->room, 1), *at = start;

	if (!start)
		return -ENOMEM;
	for (uint32_t i = 0; i < edits->list.n; i++) {
		const struct walk_edit *x = &edits->list.at[i];

		at = put_bytes(at, copied, (size_t)(x->from - copied));
		copied = x->to;
		if (x->remove)
			continue;
		at = put_number(at, x->tag);
		at = put_number(at, x->bytes.n);
		at = put_bytes(at, x->bytes.p, x->bytes.n);
	}
	at = put_bytes(at, copied, (size_t)(end - copied));
	*out = str_of(start, (size_t)(at - start));
	return SANITIZE_CHANGED;
}

/* Return a verdict or -errno. */
static int walk_message(struct walk *w, uint32_t message, struct str in, struct str *out)
{
	struct proto_reader r = proto_reader_of(in);
	struct walk_edits edits = {0};
	const uint8_t *from = r.at;
	int verdict = 0;

	*out = in;
	if (w->depth == WALK_DEPTH_MAX)
		return SANITIZE_REMOVE;
	w->depth++;
	enter_message(w, message, in);
	for (; !verdict && proto_next(&r); from = r.at)
		verdict = walk_field(w, message, &r, from, &edits);
	w->depth--;
	if (verdict)
		return verdict;
	if (r.error)
		return -EBADMSG;
	return edits.list.n ? write_edits(w, in, &edits, out) : SANITIZE_KEEP;
}

int sanitize_otlp(struct sanitize_run *r, enum signal_kind signal, struct str message,
		  struct str *out, bool *removed)
{
	struct walk w = {.run = r, .values = SANITIZE_VALUES};
	uint32_t type = signal == SIGNAL_TRACES ? W_TRACES
			: signal == SIGNAL_LOGS ? W_LOGS
						: W_METRICS;
	int verdict = walk_message(&w, type, message, out);

	*removed = w.removed;
	if (verdict == SANITIZE_REMOVE || verdict == SANITIZE_REMOVE_ITEM)
		return -EBADMSG; /* nested too deep */
	return verdict;
}

int sanitize_otlp_value(struct sanitize_run *r, enum sanitize_place place, struct str key,
			struct str any_value, struct str *out)
{
	struct walk w = {.run = r, .values = place, .key = key};

	return walk_message(&w, W_ANY_VALUE, any_value, out);
}

int sanitize_otlp_resource(struct sanitize_run *r, struct str fields, struct str *out)
{
	struct walk w = {.run = r, .values = SANITIZE_VALUES};

	return walk_message(&w, W_RESOURCE, fields, out);
}

int sanitize_otlp_scope(struct sanitize_run *r, struct str fields, struct str *out)
{
	struct walk w = {.run = r, .values = SANITIZE_VALUES};

	return walk_message(&w, W_SCOPE, fields, out);
}

int sanitize_otlp_span(struct sanitize_run *r, struct str fields, struct str *out)
{
	struct walk w = {.run = r, .values = SANITIZE_VALUES};

	return walk_message(&w, W_SPAN, fields, out);
}
