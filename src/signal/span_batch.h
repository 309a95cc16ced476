/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SPAN_BATCH_H
#define VARVE_SIGNAL_SPAN_BATCH_H

#include "base/container/vec.h"
#include "base/err.h"

/*
 * Decoded spans. Their structure (ids, parent, name, service, times) is in fields, because every
 * query needs it. Everything else stays in OTLP's protobuf encoding, validated once by the decoder:
 * `details` of a span, and the messages of its resource and scope. signal/otlp/attributes.h reads
 * the attributes of all of them: OTLP_SPAN_ATTRIBUTES of details, OTLP_RESOURCE_ATTRIBUTES and
 * OTLP_SCOPE_ATTRIBUTES of the messages.
 *
 * Text and messages borrow from the decoded input, or live in the arena. One thread at a time.
 */
enum { TRACE_ID_SIZE = 16, SPAN_ID_SIZE = 8, SPAN_NAME_MAX = 4096 };

/* The details of a span may have this many bytes; a larger span is rejected. */
#define SPAN_DETAILS_MAX (4 * MIB)

/*
 * The fields of a Span message that are details, with their numbers; others are not kept. Of the
 * status the details have the message only.
 */
enum span_detail_field {
	SPAN_FIELD_TRACE_STATE = 3,
	SPAN_FIELD_ATTRIBUTES = 9,
	SPAN_FIELD_DROPPED_ATTRIBUTES = 10,
	SPAN_FIELD_EVENTS = 11,
	SPAN_FIELD_DROPPED_EVENTS = 12,
	SPAN_FIELD_LINKS = 13,
	SPAN_FIELD_DROPPED_LINKS = 14,
	SPAN_FIELD_STATUS = 15,
	SPAN_FIELD_STATUS_MESSAGE = 2, /* of the Status message */
	SPAN_FIELD_STATUS_CODE = 3,
	SPAN_FIELD_FLAGS = 16,
};

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
	uint32_t resource, scope;	 /* 1 + index of resources and scopes; 0: unknown */
	struct str details;		 /* fields of a Span message: enum span_detail_field */
};

/*
 * A Resource or InstrumentationScope message (p is NULL where there was none), and the schema URL
 * of its spans.
 */
struct span_origin {
	struct str message, schema_url;
};

struct span_batch {
	struct arena arena;
	VEC(struct span) spans;
	VEC(struct span_origin) resources;
	VEC(struct span_origin) scopes;
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
