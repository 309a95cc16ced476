/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter processor. Conditions are programs by signal and context. A batch is walked once, from
 * resources down; what is below of something that was dropped is not looked at. Nothing is decoded
 * but the fields that conditions use, and a batch of which nothing is dropped is passed on as it
 * is.
 */
#include "pipeline/processors/filter/filter_processor.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/processors/filter/match_blocks.h"
#include "pipeline/processors/ottl_process.h"

struct filter_settings {
	enum ottl_error_mode error_mode;
	/* Lists by signal: texts, or groups. */
	const struct config_node *conditions[SIGNALS];
	/* Lists by context: texts, of the older form. */
	struct filter_traces {
		const struct config_node *resource, *span, *spanevent;
	} traces;
	struct filter_metrics {
		const struct config_node *resource, *metric, *datapoint, *include, *exclude;
	} metrics;
	struct filter_logs {
		const struct config_node *resource, *log_record, *include, *exclude;
	} logs;
	struct filter_profiles {
		const struct config_node *resource, *profile;
	} profiles;
	struct filter_spans {
		const struct config_node *include, *exclude;
	} spans;
};

struct filter_programs {
	struct ottl_program **at;
	uint32_t n;
};

struct filter {
	struct ottl *ottl;
	struct budget *budget;
	struct consumer *next[SIGNALS];
	struct telemetry_value *dropped[SIGNALS];
	struct filter_programs programs[SIGNALS][OTTL_CONTEXTS];
};

/* ---- compilation ---- */

static int add_filter_program(struct filter *f, enum signal_kind signal, struct ottl_program *p)
{
	struct filter_programs *list = &f->programs[signal_index(signal)][ottl_program_context(p)];
	struct ottl_program **at = realloc(list->at, (list->n + 1) * sizeof(*at));

	if (!at)
		return -ENOMEM;
	list->at = at;
	list->at[list->n++] = p;
	return 0;
}

/* Compile one list, or one text, into a program. */
static int add_conditions(struct filter *f, enum signal_kind signal, enum ottl_context context,
			  enum ottl_error_mode error_mode, const struct config_node *list,
			  struct err *e)
{
	struct ottl_options options = {.signal = signal,
				       .context = context,
				       .error_mode = error_mode,
				       .filter_functions = true};
	struct ottl_program *p;
	int rc = list && list->first ? 0 : list && list->kind == CONFIG_SCALAR ? 0 : 1;

	if (rc)
		return 0;
	rc = ottl_compile(f->ottl, &options, list, &p, e);
	return rc ? rc : add_filter_program(f, signal, p);
}

static int add_group(struct filter *f, enum signal_kind signal, enum ottl_error_mode error_mode,
		     const struct config_node *n, struct err *e)
{
	struct ottl_group group = {.context = OTTL_INFER, .error_mode = error_mode};
	int rc = ottl_group_read(n, &group, e);

	if (!rc && group.statements)
		return config_fail(group.statements, e,
				   "unknown key \"statements\": a filter has conditions");
	if (!rc && !group.conditions)
		return config_fail(n, e, "the group has no conditions");
	return rc ? rc
		  : add_conditions(f, signal, group.context, group.error_mode, group.conditions, e);
}

/* Compile the conditions of a signal; texts are inferred one by one. */
static int add_signal(struct filter *f, const struct filter_settings *s, enum signal_kind signal,
		      struct err *e)
{
	const struct config_node *list = s->conditions[signal_index(signal)];
	bool groups = false;
	int rc = list ? ottl_list_has_groups(list, &groups, e) : 0;

	for (const struct config_node *n = list ? list->first : NULL; n && !rc; n = n->next)
		rc = groups ? add_group(f, signal, s->error_mode, n, e)
			    : add_conditions(f, signal, OTTL_INFER, s->error_mode, n, e);
	return rc;
}

static int add_older(struct filter *f, const struct filter_settings *s, struct err *e)
{
	const struct {
		enum signal_kind signal;
		enum ottl_context context;
		const struct config_node *list;
	} lists[] = {
		{SIGNAL_TRACES, OTTL_RESOURCE, s->traces.resource},
		{SIGNAL_TRACES, OTTL_SPAN, s->traces.span},
		{SIGNAL_TRACES, OTTL_SPAN_EVENT, s->traces.spanevent},
		{SIGNAL_METRICS, OTTL_RESOURCE, s->metrics.resource},
		{SIGNAL_METRICS, OTTL_METRIC, s->metrics.metric},
		{SIGNAL_METRICS, OTTL_DATA_POINT, s->metrics.datapoint},
		{SIGNAL_LOGS, OTTL_RESOURCE, s->logs.resource},
		{SIGNAL_LOGS, OTTL_LOG, s->logs.log_record},
		{SIGNAL_PROFILES, OTTL_RESOURCE, s->profiles.resource},
		{SIGNAL_PROFILES, OTTL_PROFILE, s->profiles.profile},
	};
	int rc = 0;

	for (size_t i = 0; i < countof(lists) && !rc; i++)
		rc = add_conditions(f, lists[i].signal, lists[i].context, s->error_mode,
				    lists[i].list, e);
	return rc;
}

