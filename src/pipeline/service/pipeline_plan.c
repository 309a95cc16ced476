/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads service.pipelines and service.extensions. Pipelines that are joined by connectors are put
 * in an order in which each follows those that it feeds, because a component is given its next
 * consumer on creation.
 */
#include "pipeline/service/pipeline_plan.h"

#include <errno.h>

#include "pipeline/server_settings.h"

enum { VISIT_NEW, VISIT_OPEN, VISIT_DONE };

unsigned connector_emits(const struct component *type, enum signal_kind signal)
{
	unsigned emits = type->emits[signal_index(signal)];

	if (!(type->signals & signal))
		return 0;
	return emits ? emits : signal;
}

/* ---- lists of components ---- */

static const char *suggest_id(const struct component_entries *c, enum component_kind kind,
			      struct str id)
{
	const char *names[64];
	size_t count = 0;

	for (const struct component_entry *entry = c->first[kind]; entry && count < countof(names);
	     entry = entry->next)
		names[count++] = entry->id.p;
	return config_suggest(id, names, count, sizeof(*names));
}

static int not_configured(const struct component_entries *c, enum component_kind kind,
			  const struct config_node *n, struct err *e)
{
	const char *meant = suggest_id(c, kind, n->text);

	if (!meant && (kind == COMPONENT_RECEIVER || kind == COMPONENT_EXPORTER))
		meant = suggest_id(c, COMPONENT_CONNECTOR, n->text);
	if (meant)
		return config_fail(n, e, "%s \"%.*s\" is not configured; did you mean \"%s\"?",
				   component_kind_names[kind], STR_ARG(n->text), meant);
	return config_fail(n, e,
			   "%s \"%.*s\" is not configured: add it to \"%s\", or remove it here",
			   component_kind_names[kind], STR_ARG(n->text), component_sections[kind]);
}

/* Return the component that a list of `kind` names; connectors are receivers and exporters. */
static struct component_entry *find_listed(const struct component_entries *c,
					   enum component_kind kind, struct str id)
{
	struct component_entry *entry = component_entry_find(c, kind, id);

	if (!entry && (kind == COMPONENT_RECEIVER || kind == COMPONENT_EXPORTER))
		entry = component_entry_find(c, COMPONENT_CONNECTOR, id);
	return entry;
}

/* Read a list of ids; each has to be configured. */
static int read_ids(struct component_entries *c, enum component_kind kind,
		    const struct config_node *list, struct component_list *out, struct err *e)
{
	uint32_t count = 0;

	if (!list || list->kind == CONFIG_NULL)
		return 0;
	if (list->kind != CONFIG_LIST)
		return config_fail(list, e, "\"%.*s\" has to be a list", STR_ARG(list->key));
	for (const struct config_node *n = list->first; n; n = n->next)
		count++;
	out->at = arena_zalloc(c->arena, count + 1, sizeof(struct component_entry *));
	if (!out->at)
		return -ENOMEM;
	for (const struct config_node *n = list->first; n; n = n->next) {
		struct component_entry *entry =
			n->kind == CONFIG_SCALAR ? find_listed(c, kind, n->text) : NULL;

		if (!entry)
			return not_configured(c, kind, n, e);
		for (uint32_t i = 0; i < out->n; i++)
			if (out->at[i] == entry)
				return config_fail(n, e, "%s \"%s\" is listed twice",
						   component_kind_names[entry->type->kind],
						   entry->id.p);
		entry->used = true;
		out->at[out->n++] = entry;
	}
	return 0;
}

/* ---- pipelines ---- */

static bool takes_signal(const struct component *type, unsigned kind, enum signal_kind signal)
{
	unsigned signals = type->signals;

	if (type->kind == COMPONENT_CONNECTOR && kind == COMPONENT_RECEIVER) {
		signals = 0;
		for (unsigned i = 0; i < SIGNALS; i++)
			signals |= connector_emits(type, 1u << i);
	}
	return signals & signal;
}

/* Check that the components of a list take the signal, and note the pipeline in connectors. */
static int add_pipeline(struct component_entries *c, struct pipeline_plan *p, unsigned kind,
			struct err *e)
{
	const struct component_list *list = &p->listed[kind];
	int rc = 0;

