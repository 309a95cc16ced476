/* SPDX-License-Identifier: Apache-2.0 */
/* Instances, and the consumers that the service puts between components. */
#include "pipeline/service/pipeline_stages.h"

#include <errno.h>

#include "pipeline/convert/decode_stage.h"
#include "pipeline/convert/encode_stage.h"
#include "pipeline/journal/journal.h"
#include "pipeline/service/retry_stage.h"

/* ---- instances ---- */

struct component_env pipeline_env(const struct pipeline_graph *g, const char *id)
{
	return (struct component_env){.id = id,
				      .host = g->host,
				      .log = g->host->log,
				      .reload = g->host->listeners.next != NULL,
				      .extensions = g->extensions,
				      .extension_count = g->extension_count,
				      .outline = g->outline};
}

int pipeline_instance(struct pipeline_graph *g, const struct component *type,
		      const struct component_env *env, const void *settings, void **state,
		      struct err *e)
{
	struct component_env *kept = arena_alloc(g->arena, 1, sizeof(*kept));
	int rc = kept ? vec_reserve(g->arena, &g->instances, 1) : -ENOMEM;

	if (!rc) {
		*kept = *env;
		rc = type->create(state, kept, settings, e);
	}
	if (rc) {
		err_errno(e, rc, "create");
		err_prefix(e, "%s %s", component_kind_names[type->kind], env->id);
		return rc;
	}
	g->instances.at[g->instances.n++] =
		(struct component_instance){type, env->id, *state, false};
	return 0;
}

struct consumer *pipeline_consumer(struct pipeline_graph *g, const struct component *type,
				   const struct component_env *env, const void *settings,
				   struct consumer *next, struct err *e)
{
	struct consumer *c = arena_alloc(g->arena, 1, sizeof(*c));
	void *state;

	if (!c || pipeline_instance(g, type, env, settings, &state, e))
		return NULL;
	*c = (struct consumer){state, type->consume, type->admit, next};
	return c;
}

struct consumer *pipeline_join(struct pipeline_graph *g, struct consumer *const *to, uint32_t count)
{
	struct consumer **copy;
	struct fanout *f;

	if (count == 1)
		return to[0];
	copy = arena_alloc(g->arena, count, sizeof(struct consumer *));
	f = arena_alloc(g->arena, 1, sizeof(*f));
	if (!copy || !f)
		return NULL;
	memcpy(copy, to, count * sizeof(struct consumer *));
	fanout_init(f, copy, count);
	return &f->consumer;
}

struct consumer *pipeline_counter(struct pipeline_graph *g, struct telemetry_value *outgoing,
				  struct telemetry_value *incoming, struct consumer *next)
{
	struct processor_counter *c;

	if (!next || (!outgoing && !incoming))
		return next;
	c = arena_alloc(g->arena, 1, sizeof(*c));
	if (!c)
		return NULL;
	processor_counter_init(c, outgoing, incoming, next);
	return &c->consumer;
}

/* ---- conversion ---- */

struct consumer *pipeline_convert(struct pipeline_graph *g, const struct pipeline_plan *p,
				  struct consumer *next, enum component_form taken, struct err *e)
{
	const struct component *type = taken == FORM_DECODED ? &decode_stage : &encode_stage;
	struct component_env env = pipeline_env(g, type->name);

	if (!(type->signals & p->signal)) {
		config_fail(p->node, e,
			    "pipeline \"%s\": components that take OTLP cannot be combined with %s",
			    p->name,
			    taken == FORM_DECODED ? "the store" : "receivers of decoded data");
		return NULL;
	}
	env.pipeline = p->name;
	env.durable = p->durable;
	env.next[signal_index(p->signal)] = next;
	env.form[signal_index(p->signal)] = taken;
	return pipeline_consumer(g, type, &env, NULL, next, e);
}

/* ---- durability ---- */

struct str exporter_storage(const struct component_entry *entry)
{
	if (entry->type->kind != COMPONENT_EXPORTER || !entry->type->storage)
		return (struct str){0};
	return entry->type->storage(entry->settings);
}

bool exporter_is_durable(const struct component_entry *entry)
{
	return entry->type->kind == COMPONENT_EXPORTER &&
	       (entry->type->directory || exporter_storage(entry).n);
}

/* Where a durable exporter keeps data, and by which keys it is encrypted. */
struct durable_place {
	const char *directory;
	struct key_ring *keys;
};

static struct durable_place place_of_component(const struct component *type, const void *instance)
{
	return (struct durable_place){type->directory(instance),
				      type->keys ? type->keys(instance) : NULL};
}

/* Find the place of a durable exporter. Return false with text in `e` if there is none. */
static bool find_durable_place(const struct pipeline_graph *g,
			       const struct component_entry *exporter, struct durable_place *out,
			       struct err *e)
{
	struct component_env env = pipeline_env(g, exporter->id.p);
	struct str id = exporter_storage(exporter);
	const struct extension *x;

	if (!id.n) {
		*out = place_of_component(exporter->type, exporter->instance);
		return true;
	}
	x = component_extension(&env, id, e);
	if (x && !x->type->directory)
		err_set(e, -EINVAL, "exporter %s: extension \"%.*s\" stores no data",
			exporter->id.p, STR_ARG(id));
	if (!x || !x->type->directory)
		return false;
	*out = place_of_component(x->type, x->instance);
	return true;
}

struct consumer *pipeline_journal(struct pipeline_graph *g, const struct pipeline_plan *p,
				  struct consumer *next, struct err *e)
{
	struct component_env env = pipeline_env(g, p->name);
	struct durable_place place;
	struct journal_settings settings = {
		.name = p->name,
		.max_in_flight = max_size(JOURNAL_IN_FLIGHT, g->host->memory.limit / 4),
	};

	if (!find_durable_place(g, p->durable_exporter, &place, e))
		return NULL;
	settings.directory = place.directory;
	settings.keys = place.keys;
	env.pipeline = p->name;
	env.durable = true;
	env.next[signal_index(p->signal)] = next;
	env.form[signal_index(p->signal)] = FORM_PAYLOAD;
	return pipeline_consumer(g, &journal_processor, &env, &settings, next, e);
}

struct consumer *pipeline_retry(struct pipeline_graph *g, const struct pipeline_plan *p,
				struct consumer *next, struct err *e)
{
	struct component_env env = pipeline_env(g, retry_stage.name);

	env.pipeline = p->name;
	env.next[signal_index(p->signal)] = next;
	env.form[signal_index(p->signal)] = p->form;
	return pipeline_consumer(g, &retry_stage, &env, NULL, next, e);
}
