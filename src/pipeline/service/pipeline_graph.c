/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates the components of a configuration: extensions, exporters, then each pipeline from its
 * last processor to its first one, after the pipelines that its connectors feed, and receivers.
 */
#include "pipeline/service/pipeline_graph.h"

#include <errno.h>

#include "pipeline/service/pipeline_stages.h"

/* ---- forms ---- */

static bool can_decode(enum signal_kind signal)
{
	return signal != SIGNAL_LOGS;
}

/* Return whether a connector passes a signal on as it is. */
static bool passes_through(const struct component *type, enum signal_kind signal)
{
	return type->kind == COMPONENT_CONNECTOR && !type->emits[signal_index(signal)];
}

/*
 * Return the form of the data of that signal that a receiver or connector delivers to the pipelines
 * it feeds, which are created.
 */
static enum component_form delivered_form(const struct component_entry *entry,
					  enum signal_kind signal)
{
	if (!can_decode(signal))
		return FORM_PAYLOAD;
	if (entry->type->form != FORM_ANY)
		return entry->type->form;
	for (uint32_t i = 0; i < entry->feeds.n; i++)
		if (entry->feeds.at[i]->signal == signal &&
		    entry->feeds.at[i]->form == FORM_PAYLOAD)
			return FORM_PAYLOAD;
	return FORM_DECODED;
}

/* Return the form that an exporter or connector of a pipeline takes. */
static enum component_form taken_form(const struct component_entry *entry, enum signal_kind signal)
{
	if (!can_decode(signal)) /* the store decodes logs, after all processors */
		return entry->type->kind == COMPONENT_EXPORTER && entry->type->form == FORM_DECODED
			       ? FORM_DECODED
			       : FORM_PAYLOAD;
	if (entry->type->form == FORM_ANY && passes_through(entry->type, signal))
		return delivered_form(entry, signal);
	return entry->type->form;
}

/* Return the processor before which the journal stands, or the number of processors: none. */
static uint32_t journal_place(const struct pipeline_plan *p)
{
	const struct component_list *processors = &p->listed[COMPONENT_PROCESSOR];
	uint32_t i = 0;

	if (!p->durable)
		return processors->n;
	while (i < processors->n && !processors->at[i]->type->holds)
		i++;
	return i;
}

/* Return whether payloads would have to be made for processors in any case. */
static bool wants_payloads(const struct pipeline_plan *p)
{
	const struct component_list *processors = &p->listed[COMPONENT_PROCESSOR];

	for (uint32_t i = 0; i < processors->n; i++)
		if (processors->at[i]->type->form == FORM_PAYLOAD)
			return true;
	return journal_place(p) < processors->n;
}

/* Return whether a receiver of the pipeline can deliver payloads. */
static bool receives_payloads(const struct pipeline_plan *p)
{
	const struct component_list *receivers = &p->listed[COMPONENT_RECEIVER];

	for (uint32_t i = 0; i < receivers->n; i++)
		if (receivers->at[i]->type->form != FORM_DECODED)
			return true;
	return false;
}

/* Choose the form in which data arrives at the exporters of a pipeline. */
static enum component_form choose_form(const struct pipeline_plan *p)
{
	const struct component_list *exporters = &p->listed[COMPONENT_EXPORTER];
	bool taken[3] = {false};

	if (!can_decode(p->signal))
		return FORM_PAYLOAD;
	for (uint32_t i = 0; i < exporters->n; i++)
		taken[taken_form(exporters->at[i], p->signal)] = true;
	if (taken[FORM_PAYLOAD] != taken[FORM_DECODED])
		return taken[FORM_PAYLOAD] ? FORM_PAYLOAD : FORM_DECODED;
	return receives_payloads(p) || wants_payloads(p) ? FORM_PAYLOAD : FORM_DECODED;
}

/* ---- exporters and connectors ---- */

