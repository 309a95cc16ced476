/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_TARGET_POOL_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_TARGET_POOL_H

#include "base/log.h"
#include "pipeline/receivers/prometheus/target_spec.h"
#include "pipeline/receivers/scrape/scrape.h"

/*
 * The targets of one job: those of static_configs, and those of files, which are read again from
 * time to time. Targets that are new are started, others that have vanished are ended. What a
 * target is, the owner of the pool decides: a source of metrics, or of profiles.
 */
struct target_pool;

struct target_pool_ops {
	/*
	 * Make the spec of a variant of a discovered address, in the arena. Return 1, 0 if it is
	 * dropped, -ENOMEM, or -EINVAL with text in `e`.
	 */
	int (*make)(void *owner, const struct discovered_target *found, uint32_t variant,
		    struct relabel *relabel, struct arena *arena, struct target_spec *out,
		    struct err *e);
	/* Copy the spec and start to scrape. Return 0, or a negative errno with text in `e`. */
	int (*start)(void *owner, const struct target_spec *spec, void **target, struct err *e);
	/* Return the identity of the spec. */
	struct str (*identity)(const void *target);
	/* End a target that has vanished. Those that are left end with the scheduler. */
	void (*end)(void *target);
};

struct target_pool_options {
	const struct scrape_config *config;
	const struct log *log;
	const struct target_pool_ops *ops;
	void *owner;
	uint32_t variants;	  /* of each address; at least 1 */
	_Atomic bool *over_limit; /* set while there are more targets than target_limit */
};

/* The options are copied, what they refer to is not. Return 0, or a negative errno with `e`. */
MUST_USE int target_pool_new(struct target_pool **out, const struct target_pool_options *o,
			     struct err *e);

/* After the scheduler was stopped. Takes NULL. */
void target_pool_free(struct target_pool *p);

/* Discover targets, and add the job that reads the files again to the scheduler. */
MUST_USE int target_pool_start(struct target_pool *p, struct scrape_scheduler *scheduler,
			       struct err *e);

#endif
