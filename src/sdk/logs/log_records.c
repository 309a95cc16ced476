/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding and export of log records: LogRecord { time = 1, severity_number = 2, severity_text = 3,
 * body = 5, attributes = 6, dropped_attributes_count = 7, flags = 8, trace_id = 9, span_id = 10,
 * observed_time = 11 }, each as an element of ScopeLogs.log_records (2).
 */
#include "sdk/logs/log_records.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "sdk/attributes.h"
#include "sdk/export/otlp_parts.h"
#include "sdk/export/record_buffer.h"
#include "sdk/trace/span_thread.h"

enum { ATTRIBUTES = 6, RECORD = 2 };

static struct {
	_Atomic bool on;
	unsigned level;
	struct record_buffer buffer;
	_Atomic uint64_t records, lost;
} logs;

int logs_start(enum varve_severity level, struct err *e)
{
	if (record_buffer_init(&logs.buffer, LOG_BUFFER)) {
		record_buffer_fini(&logs.buffer);
		return err_errno(e, -ENOMEM, "start the logs");
	}
	logs.level = level;
	atomic_store(&logs.records, 0);
	atomic_store(&logs.lost, 0);
	atomic_store(&logs.on, true);
	return 0;
}

void logs_stop(void)
{
	if (atomic_exchange(&logs.on, false))
		record_buffer_fini(&logs.buffer);
}

void logs_forked(void)
{
	if (!atomic_load(&logs.on))
		return;
	record_buffer_clear(&logs.buffer);
	atomic_store(&logs.records, 0);
	atomic_store(&logs.lost, 0);
}

/* -- encoding ---------------------------------------------------------------------------------- */

/* One record with the sizes of its parts. */
struct log_parts {
	uint64_t time_ns;
	uint8_t severity;
	struct str level, body; /* the severity's name */
	const uint8_t *attributes;
	size_t attributes_size, any_size; /* of the encoded attributes and of the AnyValue */
	uint32_t dropped;
	bool in_span, sampled;
	uint8_t trace_id[16], span_id[8];
};

/* The names of severities 1 to 24, four of each. */
static struct str severity_name(unsigned severity)
{
	static const struct str names[] = {STR_INIT("TRACE"), STR_INIT("DEBUG"), STR_INIT("INFO"),
					   STR_INIT("WARN"),  STR_INIT("ERROR"), STR_INIT("FATAL")};

	return severity && severity <= 24 ? names[(severity - 1) / 4] : (struct str){0};
}

static size_t text_field_size(size_t n)
{
	return n ? 1 + proto_varint_size(n) + n : 0;
}

static size_t log_size(const struct log_parts *p)
{
	return 9 + (p->severity ? 2u : 0) + text_field_size(p->level.n) + 1 +
	       proto_varint_size(p->any_size) + p->any_size + p->attributes_size +
	       (p->dropped ? 1 + proto_varint_size(p->dropped) : 0) +
	       (p->in_span ? 5 + 18 + 10u : 0) + 9;
}

static uint8_t *put_size(uint8_t *at, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*at++ = (uint8_t)(n | 0x80);
	*at++ = (uint8_t)n;
	return at;
}

static uint8_t *put_bytes(uint8_t *at, uint8_t tag, const void *p, size_t n)
{
	*at++ = tag;
	at = put_size(at, n);
	if (n)
		memcpy(at, p, n);
	return at + n;
}

static uint8_t *put_fixed(uint8_t *at, uint8_t tag, const void *p, size_t n)
{
	*at++ = tag;
	memcpy(at, p, n);
	return at + n;
}

static void put_log(uint8_t *at, const struct log_parts *p)
{
	uint32_t flags = p->sampled;

	at = put_fixed(at, 0x09, &p->time_ns, 8);
	if (p->severity) {
		*at++ = 0x10;
		*at++ = p->severity;
	}
	if (p->level.n)
		at = put_bytes(at, 0x1a, p->level.p, p->level.n);
	*at++ = 0x2a;
	at = put_size(at, p->any_size);
	at = put_bytes(at, 0x0a, p->body.p, p->body.n);
	text_repair((char *)at - p->body.n, p->body.n);
	if (p->attributes_size)
		memcpy(at, p->attributes, p->attributes_size);
	at += p->attributes_size;
	if (p->dropped) {
		*at++ = 0x38;
		at = put_size(at, p->dropped);
	}
	if (p->in_span) {
		at = put_fixed(at, 0x45, &flags, 4);
		at = put_bytes(at, 0x4a, p->trace_id, 16);
		at = put_bytes(at, 0x52, p->span_id, 8);
	}
	put_fixed(at, 0x59, &p->time_ns, 8);
}

