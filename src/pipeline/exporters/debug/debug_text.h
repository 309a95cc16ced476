/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_DEBUG_TEXT_H
#define VARVE_PIPELINE_DEBUG_TEXT_H

#include "base/buf.h"
#include "signal/signal_kind.h"
#include "signal/value.h"

/*
 * OTLP messages as text for people, as the collector's debug exporter writes them. Messages are
 * valid protobuf; what is damaged is left out.
 */

/* The number of resources of a message, and of its metrics (0 for other signals). */
struct debug_counts {
	uint32_t resources, metrics;
};
struct debug_counts debug_count(enum signal_kind signal, struct str message);

/* Append one line per item. */
void debug_write_normal(struct buf *out, enum signal_kind signal, struct str message);

/* Append all fields of all items. */
void debug_write_detailed(struct buf *out, enum signal_kind signal, struct str message);

/* Append the points of a Metric message in the detailed form. */
void debug_write_metric(struct buf *out, struct str metric);

/* ---- shared by the files of this folder ---- */

/* Return the first field `field` of a message: its bytes, or number; empty or 0 without it. */
struct str debug_bytes(struct str message, uint32_t field);
uint64_t debug_number(struct str message, uint32_t field);

/* Return whether a message has a field `field`. */
bool debug_has(struct str message, uint32_t field);

/*
 * Get the next field `field` of type bytes from *rest, which is set to what follows it. Return
 * false if there is none.
 */
bool debug_next(struct str *rest, uint32_t field, struct str *out);

/* Append "KIND(TEXT)" of an AnyValue message: Str(checkout). */
void debug_put_value(struct buf *out, struct str any_value);

/* Append the text of an AnyValue message. */
void debug_put_text(struct buf *out, struct str any_value);

/*
 * Append "HEADER:" and a line per attribute (field `field` of the message), indented by `indent`;
 * nothing if there is none.
 */
void debug_put_attributes(struct buf *out, const char *indent, const char *header,
			  struct str message, uint32_t field);

/* Append nanoseconds since 1970 as "2026-11-15 09:37:00.5 +0000 UTC". */
void debug_put_time(struct buf *out, uint64_t ns);

/* Append an id in hexadecimal. */
void debug_put_id(struct buf *out, struct str id);

#endif
