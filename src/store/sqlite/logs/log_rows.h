/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_ROWS_H
#define VARVE_STORE_SQLITE_LOG_ROWS_H

#include "base/buf.h"
#include "base/container/idset.h"
#include "base/container/vec.h"
#include "signal/log_batch.h"

/*
 * Log records in memory, between a write and a block, and after reading a block. A stream is a
 * tenant with a service, a resource and a scope; the streams of some records are encoded strings.
 */
enum { LOGS_IN_BLOCK = 1 << 17, LOG_STREAMS_MAX = 1 << 20 };

/* A block has at most this many bytes of records, or one record. */
#define LOG_BLOCK_BYTES (32 * MIB)

struct log_stream {
	struct str tenant, service;
	struct span_origin resource, scope;
};

struct kept_log {
	uint64_t time; /* of the record, or of its arrival */
	uint32_t stream;
	struct str message; /* LogRecord */
};

struct log_rows {
	VEC(struct kept_log) logs;
	VEC(struct str) streams; /* log_stream_put() */
	struct idset index;	 /* of the streams; the zero value: not created */
	size_t bytes;		 /* of all messages */
};

/* Append the encoding of a stream; decode it, borrowing. False: it is damaged. */
void log_stream_put(struct buf *out, const struct log_stream *s);
MUST_USE bool log_stream_get(struct str encoded, struct log_stream *out);

/* Find the stream, or add a copy of it, and set *number to its index. Return 0 or -ENOMEM. */
MUST_USE int log_rows_stream(struct log_rows *r, struct arena *a, struct str encoded,
			     uint32_t *number);

/* Return the number of records from `first` on that make a block. */
uint32_t log_rows_cut(const struct log_rows *r, uint32_t first);

/*
 * Append the records [first, first + n) without frame header: the streams; times, streams and
 * lengths as columns; the messages. Return 0 or -ENOMEM.
 */
MUST_USE int log_rows_put(struct buf *out, const struct log_rows *r, uint32_t first, uint32_t n,
			  struct arena *scratch);

/* Decode such bytes; text borrows them. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int log_rows_get(struct log_rows *out, struct str bytes, struct arena *a, struct err *e);

#endif