/* Put the record into the buffer. False: it is full. */
static bool append_log(const struct log_parts *p)
{
	size_t n = log_size(p), whole = 1 + proto_varint_size(n) + n;
	struct record_half *into;
	uint8_t *at = record_buffer_reserve(&logs.buffer, whole, &into);

	if (!at)
		return false;
	*at++ = PROTO_TAG(RECORD, PROTO_BYTES);
	put_log(put_size(at, n), p);
	record_buffer_commit(into, whole);
	return true;
}

int logs_put(enum varve_severity severity, struct str message,
	     const struct varve_attribute *attributes, size_t count)
{
	struct span_thread *t = span_enter();
	struct log_parts p = {.severity = (unsigned)severity <= 24 ? (uint8_t)severity : 0};
	uint8_t encoded[ATTRIBUTES_BYTES];
	int rc = -ENOTCONN;

	if (!t)
		return rc;
	if (atomic_load_explicit(&logs.on, memory_order_acquire)) {
		rc = 0;
		/* a record of unknown severity is never too low */
		if (p.severity && p.severity < logs.level)
			goto out;
		p.time_ns = clock_realtime_ns();
		p.level = severity_name(p.severity);
		p.body = str_head(message, LOG_BODY_MAX);
		p.any_size = 1 + proto_varint_size(p.body.n) + p.body.n;
		if (attributes && count &&
		    !attributes_encode(encoded, &p.attributes_size, attributes, count))
			p.dropped = 1;
		attributes_retag(encoded, p.attributes_size, ATTRIBUTES);
		p.attributes = encoded;
		p.in_span = span_current_ids(p.trace_id, p.span_id);
		p.sampled = t->context.trace_flags & 1;
		if (!append_log(&p)) {
			atomic_fetch_add(&logs.lost, 1);
			rc = -ENOBUFS;
		}
	}
out:
	span_leave(t);
	return rc;
}

int varve_log_with(enum varve_severity severity, const char *message,
		   const struct varve_attribute *attributes, size_t count)
{
	return logs_put(severity, str_of(message, text_length(message, LOG_BODY_MAX)), attributes,
			count);
}

int varve_log(enum varve_severity severity, const char *message)
{
	return varve_log_with(severity, message, NULL, 0);
}

int varve_logf(enum varve_severity severity, const char *format, ...)
{
	int saved_errno = errno, rc;
	char text[LOG_FORMATTED_MAX];
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, sizeof(text), format, args) < 0)
		text[0] = 0;
	va_end(args);
	rc = logs_put(severity, str_of(text, text_length(text, sizeof(text) - 1)), NULL, 0);
	errno = saved_errno;
	return rc;
}

/* -- export ------------------------------------------------------------------------------------ */

size_t logs_pending(void)
{
	return atomic_load(&logs.on) ? record_buffer_pending(&logs.buffer) : 0;
}

/* Where logs_take() puts the records. */
struct taken_logs {
	struct buf *out;
	const struct keyvalue *resource;
	uint32_t resource_count;
};

static uint64_t count_records(struct str bytes)
{
	struct proto_reader r = proto_reader_of(bytes);
	uint64_t n = 0;

	for (; proto_next(&r); n++)
		proto_skip(&r);
	return n;
}

static int wrap_logs(void *arg, struct str bytes)
{
	struct taken_logs *t = arg;
	struct proto_writer w;
	int rc;

	proto_writer_init(&w, NULL);
	proto_put_raw(&w, bytes.p, bytes.n);
	otlp_put_scope(&w);
	proto_put_header(&w, 2, 0); /* ResourceLogs.scope_logs */
	otlp_put_resource(&w, t->resource, t->resource_count);
	proto_put_header(&w, 1, 0); /* ExportLogsServiceRequest.resource_logs */
	rc = proto_writer_error(&w);
	if (!rc) {
		buf_put_str(t->out, proto_writer_str(&w));
		rc = buf_error(t->out);
	}
	proto_writer_fini(&w);
	atomic_fetch_add(&logs.records, count_records(bytes));
	return rc;
}

int logs_take(struct buf *out, const struct keyvalue *resource, uint32_t resource_count)
{
	struct taken_logs t = {out, resource, resource_count};

	return atomic_load(&logs.on) ? record_buffer_take(&logs.buffer, wrap_logs, &t) : 0;
}

void logs_counters(uint64_t *records, uint64_t *lost)
{
	*records = atomic_load(&logs.records);
	*lost = atomic_load(&logs.lost);
}
