/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds and runs the pipelines of a configuration. It reads the sections, then creates components
 * from the exporters back to the receivers, because a component is given the next one on creation.
 */
#include "pipeline/service.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/server_settings.h"

enum { MAX_LISTED = 64 };

/* A component as configured in a section. */
struct entry {
	struct entry *next;
	const struct component *type;
	const struct config_node *node;
	struct str id; /* NUL-terminated */
	void *settings;
	bool used;
	struct consumer *consumer;		     /* exporters, once created */
	struct consumer *heads[SIGNALS][MAX_LISTED]; /* receivers: the pipelines they feed */
	uint32_t head_count[SIGNALS];
};

/* A created component. Order of creation: exporters, processors, receivers, extensions. */
struct instance {
	const struct component *type;
	void *state;
	bool started;
};

struct service {
	struct arena arena;
	struct host *host;
	const struct component *const *more;
	struct entry *entries[COMPONENT_KINDS]; /* in the order of their section */
	VEC(struct instance) instances;
	struct consumer *heads[SIGNALS]; /* of the first pipeline of each signal */
	bool listening;
};

static const char *const sections[COMPONENT_KINDS] = {"receivers", "processors", "exporters",
						      "extensions", "connectors"};

/* ---- the sections ---- */

static const struct component *find_component_type(const struct service *s,
						   enum component_kind kind, struct str name)
{
	const struct component *const *lists[] = {components, s->more};

	for (size_t i = 0; i < countof(lists); i++)
		for (const struct component *const *c = lists[i]; c && *c; c++)
			if ((*c)->kind == kind && component_is_called(*c, name))
				return *c;
	return NULL;
}

static int unknown_type(const struct service *s, enum component_kind kind,
			const struct config_node *n, struct str name, struct err *e)
{
	const struct component *const *lists[] = {components, s->more};
	const char *names[MAX_LISTED], *meant;
	size_t count = 0;

	for (size_t i = 0; i < countof(lists); i++)
		for (const struct component *const *c = lists[i]; c && *c && count < MAX_LISTED;
		     c++)
			if ((*c)->kind == kind)
				names[count++] = (*c)->name;
	meant = config_suggest(name, names, count, sizeof(*names));
	if (meant)
		return config_fail(n, e, "unknown %s \"%.*s\"; did you mean \"%s\"?",
				   component_kind_names[kind], STR_ARG(name), meant);
	return config_fail(n, e, "unknown %s \"%.*s\"", component_kind_names[kind], STR_ARG(name));
}

static int read_component_settings(struct service *s, struct entry *entry, struct err *e)
{
	const struct component *type = entry->type;
	struct str what;
	int rc = arena_printf(&s->arena, &what, "%s %.*s", component_kind_names[type->kind],
			      STR_ARG(entry->id));

	entry->settings = arena_zalloc(&s->arena, 1, type->settings_size + 1);
	if (rc || !entry->settings)
		return -ENOMEM;
	if (type->settings)
		rc = settings_read(type->settings, entry->node, what.p, entry->settings, &s->arena,
				   e);
	if (!rc && type->check) {
		struct err why = {0};

		rc = type->check(entry->settings, &why);
		if (rc)
			config_fail(entry->node, e, "%s: %s", what.p, why.text);
	}
	return rc;
}

static int read_component(struct service *s, enum component_kind kind, const struct config_node *n,
			  struct err *e)
{
	struct str name = str_head(n->key, str_find(n->key, '/'));
	struct entry *entry = arena_zalloc(&s->arena, 1, sizeof(*entry));
	int rc = entry ? arena_copy_str(&s->arena, n->key, &entry->id) : -ENOMEM;

	if (rc)
		return rc;
	entry->type = find_component_type(s, kind, name);
	if (!entry->type)
		return unknown_type(s, kind, n, name, e);
	entry->node = n;
	for (const struct entry *other = s->entries[kind]; other; other = other->next)
		if (entry->type->single && other->type == entry->type)
			return config_fail(n, e,
					   "%s \"%.*s\": a configuration can have one %s only, and "
					   "has \"%.*s\"",
					   component_kind_names[kind], STR_ARG(entry->id),
					   entry->type->name, STR_ARG(other->id));

	struct entry **last = &s->entries[kind];

	while (*last)
		last = &(*last)->next;
	*last = entry;
	return read_component_settings(s, entry, e);
}

static int expect_map(const struct config_node *n, const char *name, struct err *e)
{
	if (n && n->kind != CONFIG_MAP && n->kind != CONFIG_NULL)
		return config_fail(n, e, "\"%s\" has to be a map", name);
	return 0;
}

