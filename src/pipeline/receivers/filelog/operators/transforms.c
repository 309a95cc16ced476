/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move fields about: add, copy, flatten, move, remove, retain; and noop. */
#include <errno.h>

#include "pipeline/receivers/filelog/operators/operator.h"

enum { RETAIN_FIELDS_MAX = 100 };

static int missing_field(const struct entry_field *f, struct err *e)
{
	return err_set(e, -EINVAL, "the entry has no field %.*s", STR_ARG(f->text));
}

static int required_field(const struct entry_field *f, const char *key, struct err *e)
{
	return f->set ? 0 : err_set(e, -EINVAL, "missing required key \"%s\"", key);
}

/* ---- move, copy ---- */

struct transfer_settings {
	struct operator_common common;
	struct entry_field from, to;
};

static const struct setting transfer_table[] = {
	OPERATOR_COMMON(struct transfer_settings, common),
	SET_CUSTOM(struct transfer_settings, from, "from", operator_field_read, "field",
		   "The field to read."),
	SET_CUSTOM(struct transfer_settings, to, "to", operator_field_read, "field",
		   "The field to write."),
	SET_END,
};

static int transfer_create(void **state, const void *settings, struct operator_build *b,
			   struct err *e)
{
	const struct transfer_settings *s = settings;
	int rc = required_field(&s->from, "from", e);

	(void)state;
	(void)b;
	return rc ? rc : required_field(&s->to, "to", e);
}

static int move_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			struct err *e)
{
	const struct transfer_settings *s = (const void *)op->settings;
	struct log_node value;

	if (!entry_field_remove(entry, &s->from, &value))
		return missing_field(&s->from, e);
	return entry_field_set(entry, &s->to, &value, run->arena, e);
}

static int copy_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			struct err *e)
{
	const struct transfer_settings *s = (const void *)op->settings;
	const struct log_node *value = entry_field_get(entry, &s->from);
	struct log_node copy;

	if (!value)
		return missing_field(&s->from, e);
	if (log_node_copy(&copy, run->arena, value))
		return err_errno(e, -ENOMEM, "copy");
	return entry_field_set(entry, &s->to, &copy, run->arena, e);
}

const struct operator_type move_operator = {
	.name = "move",
	.table = transfer_table,
	.settings_size = sizeof(struct transfer_settings),
	.create = transfer_create,
	.process = move_process,
};

const struct operator_type copy_operator = {
	.name = "copy",
	.table = transfer_table,
	.settings_size = sizeof(struct transfer_settings),
	.create = transfer_create,
	.process = copy_process,
};

/* ---- add ---- */

struct add_settings {
	struct operator_common common;
	struct entry_field field;
	struct add_value {
		bool set;
		struct log_node node;
	} value;
};

static int add_value_read(const struct config_node *n, const char *what, void *to,
			  struct arena *arena, struct err *e)
{
	struct add_value *out = to;
	int rc = log_node_of_yaml(&out->node, n, arena);

	out->set = true;
	return rc == -EINVAL ? config_fail(n, e, "%s: \"value\" is nested too deeply", what) : rc;
}

static const struct setting add_table[] = {
	OPERATOR_COMMON(struct add_settings, common),
	SET_CUSTOM(struct add_settings, field, "field", operator_field_read, "field",
		   "The field to write."),
	SET_CUSTOM(struct add_settings, value, "value", add_value_read, "any",
		   "The value, or EXPR(expression)."),
	SET_END,
};

static int add_create(void **state, const void *settings, struct operator_build *b, struct err *e)
{
	const struct add_settings *s = settings;
	struct expr *x = NULL;
	struct str text;
	int rc = required_field(&s->field, "field", e);

	if (!rc && !s->value.set)
		rc = err_set(e, -EINVAL, "missing required key \"value\"");
	if (rc || s->value.node.kind != VALUE_STRING)
		return rc;
	text = s->value.node.s;
	if (!str_starts(text, STR("EXPR(")) || !str_ends(text, STR(")")))
		return 0;
	rc = expr_compile(&x, str_of(text.p + 5, text.n - 6), EXPR_ANY, b->arena, e);
	*state = x;
	return rc;
}

static void add_destroy(void *state)
{
	expr_free(state);
}

static int add_process(struct op *op, struct operator_run *run, struct log_entry *entry,
		       struct err *e)
{
	const struct add_settings *s = (const void *)op->settings;
	struct log_node value = s->value.node, copy;
	int rc = 0;

	if (op->state)
		rc = expr_eval(op->state, entry, run->arena, &value, e);
	if (!rc && log_node_copy(&copy, run->arena, &value))
		rc = err_errno(e, -ENOMEM, "add");
	return rc ? rc : entry_field_set(entry, &s->field, &copy, run->arena, e);
}

const struct operator_type add_operator = {
	.name = "add",
	.table = add_table,
	.settings_size = sizeof(struct add_settings),
	.create = add_create,
	.process = add_process,
	.destroy = add_destroy,
};

/* ---- remove, flatten ---- */

