/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of operators: made from the configuration, checked for cycles, and run. */
#include "pipeline/receivers/filelog/operators/operators.h"

#include <errno.h>
#include <stdlib.h>

/* An operator as configured. */
struct operator_entry {
	const struct operator_type *type;
	const struct config_node *node;
	void *settings; /* begins with struct operator_common */
};

struct operators {
	struct arena arena;
	struct op *ops;
	uint32_t count;
	struct operator_targets first;
};

const struct operator_type *const operator_types[] = {
	&add_operator,
	&container_operator,
	&copy_operator,
	&filter_operator,
	&flatten_operator,
	&json_parser_operator,
	&move_operator,
	&noop_operator,
	&recombine_operator,
	&regex_parser_operator,
	&remove_operator,
	&retain_operator,
	&router_operator,
	&severity_parser_operator,
	&time_parser_operator,
	&trace_parser_operator,
	NULL,
};

/* ---- settings ---- */

int operator_field_read(const struct config_node *n, const char *what, void *to,
			struct arena *arena, struct err *e)
{
	struct err why = {0};

	(void)arena;
	if (n->kind != CONFIG_SCALAR)
		return config_fail(n, e, "%s: \"%.*s\" has to be a field such as attributes.name",
				   what, STR_ARG(n->key));
	if (entry_field_parse(to, n->text, &why))
		return config_fail(n, e, "%s: %s", what, why.text);
	return 0;
}

int operator_ids_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		      struct err *e)
{
	struct operator_ids *out = to;

	(void)arena;
	out->set = true;
	if (n->kind == CONFIG_SCALAR) {
		out->at[out->n++] = n->text;
		return 0;
	}
	for (const struct config_node *c = n->first; c && n->kind == CONFIG_LIST; c = c->next) {
		if (c->kind != CONFIG_SCALAR || out->n == OPERATOR_OUTPUTS_MAX)
			return config_fail(c, e,
					   "%s: \"output\" has to be a list of at most %d ids",
					   what, OPERATOR_OUTPUTS_MAX);
		out->at[out->n++] = c->text;
	}
	return out->n ? 0
		      : config_fail(n, e, "%s: \"output\" has to be an id or a list of ids", what);
}

static const struct operator_type *find_type(struct str name)
{
	for (uint32_t i = 0; operator_types[i]; i++)
		if (str_eq(name, str_from(operator_types[i]->name)))
			return operator_types[i];
	return NULL;
}

static int unknown_type(const struct config_node *n, struct str name, const char *what,
			struct err *e)
{
	const char *names[32];
	size_t count = 0;

	for (; operator_types[count] && count < countof(names); count++)
		names[count] = operator_types[count]->name;
	return config_fail(n, e, "%s: unsupported operator type%s", what,
			   config_hint(name, names, count, sizeof(*names)).text);
}

static int read_operator(struct operator_entry *out, const struct config_node *n, const char *what,
			 struct arena *arena, struct err *e)
{
	const struct config_node *type = config_get(n, STR("type"));

	if (n->kind != CONFIG_MAP || !type || type->kind != CONFIG_SCALAR)
		return config_fail(n, e, "%s: an operator has to be a map with a type", what);
	out->node = n;
	out->type = find_type(type->text);
	if (!out->type)
		return unknown_type(type, type->text, what, e);
	out->settings = arena_zalloc(arena, 1, out->type->settings_size);
	if (!out->settings)
		return -ENOMEM;
	return settings_read(out->type->table, n, what, out->settings, arena, e);
}

int operators_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		   struct err *e)
{
	struct operator_list *out = to;
	struct operator_entry *at;
	struct operators *chain;
	struct err why = {0};
	uint32_t count = 0;
	int rc = 0;

	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"operators\" has to be a list", what);
	for (const struct config_node *c = n->first; c; c = c->next)
		count++;
	if (count > OPERATORS_MAX)
		return config_fail(n, e, "%s: more than %d operators", what, OPERATORS_MAX);
	at = arena_zalloc(arena, count + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	*out = (struct operator_list){at, count};
	for (const struct config_node *c = n->first; c && !rc; c = c->next)
		rc = read_operator(at++, c, what, arena, e);
	if (rc)
		return rc;
	rc = operators_new(&chain, out, &why);
	if (rc)
		return rc == -ENOMEM ? rc : err_set(e, rc, "%s", why.text);
	operators_free(chain);
	return 0;
}

