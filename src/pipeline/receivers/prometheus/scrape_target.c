/* SPDX-License-Identifier: Apache-2.0 */
/* One run: fetch, put the samples into the state, write the payload, deliver it. */
#include "pipeline/receivers/prometheus/scrape_target.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/emit.h"
#include "pipeline/host.h"
#include "pipeline/receivers/prometheus/scrape_fetch.h"
#include "pipeline/receivers/prometheus/scrape_output.h"

struct scrape_target {
	struct target_context *context;
	struct scrape_job *job;
	struct arena arena; /* the spec */
	struct target_spec spec;
	struct scrape_rules rules;
	struct scrape_fetch fetch;
	struct listed_target listed; /* in host->scrape_targets */
	struct scraped_state state;
	struct arena scratch;	       /* of one run */
	bool down;		       /* the last scrape failed and was reported */
	uint32_t metas, metas_version; /* of the metadata in the list */
	bool scraped;		       /* at least once */
};

/* ---- runs ---- */

static void emit_outcome(struct scrape_target *t, const struct scrape_outcome *outcome)
{
	const struct component_env *env = t->context->env;
	struct consumer *next = env->next[signal_index(SIGNAL_METRICS)];

	if (next)
		emit_payload(next,
			     scrape_output(&t->state, &t->rules, outcome, &t->scratch,
					   &env->host->memory),
			     NULL);
}

static int scrape_once(struct scrape_target *t, const struct scrape_run *run,
		       struct scrape_counts *counts, struct err *e)
{
	struct scrape_input in = {.time = run->time};
	struct http_client_answer answer;
	int rc;

	if (atomic_load(&t->context->over_limit))
		return err_set(e, -E2BIG, "target_limit exceeded");
	t->fetch.cancelled = run->cancelled;
	rc = scrape_fetch(&t->fetch, t->spec.url.p, scrape_time_left(run), &answer, &in.format, e);
	if (rc)
		return rc;
	in.body = buf_str(&answer.body);
	rc = scrape_ingest(&t->state, &t->rules, &in, counts, &t->scratch, e);
	http_client_answer_fini(&answer);
	return rc;
}

/* Report a scrape that failed after one that did not, and the return of the target. */
static void log_outcome(struct scrape_target *t, int rc, const struct err *e)
{
	const struct log *log = t->context->env->log;

	if (rc && !t->down)
		log_warn(log, "scrape failed", LOG_STR("job", t->context->config->job_name),
			 LOG_STR("target", t->spec.url),
			 LOG_STR("err", e->text[0] ? str_from(e->text) : STR("out of memory")));
	if (!rc && t->down)
		log_info(log, "scrape succeeds again", LOG_STR("job", t->context->config->job_name),
			 LOG_STR("target", t->spec.url));
	t->down = rc != 0;
}

static const char *const type_names[] = {
	[SCRAPED_UNKNOWN] = "unknown",
	[SCRAPED_COUNTER] = "counter",
	[SCRAPED_GAUGE] = "gauge",
	[SCRAPED_HISTOGRAM] = "histogram",
	[SCRAPED_GAUGEHISTOGRAM] = "gaugehistogram",
	[SCRAPED_SUMMARY] = "summary",
	[SCRAPED_INFO] = "info",
	[SCRAPED_STATESET] = "stateset",
};

/* List the metadata if a scrape has changed it. */
static void list_metadata(struct scrape_target *t)
{
	const struct scraped_state *s = &t->state;
	struct target_metadata *rows;
	uint32_t version = s->unknown_version;

	for (uint32_t i = 0; i < s->metas.n; i++)
		version += s->metas.at[i].version;
	if (s->metas.n == t->metas && version == t->metas_version)
		return;
	rows = arena_zalloc(&t->scratch, s->metas.n + 1, sizeof(*rows));
	for (uint32_t i = 0; rows && i < s->metas.n; i++)
		rows[i] = (struct target_metadata){s->metas.at[i].name, s->metas.at[i].help,
						   s->metas.at[i].unit,
						   type_names[s->metas.at[i].type]};
	if (rows)
		target_list_set_metadata(&t->context->env->host->scrape_targets, &t->listed, rows,
					 s->metas.n);
	t->metas = s->metas.n;
	t->metas_version = version;
}