static int check_keys(const struct config_node *map, const char *const *known, size_t count,
		      const char *where, struct err *e)
{
	for (const struct config_node *n = map ? map->first : NULL; n; n = n->next) {
		const char *meant;
		bool found = false;

		for (size_t i = 0; i < count && !found; i++)
			found = str_eq(str_from(known[i]), n->key);
		if (found)
			continue;
		meant = config_suggest(n->key, known, count, sizeof(*known));
		if (meant)
			return config_fail(n, e, "%sunknown key \"%.*s\"; did you mean \"%s\"?",
					   where, STR_ARG(n->key), meant);
		return config_fail(n, e, "%sunknown key \"%.*s\"", where, STR_ARG(n->key));
	}
	return 0;
}

static int read_sections(struct service *s, const struct config_node *root, struct err *e)
{
	static const char *const keys[] = {"receivers", "processors", "exporters", "extensions",
					   "service"};
	int rc = check_keys(root, keys, countof(keys), "", e);

	for (unsigned kind = 0; kind < COMPONENT_KINDS && !rc; kind++) {
		const struct config_node *map = config_get(root, str_from(sections[kind]));

		rc = expect_map(map, sections[kind], e);
		for (const struct config_node *n = map ? map->first : NULL; n && !rc; n = n->next)
			rc = read_component(s, kind, n, e);
	}
	return rc;
}

/* ---- the pipelines ---- */

/* The components of one configured pipeline. */
struct plan {
	const char *name; /* "profiles/2" */
	unsigned signal;  /* signal_index() */
	struct entry *listed[3][MAX_LISTED];
	uint32_t count[3];
};

static struct entry *find_component(const struct service *s, enum component_kind kind,
				    struct str id)
{
	for (struct entry *entry = s->entries[kind]; entry; entry = entry->next)
		if (str_eq(entry->id, id))
			return entry;
	return NULL;
}

static int not_configured(const struct service *s, enum component_kind kind,
			  const struct config_node *n, struct err *e)
{
	const char *names[MAX_LISTED], *meant;
	size_t count = 0;

	for (const struct entry *entry = s->entries[kind]; entry && count < MAX_LISTED;
	     entry = entry->next)
		names[count++] = entry->id.p;
	meant = config_suggest(n->text, names, count, sizeof(*names));
	if (meant)
		return config_fail(n, e, "%s \"%.*s\" is not configured; did you mean \"%s\"?",
				   component_kind_names[kind], STR_ARG(n->text), meant);
	return config_fail(n, e, "%s \"%.*s\" is not configured", component_kind_names[kind],
			   STR_ARG(n->text));
}

/* Read a list of ids; each has to be configured. */
static int read_component_ids(struct service *s, enum component_kind kind,
			      const struct config_node *list, struct entry **out, uint32_t *count,
			      struct err *e)
{
	*count = 0;
	if (!list || list->kind == CONFIG_NULL)
		return 0;
	if (list->kind != CONFIG_LIST)
		return config_fail(list, e, "\"%.*s\" has to be a list", STR_ARG(list->key));
	for (const struct config_node *n = list->first; n; n = n->next) {
		struct entry *entry =
			n->kind == CONFIG_SCALAR ? find_component(s, kind, n->text) : NULL;

		if (!entry)
			return not_configured(s, kind, n, e);
		for (uint32_t i = 0; i < *count; i++)
			if (out[i] == entry)
				return config_fail(n, e, "%s \"%.*s\" is listed twice",
						   component_kind_names[kind], STR_ARG(entry->id));
		if (*count == MAX_LISTED)
			return config_fail(n, e, "more than %d in a list", MAX_LISTED);
		entry->used = true;
		out[(*count)++] = entry;
	}
	return 0;
}

static int read_plan(struct service *s, struct plan *p, const struct config_node *n, struct err *e)
{
	struct str name = str_head(n->key, str_find(n->key, '/'));
	int rc = expect_map(n, "pipeline", e);

	for (p->signal = 0; p->signal < SIGNALS; p->signal++)
		if (str_eq(name, str_from(signal_names[p->signal])))
			break;
	if (p->signal == SIGNALS)
		return config_fail(
			n, e, "unknown signal \"%.*s\"; expected profiles, traces, metrics or logs",
			STR_ARG(name));
	if (!rc)
		rc = check_keys(n, sections, 3, "pipeline: ", e);
	for (unsigned kind = 0; kind < 3 && !rc; kind++) {
		rc = read_component_ids(s, kind, config_get(n, str_from(sections[kind])),
					p->listed[kind], &p->count[kind], e);
		for (uint32_t i = 0; i < p->count[kind] && !rc; i++)
			if (!(p->listed[kind][i]->type->signals & 1u << p->signal))
				rc = config_fail(n, e, "%s \"%.*s\" does not take %s",
						 component_kind_names[kind],
						 STR_ARG(p->listed[kind][i]->id),
						 signal_names[p->signal]);
	}
	if (!rc && !p->count[COMPONENT_RECEIVER])
		rc = config_fail(n, e, "pipeline \"%.*s\" has no receivers", STR_ARG(n->key));
	if (!rc && !p->count[COMPONENT_EXPORTER])
		rc = config_fail(n, e, "pipeline \"%.*s\" has no exporters", STR_ARG(n->key));
	return rc;
}