static int create_exporter(struct pipeline_graph *g, struct component_entry *entry, struct err *e)
{
	struct component_env env = pipeline_env(g, entry->id.p);
	struct consumer *c = pipeline_consumer(g, entry->type, &env, entry->settings, NULL, e);
	unsigned signals = 0;

	if (!c)
		return pipeline_failure(e);
	entry->instance = c->state;
	for (uint32_t i = 0; i < entry->drains.n; i++)
		signals |= entry->drains.at[i]->signal;
	if (!entry->type->storage) { /* without a sender, which counts */
		struct exporter_counter *counter = arena_alloc(g->arena, 1, sizeof(*counter));

		if (!counter)
			return -ENOMEM;
		exporter_counter_init(counter, &g->host->telemetry, entry->id.p, signals, c);
		c = &counter->consumer;
	}
	for (unsigned i = 0; i < SIGNALS; i++)
		entry->consumers[i] = c;
	return 0;
}

struct consumer *pipeline_graph_head(struct pipeline_graph *g, struct pipeline_plan *p,
				     enum component_form form, struct err *e)
{
	if (p->form == form)
		return p->head;
	if (!p->converted)
		p->converted = pipeline_convert(g, p, p->head, p->form, e);
	return p->converted;
}

/* Return one consumer of the pipelines of a signal that a receiver or connector feeds, or NULL. */
static struct consumer *join_fed(struct pipeline_graph *g, const struct component_entry *entry,
				 enum signal_kind signal, enum component_form form, struct err *e)
{
	struct consumer **to = arena_alloc(g->arena, entry->feeds.n + 1, sizeof(struct consumer *));
	uint32_t n = 0;

	for (uint32_t i = 0; to && i < entry->feeds.n; i++) {
		struct pipeline_plan *p = entry->feeds.at[i];

		if (p->signal != signal)
			continue;
		to[n] = pipeline_graph_head(g, p, form, e);
		if (!to[n++])
			return NULL;
	}
	return n ? pipeline_join(g, to, n) : NULL;
}

/* Fill in the consumers after a receiver or connector for each of `signals`. */
static int fill_next(struct pipeline_graph *g, const struct component_entry *entry,
		     unsigned signals, struct component_env *env, struct err *e)
{
	unsigned fed = 0;

	for (uint32_t i = 0; i < entry->feeds.n; i++) {
		fed |= entry->feeds.at[i]->signal & signals;
		env->durable |=
			(entry->feeds.at[i]->signal & signals) && entry->feeds.at[i]->durable;
	}
	for (unsigned i = 0; i < SIGNALS; i++) {
		if (!(fed & 1u << i))
			continue;
		env->form[i] = delivered_form(entry, 1u << i);
		env->next[i] = join_fed(g, entry, 1u << i, env->form[i], e);
		if (!env->next[i])
			return pipeline_failure(e);
	}
	return 0;
}

/* Create the instance of a connector for one signal that it consumes, unless it exists. */
static int create_connector(struct pipeline_graph *g, struct component_entry *entry,
			    enum signal_kind signal, struct err *e)
{
	struct component_env env = pipeline_env(g, entry->id.p);
	struct consumer **c = &entry->consumers[signal_index(signal)], *next = NULL;
	int rc;

	if (*c)
		return 0;
	rc = fill_next(g, entry, connector_emits(entry->type, signal), &env, e);
	if (rc)
		return rc;
	if (passes_through(entry->type, signal))
		next = env.next[signal_index(signal)];
	*c = pipeline_consumer(g, entry->type, &env, entry->settings, next, e);
	return *c ? 0 : pipeline_failure(e);
}

/* ---- pipelines ---- */

/* Find the durable exporter of a pipeline; one with a storage extension is preferred. */
static void find_durable(struct pipeline_plan *p)
{
	const struct component_list *exporters = &p->listed[COMPONENT_EXPORTER];

	for (uint32_t i = 0; i < exporters->n; i++) {
		const struct component_entry *entry = exporters->at[i], *found = NULL;

		if (exporter_is_durable(entry))
			found = entry;
		for (uint32_t k = 0; k < entry->feeds.n && !found; k++)
			if (passes_through(entry->type, p->signal) &&
			    entry->feeds.at[k]->signal == p->signal)
				found = entry->feeds.at[k]->durable_exporter;
		if (found && (!p->durable_exporter || (exporter_storage(found).n &&
						       !exporter_storage(p->durable_exporter).n)))
			p->durable_exporter = found;
	}
	p->durable = p->durable_exporter != NULL;
}

