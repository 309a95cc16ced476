/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "sdk/export/otlp_parts.h"
#include "sdk/trace/span_inside.h"
#include "signal/profile/profile.h"
#include "wire/proto.h"

/*
 * Ended spans as OTLP. Each is written where it will be sent from: into one of two buffers, as an element of ScopeSpans.spans (field 2).
 * tracer_take() closes the one that is written to, lets the other take over, waits for those who are still at it, and puts resource
 * and scope around.
 */
#define CLOSED ((uint64_t)1 << 63)

/* Room in the buffer that is in use; NULL: full. *into is the buffer, for put_done(). */
static uint8_t *reserve(size_t n, struct span_buffer **into)
{
	for (;;) {
		struct span_buffer *b =
			&tracer.buffers[atomic_load_explicit(&tracer.active, memory_order_acquire)];
		uint64_t at = atomic_load_explicit(&b->reserved, memory_order_relaxed);

		while (!(at & CLOSED)) {
			if (at + n > tracer.buffer_size)
				return NULL;
			if (atomic_compare_exchange_weak_explicit(&b->reserved, &at, at + n,
								  memory_order_acquire,
								  memory_order_relaxed)) {
				*into = b;
				return b->data + at;
			}
		}
		/* closed just now: the other one is in use */
	}
}

static uint8_t *put_varint(uint8_t *at, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*at++ = (uint8_t)(n | 0x80);
	*at++ = (uint8_t)n;
	return at;
}

static uint8_t *put_id(uint8_t *at, uint8_t tag, const uint8_t *id, uint8_t n)
{
	*at++ = tag;
	*at++ = n;
	memcpy(at, id, n);
	return at + n;
}

static uint8_t *put_time(uint8_t *at, uint8_t tag, uint64_t time)
{
	*at++ = tag;
	memcpy(at, &time, sizeof(time));
	return at + sizeof(time);
}

static uint8_t *put_count(uint8_t *at, uint8_t tag, uint16_t n)
{
	if (likely(!n))
		return at;
	*at++ = tag;
	return put_varint(at, n);
}

static size_t count_size(uint16_t n)
{
	return likely(!n) ? 0 : 1 + proto_varint_size(n);
}

/* What put_fixed() writes. */
static size_t fixed_size(const struct span_slot *s)
{
	return (size_t)(s->has_parent ? 64 : 54) + count_size(s->lost_attributes) +
	       count_size(s->lost_events) + count_size(s->lost_links);
}

/* All but the state and what was encoded before. */
static uint8_t *put_fixed(uint8_t *at, const struct span_slot *s, uint64_t end_ns)
{
	uint64_t offset = atomic_load_explicit(&tracer.unix_offset_ns, memory_order_relaxed);
	uint32_t flags = s->flags | s->remote;

	at = put_id(at, 0x0a, s->ids.trace_id, 16);
	at = put_id(at, 0x12, s->ids.span_id, 8);
	if (s->has_parent)
		at = put_id(at, 0x22, s->parent_id, 8);
	*at++ = 0x30; /* kind */
	*at++ = s->kind & 0x7f;
	at = put_time(at, 0x39, s->start_ns + offset);
	at = put_time(at, 0x41, end_ns + offset);
	at = put_count(at, 0x50, s->lost_attributes);
	at = put_count(at, 0x60, s->lost_events);
	at = put_count(at, 0x70, s->lost_links);
	*at++ = 0x85; /* flags: field 16, fixed32 */
	*at++ = 0x01;
	memcpy(at, &flags, sizeof(flags));
	return at + sizeof(flags);
}

