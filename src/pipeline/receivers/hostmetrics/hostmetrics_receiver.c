/* SPDX-License-Identifier: Apache-2.0 */
/* The hostmetrics receiver: one job that reads the host at an interval. */
#include "pipeline/receivers/hostmetrics/hostmetrics_receiver.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/emit.h"
#include "pipeline/receivers/hostmetrics/host_reading.h"
#include "pipeline/receivers/scrape/scrape.h"
#include "pipeline/receivers/scrape/scraper_counters.h"

struct hostmetrics {
	const struct hostmetrics_settings *settings;
	const struct component_env *env;
	struct scrape_scheduler *scheduler;
	struct scraper_counters counters[SCRAPERS]; /* of those that are on */
	struct host_state state;
	struct str root;
};

static void (*const scrapers[SCRAPERS])(struct host_reading *r) = {
	[SCRAPER_CPU] = scrape_cpu,
	[SCRAPER_LOAD] = scrape_load,
	[SCRAPER_MEMORY] = scrape_memory,
	[SCRAPER_DISK] = scrape_disk,
	[SCRAPER_FILESYSTEM] = scrape_filesystem,
	[SCRAPER_NETWORK] = scrape_network,
	[SCRAPER_PAGING] = scrape_paging,
	[SCRAPER_PROCESSES] = scrape_processes,
	[SCRAPER_SYSTEM] = scrape_system,
	[SCRAPER_PROCESS] = scrape_process,
};

static void note_lost_metrics(void *owner, const struct delivery_result *result)
{
	const struct hostmetrics *h = owner;

	if (result->rc)
		log_warn(h->env->log, "hostmetrics: metrics were not delivered",
			 LOG_STR("reason", str_from(result->reason)));
}

/* Run a scraper; metrics that it could read are written also if others could not be read. */
static void run_scraper(struct hostmetrics *h, struct host_reading *r, enum host_scraper scraper)
{
	uint64_t before = r->points;

	r->e = (struct err){0};
	scrapers[scraper](r);
	telemetry_add(h->counters[scraper].scraped, (int64_t)(r->points - before));
	telemetry_add(h->counters[scraper].errored, r->e.code != 0);
	if (r->e.code)
		log_warn(h->env->log, "hostmetrics: a scraper could not read everything",
			 LOG_STR("scraper", str_from(host_scraper_names[scraper])), LOG_ERR(&r->e));
}

static void read_host(void *owner, const struct scrape_run *run)
{
	struct hostmetrics *h = owner;
	struct emit_options options = {.done = note_lost_metrics, .owner = h};
	struct host_reading r = {.state = &h->state, .time = run->time};
	struct payload *p;

	arena_init(&r.arena, NULL);
	otlp_builder_init(&r.builder, SIGNAL_METRICS, &h->env->host->memory);
	otlp_begin_resource(&r.builder, NULL, STR(""));
	otlp_begin_scope(&r.builder, STR("hostmetricsreceiver"), STR(""));
	for (unsigned i = 0; i < SCRAPERS && !scrape_cancelled(run); i++)
		if (h->settings->scrapers.on[i])
			run_scraper(h, &r, (enum host_scraper)i);
	p = r.failed ? NULL : otlp_builder_finish(&r.builder);
	emit_payload(h->env->next[signal_index(SIGNAL_METRICS)], p, &options);
	otlp_builder_fini(&r.builder);
	arena_fini(&r.arena);
}

/* ---- life cycle ---- */

static void hostmetrics_stop(void *instance)
{
	struct hostmetrics *h = instance;

	if (h->scheduler)
		scrape_scheduler_stop(h->scheduler);
}

static void hostmetrics_destroy(void *instance)
{
	struct hostmetrics *h = instance;

	hostmetrics_stop(h);
	scrape_scheduler_free(h->scheduler);
	for (unsigned i = 0; i < HOST_FILTERS; i++)
		if (h->state.filters[i].include.list)
			name_filter_fini(&h->state.filters[i]);
	free(h->state.cpus);
	free((char *)h->state.root);
	free(h);
}

/* The start of the system, in nanoseconds since 1970. */
static uint64_t boot_time(void)
{
	struct timespec up = {0};
	uint64_t since;

	clock_gettime(CLOCK_BOOTTIME, &up);
	since = (uint64_t)up.tv_sec * NS_PER_SECOND + (uint64_t)up.tv_nsec;
	return clock_realtime_ns() - since;
}

static int hostmetrics_create(void **instance, const struct component_env *env,
			      const void *settings, struct err *e)
{
	const struct hostmetrics_settings *s = settings;
	struct hostmetrics *h = calloc(1, sizeof(*h));
	struct str root = s->root_path;
	int rc;

	if (!h)
		return err_errno(e, -ENOMEM, "hostmetrics");
	while (root.n && root.p[root.n - 1] == '/')
		root.n--;
	h->settings = s;
	h->env = env;
	for (unsigned i = 0; i < SCRAPERS; i++)
		if (s->scrapers.on[i])
			h->counters[i] = scraper_counters_of(&env->host->telemetry, env->id,
							     host_scraper_names[i]);
	h->state.settings = s;
	h->state.boot = boot_time();
	h->state.root = strndup(root.n ? root.p : "", root.n);
	rc = h->state.root ? 0 : -ENOMEM;
	for (unsigned i = 0; i < HOST_FILTERS && !rc; i++)
		rc = name_filter_init(&h->state.filters[i], &s->scrapers.filters[i], e);
	if (rc) {
		err_errno(e, rc, "hostmetrics");
		hostmetrics_destroy(h);
		return rc;
	}
	*instance = h;
	return 0;
}

static int hostmetrics_start(void *instance, struct err *e)
{
	struct hostmetrics *h = instance;
	struct scrape_spec spec = {.interval = h->settings->interval,
				   .delay = h->settings->initial_delay,
				   .timeout = h->settings->timeout,
				   .run = read_host,
				   .owner = h};
	int rc = scrape_scheduler_new(&h->scheduler, "hostmetrics", 1, e);

	if (!rc)
		rc = scrape_add(h->scheduler, &spec, NULL);
	return rc ? rc : scrape_scheduler_start(h->scheduler, e);
}

const struct component hostmetrics_receiver = {
	.name = "hostmetrics",
	.aliases = (const char *const[]){"host_metrics", NULL},
	.kind = COMPONENT_RECEIVER,
	.signals = SIGNAL_METRICS,
	.form = FORM_PAYLOAD,
	.help = "Reads CPU, memory, disks, file systems, network and processes of the host.",
	.settings = hostmetrics_table,
	.settings_size = sizeof(struct hostmetrics_settings),
	.check = hostmetrics_settings_check,
	.create = hostmetrics_create,
	.start = hostmetrics_start,
	.stop = hostmetrics_stop,
	.destroy = hostmetrics_destroy,
};
