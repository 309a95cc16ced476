/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_SCHEMA_COMMON_H
#define VARVE_FORMAT_OTLP_SCHEMA_COMMON_H

#include "wire/schema.h"

/* Private to the schemas of OTLP: messages that all signals have. */
extern const struct schema_message otlp_any_value;
extern const struct schema_message otlp_key_value;
extern const struct schema_message otlp_resource;
extern const struct schema_message otlp_scope;

#endif
