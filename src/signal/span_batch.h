/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SPAN_BATCH_H
#define VARVE_SIGNAL_SPAN_BATCH_H

#include "base/container/vec.h"
#include "base/err.h"

/*
 * Decoded spans, reduced to their structure: ids, parent, name, service and times. This is what a
 * query needs to sum the samples of a span and its descendants. Attributes, events and links are
 * discarded.
 *
 * Text borrows from the decoded input, or lives in the arena. One thread at a time.
 */
enum { TRACE_ID_SIZE = 16, SPAN_ID_SIZE = 8, SPAN_NAME_MAX = 4096 };

/* The numbers of OTLP; unknown kinds are decoded as 0. */
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
	uint8_t trace_id[TRACE_ID_SIZE]; /* not all zero */
	uint8_t span_id[SPAN_ID_SIZE];	 /* not all zero */
	uint8_t parent_id[SPAN_ID_SIZE]; /* all zero: no parent */
	struct str name, service;	 /* well-formed UTF-8, at most SPAN_NAME_MAX bytes */
	uint64_t start, end;		 /* nanoseconds since 1970; end is not before start */
	uint8_t kind, status;		 /* enum span_kind, enum span_status */
};

struct span_batch {
	struct arena arena;
	VEC(struct span) spans;
	uint32_t rejected; /* number of invalid spans that were dropped */
	char reason[120];  /* why the first of them was */
};

void span_batch_init(struct span_batch *b, struct budget *budget);

/* Remove all spans; memory is kept for reuse. */
void span_batch_reset(struct span_batch *b);

/* Takes the zero value. */
void span_batch_fini(struct span_batch *b);

/* Check the constraints above. 0 or -EINVAL. For tests and fuzzers. */
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
