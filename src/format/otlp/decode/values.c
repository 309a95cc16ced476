/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoder for strings, AnyValue and KeyValue. Text is borrowed from the message. Lists and maps
 * stay encoded: they are validated once, and re-encoded only if they contain a string reference,
 * which has to be resolved, or text that has to be repaired.
 */
#include "format/otlp/decode/values.h"

#include "base/buf.h"
#include "base/container/hash.h"
#include "base/container/idset.h"
#include "format/otlp/decode/decode.h"
#include "format/otlp/decode/rows.h"
#include "format/otlp/utf8_repair.h"

/* otlp_is_ascii() with a single window read for short strings, if the input extends far enough. */
static inline bool is_ascii_fast(const struct otlp_decoder *d, struct str s)
{
	if (likely(s.n && s.n <= VARINT_WINDOW && d->whole.p + d->whole.n - s.p >= VARINT_WINDOW))
		return !(varint_high_bits((const uint8_t *)s.p) & varint_window(s.n));
	return otlp_is_ascii(s);
}

int otlp_read_string(struct otlp_decoder *d, struct str bytes, struct str *out)
{
	int rc;

	*out = bytes;
	if (likely(is_ascii_fast(d, bytes)) || str_utf8_valid(bytes) == bytes.n)
		return 0;
	otlp_observe(d, EVENT_UTF8, 0, 0);
	rc = otlp_repair(d, REPAIR_UTF8,
			 "at byte %zu: expected UTF-8 text: invalid bytes are replaced",
			 (size_t)(bytes.p - d->whole.p) + str_utf8_valid(bytes));
	return rc ? rc : otlp_repair_utf8(&d->b->arena, bytes, out);
}

/* Resolve a string index in a value or an inline attribute. */
static int resolve_string(struct otlp_decoder *d, uint64_t index, struct str *out)
{
	uint32_t row = 0;
	int rc;

	*out = (struct str){0};
	otlp_observe(d, EVENT_STRING_USED, 0, (uint32_t)index);
	rc = otlp_row(d, TABLE_STRINGS, index, &row);
	if (!rc && row < d->b->strings.n)
		*out = string_of(d->b, row);
	return rc;
}

/* Make the bytes of `out` from `from` on field `field`: insert its tag and length before them. */
static void end_nested(struct buf *out, uint32_t field, size_t from)
{
	uint8_t head[16];
	struct proto_writer w = {.p = head, .cap = sizeof(head), .start = sizeof(head)};
	size_t n = out->n - from;

	proto_put_varint(&w, n);
	proto_put_varint(&w, PROTO_TAG(field, PROTO_BYTES));
	if (!buf_reserve(out, proto_mark(&w)))
		return;
	memmove(out->p + from + proto_mark(&w), out->p + from, n);
	memcpy(out->p + from, w.p + w.start, proto_mark(&w));
	out->n += proto_mark(&w);
}

static void put_nested(struct buf *out, uint32_t field, struct str s)
{
	size_t from = out->n;

	buf_put_str(out, s);
	end_nested(out, field, from);
}

/*
 * A walk over a nested value. Without `out` it validates the value and sets `rewrite` if the value
 * has to be re-encoded; with `out` it writes the re-encoded value.
 */
struct value_walk {
	struct otlp_decoder *d;
	struct buf *out;
	bool rewrite;
	unsigned depth;
};

static int walk_value(struct value_walk *w, struct str any);

static int walk_text(struct value_walk *w, uint32_t field, struct str s)
{
	struct str text;
	int rc = otlp_read_string(w->d, s, &text);

	w->rewrite |= text.p != s.p;
	if (!rc && w->out)
		put_nested(w->out, field, text);
	return rc;
}

static int walk_reference(struct value_walk *w, uint32_t field, uint64_t index)
{
	struct str text;
	int rc = resolve_string(w->d, index, &text);

	w->rewrite = true;
	if (!rc && w->out)
		put_nested(w->out, field, text);
	return rc;
}