/* Compile a block include or exclude. */
static int add_block(struct filter *f, enum signal_kind signal, const struct filter_settings *s,
		     const struct config_node *block, bool include, struct err *e)
{
	struct config_node text;
	struct buf condition = {0};
	int rc;

	if (!block)
		return 0;
	rc = match_block_condition(&condition, signal, block, include, e);
	if (!rc)
		rc = buf_error(&condition);
	text = *block;
	text.kind = CONFIG_SCALAR;
	text.text = buf_str(&condition);
	if (!rc)
		rc = add_conditions(f, signal, OTTL_INFER, s->error_mode, &text, e);
	buf_fini(&condition);
	return rc;
}

/* Compile the blocks of the oldest form. */
static int add_blocks(struct filter *f, const struct filter_settings *s, struct err *e)
{
	int rc = add_block(f, SIGNAL_TRACES, s, s->spans.include, true, e);

	if (!rc)
		rc = add_block(f, SIGNAL_TRACES, s, s->spans.exclude, false, e);
	if (!rc)
		rc = add_block(f, SIGNAL_METRICS, s, s->metrics.include, true, e);
	if (!rc)
		rc = add_block(f, SIGNAL_METRICS, s, s->metrics.exclude, false, e);
	if (!rc)
		rc = add_block(f, SIGNAL_LOGS, s, s->logs.include, true, e);
	return rc ? rc : add_block(f, SIGNAL_LOGS, s, s->logs.exclude, false, e);
}

static void filter_destroy(void *instance)
{
	struct filter *f = instance;

	for (unsigned i = 0; i < SIGNALS; i++)
		for (unsigned c = 0; c < OTTL_CONTEXTS; c++)
			free(f->programs[i][c].at);
	ottl_free(f->ottl);
	free(f);
}

static int compile_filter(const struct filter_settings *s, const struct log *log,
			  struct budget *budget, struct filter **out, struct err *e)
{
	struct filter *f = calloc(1, sizeof(*f));
	int rc = f ? ottl_new(&f->ottl, log, budget) : -ENOMEM;

	for (unsigned i = 0; i < SIGNALS && !rc; i++)
		rc = add_signal(f, s, (enum signal_kind)(1 << i), e);
	if (!rc)
		rc = add_older(f, s, e);
	if (!rc)
		rc = add_blocks(f, s, e);
	if (!rc) {
		*out = f;
		return 0;
	}
	if (f)
		filter_destroy(f);
	return rc == -ENOMEM ? err_errno(e, rc, "filter") : rc;
}

/* ---- dropping ---- */

/* Return 1 if a condition of this context is true at the current place. */
static int test_context(const struct filter *f, struct ottl_eval *ev, enum signal_kind signal,
			enum ottl_context context, struct err *e)
{
	const struct filter_programs *p = &f->programs[signal_index(signal)][context];
	int rc = 0;

	for (uint32_t i = 0; i < p->n && !rc; i++)
		rc = ottl_test(ev, p->at[i], e);
	return rc;
}

static void drop_scope(struct otlp_scope *s)
{
	for (uint32_t i = 0; i < s->item_count; i++)
		s->items[i].dropped = true;
}

static enum ottl_context item_context(enum signal_kind signal)
{
	static const enum ottl_context contexts[SIGNALS] = {OTTL_PROFILE, OTTL_SPAN, OTTL_METRIC,
							    OTTL_LOG};

	return contexts[signal_index(signal)];
}

static int filter_parts(const struct filter *f, struct ottl_eval *ev, enum signal_kind signal,
			struct err *e)
{
	enum ottl_context context = signal == SIGNAL_METRICS ? OTTL_DATA_POINT : OTTL_SPAN_EVENT;
	uint32_t count;
	int rc = 0;

	if (!f->programs[signal_index(signal)][context].n)
		return 0;
	count = ottl_part_count(ev);
	for (uint32_t i = 0; i < count && rc >= 0; i++) {
		ottl_at_part(ev, i);
		rc = test_context(f, ev, signal, context, e);
		if (rc == 1)
			ottl_drop_part(ev);
	}
	return rc < 0 ? rc : 0;
}