/* ---- construction ---- */

static int read_on_error(struct op *op, struct err *e)
{
	static const char *const names[] = {
		[ON_ERROR_SEND] = "send",
		[ON_ERROR_SEND_QUIET] = "send_quiet",
		[ON_ERROR_DROP] = "drop",
		[ON_ERROR_DROP_QUIET] = "drop_quiet",
	};

	for (unsigned i = 0; i < countof(names); i++) {
		if (!str_eq(op->settings->on_error, str_from(names[i])))
			continue;
		op->on_error = (enum operator_on_error)i;
		return 0;
	}
	return err_set(
		e, -EINVAL, "unknown \"on_error\"%s",
		config_hint(op->settings->on_error, names, countof(names), sizeof(*names)).text);
}

static struct op *find_op(struct op *ops, uint32_t count, struct str id)
{
	for (uint32_t i = 0; i < count; i++)
		if (str_eq(ops[i].id, id))
			return &ops[i];
	return NULL;
}

/* Set the id: that of the configuration, or the type with a number if it is used already. */
static int name_op(struct operators *o, struct op *op, struct err *e)
{
	uint32_t before = (uint32_t)(op - o->ops);

	op->id = op->settings->id;
	if (op->id.n)
		return find_op(o->ops, before, op->id)
			       ? err_set(e, -EINVAL, "the id \"%.*s\" is used twice",
					 STR_ARG(str_head(op->id, 60)))
			       : 0;
	op->id = str_from(op->type->name);
	for (unsigned i = 1; find_op(o->ops, before, op->id); i++)
		if (arena_printf(&o->arena, &op->id, "%s%u", op->type->name, i))
			return -ENOMEM;
	return 0;
}

static int make_op(struct operators *o, struct op *op, const struct operator_entry *from,
		   struct err *e)
{
	struct operator_build b = {.arena = &o->arena, .ops = o->ops, .count = o->count};
	int rc;

	op->type = from->type;
	op->settings = from->settings;
	rc = read_on_error(op, e);
	rc = rc ? rc : name_op(o, op, e);
	if (!rc && op->settings->condition.n)
		rc = expr_compile(&op->condition, op->settings->condition, EXPR_BOOL, &o->arena, e);
	if (!rc && op->type->create)
		rc = op->type->create(&op->state, from->settings, &b, e);
	return rc;
}

int operator_find(struct operator_targets *out, const struct operator_ids *ids,
		  struct operator_build *b, struct err *e)
{
	out->at = arena_alloc(b->arena, ids->n + 1, sizeof(struct op *));
	if (!out->at)
		return err_errno(e, -ENOMEM, "operators");
	for (uint32_t i = 0; i < ids->n; i++) {
		out->at[i] = find_op(b->ops, b->count, ids->at[i]);
		if (!out->at[i])
			return err_set(e, -EINVAL, "operator \"%.*s\" does not exist",
				       STR_ARG(str_head(ids->at[i], 60)));
		if (b->self && out->at[i] <= b->self)
			return err_set(e, -EINVAL,
				       "the output \"%.*s\" has to be a later operator of the list",
				       STR_ARG(str_head(ids->at[i], 60)));
	}
	out->n = ids->n;
	return 0;
}

static int link_op(struct operators *o, struct op *op, struct err *e)
{
	struct operator_build b = {
		.arena = &o->arena, .ops = o->ops, .count = o->count, .self = op};
	int rc = 0;

	if (op->settings->output.set)
		rc = operator_find(&op->next, &op->settings->output, &b, e);
	else if (op + 1 < o->ops + o->count)
		rc = operator_find(&op->next, &(struct operator_ids){.n = 1, .at = {op[1].id}}, &b,
				   e);
	if (!rc && op->type->link)
		rc = op->type->link(op->state, op->settings, &b, e);
	return rc;
}

/* Prefix an error with the place of the operator in the configuration. */
static int operator_failed(const struct operator_entry *entry, int rc, struct err *why,
			   struct err *e)
{
	if (rc == -ENOMEM)
		return err_errno(e, rc, "operators");
	return config_fail(entry->node, e, "operator %s: %s", entry->type->name, why->text);
}