/* Return whether data is acknowledged before exporters have it, and no journal keeps it. */
static bool acknowledges_early(const struct pipeline_plan *p)
{
	const struct component_list *processors = &p->listed[COMPONENT_PROCESSOR];

	for (uint32_t i = 0; i < processors->n; i++)
		if (processors->at[i]->type->holds)
			return !p->durable;
	return false;
}

/* Return one consumer, which takes p->form, of all exporters of a pipeline. */
static struct consumer *join_exporters(struct pipeline_graph *g, struct pipeline_plan *p,
				       struct err *e)
{
	const struct component_list *exporters = &p->listed[COMPONENT_EXPORTER];
	struct consumer **same = arena_alloc(g->arena, exporters->n + 1, sizeof(struct consumer *));
	struct consumer **other =
		arena_alloc(g->arena, exporters->n + 1, sizeof(struct consumer *));
	uint32_t same_count = 0, other_count = 0;

	if (!same || !other)
		return NULL;
	for (uint32_t i = 0; i < exporters->n; i++) {
		const struct component_entry *entry = exporters->at[i];
		enum component_form form = taken_form(entry, p->signal);
		struct consumer *c = entry->consumers[signal_index(p->signal)];

		if (acknowledges_early(p))
			c = pipeline_retry(g, p, c, e);
		if (!c)
			return NULL;
		if (form == FORM_ANY || form == p->form)
			same[same_count++] = c;
		else
			other[other_count++] = c;
	}
	if (other_count) {
		struct consumer *c = pipeline_join(g, other, other_count);

		same[same_count] =
			c ? pipeline_convert(g, p, c,
					     p->form == FORM_PAYLOAD ? FORM_DECODED : FORM_PAYLOAD,
					     e)
			  : NULL;
		if (!same[same_count++])
			return NULL;
	}
	return pipeline_join(g, same, same_count);
}

/* Put a processor before p->head. */
static int add_processor(struct pipeline_graph *g, struct pipeline_plan *p,
			 const struct component_entry *entry, struct telemetry_value **incoming,
			 struct err *e)
{
	struct telemetry *t = &g->host->telemetry;
	struct component_env env = pipeline_env(g, entry->id.p);
	enum component_form form = entry->type->form;
	unsigned signal = signal_index(p->signal);

	if (can_decode(p->signal) && form != FORM_ANY && form != p->form) {
		p->head = pipeline_convert(g, p, p->head, p->form, e);
		p->form = form;
	}
	p->head =
		pipeline_counter(g, processor_counter_value(t, "outgoing", entry->id.p, p->signal),
				 *incoming, p->head);
	if (!p->head)
		return pipeline_failure(e);
	env.pipeline = p->name;
	env.durable = p->durable;
	env.next[signal] = p->head;
	env.form[signal] = p->form;
	p->head = pipeline_consumer(g, entry->type, &env, entry->settings, p->head, e);
	*incoming = processor_counter_value(t, "incoming", entry->id.p, p->signal);
	return p->head ? 0 : pipeline_failure(e);
}

/* Put a journal before p->head. */
static int add_journal(struct pipeline_graph *g, struct pipeline_plan *p,
		       struct telemetry_value **incoming, struct err *e)
{
	p->head = pipeline_counter(g, NULL, *incoming, p->head);
	*incoming = NULL;
	if (p->head && p->form == FORM_DECODED) {
		p->head = pipeline_convert(g, p, p->head, p->form, e);
		p->form = FORM_PAYLOAD;
	}
	if (p->head)
		p->head = pipeline_journal(g, p, p->head, e);
	return p->head ? 0 : pipeline_failure(e);
}

