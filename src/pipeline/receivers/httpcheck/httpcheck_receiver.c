/* SPDX-License-Identifier: Apache-2.0 */
/* The httpcheck receiver: a scheduler with one job for each address. */
#include "pipeline/receivers/httpcheck/httpcheck_receiver.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/emit.h"
#include "pipeline/receivers/httpcheck/http_check.h"
#include "pipeline/receivers/scrape/scrape.h"
#include "pipeline/receivers/scrape/scraper_counters.h"

struct httpcheck_job {
	struct httpcheck *of;
	struct http_check *check;
};

struct httpcheck {
	const struct httpcheck_settings *settings;
	const struct component_env *env;
	struct scrape_scheduler *scheduler;
	struct scraper_counters counters;
	struct httpcheck_job *jobs;
	uint32_t job_count;
};

static void note_undelivered(void *owner, const struct delivery_result *result)
{
	const struct httpcheck *h = owner;

	if (result->rc)
		log_warn(h->env->log, "httpcheck: metrics were not delivered",
			 LOG_STR("reason", str_from(result->reason)));
}

static void run_check(void *owner, const struct scrape_run *run)
{
	struct httpcheck_job *j = owner;
	struct emit_options options = {
		.transport = "http", .done = note_undelivered, .owner = j->of};
	struct payload *p = http_check_run(j->check, run->time, scrape_time_left(run));

	telemetry_add(p ? j->of->counters.scraped : j->of->counters.errored,
		      p ? (int64_t)p->items : 1);
	if (scrape_cancelled(run))
		payload_release(p);
	else
		emit_payload(j->of->env->next[signal_index(SIGNAL_METRICS)], p, &options);
}

static void httpcheck_stop(void *instance)
{
	struct httpcheck *h = instance;

	if (h->scheduler)
		scrape_scheduler_stop(h->scheduler);
}

static void httpcheck_destroy(void *instance)
{
	struct httpcheck *h = instance;

	httpcheck_stop(h);
	scrape_scheduler_free(h->scheduler);
	for (uint32_t i = 0; i < h->job_count; i++)
		http_check_free(h->jobs[i].check);
	free(h->jobs);
	free(h);
}

/* Add the checks of a target's addresses. */
static int add_checks(struct httpcheck *h, const struct httpcheck_target *t, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i <= t->endpoints.n && !rc; i++) {
		struct httpcheck_job *j = &h->jobs[h->job_count];
		struct str url = i ? t->endpoints.at[i - 1] : t->client.endpoint;

		if (!url.n)
			continue;
		j->of = h;
		rc = http_check_new(&j->check, h->env, t, url, &h->settings->metrics, e);
		h->job_count += !rc;
	}
	return rc;
}

static int httpcheck_create(void **instance, const struct component_env *env, const void *settings,
			    struct err *e)
{
	const struct httpcheck_settings *s = settings;
	struct httpcheck *h = calloc(1, sizeof(*h));
	size_t room = 1;
	int rc = 0;

	if (!h)
		return err_errno(e, -ENOMEM, "httpcheck");
	h->settings = s;
	h->env = env;
	h->counters = scraper_counters_of(&env->host->telemetry, env->id, "httpcheck");
	for (uint32_t i = 0; i < s->targets.n; i++)
		room += 1 + s->targets.at[i].endpoints.n;
	h->jobs = calloc(room, sizeof(*h->jobs));
	if (!h->jobs)
		rc = err_errno(e, -ENOMEM, "httpcheck");
	for (uint32_t i = 0; i < s->targets.n && !rc; i++)
		rc = add_checks(h, &s->targets.at[i], e);
	if (rc)
		httpcheck_destroy(h);
	else
		*instance = h;
	return rc;
}

static int httpcheck_start(void *instance, struct err *e)
{
	struct httpcheck *h = instance;
	int rc = scrape_scheduler_new(&h->scheduler, "httpcheck", SCRAPE_THREADS, e);

	for (uint32_t i = 0; i < h->job_count && !rc; i++)
		rc = scrape_add(h->scheduler,
				&(struct scrape_spec){.interval = h->settings->interval,
						      .delay = h->settings->initial_delay,
						      .run = run_check,
						      .owner = &h->jobs[i]},
				NULL);
	return rc ? rc : scrape_scheduler_start(h->scheduler, e);
}

const struct component httpcheck_receiver = {
	.name = "httpcheck",
	.aliases = (const char *const[]){"http_check", NULL},
	.kind = COMPONENT_RECEIVER,
	.signals = SIGNAL_METRICS,
	.form = FORM_PAYLOAD,
	.help = "Sends requests to addresses and makes metrics of the responses.",
	.settings = httpcheck_table,
	.settings_size = sizeof(struct httpcheck_settings),
	.check = httpcheck_settings_check,
	.create = httpcheck_create,
	.start = httpcheck_start,
	.stop = httpcheck_stop,
	.destroy = httpcheck_destroy,
};