static int filter_scope(const struct filter *f, struct ottl_eval *ev, struct otlp_tree *tree,
			struct otlp_scope *s, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->item_count && rc >= 0; i++) {
		ottl_at_item(ev, i);
		rc = test_context(f, ev, tree->signal, item_context(tree->signal), e);
		if (!rc)
			rc = filter_parts(f, ev, tree->signal, e);
		else if (rc == 1)
			s->items[i].dropped = tree->changed = true;
	}
	return rc < 0 ? rc : 0;
}

static int filter_resource(const struct filter *f, struct ottl_eval *ev, struct otlp_tree *tree,
			   struct otlp_resource *r, struct err *e)
{
	int dropped, rc = 0;

	ottl_at_resource(ev, r);
	dropped = test_context(f, ev, tree->signal, OTTL_RESOURCE, e);
	for (uint32_t i = 0; i < r->scope_count && dropped >= 0 && !rc; i++) {
		int drop = dropped;

		if (!drop) {
			ottl_at_scope(ev, &r->scopes[i]);
			drop = test_context(f, ev, tree->signal, OTTL_SCOPE, e);
		}
		if (drop == 1) {
			drop_scope(&r->scopes[i]);
			tree->changed = true;
			continue;
		}
		rc = drop < 0 ? drop : filter_scope(f, ev, tree, &r->scopes[i], e);
	}
	return dropped < 0 ? dropped : rc;
}

/* Return the number of spans, data points, log records or samples that are left. */
static uint64_t items_left(const struct otlp_tree *tree)
{
	uint64_t left = 0;

	for (uint32_t r = 0; r < tree->resource_count; r++)
		for (uint32_t s = 0; s < tree->resources[r].scope_count; s++) {
			const struct otlp_scope *scope = &tree->resources[r].scopes[s];

			for (uint32_t i = 0; i < scope->item_count; i++)
				left += scope->items[i].dropped ? 0 : scope->items[i].count;
		}
	return left;
}

static int filter_walk(void *arg, struct ottl_eval *ev, struct otlp_tree *tree, struct err *e)
{
	const struct filter *f = arg;
	int rc = 0;

	for (uint32_t i = 0; i < tree->resource_count && !rc; i++)
		rc = filter_resource(f, ev, tree, &tree->resources[i], e);
	if (!rc)
		rc = ottl_finish(ev, e);
	if (!rc && tree->changed)
		telemetry_add(f->dropped[signal_index(tree->signal)],
			      (int64_t)(tree->items - items_left(tree)));
	return rc;
}

static bool filter_consume(void *instance, struct delivery *d)
{
	struct filter *f = instance;

	return ottl_process(f->ottl, f->next[signal_index(d->signal)], d, f->budget, filter_walk,
			    f);
}

/* ---- the component ---- */

static bool has_blocks(const struct filter_settings *s)
{
	return s->spans.include || s->spans.exclude || s->metrics.include || s->metrics.exclude ||
	       s->logs.include || s->logs.exclude;
}

/* Return whether any list of the older form is given. */
static bool has_older(const struct filter_settings *s)
{
	return s->traces.resource || s->traces.span || s->traces.spanevent || s->metrics.resource ||
	       s->metrics.metric || s->metrics.datapoint || s->logs.resource ||
	       s->logs.log_record || s->profiles.resource || s->profiles.profile || has_blocks(s);
}

static int filter_check(const void *settings, struct err *e)
{
	const struct filter_settings *s = settings;
	struct filter *f;
	int rc = 0;

	for (unsigned i = 0; i < SIGNALS && !rc; i++)
		if (s->conditions[i] && has_older(s))
			rc = config_fail(
				s->conditions[i], e,
				"*_conditions cannot be used together with traces, metrics, "
				"logs or profiles");
	if (!rc)
		rc = compile_filter(s, NULL, NULL, &f, e);
	if (!rc)
		filter_destroy(f);
	return rc;
}

static int filter_create(void **instance, const struct component_env *env, const void *settings,
			 struct err *e)
{
	static const char *const names[SIGNALS] = {"otelcol_processor_filter_profiles_filtered",
						   "otelcol_processor_filter_spans_filtered",
						   "otelcol_processor_filter_datapoints_filtered",
						   "otelcol_processor_filter_logs_filtered"};
	struct telemetry_label label = {"filter", env->id};
	struct filter *f;
	int rc = compile_filter(settings, env->log, &env->host->memory, &f, e);

	if (rc)
		return rc;
	f->budget = &env->host->memory;
	for (unsigned i = 0; i < SIGNALS; i++) {
		f->next[i] = env->next[i];
		if (f->next[i])
			f->dropped[i] =
				telemetry_get(&env->host->telemetry, TELEMETRY_COUNTER, names[i],
					      "Items dropped by the filter.", &label, 1);
	}
	*instance = f;
	return 0;
}