static void list_outcome(struct scrape_target *t, const struct scrape_outcome *outcome, int rc,
			 const struct err *e)
{
	struct str error = !rc ? STR("") : e->text[0] ? str_from(e->text) : STR("out of memory");

	target_list_update(&t->context->env->host->scrape_targets, &t->listed, outcome->time,
			   outcome->duration, error);
	if (!rc)
		list_metadata(t);
}

static void run_target(void *owner, const struct scrape_run *run)
{
	struct scrape_target *t = owner;
	uint64_t began = clock_monotonic_ns();
	struct scrape_outcome outcome = {.time = run->time,
					 .scheme = t->spec.scheme,
					 .trim_metric_suffixes =
						 t->context->settings->trim_metric_suffixes};
	struct err e = {0};
	int rc = scrape_once(t, run, &outcome.counts, &e);

	if (rc && scrape_cancelled(run)) {
		arena_reset(&t->scratch);
		return;
	}
	log_outcome(t, rc, &e);
	outcome.end = rc ? SCRAPE_FAILED : SCRAPE_OK;
	outcome.duration = clock_monotonic_ns() - began;
	list_outcome(t, &outcome, rc, &e);
	emit_outcome(t, &outcome);
	t->scraped = true;
	if (!rc && scraped_state_compact(&t->state))
		log_warn(t->context->env->log, "out of memory", LOG_STR("target", t->spec.url));
	arena_reset(&t->scratch);
}

/* ---- begin and end ---- */

static void free_target(struct scrape_target *t)
{
	target_list_remove(&t->context->env->host->scrape_targets, &t->listed);
	scrape_fetch_fini(&t->fetch);
	scraped_state_fini(&t->state);
	arena_fini(&t->scratch);
	arena_fini(&t->arena);
	free(t);
}

static void end_target(void *owner)
{
	struct scrape_target *t = owner;

	if (!atomic_load(&t->context->stopping) && t->scraped)
		emit_outcome(t, &(struct scrape_outcome){.end = SCRAPE_GONE,
							 .time = clock_realtime_ns(),
							 .scheme = t->spec.scheme});
	free_target(t);
}

static int add_target_job(struct scrape_target *t)
{
	struct target_context *x = t->context;
	struct scrape_spec job = {.interval = t->spec.interval_ns,
				  .delay = scrape_offset(t->spec.identity, t->spec.interval_ns) +
					   x->settings->initial_scrape_offset_ns,
				  .timeout = t->spec.timeout_ns,
				  .run = run_target,
				  .end = end_target,
				  .owner = t};

	return scrape_add(x->scheduler, &job, &t->job);
}

int scrape_target_start(struct scrape_target **out, struct target_context *context,
			const struct target_spec *spec, struct err *e)
{
	const struct scrape_config *c = context->config;
	struct scrape_target *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_set(e, -ENOMEM, "out of memory");
	t->context = context;
	arena_init(&t->arena, NULL);
	arena_init(&t->scratch, NULL);
	t->rules = (struct scrape_rules){
		.honor_labels = c->honor_labels,
		.honor_timestamps = c->honor_timestamps,
		.track_timestamps_staleness = c->track_timestamps_staleness,
		.limits = c->limits,
		.target = &t->spec.labels,
		.external_labels = context->settings->config.global.external_labels,
		.relabel = context->metric_relabel,
		.relabel_mu = &context->relabel_mu};
	rc = target_spec_dup(&t->spec, spec, &t->arena);
	if (!rc)
		rc = scraped_state_init(&t->state);
	if (!rc)
		rc = scrape_fetch_init(&t->fetch, c, e);
	if (!rc) {
		t->listed = (struct listed_target){.pool = c->job_name,
						   .url = t->spec.url,
						   .labels = &t->spec.labels,
						   .discovered = &t->spec.discovered,
						   .interval_ns = t->spec.interval_ns,
						   .timeout_ns = t->spec.timeout_ns};
		target_list_add(&context->env->host->scrape_targets, &t->listed);
		rc = add_target_job(t);
	}
	if (rc) {
		free_target(t);
		return err_set(e, rc, "cannot start to scrape a target");
	}
	*out = t;
	return 0;
}

struct str scrape_target_identity(const struct scrape_target *t)
{
	return t->spec.identity;
}

void scrape_target_end(struct scrape_target *t)
{
	scrape_remove(t->context->scheduler, t->job);
}
