/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SPAN_BATCH_H
#define VARVE_SIGNAL_SPAN_BATCH_H

#include "base/container/vec.h"
#include "base/err.h"

/*
 * Spans, as far as their structure goes: who they are, whose children, what they are called and when they were. All a
 * profile needs to say what a span cost together with what it called. Attributes, events and links are not kept.
 *
 * Text borrows from what was decoded, or lives in the arena. One thread at a time.
 */
enum { TRACE_ID_SIZE = 16, SPAN_ID_SIZE = 8, SPAN_NAME_MAX = 4096 };

/* As OTLP numbers them; what is beyond is 0. */
enum span_kind {
	SPAN_KIND_UNSPECIFIED,
	SPAN_KIND_INTERNAL,
	SPAN_KIND_SERVER,
	SPAN_KIND_CLIENT,
	SPAN_KIND_PRODUCER,
	SPAN_KIND_CONSUMER,
	SPAN_KINDS,
};
enum span_status { SPAN_STATUS_UNSET, SPAN_STATUS_OK, SPAN_STATUS_ERROR, SPAN_STATUSES };

struct span {
	uint8_t trace_id[TRACE_ID_SIZE]; /* never all zero, nor the next */
	uint8_t span_id[SPAN_ID_SIZE];
	uint8_t parent_id[SPAN_ID_SIZE]; /* all zero: it has none */
	struct str name, service;	 /* well-formed UTF-8, at most SPAN_NAME_MAX bytes */
	uint64_t start, end;		 /* nanoseconds since 1970; end is not before start */
	uint8_t kind, status;		 /* enum span_kind, enum span_status */
};

struct span_batch {
	struct arena arena;
	VEC(struct span) spans;
	uint32_t rejected; /* spans that were not kept */
	char reason[120];  /* why, of the first of them */
};

void span_batch_init(struct span_batch *b, struct budget *budget);

/* Empty it; memory is kept for the next round. */
void span_batch_reset(struct span_batch *b);

/* Takes the zero value. */
void span_batch_fini(struct span_batch *b);

/* Does it hold what is said above? 0 or -EINVAL. For tests and fuzzers. */
MUST_USE int span_batch_check(const struct span_batch *b, struct err *e);

/* "internal", "server", ...; "unset", "ok", "error". "" for kind 0. */
extern const char *const span_kind_names[SPAN_KINDS];
extern const char *const span_status_names[SPAN_STATUSES];

static inline bool span_id_is_set(const uint8_t *id, size_t n)
{
	uint8_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= id[i];
	return any;
}

#endif
