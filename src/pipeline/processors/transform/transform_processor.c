/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transform processor. Statements are programs by signal, one for each group. A group runs over
 * the whole batch before the next one begins; within it, items are visited one by one.
 */
#include "pipeline/processors/transform/transform_processor.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/processors/ottl_process.h"

struct transform_settings {
	enum ottl_error_mode error_mode;
	/* Lists by signal: texts, or groups. */
	const struct config_node *statements[SIGNALS];
};

struct transform_programs {
	struct ottl_program **at;
	uint32_t n;
};

struct transform {
	struct ottl *ottl;
	struct budget *budget;
	struct consumer *next[SIGNALS];
	struct transform_programs programs[SIGNALS];
};

/* ---- compilation ---- */

static int add_transform_program(struct transform *t, enum signal_kind signal,
				 struct ottl_program *p)
{
	struct transform_programs *list = &t->programs[signal_index(signal)];
	struct ottl_program **at = realloc(list->at, (list->n + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	list->at = at;
	list->at[list->n++] = p;
	return 0;
}

/* Compile a group. With an inferred context, its conditions have paths with prefixes, too. */
static int add_statements(struct transform *t, enum signal_kind signal,
			  const struct ottl_group *group, struct err *e)
{
	struct ottl_options options = {.signal = signal,
				       .context = group->context,
				       .error_mode = group->error_mode,
				       .statements = true};
	struct ottl_program *p;
	int rc = ottl_compile(t->ottl, &options, group->statements, &p, e);

	if (!rc && group->conditions)
		rc = ottl_compile_guard(t->ottl, p, &options, group->conditions, e);
	return rc ? rc : add_transform_program(t, signal, p);
}

static int add_group_of_statements(struct transform *t, enum signal_kind signal,
				   enum ottl_error_mode error_mode, const struct config_node *n,
				   struct err *e)
{
	struct ottl_group group = {.context = OTTL_INFER, .error_mode = error_mode};
	int rc = ottl_group_read(n, &group, e);

	if (!rc && !group.statements)
		return config_fail(n, e, "the group has no statements");
	return rc || !group.statements->first ? rc : add_statements(t, signal, &group, e);
}

/* Compile the statements of a signal. Texts without groups are one group. */
static int add_signal_statements(struct transform *t, const struct transform_settings *s,
				 enum signal_kind signal, struct err *e)
{
	const struct config_node *list = s->statements[signal_index(signal)];
	struct ottl_group flat = {
		.context = OTTL_INFER, .error_mode = s->error_mode, .statements = list};
	bool groups = false;
	int rc = list ? ottl_list_has_groups(list, &groups, e) : 0;

	if (rc || !list || !list->first)
		return rc;
	if (!groups)
		return add_statements(t, signal, &flat, e);
	for (const struct config_node *n = list->first; n && !rc; n = n->next)
		rc = add_group_of_statements(t, signal, s->error_mode, n, e);
	return rc;
}

static void transform_destroy(void *instance)
{
	struct transform *t = instance;

	for (unsigned i = 0; i < SIGNALS; i++)
		free(t->programs[i].at);
	ottl_free(t->ottl);
	free(t);
}

static int compile_transform(const struct transform_settings *s, const struct log *log,
			     struct budget *budget, struct transform **out, struct err *e)
{
	struct transform *t = calloc(1, sizeof(*t));
	int rc = t ? ottl_new(&t->ottl, log, budget) : -ENOMEM;

	for (unsigned i = 0; i < SIGNALS && !rc; i++)
		rc = add_signal_statements(t, s, (enum signal_kind)(1 << i), e);
	if (!rc) {
		*out = t;
		return 0;
	}
	if (t)
		transform_destroy(t);
	return rc == -ENOMEM ? err_errno(e, rc, "transform") : rc;
}

/* ---- running ---- */

static int run_on_parts(struct ottl_eval *ev, const struct ottl_program *p, struct err *e)
{
	uint32_t count = ottl_part_count(ev);
	int rc = 0;

	for (uint32_t i = 0; i < count && !rc; i++) {
		ottl_at_part(ev, i);
		rc = ottl_run(ev, p, e);
	}
	return rc;
}

/* Statements may append items to the scope, which are visited, too. */
static int run_on_items(struct ottl_eval *ev, struct otlp_scope *s, const struct ottl_program *p,
			struct err *e)
{
	enum ottl_context c = ottl_program_context(p);
	bool parts = c == OTTL_SPAN_EVENT || c == OTTL_DATA_POINT;
	int rc = 0;

	for (uint32_t i = 0; i < s->item_count && !rc; i++) {
		ottl_at_item(ev, i);
		rc = parts ? run_on_parts(ev, p, e) : ottl_run(ev, p, e);
	}
	return rc;
}

static int run_on_scopes(struct ottl_eval *ev, struct otlp_resource *r,
			 const struct ottl_program *p, struct err *e)
{
	bool scope = ottl_program_context(p) == OTTL_SCOPE;
	int rc = 0;

	for (uint32_t i = 0; i < r->scope_count && !rc; i++) {
		ottl_at_scope(ev, &r->scopes[i]);
		rc = scope ? ottl_run(ev, p, e) : run_on_items(ev, &r->scopes[i], p, e);
	}
	return rc;
}

static int run_group(struct ottl_eval *ev, struct otlp_tree *tree, const struct ottl_program *p,
		     struct err *e)
{
	bool resource = ottl_program_context(p) == OTTL_RESOURCE;
	int rc = 0;

	for (uint32_t i = 0; i < tree->resource_count && !rc; i++) {
		ottl_at_resource(ev, &tree->resources[i]);
		rc = resource ? ottl_run(ev, p, e) : run_on_scopes(ev, &tree->resources[i], p, e);
	}
	return rc;
}

static int transform_walk(void *arg, struct ottl_eval *ev, struct otlp_tree *tree, struct err *e)
{
	const struct transform *t = arg;
	const struct transform_programs *programs = &t->programs[signal_index(tree->signal)];
	int rc = 0;

	for (uint32_t i = 0; i < programs->n && !rc; i++)
		rc = run_group(ev, tree, programs->at[i], e);
	return rc;
}

static bool transform_consume(void *instance, struct delivery *d)
{
	struct transform *t = instance;

	return ottl_process(t->ottl, t->next[signal_index(d->signal)], d, t->budget, transform_walk,
			    t);
}

/* ---- the component ---- */

static int transform_check(const void *settings, struct err *e)
{
	struct transform *t;
	int rc = compile_transform(settings, NULL, NULL, &t, e);

	if (!rc)
		transform_destroy(t);
	return rc;
}

static int transform_create(void **instance, const struct component_env *env, const void *settings,
			    struct err *e)
{
	struct transform *t;
	int rc = compile_transform(settings, env->log, &env->host->memory, &t, e);

	if (rc)
		return rc;
	t->budget = &env->host->memory;
	for (unsigned i = 0; i < SIGNALS; i++)
		t->next[i] = env->next[i];
	*instance = t;
	return 0;
}

#define STATEMENTS(index, name, what)                                                              \
	SET_CUSTOM(struct transform_settings, statements[index], name, ottl_keep_node,             \
		   "list of statements or groups", "What changes " what ".")

static const struct setting settings[] = {
	SET_CUSTOM(struct transform_settings, error_mode, "error_mode", ottl_read_error_mode,
		   "ignore, silent or propagate",
		   "A statement that fails: log it and go on; the same without a log record; or "
		   "refuse the batch."),
	STATEMENTS(1, "trace_statements", "resources, scopes, spans and their events"),
	STATEMENTS(2, "metric_statements", "resources, scopes, metrics and data points"),
	STATEMENTS(3, "log_statements", "resources, scopes and log records"),
	STATEMENTS(0, "profile_statements", "resources, scopes and profiles"),
	SET_IGNORED("flatten_data", "log records are changed one by one"),
	SET_END,
};

const struct component transform_processor = {
	.name = "transform",
	.kind = COMPONENT_PROCESSOR,
	.mutates = true,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Changes data by statements.",
	.settings = settings,
	.settings_size = sizeof(struct transform_settings),
	.check = transform_check,
	.create = transform_create,
	.consume = transform_consume,
	.destroy = transform_destroy,
};
