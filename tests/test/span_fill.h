/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_SPAN_FILL_H
#define VARVE_TEST_SPAN_FILL_H

/*
 * Put short descriptions of spans into a store; complements store_fill.h, whose samples refer to
 * spans by one byte.
 */

#include "test/store_fill.h"

/*
 * Span 0x2b belongs to trace 2, as in the samples of store_fill.h; a parent is in the same trace.
 */
struct fill_span {
	uint8_t id, parent; /* parent 0: none */
	const char *name, *service;
	uint64_t start, duration;
	uint8_t status;
};

static UNUSED int spans_fill(struct store *s, const struct fill_span *rows, size_t n)
{
	struct span_batch b;
	struct store_write w = {.spans = &b};
	int rc = 0;

	span_batch_init(&b, NULL);
	for (size_t i = 0; i < n && !rc; i++) {
		struct span span = {.name = str_from(rows[i].name),
				    .service = str_from(rows[i].service),
				    .start = rows[i].start,
				    .end = rows[i].start + rows[i].duration,
				    .kind = SPAN_KIND_SERVER,
				    .status = rows[i].status};

		span.trace_id[15] = rows[i].id >> 4;
		span.span_id[7] = rows[i].id;
		span.parent_id[7] = rows[i].parent;
		rc = vec_push(&b.arena, &b.spans, span);
	}
	if (!rc)
		rc = store_put_wait(s, &w);
	span_batch_fini(&b);
	return rc;
}

#endif
