/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ended spans as OTLP. Each span is encoded as an element of ScopeSpans.spans (field 2) into one of
 * two buffers. tracer_take() makes the other buffer active, closes this one, waits for threads that
 * still write to it, and adds resource and scope.
 */
#include "sdk/trace/span_encode.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "sdk/export/otlp_parts.h"
#include "sdk/trace/span_slot.h"
#include "signal/profile/profile.h"
#include "wire/proto.h"

#define CLOSED ((uint64_t)1 << 63)

/* Reserve `n` bytes in the active buffer, which is returned in *into. NULL: it is full. */
static uint8_t *reserve_bytes(size_t n, struct span_buffer **into)
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
		/* just closed: the other buffer is active */
	}
}

static uint8_t *append_varint(uint8_t *at, uint64_t n)
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
	return append_varint(at, n);
}

static size_t count_size(uint16_t n)
{
	return likely(!n) ? 0 : 1 + proto_varint_size(n);
}

/* Return the number of bytes that put_fixed() writes. */
static size_t fixed_size(const struct span_slot *s)
{
	return (size_t)(s->has_parent ? 64 : 54) + count_size(s->lost_attributes) +
	       count_size(s->lost_events) + count_size(s->lost_links);
}

/* Write all fields but the tracestate and the fields encoded while the span ran. */
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
	at = reserve_bytes(whole, &into);
	if (!at)
		return false;
	*at++ = 0x12;
	at = append_varint(at, n);
	at = put_fixed(at, s, end_ns);
	if (unlikely(s->state_size)) {
		*at++ = 0x1a;
		at = append_varint(at, s->state_size);
		memcpy(at, s->trace_state, s->state_size);
		at += s->state_size;
	}
	memcpy(at, s->fields, s->size);
	atomic_fetch_add_explicit(&into->written, whole, memory_order_release);
	return true;
}

/*
 * -- export -------------------------------------------------------------------------------------
 */

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

/* Append an ExportTraceServiceRequest with the encoded spans. */
static int wrap_request(struct buf *out, struct str spans, const struct keyvalue *resource,
			uint32_t count)
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

/*
 * Close the buffer and wait until all reserved bytes are written. False: a writer takes too long;
 * the next call takes the buffer.
 */
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

/* Empty and open the buffer, freeing the pages of a burst. */
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
	/* The inactive buffer first: it is empty unless a writer was too slow last time. */
	for (unsigned i = 0; !rc && i < countof(tracer.buffers); i++) {
		struct span_buffer *b = &tracer.buffers[i ? active : !active];
		struct str bytes;
		uint64_t size;

		if (i)
			atomic_store(&tracer.active, !active);
		if (!close_buffer(b, &size))
			return 0; /* if it was the inactive buffer, the other stays active */
		bytes = str_of((char *)b->data, size);
		if (size) {
			rc = wrap_request(out, bytes, resource, resource_count);
			*spans += count_spans(bytes);
		}
		reopen_buffer(b, size);
	}
	atomic_fetch_add(&tracer.ended, *spans);
	return rc;
}