static int create_pipeline(struct pipeline_graph *g, struct pipeline_plan *p, struct err *e)
{
	const struct component_list *exporters = &p->listed[COMPONENT_EXPORTER];
	const struct component_list *processors = &p->listed[COMPONENT_PROCESSOR];
	struct telemetry_value *incoming = NULL; /* of the processor at p->head */
	uint32_t journal;
	int rc = 0;

	for (uint32_t i = 0; i < exporters->n && !rc; i++)
		if (exporters->at[i]->type->kind == COMPONENT_CONNECTOR)
			rc = create_connector(g, exporters->at[i], p->signal, e);
	if (rc)
		return rc;
	find_durable(p);
	journal = journal_place(p);
	p->form = choose_form(p);
	p->head = join_exporters(g, p, e);
	if (!p->head)
		return pipeline_failure(e);
	for (uint32_t i = processors->n; i-- > 0 && !rc;) {
		rc = add_processor(g, p, processors->at[i], &incoming, e);
		if (!rc && i == journal)
			rc = add_journal(g, p, &incoming, e);
	}
	if (!rc)
		p->head = pipeline_counter(g, NULL, incoming, p->head);
	return rc || p->head ? rc : -ENOMEM;
}

/* ---- receivers and extensions ---- */

static int create_receiver(struct pipeline_graph *g, const struct component_entry *entry,
			   struct err *e)
{
	struct component_env env = pipeline_env(g, entry->id.p);
	void *state;
	int rc = fill_next(g, entry, ~0u, &env, e);

	for (unsigned i = 0; i < SIGNALS && !rc; i++) {
		struct receiver_counter *c;

		if (!env.next[i])
			continue;
		c = arena_alloc(g->arena, 1, sizeof(*c));
		rc = c ? vec_push(g->arena, &g->receivers, c) : -ENOMEM;
		if (rc)
			break;
		receiver_counter_init(c, g->host, entry->id.p, 1u << i, env.next[i]);
		env.next[i] = &c->consumer;
	}
	return rc ? rc : pipeline_instance(g, entry->type, &env, entry->settings, &state, e);
}

static int create_extension(struct pipeline_graph *g, const struct component_entry *entry,
			    struct err *e)
{
	struct component_env env = pipeline_env(g, entry->id.p);
	void *state;
	int rc = pipeline_instance(g, entry->type, &env, entry->settings, &state, e);

	if (!rc)
		g->extensions[g->extension_count++] =
			(struct extension){entry->id.p, entry->type, state};
	return rc;
}

/* Create those first that others use, whatever their order in the configuration. */
static int create_extensions(struct pipeline_graph *g, const struct component_list *list,
			     struct err *e)
{
	int rc = 0;

	g->extensions = arena_zalloc(g->arena, list->n + 1, sizeof(*g->extensions));
	if (!g->extensions)
		return -ENOMEM;
	for (unsigned users = 0; users < 2; users++)
		for (uint32_t i = 0; i < list->n && !rc; i++) {
			const struct component *type = list->at[i]->type;

			if (users == !(type->auth || type->directory))
				rc = create_extension(g, list->at[i], e);
		}
	return rc;
}

int pipeline_graph_create(struct pipeline_graph *g, const struct component_entries *c,
			  const struct pipeline_plans *plans, struct err *e)
{
	int rc = create_extensions(g, &plans->extensions, e);

	for (struct component_entry *entry = c->first[COMPONENT_EXPORTER]; entry && !rc;
	     entry = entry->next)
		if (entry->used)
			rc = create_exporter(g, entry, e);
	for (uint32_t i = 0; i < plans->n && !rc; i++)
		rc = create_pipeline(g, plans->order[i], e);
	for (struct component_entry *entry = c->first[COMPONENT_RECEIVER]; entry && !rc;
	     entry = entry->next)
		if (entry->used)
			rc = create_receiver(g, entry, e);
	return rc;
}

void pipeline_graph_fini(struct pipeline_graph *g)
{
	for (uint32_t i = g->instances.n; i-- > 0;)
		g->instances.at[i].type->destroy(g->instances.at[i].state);
	for (uint32_t i = 0; i < g->receivers.n; i++)
		receiver_counter_fini(g->receivers.at[i]);
	g->instances.n = g->receivers.n = 0;
}