int operators_new(struct operators **out, const struct operator_list *list, struct err *e)
{
	struct operators *o = calloc(1, sizeof(*o));
	struct err why = {0};
	int rc = 0;

	if (!o)
		return err_errno(e, -ENOMEM, "operators");
	arena_init(&o->arena, NULL);
	o->ops = arena_zalloc(&o->arena, list->n + 1, sizeof(*o->ops));
	if (!o->ops)
		rc = err_errno(e, -ENOMEM, "operators");
	for (uint32_t i = 0; i < list->n && !rc; i++) {
		o->count++;
		rc = make_op(o, &o->ops[i], &list->at[i], &why);
		rc = rc ? operator_failed(&list->at[i], rc, &why, e) : 0;
	}
	for (uint32_t i = 0; i < o->count && !rc; i++) {
		rc = link_op(o, &o->ops[i], &why);
		rc = rc ? operator_failed(&list->at[i], rc, &why, e) : 0;
	}
	if (!rc && o->count)
		rc = operator_find(&o->first, &(struct operator_ids){.n = 1, .at = {o->ops[0].id}},
				   &(struct operator_build){&o->arena, o->ops, o->count, NULL}, e);
	if (rc)
		operators_free(o);
	else
		*out = o;
	return rc;
}

void operators_free(struct operators *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; o->ops && i < o->count; i++) {
		const struct operator_type *type = o->ops[i].type;

		expr_free(o->ops[i].condition);
		if (o->ops[i].state && type && type->destroy)
			type->destroy(o->ops[i].state);
	}
	arena_fini(&o->arena);
	free(o);
}

/* ---- processing ---- */

bool operator_text(const struct log_node *node, struct str *out)
{
	if (!node || (node->kind != VALUE_STRING && node->kind != VALUE_BYTES))
		return false;
	*out = node->s;
	return true;
}

/* Log an error of an operator. Return whether the entry goes on. */
static bool note_failed(struct op *op, struct operator_run *run, const struct err *why)
{
	bool drop = op->on_error == ON_ERROR_DROP || op->on_error == ON_ERROR_DROP_QUIET;

	run->failed++;
	run->dropped += drop;
	if (op->on_error == ON_ERROR_SEND || op->on_error == ON_ERROR_DROP)
		log_warn(run->log, drop ? "log entry dropped" : "log entry not processed",
			 LOG_STR("operator", op->id), LOG_ERR(why));
	return !drop;
}

/* Run one operator. Return whether the entry goes on. */
static bool run_op(struct op *op, struct operator_run *run, struct log_entry *entry)
{
	struct err why = {0};
	bool applies = true;
	int rc = 0;

	if (op->condition)
		rc = expr_test(op->condition, entry, run->arena, &applies, &why);
	if (!rc && applies)
		rc = op->type->process(op, run, entry, &why);
	if (rc == OPERATOR_TAKEN)
		return false;
	return !rc || note_failed(op, run, &why);
}

/* Pass a copy of the entry to an operator. */
static void pass_copy(struct operator_run *run, struct op *op, const struct log_entry *entry)
{
	struct operator_targets to = {&op, 1};
	struct log_entry copy;

	if (run->copies++ < OPERATOR_COPIES_MAX && !log_entry_copy(&copy, run->arena, entry))
		operator_pass(run, &to, &copy);
	else
		run->dropped++;
}

void operator_pass(struct operator_run *run, const struct operator_targets *to,
		   struct log_entry *entry)
{
	while (to->n) {
		struct op *op = to->at[to->n - 1];

		for (uint32_t i = 0; i + 1 < to->n; i++)
			pass_copy(run, to->at[i], entry);
		if (!run_op(op, run, entry))
			return;
		to = &op->next;
	}
	run->emit(run->owner, entry);
}

void operators_process(struct operators *o, struct operator_run *run, struct log_entry *entry)
{
	run->copies = 0;
	operator_pass(run, &o->first, entry);
}

void operators_flush(struct operators *o, struct operator_run *run, bool all)
{
	run->copies = 0;
	for (uint32_t i = 0; i < o->count; i++)
		if (o->ops[i].type->flush)
			o->ops[i].type->flush(&o->ops[i], run, all);
}

void operators_held(const struct operators *o)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (o->ops[i].type->held)
			o->ops[i].type->held(&o->ops[i]);
}