	for (uint32_t i = 0; i < list->n && !rc; i++) {
		struct component_entry *entry = list->at[i];

		if (!takes_signal(entry->type, kind, p->signal))
			return config_fail(p->node, e, "%s \"%s\" does not %s %s",
					   component_kind_names[entry->type->kind], entry->id.p,
					   entry->type->kind == COMPONENT_CONNECTOR &&
							   kind == COMPONENT_RECEIVER
						   ? "make"
						   : "take",
					   signal_names[signal_index(p->signal)]);
		if (kind == COMPONENT_RECEIVER)
			rc = vec_push(c->arena, &entry->feeds, p);
		else if (kind == COMPONENT_EXPORTER)
			rc = vec_push(c->arena, &entry->drains, p);
	}
	return rc;
}

static int read_signal(struct pipeline_plan *p, const struct config_node *n, struct err *e)
{
	struct str name = str_trim(str_head(n->key, str_find(n->key, '/')));
	struct config_hint h;

	for (unsigned i = 0; i < SIGNALS; i++)
		if (str_eq(name, str_from(signal_names[i]))) {
			p->signal = 1u << i;
			return 0;
		}
	h = config_hint(name, signal_names, SIGNALS, sizeof(*signal_names));
	return config_fail(n, e, "unknown signal%s", h.text);
}

static int read_plan(struct component_entries *c, struct pipeline_plan *p,
		     const struct config_node *n, struct err *e)
{
	static const struct config_keys keys = {component_sections, 3, "pipeline: ", NULL, 0, NULL};
	struct str name;
	int rc = arena_copy_str(c->arena, n->key, &name);

	p->name = name.p;
	p->node = n;
	if (!rc)
		rc = config_expect_map(n, "pipeline", e);
	if (!rc)
		rc = read_signal(p, n, e);
	if (!rc)
		rc = config_expect_keys(n, &keys, e);
	for (unsigned kind = 0; kind < 3 && !rc; kind++) {
		rc = read_ids(c, kind, config_get(n, str_from(component_sections[kind])),
			      &p->listed[kind], e);
		if (!rc)
			rc = add_pipeline(c, p, kind, e);
	}
	if (!rc && !p->listed[COMPONENT_RECEIVER].n)
		rc = config_fail(n, e, "pipeline \"%s\" has no receivers: add receivers: [...]",
				 p->name);
	if (!rc && !p->listed[COMPONENT_EXPORTER].n)
		rc = config_fail(n, e, "pipeline \"%s\" has no exporters: add exporters: [...]",
				 p->name);
	return rc;
}

static int read_pipelines(struct component_entries *c, struct pipeline_plans *p,
			  const struct config_node *service, struct err *e)
{
	const struct config_node *pipelines = config_get(service, STR("pipelines"));
	uint32_t i = 0;
	int rc = config_expect_map(pipelines, "pipelines", e);

	if (!rc && (!pipelines || !pipelines->first))
		rc = config_fail(service, e,
				 "service: no pipelines are configured: add service.pipelines with "
				 "at least one "
				 "of traces, metrics, logs, profiles");
	if (rc || !pipelines)
		return rc;
	for (const struct config_node *n = pipelines->first; n; n = n->next)
		p->n++;
	p->at = arena_zalloc(c->arena, p->n, sizeof(*p->at));
	p->order = arena_zalloc(c->arena, p->n, sizeof(struct pipeline_plan *));
	if (!p->at || !p->order)
		return -ENOMEM;
	for (const struct config_node *n = pipelines->first; n && !rc; n = n->next)
		rc = read_plan(c, &p->at[i++], n, e);
	return rc;
}

/* ---- connectors ---- */

