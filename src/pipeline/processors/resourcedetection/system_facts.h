/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_RESOURCEDETECTION_SYSTEM_FACTS_H
#define VARVE_PIPELINE_PROCESSORS_RESOURCEDETECTION_SYSTEM_FACTS_H

#include "config/settings.h"
#include "signal/otlp/attributes.h"

/* The detector "system": attributes of the machine. */
enum system_fact {
	FACT_HOST_NAME,
	FACT_HOST_ID,
	FACT_HOST_ARCH,
	FACT_HOST_IP,
	FACT_HOST_MAC,
	FACT_HOST_INTERFACE,
	FACT_CPU_VENDOR,
	FACT_CPU_FAMILY,
	FACT_CPU_MODEL,
	FACT_CPU_MODEL_NAME,
	FACT_CPU_STEPPING,
	FACT_CPU_CACHE,
	FACT_OS_TYPE,
	FACT_OS_DESCRIPTION,
	FACT_OS_NAME,
	FACT_OS_VERSION,
	FACT_OS_BUILD,
	SYSTEM_FACTS,
};

struct system_settings {
	struct setting_list hostname_sources;
	uint32_t enabled, disabled; /* bits of enum system_fact that are configured */
};

extern const struct setting system_table[];

/* Check the sources of the host name. Return 0 or -EINVAL with text in `e`. */
MUST_USE int system_check(const struct system_settings *s, struct err *e);

/*
 * Append the attributes that are enabled. One that cannot be determined is left out, except for
 * host.name, which is an error. A query for the host name waits at most `timeout_ns`. Return 0,
 * -ENOMEM, or -EIO with text in `e`.
 */
MUST_USE int system_facts(struct attributes *out, const struct system_settings *s,
			  uint64_t timeout_ns, struct arena *arena, struct err *e);

#endif