/* ---- creating components ---- */

static int create_instance(struct service *s, struct entry *entry, const struct component_env *env,
			   void **state, struct err *e)
{
	int rc = vec_reserve(&s->arena, &s->instances, 1);

	if (!rc)
		rc = entry->type->create(state, env, entry->settings, e);
	if (rc) {
		err_errno(e, rc, "create");
		err_prefix(e, "%s %s", component_kind_names[entry->type->kind], entry->id.p);
		return rc;
	}
	s->instances.at[s->instances.n++] = (struct instance){entry->type, *state, false};
	return 0;
}

static struct component_env env_of(const struct service *s, const struct entry *entry)
{
	return (struct component_env){.id = entry->id.p, .host = s->host, .log = s->host->log};
}

static struct consumer *make_consumer(struct service *s, const struct component *type, void *state,
				      struct consumer *next)
{
	struct consumer *c = arena_zalloc(&s->arena, 1, sizeof(*c));

	if (c)
		*c = (struct consumer){state, type->consume, type->admit, next};
	return c;
}

static int create_exporters(struct service *s, struct err *e)
{
	for (struct entry *entry = s->entries[COMPONENT_EXPORTER]; entry; entry = entry->next) {
		struct component_env env = env_of(s, entry);
		void *state;
		int rc = create_instance(s, entry, &env, &state, e);

		if (rc)
			return rc;
		entry->consumer = make_consumer(s, entry->type, state, NULL);
		if (!entry->consumer)
			return -ENOMEM;
	}
	return 0;
}

/* Return one consumer for several. */
static struct consumer *join(struct service *s, struct consumer **to, uint32_t count)
{
	struct consumer **copy;
	struct fanout *f;

	if (count == 1)
		return to[0];
	copy = arena_alloc(&s->arena, count, sizeof(struct consumer *));
	f = arena_alloc(&s->arena, 1, sizeof(*f));
	if (!copy || !f)
		return NULL;
	memcpy(copy, to, count * sizeof(struct consumer *));
	fanout_init(f, copy, count);
	return &f->consumer;
}

/* Create a pipeline's processors, last first, and record its first consumer for its receivers. */
static int create_pipeline(struct service *s, const struct plan *p, struct err *e)
{
	struct consumer *to[MAX_LISTED], *head;

	for (uint32_t i = 0; i < p->count[COMPONENT_EXPORTER]; i++)
		to[i] = p->listed[COMPONENT_EXPORTER][i]->consumer;
	head = join(s, to, p->count[COMPONENT_EXPORTER]);
	for (uint32_t i = p->count[COMPONENT_PROCESSOR]; i-- > 0 && head;) {
		struct entry *entry = p->listed[COMPONENT_PROCESSOR][i];
		struct component_env env = env_of(s, entry);
		void *state;
		int rc;

		env.next[p->signal] = head;
		rc = create_instance(s, entry, &env, &state, e);
		if (rc)
			return rc;
		head = make_consumer(s, entry->type, state, head);
	}
	if (!head)
		return -ENOMEM;
	if (!s->heads[p->signal])
		s->heads[p->signal] = head;
	for (uint32_t i = 0; i < p->count[COMPONENT_RECEIVER]; i++) {
		struct entry *entry = p->listed[COMPONENT_RECEIVER][i];

		if (entry->head_count[p->signal] < MAX_LISTED)
			entry->heads[p->signal][entry->head_count[p->signal]++] = head;
	}
	return 0;
}

static int create_receivers(struct service *s, struct err *e)
{
	for (struct entry *entry = s->entries[COMPONENT_RECEIVER]; entry; entry = entry->next) {
		struct component_env env = env_of(s, entry);
		void *state;
		int rc;

		for (unsigned k = 0; k < SIGNALS; k++) {
			if (!entry->head_count[k])
				continue;
			env.next[k] = join(s, entry->heads[k], entry->head_count[k]);
			if (!env.next[k])
				return -ENOMEM;
		}
		rc = create_instance(s, entry, &env, &state, e);
		if (rc)
			return rc;
	}
	return 0;
}