static int walk_keyvalue(struct value_walk *w, struct str bytes)
{
	struct proto_reader r = proto_reader_of(bytes);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		size_t from = w->out ? w->out->n : 0;

		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES):
			rc = walk_text(w, 1, proto_bytes(&r));
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			rc = walk_value(w, proto_bytes(&r));
			if (!rc && w->out)
				end_nested(w->out, 2, from);
			break;
		case PROTO_TAG(3, PROTO_VARINT):
			rc = walk_reference(w, 1, proto_varint(&r));
			break;
		default:
			w->rewrite = true; /* drop unknown fields */
			proto_skip(&r);
		}
	}
	if (!rc && r.error)
		rc = proto_fail(&r, w->d->whole, w->d->e);
	return rc;
}

/* Walk an ArrayValue (`field` 5) or KeyValueList (6); both have elements in field 1. */
static int walk_elements(struct value_walk *w, uint32_t field, struct str bytes)
{
	struct proto_reader r = proto_reader_of(bytes);
	size_t begin = w->out ? w->out->n : 0;
	int rc = 0;

	while (!rc && proto_next(&r)) {
		size_t from = w->out ? w->out->n : 0;

		if (r.tag != PROTO_TAG(1, PROTO_BYTES)) {
			w->rewrite = true;
			proto_skip(&r);
			continue;
		}
		rc = field == 5 ? walk_value(w, proto_bytes(&r))
				: walk_keyvalue(w, proto_bytes(&r));
		if (!rc && w->out)
			end_nested(w->out, 1, from);
	}
	if (!rc && r.error)
		rc = proto_fail(&r, w->d->whole, w->d->e);
	if (!rc && w->out)
		end_nested(w->out, field, begin);
	return rc;
}

static int walk_value_field(struct value_walk *w, struct proto_reader *r)
{
	const uint8_t *at = r->at;

	switch (r->tag) {
	case PROTO_TAG(1, PROTO_BYTES):
		return walk_text(w, 1, proto_bytes(r));
	case PROTO_TAG(5, PROTO_BYTES):
	case PROTO_TAG(6, PROTO_BYTES):
		return walk_elements(w, proto_field(r), proto_bytes(r));
	case PROTO_TAG(8, PROTO_VARINT):
		return walk_reference(w, 1, proto_varint(r));
	case PROTO_TAG(2, PROTO_VARINT):
	case PROTO_TAG(3, PROTO_VARINT):
	case PROTO_TAG(4, PROTO_FIXED64):
	case PROTO_TAG(7, PROTO_BYTES):
		proto_skip(r);
		if (w->out) {
			buf_put_char(w->out, (char)r->tag);
			buf_put(w->out, at, (size_t)(r->at - at));
		}
		return 0;
	default:
		w->rewrite = true;
		proto_skip(r);
		return 0;
	}
}

/* Recursion is bounded by OTLP_MAX_VALUE_DEPTH. NOLINTNEXTLINE(misc-no-recursion) */
static int walk_value(struct value_walk *w, struct str any)
{
	struct proto_reader r = proto_reader_of(any);
	size_t begin = w->out ? w->out->n : 0;
	unsigned fields = 0;
	int rc = 0;

	if (w->depth == OTLP_MAX_VALUE_DEPTH)
		return err_set(w->d->e, -EBADMSG, "at byte %zu: values nested deeper than %d",
			       (size_t)(any.p - w->d->whole.p), OTLP_MAX_VALUE_DEPTH);
	w->depth++;
	while (!rc && proto_next(&r)) {
		if (fields++) { /* a oneof: the last field wins */
			w->rewrite = true;
			if (w->out)
				w->out->n = begin;
		}
		rc = walk_value_field(w, &r);
	}
	w->depth--;
	if (!rc && r.error)
		rc = proto_fail(&r, w->d->whole, w->d->e);
	return rc;
}

/* Set *out to an encoded list or map: borrowed, or re-encoded if the walk requires it. */
static int read_list_or_map(struct otlp_decoder *d, struct str any, struct str *out)
{
	struct buf text;
	struct value_walk w = {.d = d};
	int rc = walk_value(&w, any);

	*out = any;
	if (rc || !w.rewrite)
		return rc;
	buf_init(&text, d->b->arena.budget);
	w = (struct value_walk){.d = d, .out = &text};
	rc = walk_value(&w, any);
	if (!rc)
		rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(&d->b->arena, buf_str(&text), out);
	buf_fini(&text);
	return rc;
}