/* Fail unless each pipeline before the connector has one after it that takes what is made of it. */
static int check_sides(const struct component_entry *c, struct err *e)
{
	for (uint32_t i = 0; i < c->drains.n; i++) {
		unsigned emits = connector_emits(c->type, c->drains.at[i]->signal), fed = 0;

		for (uint32_t k = 0; k < c->feeds.n; k++)
			fed |= c->feeds.at[k]->signal & emits;
		if (!fed)
			return config_fail(c->node, e,
					   "connector \"%s\" used as exporter in [%s] pipeline but "
					   "not used in any supported receiver pipeline",
					   c->id.p, c->drains.at[i]->name);
	}
	for (uint32_t i = 0; i < c->feeds.n; i++) {
		unsigned made = 0;

		for (uint32_t k = 0; k < c->drains.n; k++)
			made |= connector_emits(c->type, c->drains.at[k]->signal);
		if (!(made & c->feeds.at[i]->signal))
			return config_fail(c->node, e,
					   "connector \"%s\" used as receiver in [%s] pipeline but "
					   "not used in any supported exporter pipeline",
					   c->id.p, c->feeds.at[i]->name);
	}
	return 0;
}

/* The pipelines from the first one to the one that is visited, for the text of a cycle. */
struct path {
	const struct path *before;
	const struct pipeline_plan *pipeline;
	const struct component_entry *connector; /* to the next one */
};

static void put_path(struct buf *out, const struct path *path, const struct pipeline_plan *from)
{
	if (!path)
		return;
	if (path->pipeline != from)
		put_path(out, path->before, from);
	buf_printf(out, "pipeline \"%s\" -> connector \"%s\" -> ", path->pipeline->name,
		   path->connector->id.p);
}

static int cycle_found(const struct path *path, const struct pipeline_plan *p, struct err *e)
{
	struct buf text = {0};
	int rc;

	put_path(&text, path, p);
	rc = config_fail(p->node, e, "cycle detected: %.*spipeline \"%s\"", STR_ARG(buf_str(&text)),
			 p->name);
	buf_fini(&text);
	return rc;
}

/* Append `p` to the order after all pipelines that its connectors feed. */
static int visit(struct pipeline_plans *plans, uint32_t *count, struct pipeline_plan *p,
		 const struct path *before, struct err *e)
{
	const struct component_list *exporters = &p->listed[COMPONENT_EXPORTER];
	int rc = 0;

	if (p->visit == VISIT_DONE)
		return 0;
	if (p->visit == VISIT_OPEN)
		return cycle_found(before, p, e);
	p->visit = VISIT_OPEN;
	for (uint32_t i = 0; i < exporters->n; i++) {
		const struct component_entry *c = exporters->at[i];
		struct path here = {before, p, c};

		for (uint32_t k = 0; k < c->feeds.n && !rc; k++)
			if (connector_emits(c->type, p->signal) & c->feeds.at[k]->signal)
				rc = visit(plans, count, c->feeds.at[k], &here, e);
	}
	p->visit = VISIT_DONE;
	plans->order[(*count)++] = p;
	return rc;
}

static int check_connectors(struct component_entries *c, struct pipeline_plans *p, struct err *e)
{
	uint32_t count = 0;
	int rc = 0;

	for (const struct component_entry *entry = c->first[COMPONENT_CONNECTOR]; entry && !rc;
	     entry = entry->next)
		rc = check_sides(entry, e);
	for (uint32_t i = 0; i < p->n && !rc; i++)
		rc = visit(p, &count, &p->at[i], NULL, e);
	return rc;
}

int pipeline_plans_read(struct pipeline_plans *p, struct component_entries *c,
			const struct config_node *service, struct err *e)
{
	static const char *const names[] = {"extensions", "pipelines", "telemetry", "access",
					    "api",	  "limits",    "rules",	    "drift"};
	static const struct config_keys keys = {names,		 countof(names),
						"service: ",	 component_sections,
						COMPONENT_KINDS, "beside \"service\", not in it"};
	struct server_settings settings;
	int rc = config_expect_keys(service, &keys, e);

	if (!rc)
		rc = server_settings_read(&settings, service, c->arena, e);
	if (!rc)
		rc = read_pipelines(c, p, service, e);
	if (!rc)
		rc = read_ids(c, COMPONENT_EXTENSION, config_get(service, STR("extensions")),
			      &p->extensions, e);
	return rc ? rc : check_connectors(c, p, e);
}
