/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_SPAN_FIELDS_H
#define VARVE_PIPELINE_CONNECTORS_SPAN_FIELDS_H

#include "base/str.h"

/* What the metrics of a span are made of, read from its message without decoding the rest. */
struct span_fields {
	struct str message; /* the whole span, for its attributes */
	struct str name;
	struct str trace_id, span_id; /* 16 and 8 bytes, else empty */
	uint64_t start, end;	      /* nanoseconds since 1970 */
	unsigned kind, status;	      /* SpanKind, StatusCode */
	/*
	 * How many spans it stands for: 1, or more if its tracestate has a sampling threshold
	 * (ot=th:...).
	 */
	double weight;
};

/* Return false if the message is damaged. */
bool span_fields_read(struct span_fields *out, struct str message);

/* "SPAN_KIND_SERVER", "STATUS_CODE_ERROR"; unknown numbers are the first name. */
struct str span_kind_name(unsigned kind);
struct str span_status_name(unsigned status);

#endif
