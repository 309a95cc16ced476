/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_PROTO_H
#define VARVE_WIRE_PROTO_H

#include "base/base.h"
#include "base/budget.h"
#include "base/err.h"
#include "base/str.h"

/*
 * The wire format of Protocol Buffers: a bounded cursor for reading and a back-to-front buffer for
 * writing. Schemas are in the decoders that use them.
 */

enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
	PROTO_GROUP = 3, /* proto2 groups: skipped */
	PROTO_GROUP_END = 4,
	PROTO_FIXED32 = 5,
};

enum proto_error {
	PROTO_OK = 0,
	PROTO_TRUNCATED,  /* a value or a length extends past the end */
	PROTO_BAD_VARINT, /* longer than ten bytes */
	PROTO_BAD_TAG,	  /* field number 0, unknown wire type, unbalanced or too deep groups */
};

/*
 * A cursor over one message. The error is sticky: after an error the cursor is at its end and every
 * read returns zero, so a decoder may check once per message.
 *
 *	struct proto_reader r = proto_reader_of(message);
 *	while (proto_next(&r))
 *		switch (r.tag) {
 *		case PROTO_TAG(1, PROTO_VARINT): id = proto_varint(&r); break;
 *		case PROTO_TAG(2, PROTO_BYTES): name = proto_bytes(&r); break;
 *		default: proto_skip(&r);
 *		}
 *	if (r.error) return proto_fail(&r, whole, err);
 *
 * A known field with another wire type falls into `default` and is skipped as unknown, as in
 * protobuf's own parsers.
 */
struct proto_reader {
	const uint8_t *at, *end;
	uint32_t tag; /* of the field that proto_next() has found */
	enum proto_error error;
	const uint8_t *error_at;
};

#define PROTO_TAG(field, wire) ((uint32_t)(field) << 3 | (uint32_t)(wire))

static inline struct proto_reader proto_reader_of(struct str message)
{
	const uint8_t *p = (const uint8_t *)message.p;

	return (struct proto_reader){.at = p, .end = p + message.n};
}

/* Record the error unless there is one already, and move to the end. */
void proto_set_error(struct proto_reader *r, enum proto_error error);

/* The slow path of proto_varint(): more than two bytes, or near the end. */
uint64_t proto_varint_slow(struct proto_reader *r);

