/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds and runs the pipelines of a configuration. service/ has the parts: component_entries reads
 * the sections, pipeline_plan the pipelines, and pipeline_graph creates the components.
 */
#include "pipeline/service.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/service/pipeline_stages.h"
#include "pipeline/service/self_metrics.h"
#include "pipeline/service/service_outline.h"

struct service {
	struct arena arena;
	struct host *host;
	const struct config *config;
	struct component_entries entries;
	struct pipeline_plans plans;
	struct pipeline_graph graph;
	struct service_outline outline;
	struct telemetry_settings telemetry;
	bool listening;
};

/* Read all of the configuration before creating anything, so that an error has no side effects. */
static int read_config(struct service *s, const struct config *config, struct err *e)
{
	int rc = component_entries_read(&s->entries, config->root, e);

	if (!rc)
		rc = pipeline_plans_read(&s->plans, &s->entries,
					 config_get(config->root, STR("service")), e);
	if (!rc)
		rc = telemetry_settings_read(&s->telemetry, config->root,
					     s->host ? s->host->metrics_address : NULL, &s->arena,
					     e);
	if (!rc)
		component_entries_warn_unused(&s->entries);
	return rc;
}

/* Serve the metrics of the program where the configuration says. */
static int serve_metrics(struct service *s, struct err *e)
{
	struct component_env env = pipeline_env(&s->graph, self_metrics_extension.name);
	void *state;

	return pipeline_instance(&s->graph, &self_metrics_extension, &env,
				 &s->telemetry.metrics.readers, &state, e);
}

int service_new(struct service **out, const struct config *config, struct host *host,
		const struct component *const *more, struct err *e)
{
	struct service *s = calloc(1, sizeof(*s));
	struct err none = {0};
	int rc;

	if (!s)
		return -ENOMEM;
	if (!e)
		e = &none;
	arena_init(&s->arena, NULL);
	s->host = host;
	s->config = config;
	s->entries = (struct component_entries){.arena = &s->arena, .more = more};
	s->graph =
		(struct pipeline_graph){.arena = &s->arena, .host = host, .outline = &s->outline};
	rc = read_config(s, config, e);
	if (!rc && host)
		rc = pipeline_graph_create(&s->graph, &s->entries, &s->plans, e);
	if (!rc && host)
		rc = service_outline_make(&s->outline, &s->plans, &s->arena);
	if (!rc && host)
		rc = serve_metrics(s, e);
	if (!rc && out)
		*out = take_ptr(&s);
	if (rc)
		err_errno(e, rc, "configure");
	service_free(s);
	return rc;
}

int service_check(const struct config *config, const struct component *const *more, struct err *e)
{
	return service_new(NULL, config, NULL, more, e);
}

struct consumer *service_head(struct service *s, enum signal_kind signal)
{
	struct err e = {0};

	for (uint32_t i = 0; i < s->plans.n; i++)
		if (s->plans.at[i].signal == signal)
			return pipeline_graph_head(&s->graph, &s->plans.at[i], FORM_DECODED, &e);
	return NULL;
}

/* ---- start and stop ---- */

static int start_components(struct service *s, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->graph.instances.n && !rc; i++) {
		struct component_instance *in = &s->graph.instances.at[i];

		rc = in->type->start ? in->type->start(in->state, e) : 0;
		if (rc) {
			err_errno(e, rc, "start");
			err_prefix(e, "%s %s", component_kind_names[in->type->kind], in->id);
		}
		in->started = !rc;
	}
	return rc;
}

int service_start(struct service *s, const struct net_options *options, struct err *e)
{
	int rc = start_components(s, e);

	if (rc)
		return rc;
	rc = listeners_start(&s->host->listeners, options, s->host->log, e);
	s->listening = !rc;
	return rc;
}

