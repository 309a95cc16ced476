/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_SCHEMA_H
#define VARVE_FORMAT_OTLP_SCHEMA_H

#include "wire/schema.h"

/* ExportProfilesServiceRequest of layout 1.11; ProfilesData has the same fields. */
extern const struct schema_message otlp_profiles_request;

#endif