int otlp_read_value(struct otlp_decoder *d, struct str bytes, struct value *out)
{
	struct proto_reader r = proto_reader_of(bytes);
	struct value v = {0};
	int rc = 0;

	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES):
			v.kind = VALUE_STRING;
			rc = otlp_read_string(d, proto_bytes(&r), &v.s);
			break;
		case PROTO_TAG(2, PROTO_VARINT):
			v = VALUE_OF_BOOL(proto_varint(&r) != 0);
			break;
		case PROTO_TAG(3, PROTO_VARINT):
			v = VALUE_OF_INT((int64_t)proto_varint(&r));
			break;
		case PROTO_TAG(4, PROTO_FIXED64):
			v = (struct value){.kind = VALUE_DOUBLE, .d = proto_double(&r)};
			break;
		case PROTO_TAG(5, PROTO_BYTES):
		case PROTO_TAG(6, PROTO_BYTES):
			v.kind = proto_field(&r) == 5 ? VALUE_LIST : VALUE_MAP;
			proto_skip(&r);
			break;
		case PROTO_TAG(7, PROTO_BYTES):
			v = (struct value){.kind = VALUE_BYTES, .s = proto_bytes(&r)};
			break;
		case PROTO_TAG(8, PROTO_VARINT):
			v.kind = VALUE_STRING;
			rc = resolve_string(d, proto_varint(&r), &v.s);
			break;
		default:
			proto_skip(&r);
		}
	if (!rc && r.error)
		rc = proto_fail(&r, d->whole, d->e);
	if (!rc && (v.kind == VALUE_LIST || v.kind == VALUE_MAP))
		rc = read_list_or_map(d, bytes, &v.s);
	*out = v;
	return rc;
}

static int read_keyvalue(struct otlp_decoder *d, struct str bytes, struct keyvalue *kv)
{
	struct proto_reader r = proto_reader_of(bytes);
	uint64_t index = 0;
	int rc = 0;

	*kv = (struct keyvalue){0};
	while (!rc && proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(1, PROTO_BYTES):
			rc = otlp_read_string(d, proto_bytes(&r), &kv->key);
			break;
		case PROTO_TAG(2, PROTO_BYTES):
			rc = otlp_read_value(d, proto_bytes(&r), &kv->value);
			break;
		case PROTO_TAG(3, PROTO_VARINT):
			index = proto_varint(&r);
			break;
		default:
			proto_skip(&r);
		}
	if (!rc && r.error)
		rc = proto_fail(&r, d->whole, d->e);
	if (kv->key.n && index)
		otlp_observe(d, EVENT_KEY_TWICE, 0, 0);
	if (!rc && !kv->key.n && (index || d->rows[TABLE_STRINGS].real_zero))
		rc = resolve_string(d, index, &kv->key);
	return rc;
}

/* Set *known to whether `seen` has the key; if not, add it for the next row of keyvalues. */
static int find_or_add_key(struct profile_batch *b, struct idset *seen, struct str key, bool *known)
{
	uint32_t hash = hash32(key), id;
	struct idset_cursor c = idset_seek(seen, hash);

	*known = true;
	while (idset_next(seen, &c, &id))
		if (str_eq(b->keyvalues.at[id].key, key))
			return 0;
	*known = false;
	return idset_add(seen, hash, b->keyvalues.n);
}

int otlp_read_keyvalues(struct otlp_decoder *d, struct str message, uint32_t field,
			struct list *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct profile_batch *b = d->b;
	struct idset seen;
	uint32_t from = b->keyvalues.n;
	int rc = idset_init(&seen, &b->arena, 32);

	while (!rc && proto_next(&r)) {
		struct keyvalue kv;
		bool known = false;

		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		rc = read_keyvalue(d, proto_bytes(&r), &kv);
		if (!rc)
			rc = find_or_add_key(b, &seen, kv.key, &known);
		if (!rc && known) {
			otlp_observe(d, EVENT_REPEATED_KEY, b->keyvalues.n - from, 0);
			rc = otlp_repair(d, REPAIR_DUPLICATE_KEY,
					 "repeated attribute %.*s in a list: the first one is used",
					 STR_ARG(kv.key));
		} else if (!rc) {
			rc = vec_push(&b->arena, &b->keyvalues, kv);
		}
	}
	if (!rc && r.error)
		rc = proto_fail(&r, d->whole, d->e);
	*out = (struct list){from, b->keyvalues.n - from};
	return rc;
}
