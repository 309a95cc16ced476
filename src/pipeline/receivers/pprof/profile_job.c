/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variant of the pool of targets is one of the profiles that are enabled. Each target has a
 * connection, and the sums of the last profile if its profiles count from the start of the process.
 */
#include "pipeline/receivers/pprof/profile_job.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/receivers/pprof/profile_delivery.h"
#include "pipeline/receivers/pprof/profile_spec.h"
#include "pipeline/receivers/prometheus/scrape_fetch.h"
#include "pipeline/receivers/prometheus/target_pool.h"

struct profile_job {
	const struct component_env *env;
	const struct pprof_job *settings;
	struct scrape_scheduler *scheduler;
	struct profile_choice choices[PROFILE_KINDS + PROFILE_CUSTOM_MAX];
	uint32_t choice_count;
	struct target_pool *targets;
	_Atomic bool over_limit;
};

struct profile_target {
	struct profile_job *of;
	struct scrape_job *job;
	struct arena arena; /* the spec, and labels */
	struct target_spec spec;
	struct scrape_fetch fetch;
	struct profile_source source;
	struct profile_delta delta;
};

/* ---- runs ---- */

static int scrape_profile(struct profile_target *t, const struct scrape_run *run, struct err *e)
{
	struct fetched_profile p = {.time = run->time};
	struct http_client_answer answer;
	int rc;

	if (atomic_load(&t->of->over_limit))
		return err_set(e, -E2BIG, "target_limit exceeded");
	t->fetch.cancelled = run->cancelled;
	rc = scrape_fetch(&t->fetch, t->spec.url.p, scrape_time_left(run), &answer, NULL, e);
	if (rc)
		return rc;
	p.body = answer.body;
	answer.body = (struct buf){0};
	http_client_answer_fini(&answer);
	return profile_deliver(&t->source, &p, run, e);
}

static void run_profile_target(void *owner, const struct scrape_run *run)
{
	struct profile_target *t = owner;
	struct err e = {0};
	int rc = scrape_profile(t, run, &e);

	profile_source_report(&t->source, run, rc, &e);
}

/* ---- begin and end ---- */

static void free_profile_target(void *owner)
{
	struct profile_target *t = owner;

	scrape_fetch_fini(&t->fetch);
	profile_delta_fini(&t->delta);
	arena_fini(&t->arena);
	free(t);
}

static int init_source(struct profile_target *t)
{
	const struct profile_choice *choice = &t->of->choices[t->spec.variant];
	uint32_t n = t->spec.labels.list.n;
	struct keyvalue *labels = arena_alloc(&t->arena, n + 1, sizeof(*labels));

	if (!labels)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		labels[i] = (struct keyvalue){t->spec.labels.list.at[i].name,
					      VALUE_OF_STR(t->spec.labels.list.at[i].value)};
	t->source = (struct profile_source){
		.env = t->of->env,
		.transport = "http",
		.what = "target",
		.name = str_head(t->spec.url, str_find(t->spec.url, '?')),
		.labels = labels,
		.label_count = n,
		.body_max = t->of->settings->http.limits.body_size,
		.delta = choice->cumulative && !choice->delta ? &t->delta : NULL,
	};
	profile_source_counters(&t->source);
	return 0;
}

static int init_profile_fetch(struct profile_target *t, struct err *e)
{
	int rc = scrape_fetch_init(&t->fetch, &t->of->settings->http, e);

	t->fetch.accept = STR("*/*");
	t->fetch.body_max = PROFILE_BODY_MAX;
	return rc;
}

static int add_profile_job(struct profile_target *t)
{
	struct scrape_spec job = {.interval = t->spec.interval_ns,
				  .delay = scrape_offset(t->spec.identity, t->spec.interval_ns),
				  .timeout = t->spec.timeout_ns,
				  .run = run_profile_target,
				  .end = free_profile_target,
				  .owner = t};

	return scrape_add(t->of->scheduler, &job, &t->job);
}

static int start_profile_target(void *owner, const struct target_spec *spec, void **out,
				struct err *e)
{
	struct profile_target *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_set(e, -ENOMEM, "out of memory");
	t->of = owner;
	arena_init(&t->arena, NULL);
	profile_delta_init(&t->delta, 0);
	rc = target_spec_dup(&t->spec, spec, &t->arena);
	if (!rc)
		rc = init_source(t);
	if (!rc)
		rc = init_profile_fetch(t, e);
	if (!rc)
		rc = add_profile_job(t);
	if (rc) {
		free_profile_target(t);
		return err_errno(e, rc, "cannot start to scrape a target");
	}
	*out = t;
	return 0;
}

static int make_profile_spec(void *owner, const struct discovered_target *found, uint32_t variant,
			     struct relabel *relabel, struct arena *arena, struct target_spec *out,
			     struct err *e)
{
	const struct profile_job *j = owner;
	int rc =
		profile_spec_make(out, j->settings, &j->choices[variant], found, relabel, arena, e);

	out->variant = variant;
	return rc;
}

static struct str profile_target_identity(const void *target)
{
	return ((const struct profile_target *)target)->spec.identity;
}

static void end_profile_target(void *target)
{
	struct profile_target *t = target;

	scrape_remove(t->of->scheduler, t->job);
}

static const struct target_pool_ops profile_job_ops = {make_profile_spec, start_profile_target,
						       profile_target_identity, end_profile_target};

int profile_job_new(struct profile_job **out, const struct component_env *env,
		    const struct pprof_job *settings, struct err *e)
{
	struct profile_job *j = calloc(1, sizeof(*j));
	int rc;

	if (!j)
		return err_set(e, -ENOMEM, "out of memory");
	j->env = env;
	j->settings = settings;
	j->choice_count = profiling_enabled(&settings->profiling, j->choices);
	rc = target_pool_new(&j->targets,
			     &(struct target_pool_options){.config = &settings->http,
							   .log = env->log,
							   .ops = &profile_job_ops,
							   .owner = j,
							   .variants = j->choice_count,
							   .over_limit = &j->over_limit},
			     e);
	if (rc) {
		profile_job_free(j);
		return rc;
	}
	*out = j;
	return 0;
}

void profile_job_free(struct profile_job *j)
{
	if (!j)
		return;
	target_pool_free(j->targets);
	free(j);
}

int profile_job_start(struct profile_job *j, struct scrape_scheduler *scheduler, struct err *e)
{
	j->scheduler = scheduler;
	return target_pool_start(j->targets, scheduler, e);
}
