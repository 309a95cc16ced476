/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_SANITIZE_OTLP_H
#define VARVE_SIGNAL_SANITIZE_SANITIZE_OTLP_H

#include "signal/sanitize/sanitize.h"
#include "signal/signal_kind.h"

/*
 * Sanitizes OTLP messages (protobuf) without decoding them: each text of a known field is examined,
 * and only messages that contain a finding are written anew. Unknown fields are kept as they are.
 *
 * All functions return an enum sanitize_verdict or -ENOMEM, or -EBADMSG for a damaged message; *out
 * is the message itself or a new one in the arena of the run.
 */

/*
 * Sanitize a request of traces, metrics or logs. *removed is set if items were removed: then the
 * number of items is to be counted again. Never returns SANITIZE_REMOVE or SANITIZE_REMOVE_ITEM.
 */
MUST_USE int sanitize_otlp(struct sanitize_run *r, enum signal_kind signal, struct str message,
			   struct str *out, bool *removed);

/* An AnyValue message: the value of an attribute with that key. */
MUST_USE int sanitize_otlp_value(struct sanitize_run *r, enum sanitize_place place, struct str key,
				 struct str any_value, struct str *out);

/* Fields of a Resource, an InstrumentationScope and a Span message. */
MUST_USE int sanitize_otlp_resource(struct sanitize_run *r, struct str fields, struct str *out);
MUST_USE int sanitize_otlp_scope(struct sanitize_run *r, struct str fields, struct str *out);
MUST_USE int sanitize_otlp_span(struct sanitize_run *r, struct str fields, struct str *out);

#endif