static int check_unused(const struct service *s, struct err *e)
{
	for (unsigned kind = 0; kind < COMPONENT_KINDS; kind++)
		for (const struct entry *entry = s->entries[kind]; entry; entry = entry->next)
			if (!entry->used)
				return config_fail(entry->node, e,
						   "%s \"%.*s\" is configured, but %s",
						   component_kind_names[kind], STR_ARG(entry->id),
						   kind == COMPONENT_EXTENSION
							   ? "not listed in service.extensions"
							   : "no pipeline uses it");
	return 0;
}

/* The pipelines and extensions of a configuration. */
struct plans {
	struct plan *at;
	uint32_t n;
	struct entry *extensions[MAX_LISTED];
	uint32_t extension_count;
};

static int read_plans(struct service *s, struct plans *p, const struct config_node *service,
		      struct err *e)
{
	static const char *const keys[] = {"extensions", "pipelines", "telemetry",
					   "access",	 "api",	      "limits"};
	struct server_settings settings;
	const struct config_node *pipelines = config_get(service, STR("pipelines"));
	uint32_t i = 0;
	int rc = check_keys(service, keys, countof(keys), "service: ", e);

	if (!rc)
		rc = server_settings_read(&settings, service, &s->arena, e);
	if (!rc)
		rc = expect_map(pipelines, "pipelines", e);
	if (!rc && (!pipelines || !pipelines->first))
		rc = config_fail(service, e, "service: no pipelines are configured");
	if (rc)
		return rc;
	for (const struct config_node *n = pipelines->first; n; n = n->next)
		p->n++;
	p->at = arena_zalloc(&s->arena, p->n, sizeof(*p->at));
	if (!p->at)
		return -ENOMEM;
	for (const struct config_node *n = pipelines->first; n && !rc; n = n->next)
		rc = read_plan(s, &p->at[i++], n, e);
	if (!rc)
		rc = read_component_ids(s, COMPONENT_EXTENSION,
					config_get(service, STR("extensions")), p->extensions,
					&p->extension_count, e);
	return rc;
}

static int create_all(struct service *s, const struct plans *p, struct err *e)
{
	int rc = create_exporters(s, e);

	for (uint32_t i = 0; i < p->n && !rc; i++)
		rc = create_pipeline(s, &p->at[i], e);
	if (!rc)
		rc = create_receivers(s, e);
	for (uint32_t i = 0; i < p->extension_count && !rc; i++) {
		struct component_env env = env_of(s, p->extensions[i]);
		void *state;

		rc = create_instance(s, p->extensions[i], &env, &state, e);
	}
	return rc;
}

/* Read all of the configuration before creating anything, so that an error has no side effects. */
static int service_read(struct service **out, const struct config *config, struct host *host,
			const struct component *const *more, struct err *e)
{
	struct service *s = calloc(1, sizeof(*s));
	struct plans plans = {0};
	int rc;

	if (!s)
		return -ENOMEM;
	arena_init(&s->arena, NULL);
	s->host = host;
	s->more = more;
	rc = read_sections(s, config->root, e);
	if (!rc)
		rc = read_plans(s, &plans, config_get(config->root, STR("service")), e);
	if (!rc)
		rc = check_unused(s, e);
	if (!rc && host)
		rc = create_all(s, &plans, e);
	if (!rc && out)
		*out = take_ptr(&s);
	if (rc)
		err_errno(e, rc, "configure");
	service_free(s);
	return rc;
}

int service_new(struct service **out, const struct config *config, struct host *host,
		const struct component *const *more, struct err *e)
{
	return service_read(out, config, host, more, e);
}

int service_check(const struct config *config, const struct component *const *more, struct err *e)
{
	return service_read(NULL, config, NULL, more, e);
}

struct consumer *service_head(const struct service *s, enum signal_kind signal)
{
	return s->heads[signal_index(signal)];
}

/* ---- start and stop ---- */

int service_start(struct service *s, const struct net_options *options, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->instances.n && !rc; i++) {
		struct instance *in = &s->instances.at[i];

		rc = in->type->start ? in->type->start(in->state, e) : 0;
		if (rc)
			err_prefix(e, "%s %s", component_kind_names[in->type->kind],
				   in->type->name);
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
	for (uint32_t i = s->instances.n; i-- > 0;) {
		struct instance *in = &s->instances.at[i];

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
	for (uint32_t i = s->instances.n; i-- > 0;)
		s->instances.at[i].type->destroy(s->instances.at[i].state);
	arena_fini(&s->arena);
	free(s);
}