/* Stop components; before the exporters, call end_requests() once if the service listens. */
static void stop_components(struct service *s, void (*end_requests)(struct listeners *l))
{
	for (uint32_t i = s->graph.instances.n; i-- > 0;) {
		struct component_instance *in = &s->graph.instances.at[i];

		/* end all requests before the exporters that their answers depend on */
		if (in->type->kind == COMPONENT_EXPORTER && s->listening) {
			end_requests(&s->host->listeners);
			s->listening = false;
		}
		if (in->started && in->type->stop)
			in->type->stop(in->state);
		in->started = false;
	}
}

void service_stop(struct service *s, uint64_t timeout_ms)
{
	if (s->listening)
		listeners_drain(&s->host->listeners, timeout_ms);
	stop_components(s, listeners_stop);
}

void service_free(struct service *s)
{
	if (!s)
		return;
	service_stop(s, 0);
	pipeline_graph_fini(&s->graph);
	arena_fini(&s->arena);
	free(s);
}

/* ---- reload ---- */

/* Create a service whose routes are the next set of the listeners, and open its addresses. */
static int create_next(struct service **out, const struct service *old, const struct config *config,
		       const struct service_reload *r, struct err *e)
{
	struct listeners *l = &old->host->listeners;
	struct service *next = NULL;
	int rc = listeners_begin_next(l);

	if (!rc)
		rc = service_new(&next, config, old->host, old->entries.more, e);
	if (!rc && r->created)
		rc = r->created(r->owner, next, config, e);
	if (!rc)
		rc = listeners_prepare_next(l, e);
	if (rc) {
		err_errno(e, rc, "reload");
		listeners_drop_next(l);
		service_free(next);
		return rc;
	}
	*out = next;
	return 0;
}

/*
 * Stop a service that could not be started as a whole. Exporters with a queue are stopped in any
 * case, because they may have taken over the queue of the one before.
 */
static void stop_half_started(struct service *s)
{
	for (uint32_t i = 0; i < s->graph.instances.n; i++)
		s->graph.instances.at[i].started |= s->graph.instances.at[i].type->storage != NULL;
	stop_components(s, listeners_stop);
}

/*
 * Create and start the configuration of `old`, which is stopped, again, instead of `failed`, which
 * could not be started.
 */
static int go_back(struct service **out, const struct service *old, struct service *failed,
		   const struct service_reload *r, struct err *e)
{
	struct service *again = NULL;
	int rc;

	listeners_drop_next(&old->host->listeners);
	rc = create_next(&again, old, old->config, r, e);
	stop_half_started(failed); /* its exporters give their queues to those of `again` */
	if (!rc)
		rc = start_components(again, e);
	if (rc)
		service_free(again);
	else
		*out = again;
	return rc;
}

/* Let requests in again. */
static int resume_with(struct service *s, const struct service_reload *r, struct err *e)
{
	int rc;

	if (r->swapped)
		r->swapped(r->owner, s);
	rc = listeners_resume(&s->host->listeners, r->options, s->host->log, e);
	s->listening = !rc;
	return rc;
}

int service_reload(struct service **s, const struct service_reload *r, struct err *e)
{
	struct service *old = *s, *next = NULL, *failed = NULL;
	struct err none = {0}, fatal = {0};
	int rc, end = 0;

	e = e ? e : &none;
	rc = create_next(&next, old, r->config, r, e);
	if (rc)
		return rc;
	listeners_pause(&old->host->listeners, r->timeout_ms);
	stop_components(old, listeners_cut_off);
	rc = start_components(next, e);
	if (rc) {
		failed = take_ptr(&next);
		end = go_back(&next, old, failed, r, &fatal);
	}
	if (!end)
		end = resume_with(next, r, &fatal);
	if (end) {
		err_set(e, end, "%s", fatal.text);
		err_prefix(e, "the old configuration cannot be started again (%s)", fatal.text);
		service_free(take_ptr(&next));
	}
	*s = next;
	service_free(failed);
	service_free(old);
	return rc ? rc : end;
}
