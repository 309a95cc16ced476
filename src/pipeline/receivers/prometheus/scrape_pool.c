/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of targets whose variant is always 0: each address has one exposition. */
#include "pipeline/receivers/prometheus/scrape_pool.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/receivers/prometheus/target_pool.h"

struct scrape_pool {
	struct target_context context;
	struct target_pool *targets;
};

static int make_scrape_spec(void *owner, const struct discovered_target *found, uint32_t variant,
			    struct relabel *relabel, struct arena *arena, struct target_spec *out,
			    struct err *e)
{
	const struct scrape_pool *p = owner;

	(void)variant;
	return target_spec_make(out, p->context.config, found, relabel, arena, e);
}

static int start_pool_target(void *owner, const struct target_spec *spec, void **target,
			     struct err *e)
{
	struct scrape_pool *p = owner;
	struct scrape_target *started;
	int rc = scrape_target_start(&started, &p->context, spec, e);

	if (!rc)
		*target = started;
	return rc;
}

static struct str pool_target_identity(const void *target)
{
	return scrape_target_identity(target);
}

static void end_pool_target(void *target)
{
	scrape_target_end(target);
}

static const struct target_pool_ops scrape_pool_ops = {make_scrape_spec, start_pool_target,
						       pool_target_identity, end_pool_target};

int scrape_pool_new(struct scrape_pool **out, const struct component_env *env,
		    const struct prometheus_receiver_settings *settings,
		    const struct scrape_config *config, struct err *e)
{
	struct scrape_pool *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_set(e, -ENOMEM, "out of memory");
	p->context.env = env;
	p->context.settings = settings;
	p->context.config = config;
	pthread_mutex_init(&p->context.relabel_mu, NULL);
	rc = target_pool_new(&p->targets,
			     &(struct target_pool_options){.config = config,
							   .log = env->log,
							   .ops = &scrape_pool_ops,
							   .owner = p,
							   .variants = 1,
							   .over_limit = &p->context.over_limit},
			     e);
	if (!rc && config->metric_relabel.n)
		rc = relabel_new(&p->context.metric_relabel, config->metric_relabel, e);
	if (rc) {
		scrape_pool_free(p);
		return rc;
	}
	*out = p;
	return 0;
}

void scrape_pool_free(struct scrape_pool *p)
{
	if (!p)
		return;
	target_pool_free(p->targets);
	relabel_free(p->context.metric_relabel);
	pthread_mutex_destroy(&p->context.relabel_mu);
	free(p);
}

void scrape_pool_stopping(struct scrape_pool *p)
{
	atomic_store(&p->context.stopping, true);
}

int scrape_pool_start(struct scrape_pool *p, struct scrape_scheduler *scheduler, struct err *e)
{
	p->context.scheduler = scheduler;
	return target_pool_start(p->targets, scheduler, e);
}
