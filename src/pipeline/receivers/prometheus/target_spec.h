/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_TARGET_SPEC_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_TARGET_SPEC_H

#include "pipeline/receivers/prometheus/scrape_config.h"

/* What is scraped, and with which labels: the result of relabelling a discovered address. */
struct target_spec {
	struct prom_labels labels;     /* of all samples: job, instance ...; sorted */
	struct prom_labels discovered; /* before relabelling; sorted; not part of the identity */
	struct str url, scheme;
	uint64_t interval_ns, timeout_ns;
	uint32_t variant;    /* which of the things to scrape from an address; see target_pool.h */
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

/* Copy a spec and its texts into the arena. Return 0 or -ENOMEM. */
MUST_USE int target_spec_dup(struct target_spec *out, const struct target_spec *from,
			     struct arena *arena);

/*
 * The steps of which it consists, for other kinds of targets. Each returns 0, -ENOMEM, or, those
 * with `e`, -EINVAL.
 */

/* Set a label unless it is set. */
MUST_USE int target_label_default(struct prom_labels *l, struct arena *arena, struct str name,
				  struct str value);

/* Set the labels before relabelling: those of the target, job, and those that begin with __. */
MUST_USE int target_labels_discover(struct prom_labels *l, const struct scrape_config *c,
				    const struct discovered_target *found, struct arena *arena);

/* Set out->url and scheme by labels and a path. */
MUST_USE int target_url_make(struct target_spec *out, const struct scrape_config *c,
			     const struct prom_labels *l, struct str path, struct arena *arena,
			     struct err *e);

/* Set the times of `out` by labels. */
MUST_USE int target_times_read(struct target_spec *out, const struct prom_labels *l, struct err *e);

/* Put the labels that do not begin with __ into out->labels, with `instance`. */
MUST_USE int target_labels_keep(struct target_spec *out, const struct prom_labels *l,
				struct arena *arena);

/* Set out->identity by all other members. */
MUST_USE int target_identity_make(struct target_spec *out, struct arena *arena);

#endif