struct field_settings {
	struct operator_common common;
	struct entry_field field;
};

static const struct setting field_table[] = {
	OPERATOR_COMMON(struct field_settings, common),
	SET_CUSTOM(struct field_settings, field, "field", operator_field_read, "field",
		   "The field."),
	SET_END,
};

static int remove_create(void **state, const void *settings, struct operator_build *b,
			 struct err *e)
{
	(void)state;
	(void)b;
	return required_field(&((const struct field_settings *)settings)->field, "field", e);
}

static int remove_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			  struct err *e)
{
	const struct field_settings *s = (const void *)op->settings;

	(void)run;
	return entry_field_remove(entry, &s->field, NULL) ? 0 : missing_field(&s->field, e);
}

static int flatten_create(void **state, const void *settings, struct operator_build *b,
			  struct err *e)
{
	const struct field_settings *s = settings;
	int rc = remove_create(state, settings, b, e);

	if (!rc && !s->field.n)
		rc = err_set(e, -EINVAL, "\"field\" cannot be %.*s itself", STR_ARG(s->field.text));
	return rc;
}

static int flatten_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			   struct err *e)
{
	const struct field_settings *s = (const void *)op->settings;
	const struct log_node *found = entry_field_get(entry, &s->field);
	struct entry_field parent = s->field;
	struct log_node map;

	if (!found)
		return missing_field(&s->field, e);
	if (found->kind != VALUE_MAP)
		return err_set(e, -EINVAL, "%.*s is %s, expected a map", STR_ARG(s->field.text),
			       log_node_kind_name(found));
	parent.n--;
	entry_field_remove(entry, &s->field, &map);
	return entry_field_set(entry, &parent, &map, run->arena, e);
}

const struct operator_type remove_operator = {
	.name = "remove",
	.table = field_table,
	.settings_size = sizeof(struct field_settings),
	.create = remove_create,
	.process = remove_process,
};

const struct operator_type flatten_operator = {
	.name = "flatten",
	.table = field_table,
	.settings_size = sizeof(struct field_settings),
	.create = flatten_create,
	.process = flatten_process,
};

/* ---- retain ---- */

struct retain_settings {
	struct operator_common common;
	struct retain_fields {
		const struct entry_field *at;
		uint32_t n;
	} fields;
};

static int retain_fields_read(const struct config_node *n, const char *what, void *to,
			      struct arena *arena, struct err *e)
{
	struct retain_fields *out = to;
	struct entry_field *at;
	uint32_t count = 0;
	int rc = 0;

	for (const struct config_node *c = n->first; c; c = c->next)
		count++;
	if (n->kind != CONFIG_LIST || !count || count > RETAIN_FIELDS_MAX)
		return config_fail(n, e, "%s: \"fields\" has to be a list of 1 to %d fields", what,
				   RETAIN_FIELDS_MAX);
	at = arena_zalloc(arena, count, sizeof(*at));
	if (!at)
		return -ENOMEM;
	*out = (struct retain_fields){at, count};
	for (const struct config_node *c = n->first; c && !rc; c = c->next)
		rc = operator_field_read(c, what, at++, arena, e);
	return rc;
}

static const struct setting retain_table[] = {
	OPERATOR_COMMON(struct retain_settings, common),
	SET_CUSTOM(
		struct retain_settings, fields, "fields", retain_fields_read, "list",
		"The fields to keep; of body, attributes and resource only those with a field in "
		"the list are changed."),
	SET_END,
};

static int retain_create(void **state, const void *settings, struct operator_build *b,
			 struct err *e)
{
	(void)state;
	(void)b;
	return ((const struct retain_settings *)settings)->fields.n
		       ? 0
		       : err_set(e, -EINVAL, "missing required key \"fields\"");
}

static int retain_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			  struct err *e)
{
	const struct retain_settings *s = (const void *)op->settings;
	struct log_entry before = *entry;
	int rc = 0;

	for (uint32_t i = 0; i < s->fields.n; i++) {
		struct entry_field root = s->fields.at[i];

		root.n = 0;
		entry_field_remove(entry, &root, NULL);
	}
	for (uint32_t i = 0; i < s->fields.n && !rc; i++) {
		const struct log_node *value = entry_field_get(&before, &s->fields.at[i]);

		if (value)
			rc = entry_field_set(entry, &s->fields.at[i], value, run->arena, e);
	}
	return rc;
}

const struct operator_type retain_operator = {
	.name = "retain",
	.table = retain_table,
	.settings_size = sizeof(struct retain_settings),
	.create = retain_create,
	.process = retain_process,
};

/* ---- noop ---- */

static const struct setting noop_table[] = {
	OPERATOR_COMMON(struct field_settings, common),
	SET_END,
};

static int noop_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			struct err *e)
{
	(void)op;
	(void)run;
	(void)entry;
	(void)e;
	return 0;
}

const struct operator_type noop_operator = {
	.name = "noop",
	.table = noop_table,
	.settings_size = sizeof(struct field_settings),
	.process = noop_process,
};
