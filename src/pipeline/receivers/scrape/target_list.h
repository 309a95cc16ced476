/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_SCRAPE_TARGET_LIST_H
#define VARVE_PIPELINE_RECEIVERS_SCRAPE_TARGET_LIST_H

#include <pthread.h>

#include "base/err.h"
#include "pipeline/convert/prometheus/prom_labels.h"

/*
 * The targets that receivers scrape, for status pages and Prometheus' API. A target belongs to its
 * receiver, which adds it, updates it after each scrape, and removes it. Any thread.
 */

/* The description of a metric family, as the target exposes it. */
struct target_metadata {
	struct str metric, help, unit;
	const char *type;
};

enum target_health { TARGET_UNKNOWN, TARGET_UP, TARGET_DOWN };

struct listed_target {
	/* Set before target_list_add(), borrowed until target_list_remove(), sorted by name. */
	struct str pool, url;
	const struct prom_labels *labels, *discovered;
	uint64_t interval_ns, timeout_ns;

	/* Private: guarded by the list. */
	struct listed_target *previous, *next;
	enum target_health health;
	uint64_t last_scrape, duration_ns; /* nanoseconds since 1970; 0: none yet */
	char last_error[ERR_TEXT_MAX];
	struct arena arena; /* metadata */
	VEC(struct target_metadata) metadata;
};

struct target_list {
	pthread_mutex_t mu;
	struct listed_target *first, *last;
};

void target_list_init(struct target_list *l);
void target_list_fini(struct target_list *l);

void target_list_add(struct target_list *l, struct listed_target *t);

/* A target that is not in the list is ignored if it is zero. */
void target_list_remove(struct target_list *l, struct listed_target *t);

/* Note the result of a scrape at `time`; an empty error means that it succeeded. */
void target_list_update(struct target_list *l, struct listed_target *t, uint64_t time,
			uint64_t duration_ns, struct str error);

/* Replace the metadata by copies of `n` rows. Without memory there is none. */
void target_list_set_metadata(struct target_list *l, struct listed_target *t,
			      const struct target_metadata *rows, uint32_t n);

/* Call `visit` for all targets in the order in which they were added, with the list locked. */
void target_list_each(struct target_list *l,
		      void (*visit)(void *ctx, const struct listed_target *t), void *ctx);

#endif
