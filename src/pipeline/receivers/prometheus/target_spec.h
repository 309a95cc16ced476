/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_TARGET_SPEC_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_TARGET_SPEC_H

#include "pipeline/receivers/prometheus/scrape_settings.h"

/* What is scraped, and with which labels: the result of relabelling a discovered address. */
struct target_spec {
	struct prom_labels labels; /* of all samples: job, instance ...; sorted */
	struct str url, scheme;
	uint64_t interval_ns, timeout_ns;
	struct str identity; /* differs if anything above differs */
};

struct discovered_target {
	struct str address;
	struct setting_map labels;
	struct str file; /* of file_sd_configs, or empty */
};

/*
 * Make the spec of one discovered address. Texts are in the arena, or borrowed. Return 1, 0 if
 * relabelling drops the target, -ENOMEM, or -EINVAL with text in `e`.
 */
MUST_USE int target_spec_make(struct target_spec *out, const struct scrape_config *c,
			      const struct discovered_target *found, struct relabel *relabel,
			      struct arena *arena, struct err *e);

#endif