static inline uint64_t proto_varint(struct proto_reader *r)
{
	const uint8_t *p = r->at;

	if (likely(p < r->end && p[0] < 0x80)) {
		r->at = p + 1;
		return p[0];
	}
	if (likely(r->end - p >= 2 && p[1] < 0x80)) {
		r->at = p + 2;
		return (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
	}
	return proto_varint_slow(r);
}

/* Read the next tag into r->tag. Return false at the end or on an error. */
static inline bool proto_next(struct proto_reader *r)
{
	if (r->at >= r->end)
		return false;

	uint64_t tag = proto_varint(r);

	if (unlikely(tag < 8 || tag > UINT32_MAX)) {
		proto_set_error(r, PROTO_BAD_TAG);
		return false;
	}
	r->tag = (uint32_t)tag;
	return true;
}

/* Fast path of proto_next() for runs: advance if the next tag equals r->tag, which has one byte. */
static inline bool proto_next_same(struct proto_reader *r)
{
	if (r->at >= r->end || *r->at != r->tag)
		return false;
	r->at++;
	return true;
}

/*
 * Advance if the next field has this one-byte tag. A decoder that checks fields in the order in
 * which all writers emit them has no mispredicted branch. Fields in another order are left to
 * proto_next().
 */
static inline bool proto_next_is(struct proto_reader *r, uint32_t tag)
{
	if (r->at >= r->end || *r->at != tag)
		return false;
	r->at++;
	return true;
}

static inline uint32_t proto_field(const struct proto_reader *r)
{
	return r->tag >> 3;
}

static inline struct str proto_bytes(struct proto_reader *r)
{
	uint64_t n = proto_varint(r);
	struct str s = {(const char *)r->at, (size_t)n};

	if (unlikely(n > (size_t)(r->end - r->at))) {
		proto_set_error(r, PROTO_TRUNCATED);
		return str_head(s, 0);
	}
	r->at += n;
	return s;
}

/*
 * Read the next field of a run without a reader: its bytes, if it has this one-byte tag and a
 * length of one or two bytes. Otherwise return false and leave *at unchanged: use proto_next(). A
 * loop over this function waits only for the lengths.
 */
static inline bool proto_next_short(const uint8_t **at, const uint8_t *end, uint32_t tag,
				    struct str *bytes)
{
	const uint8_t *p = *at;
	size_t n;

	if (unlikely(end - p < 2 || *p != tag))
		return false;
	n = p[1];
	p += 2;
	if (unlikely(n >= 0x80)) {
		if (p == end || *p >= 0x80)
			return false;
		n = (n & 0x7f) | (size_t)*p++ << 7;
	}
	if (unlikely(n > (size_t)(end - p)))
		return false;
	*bytes = (struct str){(const char *)p, n};
	*at = p + n;
	return true;
}

/* Prefetch distance in a run: the position of a field depends on all lengths before it. */
enum { PROTO_AHEAD = 1024 };

/*
 * Skip the following fields with the same tag and lengths of one or two bytes. Return their number.
 */
static inline uint32_t proto_skip_run(struct proto_reader *r)
{
	const uint8_t *at = r->at;
	struct str bytes;
	uint32_t n = 0;

	for (; proto_next_short(&at, r->end, r->tag, &bytes); n++)
		__builtin_prefetch(at + PROTO_AHEAD);
	r->at = at;
	return n;
}

/* Return the bytes of a nested message; an empty slice, never NULL, if it is truncated. */
static inline struct str proto_nested(struct proto_reader *r)
{
	struct str s = proto_bytes(r);

	return s.p ? s : STR("");
}

/* Return a cursor over a nested message. It has its own error, which the caller must check. */
static inline struct proto_reader proto_message(struct proto_reader *r)
{
	return proto_reader_of(proto_bytes(r));
}

static inline uint64_t proto_fixed64(struct proto_reader *r)
{
	uint64_t value;

	if (unlikely((size_t)(r->end - r->at) < sizeof(value))) {
		proto_set_error(r, PROTO_TRUNCATED);
		return 0;
	}
	memcpy(&value, r->at, sizeof(value)); /* assumes a little-endian machine */
	r->at += sizeof(value);
	return value;
}

static inline uint32_t proto_fixed32(struct proto_reader *r)
{
	uint32_t value;

	if (unlikely((size_t)(r->end - r->at) < sizeof(value))) {
		proto_set_error(r, PROTO_TRUNCATED);
		return 0;
	}
	memcpy(&value, r->at, sizeof(value));
	r->at += sizeof(value);
	return value;
}

static inline double proto_double(struct proto_reader *r)
{
	uint64_t bits = proto_fixed64(r);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Skip the value of the current field, whatever its type. */
void proto_skip(struct proto_reader *r);

/*
 * Fill `e` with the reader's error: "at byte N: expected ..., found ...". `whole` is the input from
 * which the offset counts. Return -EBADMSG.
 */
int proto_fail(const struct proto_reader *r, struct str whole, struct err *e);

/* Return the size of the varint, 1 to 10 bytes. */
static inline size_t proto_varint_size(uint64_t value)
{
	return ((size_t)(63 - __builtin_clzll(value | 1)) * 9 + 73) / 64;
}

/*
 * Writes a message from its end to its beginning: fields in reverse order, and a nested message
 * before its tag, when its length is known. So nothing has to be measured or moved.
 *
 *	size_t end = proto_mark(w);
 *	proto_put_uint(w, 2, line);
 *	proto_put_uint(w, 1, function);
 *	proto_put_header(w, 3, end);	// what was written since `end` becomes field 3
 *
 * Errors are sticky; see proto_writer_error().
 */
struct proto_writer {
	uint8_t *p; /* the whole buffer */
	size_t cap;
	size_t start; /* the message is p[start .. cap) */
	struct budget *budget;
	bool failed;
};

void proto_writer_init(struct proto_writer *w, struct budget *budget);
void proto_writer_fini(struct proto_writer *w);

/* Make the writer empty, keep the memory, and clear the error. */
void proto_writer_clear(struct proto_writer *w);

/* Make room for `n` bytes before the message. Return false if memory is exhausted. */
bool proto_writer_grow(struct proto_writer *w, size_t n);

static inline bool proto_writer_room(struct proto_writer *w, size_t n)
{
	return likely(w->start >= n) || proto_writer_grow(w, n);
}

/* Return what is written so far. Valid until the next write. */
static inline struct str proto_writer_str(const struct proto_writer *w)
{
	return str_of((const char *)w->p + w->start, w->cap - w->start);
}

/* Return 0 or -ENOMEM. */
MUST_USE int proto_writer_error(const struct proto_writer *w);

static inline size_t proto_mark(const struct proto_writer *w)
{
	return w->cap - w->start;
}

static inline void proto_put_varint(struct proto_writer *w, uint64_t value)
{
	size_t n = proto_varint_size(value);

	if (!proto_writer_room(w, n))
		return;
	w->start -= n;

	uint8_t *at = w->p + w->start;

	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at = (uint8_t)value;
}

static inline void proto_put_raw(struct proto_writer *w, const void *p, size_t n)
{
	if (!n || !proto_writer_room(w, n))
		return;
	w->start -= n;
	memcpy(w->p + w->start, p, n);
}

static inline void proto_put_fixed64_raw(struct proto_writer *w, uint64_t value)
{
	proto_put_raw(w, &value, sizeof(value));
}

/* Write length and tag for the bytes written since `mark`. */
static inline void proto_put_header(struct proto_writer *w, uint32_t field, size_t mark)
{
	proto_put_varint(w, proto_mark(w) - mark);
	proto_put_varint(w, PROTO_TAG(field, PROTO_BYTES));
}

/* Write one field; zero and empty values are omitted, as in proto3. */
static inline void proto_put_uint(struct proto_writer *w, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	proto_put_varint(w, value);
	proto_put_varint(w, PROTO_TAG(field, PROTO_VARINT));
}

static inline void proto_put_int(struct proto_writer *w, uint32_t field, int64_t value)
{
	proto_put_uint(w, field, (uint64_t)value);
}

static inline void proto_put_fixed64(struct proto_writer *w, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	proto_put_fixed64_raw(w, value);
	proto_put_varint(w, PROTO_TAG(field, PROTO_FIXED64));
}

/* Like proto_put_bytes(), but write empty values, too: an element of a repeated field. */
static inline void proto_put_entry(struct proto_writer *w, uint32_t field, struct str s)
{
	proto_put_raw(w, s.p, s.n);
	proto_put_varint(w, s.n);
	proto_put_varint(w, PROTO_TAG(field, PROTO_BYTES));
}

static inline void proto_put_bytes(struct proto_writer *w, uint32_t field, struct str s)
{
	if (s.n)
		proto_put_entry(w, field, s);
}

#endif
