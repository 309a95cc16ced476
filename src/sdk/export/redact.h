/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_REDACT_H
#define VARVE_SDK_EXPORT_REDACT_H

#include "base/buf.h"
#include "signal/profile/profile.h"
#include "signal/sanitize/sanitize.h"
#include "signal/signal_kind.h"
#include "varve/varve.h"

/*
 * Replaces secrets and personal data in what leaves the process: the resource, profiles, spans and
 * metrics. Runs on the library's own threads and on those that ask for a profile, never in hooks.
 * Every function accepts a sanitizer of NULL and then changes nothing. An error means that the data
 * must not leave.
 */

/* Make the sanitizer that the options want; *out is NULL if they turn it off. 0 or -ENOMEM. */
MUST_USE int redact_new(struct sanitizer **out, const struct varve_options *o, struct err *e);

/* Sanitize attributes in place; new texts are in the arena. An attribute keeps its key. */
MUST_USE int redact_resource(const struct sanitizer *z, struct arena *arena, struct keyvalue *at,
			     uint32_t n);

/* Sanitize a batch in place. 0 or -errno; after an error the batch is unchanged. */
MUST_USE int redact_batch(const struct sanitizer *z, struct profile_batch *b);

/* Sanitize an OTLP request of traces or metrics in place. 0 or -errno. */
MUST_USE int redact_message(const struct sanitizer *z, enum signal_kind signal, struct buf *body);

/* Sanitize a plain text from offset `from` of the buffer on. 0 or -errno. */
MUST_USE int redact_text(const struct sanitizer *z, struct buf *text, size_t from);

#endif
