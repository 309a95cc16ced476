/* SPDX-License-Identifier: Apache-2.0 */
/* The component: a scheduler, and a pool of targets for each scrape config. */
#include "pipeline/receivers/prometheus/prometheus_receiver.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/receivers/prometheus/scrape_pool.h"

struct prometheus_receiver {
	const struct component_env *env;
	struct scrape_scheduler *scheduler;
	uint32_t pool_count;
	struct scrape_pool *pools[];
};

static void prometheus_receiver_stop(void *instance)
{
	struct prometheus_receiver *r = instance;

	for (uint32_t i = 0; i < r->pool_count; i++)
		scrape_pool_stopping(r->pools[i]);
	if (r->scheduler)
		scrape_scheduler_stop(r->scheduler);
}

static void prometheus_receiver_destroy(void *instance)
{
	struct prometheus_receiver *r = instance;

	prometheus_receiver_stop(r);
	scrape_scheduler_free(r->scheduler);
	for (uint32_t i = 0; i < r->pool_count; i++)
		scrape_pool_free(r->pools[i]);
	free(r);
}

static int prometheus_receiver_create(void **instance, const struct component_env *env,
				      const void *settings, struct err *e)
{
	const struct prometheus_receiver_settings *s = settings;
	uint32_t jobs = s->config.jobs.n;
	struct prometheus_receiver *r = calloc(1, sizeof(*r) + jobs * sizeof(struct scrape_pool *));
	int rc;

	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	r->env = env;
	rc = scrape_scheduler_new(&r->scheduler, "prometheus", SCRAPE_THREADS, e);
	for (uint32_t i = 0; i < jobs && !rc; i++) {
		rc = scrape_pool_new(&r->pools[i], env, s, &s->config.jobs.at[i], e);
		r->pool_count += !rc;
	}
	if (rc) {
		prometheus_receiver_destroy(r);
		return rc;
	}
	*instance = r;
	return 0;
}

static int prometheus_receiver_start(void *instance, struct err *e)
{
	struct prometheus_receiver *r = instance;
	int rc = 0;

	for (uint32_t i = 0; i < r->pool_count && !rc; i++)
		rc = scrape_pool_start(r->pools[i], r->scheduler, e);
	return rc ? rc : scrape_scheduler_start(r->scheduler, e);
}

static int check_receiver_settings(const void *settings, struct err *e)
{
	return prometheus_receiver_check(settings, e);
}

const struct component prometheus_receiver = {
	.name = "prometheus",
	.kind = COMPONENT_RECEIVER,
	.signals = SIGNAL_METRICS,
	.form = FORM_PAYLOAD,
	.help = "Scrapes targets that expose metrics for Prometheus.",
	.settings = prometheus_receiver_table,
	.settings_size = sizeof(struct prometheus_receiver_settings),
	.check = check_receiver_settings,
	.create = prometheus_receiver_create,
	.start = prometheus_receiver_start,
	.stop = prometheus_receiver_stop,
	.destroy = prometheus_receiver_destroy,
};
