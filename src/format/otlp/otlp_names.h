/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_OTLP_NAMES_H
#define VARVE_FORMAT_OTLP_OTLP_NAMES_H

#include "base/arena.h"

/*
 * Names of spans and services as they are stored: well-formed UTF-8 of at most SPAN_NAME_MAX bytes.
 *
 * Set *out to such a name: `s`, or a copy in the arena that is repaired, truncated between characters.
 * Return 0 or -ENOMEM.
 */
MUST_USE int otlp_repair_name(struct arena *a, struct str s, struct str *out);

/*
 * Set *out to the name of a service: `service`, or if that is empty "unknown_service" with the name of
 * the program if known. Return 0 or -ENOMEM.
 */
MUST_USE int otlp_service_name(struct arena *a, struct str service, struct str program,
			       struct str *out);

#endif
