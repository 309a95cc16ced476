/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ended spans as OTLP. Each span is encoded as an element of ScopeSpans.spans (field 2) into the
 * tracer's buffer (sdk/export/record_buffer.h). tracer_take() adds resource and scope.
 */
#include "sdk/trace/span_encode.h"

#include <errno.h>

#include "base/clock.h"
#include "sdk/export/otlp_parts.h"
#include "sdk/trace/span_slot.h"
#include "signal/profile/profile.h"
#include "wire/proto.h"

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
	struct record_half *into;
	uint8_t *at;

	if (unlikely(s->state_size))
		n += 1 + proto_varint_size(s->state_size) + s->state_size;
	whole = 1 + proto_varint_size(n) + n;
	at = record_buffer_reserve(&tracer.buffer, whole, &into);
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
	record_buffer_commit(into, whole);
	return true;
}

/*
 * -- export -------------------------------------------------------------------------------------
 */

size_t tracer_pending(void)
{
	return atomic_load(&tracer.on) ? record_buffer_pending(&tracer.buffer) : 0;
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

/* Where tracer_take() puts the spans. */
struct taken_spans {
	struct buf *out;
	const struct keyvalue *resource;
	uint32_t resource_count;
	uint64_t spans;
};

static int wrap_spans(void *arg, struct str bytes)
{
	struct taken_spans *t = arg;

	t->spans += count_spans(bytes);
	return wrap_request(t->out, bytes, t->resource, t->resource_count);
}

int tracer_take(struct buf *out, const struct keyvalue *resource, uint32_t resource_count,
		uint64_t *spans, uint64_t *lost)
{
	struct taken_spans t = {out, resource, resource_count, 0};
	int rc;

	*spans = 0;
	*lost = atomic_load(&tracer.lost);
	if (!atomic_load(&tracer.on))
		return 0;
	atomic_store(&tracer.unix_offset_ns, clock_realtime_ns() - clock_monotonic_ns());
	rc = record_buffer_take(&tracer.buffer, wrap_spans, &t);
	*spans = t.spans;
	atomic_fetch_add(&tracer.ended, t.spans);
	return rc;
}
