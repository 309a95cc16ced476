/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only the Resource messages are rewritten. A payload in which no attribute changes passes as it
 * is.
 */
#include "pipeline/processors/resource/resource_processor.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/processors/actions/action_apply.h"
#include "pipeline/processors/processor.h"
#include "pipeline/processors/resource/plain_resources.h"
#include "pipeline/processors/tree_edit.h"

struct resource_settings {
	struct attribute_actions actions;
};

struct resource_state {
	struct attribute_actions actions;
	struct tree_editor editor;
};

static int edit_resources(void *owner, struct otlp_tree *tree, const struct delivery *d,
			  struct scratch *s, struct err *e)
{
	const struct resource_state *x = owner;
	const struct action_context c = {.actions = &x->actions,
					 .delivery = d,
					 .scratch = s,
					 .field = OTLP_RESOURCE_ATTRIBUTES};
	int rc = plain_resources(tree, &s->arena);

	(void)e;
	for (uint32_t i = 0; i < tree->resource_count && !rc; i++) {
		struct otlp_resource *r = &tree->resources[i];
		struct str before = r->resource;

		rc = action_apply_message(&c, before, &r->resource);
		tree->changed |= r->resource.p != before.p;
	}
	return rc;
}

static bool resource_consume(void *instance, struct delivery *d)
{
	struct resource_state *x = instance;

	return tree_edit_consume(&x->editor, d);
}

static int resource_check(const void *settings, struct err *e)
{
	const struct resource_settings *s = settings;

	return s->actions.n ? 0 : err_set(e, -EINVAL, "missing required field \"attributes\"");
}

static void resource_destroy(void *instance)
{
	struct resource_state *x = instance;

	scratch_pool_fini(&x->editor.pool);
	free(x->actions.at);
	free(x);
}

static int resource_create(void **instance, const struct component_env *env, const void *settings,
			   struct err *e)
{
	const struct resource_settings *s = settings;
	struct resource_state *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_errno(e, -ENOMEM, "resource");
	x->editor = (struct tree_editor){
		.next = processor_next(env), .host = env->host, .edit = edit_resources, .owner = x};
	scratch_pool_init(&x->editor.pool, &env->host->memory);
	rc = attribute_actions_compile(&x->actions, &s->actions, &x->editor.pool, e);
	if (rc) {
		resource_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static const struct setting settings[] = {
	SET_CUSTOM(struct resource_settings, actions, "attributes", attribute_actions_read,
		   "list of actions",
		   "Changes of attributes: {key, action, value, from_attribute, from_context, "
		   "default_value, pattern, converted_type}."),
	SET_END,
};

const struct component resource_processor = {
	.name = "resource",
	.kind = COMPONENT_PROCESSOR,
	.mutates = true,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Changes the attributes of resources.",
	.settings = settings,
	.settings_size = sizeof(struct resource_settings),
	.check = resource_check,
	.create = resource_create,
	.consume = resource_consume,
	.destroy = resource_destroy,
};
