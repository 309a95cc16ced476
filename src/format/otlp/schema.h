/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_SCHEMA_H
#define VARVE_FORMAT_OTLP_SCHEMA_H

#include "wire/schema.h"

/* ExportProfilesServiceRequest, which is laid out as ProfilesData, 1.11. */
extern const struct schema_message otlp_profiles_request;

#endif
