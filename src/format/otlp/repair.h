/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_REPAIR_H
#define VARVE_FORMAT_OTLP_REPAIR_H

#include "wire/schema.h"

/*
 * Set *out to a copy of the message in the arena that passes otlp_validate(): invalid UTF-8 is
 * replaced by U+FFFD, fields that the schema does not know or whose wire type is not the schema's
 * are omitted, and so are the ids of links if their length is wrong. Ids of spans stay as they are.
 * Return 0, -ENOMEM, or -EBADMSG where the structure of the message is damaged or too deep.
 */
MUST_USE int otlp_repair_message(const struct schema_message *schema, struct str message,
				 struct arena *arena, struct str *out, struct err *e);

#endif
