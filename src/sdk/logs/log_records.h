/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_LOGS_LOG_RECORDS_H
#define VARVE_SDK_LOGS_LOG_RECORDS_H

#include "base/buf.h"
#include "base/err.h"
#include "varve/varve.h"

/*
 * Log records: each is encoded as OTLP at once into a bounded buffer, with the ids of the current
 * span. Writers are inside the tracer (span_enter()), so the buffer is freed after the tracer's
 * stop. Start after the tracer, stop after it.
 */
struct keyvalue;

enum {
	LOG_BODY_MAX = 16 << 10,
	LOG_FORMATTED_MAX = 1024, /* of varve_logf(), with its NUL */
	LOG_BUFFER = 1 << 20,
};

/* Start with records of at least `level`. 0 or -ENOMEM. */
MUST_USE int logs_start(enum varve_severity level, struct err *e);

/* Free the buffer. The tracer has stopped. */
void logs_stop(void);

/* In a forked child: the parent exports its records. */
void logs_forked(void);

/* Return the bytes that wait for logs_take(). */
size_t logs_pending(void);

/* Append an ExportLogsServiceRequest; nothing if no record waits. 0 or -errno. Collector only. */
MUST_USE int logs_take(struct buf *out, const struct keyvalue *resource, uint32_t resource_count);

/* Return the number of records exported since the start, and of records dropped. */
void logs_counters(uint64_t *records, uint64_t *lost);

/*
 * varve_log_with() for a message of `n` bytes without a NUL. Allocates nothing, and does not change
 * errno.
 */
int logs_put(enum varve_severity severity, struct str message,
	     const struct varve_attribute *attributes, size_t count);

#endif
