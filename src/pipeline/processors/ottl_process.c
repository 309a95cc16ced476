/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs OTTL statements or conditions over a delivery; repeats a delivery later when memory is
 * short.
 */
#include "pipeline/processors/ottl_process.h"

#include <errno.h>

#include "pipeline/forward.h"

enum { OTTL_RETRY_MS = 1000 };

static int process_tree(struct ottl_eval *ev, struct otlp_tree *tree, const struct payload *p,
			ottl_walk *walk, void *arg, struct err *e)
{
	int rc = otlp_tree_read(tree, p, ottl_arena(ev), e);

	if (!rc)
		rc = walk(arg, ev, tree, e);
	if (!rc)
		rc = ottl_finish(ev, e);
	return rc;
}

bool ottl_process(struct ottl *o, struct consumer *next, struct delivery *d, struct budget *budget,
		  ottl_walk *walk, void *arg)
{
	struct otlp_tree tree = {.signal = d->signal};
	struct ottl_eval *ev = ottl_begin(o, d, &tree);
	struct payload *p = NULL;
	struct err e = {0};
	int rc = ev ? process_tree(ev, &tree, d->payload, walk, arg, &e) : -ENOMEM;

	if (!rc && tree.changed)
		p = otlp_tree_write(&tree, budget);
	if (ev)
		ottl_end(ev);
	if (rc) {
		delivery_fail(d, rc, delivery_may_retry(rc) ? OTTL_RETRY_MS : 0, "%s",
			      e.text[0] ? e.text : "out of memory");
		return false;
	}
	return tree.changed ? delivery_forward(next, d, p) : consumer_consume(next, d);
}

int ottl_keep_node(const struct config_node *n, const char *what, void *to, struct arena *arena,
		   struct err *e)
{
	(void)what;
	(void)arena;
	(void)e;
	*(const struct config_node **)to = n;
	return 0;
}

int ottl_read_error_mode(const struct config_node *n, const char *what, void *to,
			 struct arena *arena, struct err *e)
{
	(void)what;
	(void)arena;
	return ottl_error_mode_read(n, to, e);
}

static int read_context(const struct config_node *n, enum ottl_context *out, struct err *e)
{
	for (unsigned i = 0; i < OTTL_CONTEXTS; i++) {
		if (n->kind != CONFIG_SCALAR || !str_eq(n->text, str_from(ottl_context_names[i])))
			continue;
		*out = (enum ottl_context)i;
		return 0;
	}
	return config_fail(n, e,
			   "unknown context \"%.*s\": expected resource, scope, span, spanevent, "
			   "metric, datapoint, log or profile",
			   STR_ARG(n->text));
}

int ottl_group_read(const struct config_node *n, struct ottl_group *out, struct err *e)
{
	static const char *const keys[] = {"context", "error_mode", "conditions", "statements"};
	int rc = 0;

	for (const struct config_node *member = n->first; member && !rc; member = member->next) {
		const char *meant =
			config_suggest(member->key, keys, countof(keys), sizeof(keys[0]));

		if (str_eq(member->key, STR("context")))
			rc = read_context(member, &out->context, e);
		else if (str_eq(member->key, STR("error_mode")))
			rc = ottl_error_mode_read(member, &out->error_mode, e);
		else if (str_eq(member->key, STR("conditions")))
			out->conditions = member;
		else if (str_eq(member->key, STR("statements")))
			out->statements = member;
		else
			rc = config_fail(member, e, "unknown key \"%.*s\"%s%s%s",
					 STR_ARG(member->key), meant ? "; did you mean \"" : "",
					 meant ? meant : "", meant ? "\"?" : "");
	}
	return rc;
}

int ottl_list_has_groups(const struct config_node *list, bool *groups, struct err *e)
{
	*groups = false;
	if (list->kind != CONFIG_LIST)
		return config_fail(list, e, "expected a list");
	for (const struct config_node *n = list->first; n; n = n->next) {
		bool group = n->kind == CONFIG_MAP;

		if (n != list->first && group != *groups)
			return config_fail(n, e,
					   "texts and groups cannot be mixed in one list: put the "
					   "texts into a group");
		*groups = group;
	}
	return 0;
}
