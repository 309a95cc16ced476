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

struct service {
	struct arena arena;
	struct host *host;
	struct component_entries entries;
	struct pipeline_plans plans;
	struct pipeline_graph graph;
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
	s->entries = (struct component_entries){.arena = &s->arena, .more = more};
	s->graph = (struct pipeline_graph){.arena = &s->arena, .host = host};
	rc = read_config(s, config, e);
	if (!rc && host)
		rc = pipeline_graph_create(&s->graph, &s->entries, &s->plans, e);
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

int service_start(struct service *s, const struct net_options *options, struct err *e)
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
	if (rc)
		return rc;
	rc = listeners_start(&s->host->listeners, options, s->host->log, e);
	s->listening = !rc;
	return rc;
}

void service_stop(struct service *s, uint64_t timeout_ms)
{
	if (s->listening)
		listeners_drain(&s->host->listeners, timeout_ms);
	for (uint32_t i = s->graph.instances.n; i-- > 0;) {
		struct component_instance *in = &s->graph.instances.at[i];

		/* close all connections before the exporters that their answers depend on */
		if (in->type->kind == COMPONENT_EXPORTER && s->listening) {
			listeners_stop(&s->host->listeners);
			s->listening = false;
		}
		if (in->started && in->type->stop)
			in->type->stop(in->state);
		in->started = false;
	}
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