bool span_encode(struct span_slot *s, uint64_t end_ns)
{
	size_t n = fixed_size(s) + s->size, whole;
	struct span_buffer *into;
	uint8_t *at;

	if (unlikely(s->state_size))
		n += 1 + proto_varint_size(s->state_size) + s->state_size;
	whole = 1 + proto_varint_size(n) + n;
	at = reserve(whole, &into);
	if (!at)
		return false;
	*at++ = 0x12;
	at = put_varint(at, n);
	at = put_fixed(at, s, end_ns);
	if (unlikely(s->state_size)) {
		*at++ = 0x1a;
		at = put_varint(at, s->state_size);
		memcpy(at, s->trace_state, s->state_size);
		at += s->state_size;
	}
	memcpy(at, s->fields, s->size);
	atomic_fetch_add_explicit(&into->written, whole, memory_order_release);
	return true;
}

/* -- the other end ------------------------------------------------------------------------------------------------------ */

size_t tracer_pending(void)
{
	uint64_t n = 0;

	if (atomic_load(&tracer.on))
		for (size_t i = 0; i < countof(tracer.buffers); i++)
			n += atomic_load(&tracer.buffers[i].reserved) & ~CLOSED;
	return n;
}

static uint64_t count_spans(struct str spans)
{
	struct proto_reader r = proto_reader_of(spans);
	uint64_t n = 0;

	while (proto_next(&r)) {
		proto_skip(&r);
		n++;
	}
	return n;
}

static int wrap(struct buf *out, struct str spans, const struct keyvalue *resource, uint32_t count)
{
	struct proto_writer w;
	int rc;

	proto_writer_init(&w, NULL);
	proto_put_raw(&w, spans.p, spans.n);
	otlp_put_scope(&w);
	proto_put_header(&w, 2, 0); /* ResourceSpans.scope_spans */
	otlp_put_resource(&w, resource, count);
	proto_put_header(&w, 1, 0); /* ExportTraceServiceRequest.resource_spans */
	rc = proto_writer_error(&w);
	if (!rc) {
		buf_put_str(out, proto_writer_str(&w));
		rc = buf_error(out);
	}
	proto_writer_fini(&w);
	return rc;
}

/* Close the buffer and wait for those who write. False: one has been at it for long; the rest of it comes with the next call. */
static bool close_buffer(struct span_buffer *b, uint64_t *size)
{
	enum { WAITS_MAX = 1000 };
	struct timespec pause = {0, 10000};

	*size = atomic_fetch_or(&b->reserved, CLOSED) & ~CLOSED;
	for (unsigned i = 0; atomic_load_explicit(&b->written, memory_order_acquire) != *size;
	     i++) {
		if (i == WAITS_MAX)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* Empty it; pages of a burst go back. */
static void reopen_buffer(struct span_buffer *b, uint64_t size)
{
	enum { KEPT = 512 << 10 };

	if (size > KEPT)
		madvise(b->data + KEPT, tracer.buffer_size - KEPT, MADV_DONTNEED);
	atomic_store(&b->written, 0);
	atomic_store(&b->reserved, 0);
}

int tracer_take(struct buf *out, const struct keyvalue *resource, uint32_t resource_count,
		uint64_t *spans, uint64_t *lost)
{
	uint32_t active = atomic_load(&tracer.active);
	int rc = 0;

	*spans = 0;
	*lost = atomic_load(&tracer.lost);
	if (!atomic_load(&tracer.on))
		return 0;
	atomic_store(&tracer.unix_offset_ns, clock_realtime_ns() - clock_monotonic_ns());
	/* The one that is not in use first: it has something only if a writer was slow last time. */
	for (unsigned i = 0; !rc && i < countof(tracer.buffers); i++) {
		struct span_buffer *b = &tracer.buffers[i ? active : !active];
		struct str bytes;
		uint64_t size;

		if (i)
			atomic_store(&tracer.active, !active);
		if (!close_buffer(b, &size))
			return 0; /* the other one stays in use if this was the first */
		bytes = str_of((char *)b->data, size);
		if (size) {
			rc = wrap(out, bytes, resource, resource_count);
			*spans += count_spans(bytes);
		}
		reopen_buffer(b, size);
	}
	atomic_fetch_add(&tracer.ended, *spans);
	return rc;
}