#define TEXTS "list of conditions"

static const struct setting traces_settings[] = {
	SET_CUSTOM(struct filter_traces, resource, "resource", ottl_keep_node, TEXTS,
		   "Drop resources with all of their spans."),
	SET_CUSTOM(struct filter_traces, span, "span", ottl_keep_node, TEXTS, "Drop spans."),
	SET_CUSTOM(struct filter_traces, spanevent, "spanevent", ottl_keep_node, TEXTS,
		   "Drop events of spans."),
	SET_END,
};

static const struct setting spans_settings[] = {
	SET_CUSTOM(struct filter_spans, include, "include", ottl_keep_node, "map",
		   "Drop spans that do not match."),
	SET_CUSTOM(struct filter_spans, exclude, "exclude", ottl_keep_node, "map",
		   "Drop spans that match."),
	SET_END,
};

static const struct setting metrics_settings[] = {
	SET_CUSTOM(struct filter_metrics, resource, "resource", ottl_keep_node, TEXTS,
		   "Drop resources with all of their metrics."),
	SET_CUSTOM(struct filter_metrics, metric, "metric", ottl_keep_node, TEXTS, "Drop metrics."),
	SET_CUSTOM(struct filter_metrics, datapoint, "datapoint", ottl_keep_node, TEXTS,
		   "Drop data points; a metric without any is dropped, too."),
	SET_CUSTOM(struct filter_metrics, include, "include", ottl_keep_node, "map",
		   "The oldest form: drop what does not match."),
	SET_CUSTOM(struct filter_metrics, exclude, "exclude", ottl_keep_node, "map",
		   "The oldest form: drop what matches."),
	SET_IGNORED("regexp", "expressions are compiled once"),
	SET_END,
};

static const struct setting logs_settings[] = {
	SET_CUSTOM(struct filter_logs, resource, "resource", ottl_keep_node, TEXTS,
		   "Drop resources with all of their log records."),
	SET_CUSTOM(struct filter_logs, log_record, "log_record", ottl_keep_node, TEXTS,
		   "Drop log records."),
	SET_CUSTOM(struct filter_logs, include, "include", ottl_keep_node, "map",
		   "The oldest form: drop what does not match."),
	SET_CUSTOM(struct filter_logs, exclude, "exclude", ottl_keep_node, "map",
		   "The oldest form: drop what matches."),
	SET_END,
};

static const struct setting profiles_settings[] = {
	SET_CUSTOM(struct filter_profiles, resource, "resource", ottl_keep_node, TEXTS,
		   "Drop resources with all of their profiles."),
	SET_CUSTOM(struct filter_profiles, profile, "profile", ottl_keep_node, TEXTS,
		   "Drop profiles."),
	SET_END,
};

#define CONDITIONS(index, name, what)                                                              \
	SET_CUSTOM(struct filter_settings, conditions[index], name, ottl_keep_node,                \
		   "list of conditions or groups", "Drop " what " for which one is true.")

static const struct setting settings[] = {
	SET_CUSTOM(struct filter_settings, error_mode, "error_mode", ottl_read_error_mode,
		   "ignore, silent or propagate",
		   "A condition that fails: log it and keep the item; the same without a log "
		   "record; or refuse the batch."),
	CONDITIONS(1, "trace_conditions", "spans, or events of spans,"),
	CONDITIONS(2, "metric_conditions", "metrics, or data points,"),
	CONDITIONS(3, "log_conditions", "log records"),
	CONDITIONS(0, "profile_conditions", "profiles"),
	SET_GROUP_ALWAYS(struct filter_settings, traces, "traces", traces_settings,
			 "The older form, in which paths need no prefix."),
	SET_GROUP_ALWAYS(struct filter_settings, metrics, "metrics", metrics_settings,
			 "The older form, in which paths need no prefix."),
	SET_GROUP_ALWAYS(struct filter_settings, logs, "logs", logs_settings,
			 "The older form, in which paths need no prefix."),
	SET_GROUP_ALWAYS(struct filter_settings, profiles, "profiles", profiles_settings,
			 "The older form, in which paths need no prefix."),
	SET_GROUP_ALWAYS(struct filter_settings, spans, "spans", spans_settings,
			 "The oldest form."),
	SET_END,
};

const struct component filter_processor = {
	.name = "filter",
	.kind = COMPONENT_PROCESSOR,
	.mutates = true,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Drops data for which conditions are true.",
	.settings = settings,
	.settings_size = sizeof(struct filter_settings),
	.check = filter_check,
	.create = filter_create,
	.consume = filter_consume,
	.destroy = filter_destroy,
};
