/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EMIT_H
#define VARVE_PIPELINE_EMIT_H

#include "pipeline/delivery.h"

/*
 * Delivers payloads that a component made itself: scrapes, host metrics, tailed files, batches,
 * connectors.
 */
struct emit_options {
	struct str tenant;		    /* copied */
	const char *transport;		    /* static text, or NULL */
	const struct http_header *metadata; /* copied */
	uint32_t metadata_count;
	/* Called once with the result, from any thread; must not block. May be NULL. */
	void (*done)(void *owner, const struct delivery_result *result);
	void *owner;
};

/*
 * Take over a reference to `p`, which must not borrow, and deliver it to `next`. `options` may be
 * NULL. Without memory the payload is released and done() is called with -ENOMEM; `p` NULL counts
 * as that, too. A payload without items is done at once.
 */
void emit_payload(struct consumer *next, struct payload *p, const struct emit_options *options);

#endif
