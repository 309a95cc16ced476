/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of an item only the attributes are read, and only items whose attributes change are rewritten.
 * The conditions on a resource and a scope are tested once for all of their items.
 */
#include "pipeline/processors/attributes/attributes_processor.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/processors/actions/action_apply.h"
#include "pipeline/processors/attributes/attribute_match.h"
#include "pipeline/processors/message_edit.h"
#include "pipeline/processors/processor.h"
#include "pipeline/processors/tree_edit.h"
#include "signal/otlp/build.h"

struct attributes_settings {
	struct attribute_actions actions;
	bool has_include, has_exclude;
	struct match_settings include, exclude;
};

struct attributes_state {
	struct attribute_actions actions;
	bool has_include, has_exclude;
	struct attribute_match include, exclude;
	struct arena arena; /* of the conditions */
	struct tree_editor editor;
};

/* ---- editing ---- */

static int edit_point(void *arg, struct arena *arena, struct str in, struct str *out)
{
	(void)arena;
	return action_apply_message(arg, in, out);
}

/* Edit the data message of a metric. */
static int edit_points(void *arg, struct arena *arena, struct str in, struct str *out)
{
	return message_edit(in, 1, edit_point, arg, arena, out);
}

static uint32_t point_attributes(uint32_t kind)
{
	switch (kind) {
	case OTLP_HISTOGRAM:
		return OTLP_HISTOGRAM_POINT_ATTRIBUTES;
	case OTLP_EXPONENTIAL:
		return OTLP_EXPONENTIAL_POINT_ATTRIBUTES;
	case OTLP_SUMMARY:
		return OTLP_SUMMARY_POINT_ATTRIBUTES;
	default:
		return OTLP_NUMBER_POINT_ATTRIBUTES;
	}
}

static int edit_metric(struct action_context *c, struct str metric, struct str *out)
{
	struct str data;
	uint32_t kind = otlp_metric_data(metric, &data);

	*out = metric;
	if (!kind)
		return 0;
	c->field = point_attributes(kind);
	return message_edit(metric, kind, edit_points, c, &c->scratch->arena, out);
}

static int edit_item(struct action_context *c, enum signal_kind signal, struct str item,
		     struct str *out)
{
	if (signal == SIGNAL_METRICS)
		return edit_metric(c, item, out);
	c->field = signal == SIGNAL_TRACES ? OTLP_SPAN_ATTRIBUTES : OTLP_LOG_ATTRIBUTES;
	return action_apply_message(c, item, out);
}

/* What is known of the conditions at a resource or scope: whether its items may match. */
struct match_state {
	bool include, exclude;
};

static bool concerns_item(const struct attributes_state *x, const struct match_state *m,
			  const struct scratch *s, struct str item)
{
	if (x->has_include && !attribute_match_item(&x->include, s, item))
		return false;
	return !(x->has_exclude && m->exclude && attribute_match_item(&x->exclude, s, item));
}

static int edit_scope(const struct attributes_state *x, struct action_context *c,
		      struct otlp_tree *tree, struct otlp_scope *scope, struct match_state m)
{
	int rc = 0;

	m.include &= !x->has_include || attribute_match_scope(&x->include, c->scratch, scope);
	m.exclude &= x->has_exclude && attribute_match_scope(&x->exclude, c->scratch, scope);
	for (uint32_t i = 0; m.include && i < scope->item_count && !rc; i++) {
		struct otlp_item *item = &scope->items[i];
		struct str before = item->bytes;

		if (!concerns_item(x, &m, c->scratch, before))
			continue;
		rc = edit_item(c, tree->signal, before, &item->bytes);
		tree->changed |= item->bytes.p != before.p;
	}
	return rc;
}

static int edit_attributes(void *owner, struct otlp_tree *tree, const struct delivery *d,
			   struct scratch *s, struct err *e)
{
	const struct attributes_state *x = owner;
	struct action_context c = {.actions = &x->actions, .delivery = d, .scratch = s};
	int rc = 0;

	(void)e;
	for (uint32_t i = 0; i < tree->resource_count && !rc; i++) {
		struct otlp_resource *r = &tree->resources[i];
		const struct match_state m = {
			!x->has_include || attribute_match_resource(&x->include, s, r),
			x->has_exclude && attribute_match_resource(&x->exclude, s, r)};

		for (uint32_t k = 0; m.include && k < r->scope_count && !rc; k++)
			rc = edit_scope(x, &c, tree, &r->scopes[k], m);
	}
	return rc;
}

static bool attributes_consume(void *instance, struct delivery *d)
{
	struct attributes_state *x = instance;

	return tree_edit_consume(&x->editor, d);
}

/* ---- life cycle ---- */

static int attributes_check(const void *settings, struct err *e)
{
	const struct attributes_settings *s = settings;

	return s->actions.n ? 0 : err_set(e, -EINVAL, "missing required field \"actions\"");
}

static void attributes_destroy(void *instance)
{
	struct attributes_state *x = instance;

	scratch_pool_fini(&x->editor.pool);
	arena_fini(&x->arena);
	free(x->actions.at);
	free(x);
}

/* Return the signal of the pipeline that the processor is in. */
static enum signal_kind pipeline_signal(const struct component_env *env)
{
	unsigned i = 0;

	while (i < SIGNALS - 1 && !env->next[i])
		i++;
	return 1u << i;
}

static int init_attributes(struct attributes_state *x, const struct attributes_settings *s,
			   enum signal_kind signal, struct err *e)
{
	struct scratch_pool *pool = &x->editor.pool;
	int rc = attribute_actions_compile(&x->actions, &s->actions, pool, e);

	x->has_include = s->has_include;
	x->has_exclude = s->has_exclude;
	if (!rc && s->has_include)
		rc = attribute_match_init(&x->include, &s->include, "include", signal, pool,
					  &x->arena, e);
	if (!rc && s->has_exclude)
		rc = attribute_match_init(&x->exclude, &s->exclude, "exclude", signal, pool,
					  &x->arena, e);
	return rc;
}

static int attributes_create(void **instance, const struct component_env *env, const void *settings,
			     struct err *e)
{
	struct attributes_state *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_errno(e, -ENOMEM, "attributes");
	x->editor = (struct tree_editor){.next = processor_next(env),
					 .host = env->host,
					 .edit = edit_attributes,
					 .owner = x};
	arena_init(&x->arena, NULL);
	scratch_pool_init(&x->editor.pool, &env->host->memory);
	rc = init_attributes(x, settings, pipeline_signal(env), e);
	if (rc) {
		attributes_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static const struct setting settings[] = {
	SET_CUSTOM(struct attributes_settings, actions, "actions", attribute_actions_read,
		   "list of actions",
		   "Changes of attributes: {key, action, value, from_attribute, from_context, "
		   "default_value, pattern, converted_type}."),
	SET_GROUP(struct attributes_settings, include, "include", match_table, has_include,
		  "Change only items that match."),
	SET_GROUP(struct attributes_settings, exclude, "exclude", match_table, has_exclude,
		  "Do not change items that match."),
	SET_END,
};

const struct component attributes_processor = {
	.name = "attributes",
	.kind = COMPONENT_PROCESSOR,
	.mutates = true,
	.signals = SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Changes the attributes of spans, log records and data points.",
	.settings = settings,
	.settings_size = sizeof(struct attributes_settings),
	.check = attributes_check,
	.create = attributes_create,
	.consume = attributes_consume,
	.destroy = attributes_destroy,
};
