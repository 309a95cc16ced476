/* SPDX-License-Identifier: Apache-2.0 */
/* Executes the tree of a template, as Go's text/template: lists, pipelines, fields, calls. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "rules/template/template_functions.h"

/* What a list of nodes returns besides 0 and errors: the jump that ended it. */
enum { JUMP_BREAK = 1, JUMP_CONTINUE = 2 };

static int run_list(struct template_run *run, const struct template_list *list,
		    const struct template_value *dot);
static int eval_pipe(struct template_run *run, const struct template_pipe *pipe,
		     const struct template_value *dot, struct template_value *out);

int template_run_fail(struct template_run *run, const char *fmt, ...)
{
	char why[ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return template_fail(run->tree->text, run->at, run->e, "%s", why);
}

int template_step(struct template_run *run, uint32_t steps)
{
	run->steps += steps;
	if (run->steps > RULE_TEMPLATE_STEPS_MAX)
		return template_run_fail(run, "the template takes more than %d steps",
					 RULE_TEMPLATE_STEPS_MAX);
	return 0;
}

int template_keep(struct template_run *run, struct str text, struct template_value *out)
{
	struct str copy;

	run->bytes += text.n;
	if (text.n > RULE_TEMPLATE_OUTPUT_MAX || run->bytes > TEMPLATE_BYTES_MAX)
		return template_run_fail(run, "the template makes texts of more than %d bytes",
					 text.n > RULE_TEMPLATE_OUTPUT_MAX
						 ? RULE_TEMPLATE_OUTPUT_MAX
						 : TEMPLATE_BYTES_MAX);
	if (arena_copy_str(run->arena, text, &copy))
		return -ENOMEM;
	*out = template_string(copy);
	return 0;
}

static int enter(struct template_run *run)
{
	if (++run->depth > TEMPLATE_CALLS_MAX)
		return template_run_fail(run, "the template is nested deeper than %d levels",
					 TEMPLATE_CALLS_MAX);
	return 0;
}

/* ---- variables ---- */

static struct template_value *find_variable(struct template_run *run, struct str name)
{
	for (uint32_t i = run->variables.n; i-- > run->first_variable;)
		if (str_eq(run->variables.at[i].name, name))
			return &run->variables.at[i].value;
	return NULL;
}

static int push_variable(struct template_run *run, struct str name,
			 const struct template_value *value)
{
	return vec_push(run->arena, &run->variables, (struct template_variable){name, *value});
}

/* Set the variables of a pipeline to one value. */
static int set_variable(struct template_run *run, const struct template_pipe *pipe, uint32_t i,
			const struct template_value *value)
{
	struct template_value *at;

	if (!pipe->assigns)
		return push_variable(run, pipe->variables[i], value);
	at = find_variable(run, pipe->variables[i]);
	if (!at)
		return template_run_fail(run, "undefined variable: %.*s",
					 STR_ARG(str_head(pipe->variables[i], 80)));
	*at = *value;
	return 0;
}

/* ---- fields ---- */

struct str template_label(struct label_set labels, struct str name)
{
	for (uint32_t i = 0; i < labels.n; i++)
		if (str_eq(labels.at[i].name, name))
			return labels.at[i].value;
	return (struct str){0};
}

void template_arg(const struct template_args *args, struct str name, struct template_value *out)
{
	uint64_t i;

	*out = (struct template_value){0};
	if (str_starts(name, STR("arg")) && !str_to_u64(str_from_at(name, 3), 10, &i) &&
	    i < args->n && (name.n == 4 || name.p[3] != '0'))
		*out = args->at[i];
}

static bool data_field(const struct rule_template_data *d, struct str name,
		       struct template_value *out)
{
	if (str_eq(name, STR("Labels")))
		*out = template_labels(d->labels, d->label_count);
	else if (str_eq(name, STR("ExternalLabels")))
		*out = template_labels(d->external_labels, d->external_count);
	else if (str_eq(name, STR("ExternalURL")))
		*out = template_string(d->external_url);
	else if (str_eq(name, STR("Value")))
		*out = template_float(d->value);
	else
		return false;
	return true;
}

static bool sample_field(const struct rule_template_sample *s, struct str name,
			 struct template_value *out)
{
	if (str_eq(name, STR("Labels")))
		*out = template_labels(s->labels, s->label_count);
	else if (str_eq(name, STR("Value")))
		*out = template_float(s->value);
	else
		return false;
	return true;
}

/* Get a field of *v. Return whether it exists. */
static bool get_field(const struct template_value *v, struct str name, struct template_value *out)
{
	switch (v->kind) {
	case TEMPLATE_NONE:
		*out = (struct template_value){0};
		return true;
	case TEMPLATE_LABELS:
		*out = template_string(template_label(v->labels, name));
		return true;
	case TEMPLATE_ARGS:
		template_arg(v->args, name, out);
		return true;
	case TEMPLATE_DATA:
		return data_field(v->data, name, out);
	case TEMPLATE_SAMPLE:
		return sample_field(v->sample, name, out);
	default:
		return false;
	}
}

static int eval_operand(struct template_run *run, const struct template_operand *o,
			const struct template_value *dot, struct template_value *out);

/* Evaluate operands from the second on, and append `final` if there is one. */
static int eval_args(struct template_run *run, const struct template_command *c,
		     const struct template_value *dot, const struct template_value *final,
		     struct template_value **args, uint32_t *n)
{
	uint32_t count = c ? c->operands.n - 1 : 0;
	int rc = 0;

	*n = count + !!final;
	*args = arena_alloc(run->arena, *n + 1, sizeof(**args));
	if (!*args)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !rc; i++)
		rc = eval_operand(run, &c->operands.at[i + 1], dot, &(*args)[i]);
	if (final)
		(*args)[count] = *final;
	return rc;
}

/*
 * A field or method of *value, with the arguments of the command `c` and `final` if it is the last
 * one of its operand (both NULL otherwise).
 */
static int eval_field(struct template_run *run, const struct template_field *field,
		      const struct template_command *c, const struct template_value *dot,
		      const struct template_value *final, struct template_value *value)
{
	struct template_value *args = NULL, out = {0};
	char name[32];
	uint32_t n;
	int rc;

	if ((c && c->operands.n > 1) || final || value->kind == TEMPLATE_TIME ||
	    value->kind == TEMPLATE_DURATION || value->kind == TEMPLATE_MONTH ||
	    value->kind == TEMPLATE_WEEKDAY) {
		struct template_call call = {.run = run, .name = name, .out = &out};

		snprintf(name, sizeof(name), "%.*s", STR_ARG(field->name));
		rc = eval_args(run, c, dot, final, &args, &n);
		if (rc)
			return rc;
		/* The receiver is the first argument. */
		call.args = arena_alloc(run->arena, n + 1, sizeof(*args));
		if (!call.args)
			return -ENOMEM;
		call.args[0] = *value;
		memcpy(call.args + 1, args, n * sizeof(*args));
		call.n = n + 1;
		run->at = field->at;
		rc = template_method(&call);
		if (rc == -ENOENT && get_field(value, field->name, &out))
			return template_run_fail(
				run, "%s has arguments but cannot be invoked as function", name);
	} else {
		run->at = field->at;
		rc = get_field(value, field->name, &out) ? 0 : -ENOENT;
	}
	if (rc == -ENOENT)
		return template_run_fail(run, "can't evaluate field %.*s in type %s",
					 STR_ARG(str_head(field->name, 80)),
					 template_type_name(value));
	*value = out;
	return rc;
}

/* ---- calls ---- */

static int check_count(struct template_run *run, const struct template_function *f, uint32_t n)
{
	if ((int)n >= f->min && (f->max == TEMPLATE_ANY_COUNT || (int)n <= f->max))
		return 0;
	return template_run_fail(run, "wrong number of args for %s: want %s%d got %u", f->name,
				 f->max == f->min ? "" : "at least ", f->min, n);
}

/* and, or: evaluate arguments up to the first one that decides. */
static int eval_short(struct template_run *run, const struct template_function *f,
		      const struct template_command *c, const struct template_value *dot,
		      const struct template_value *final, struct template_value *out)
{
	uint32_t count = c ? c->operands.n - 1 : 0;
	bool stop_at = f->run == template_or;
	int rc = check_count(run, f, count + !!final);

	for (uint32_t i = 0; i < count && !rc; i++) {
		rc = eval_operand(run, &c->operands.at[i + 1], dot, out);
		if (!rc && template_truth(out) == stop_at)
			return 0;
	}
	if (final && !rc)
		*out = *final;
	return rc;
}

static int eval_function(struct template_run *run, const struct template_operand *o,
			 const struct template_command *c, const struct template_value *dot,
			 const struct template_value *final, struct template_value *out)
{
	struct template_call call = {.run = run, .name = o->function->name, .out = out};
	int rc;

	run->at = o->at;
	if (o->function->run == template_and || o->function->run == template_or)
		return eval_short(run, o->function, c, dot, final, out);
	rc = eval_args(run, c, dot, final, &call.args, &call.n);
	run->at = o->at;
	if (!rc)
		rc = check_count(run, o->function, call.n);
	return rc ? rc : o->function->run(&call);
}

/* The value of an operand without its fields. */
static int eval_term(struct template_run *run, const struct template_operand *o,
		     const struct template_command *c, const struct template_value *dot,
		     const struct template_value *final, struct template_value *out)
{
	struct template_value *variable;
	int rc;

	switch (o->kind) {
	case OPERAND_CONSTANT:
		*out = o->constant;
		return 0;
	case OPERAND_NIL:
		return 0;
	case OPERAND_DOT:
		*out = *dot;
		return 0;
	case OPERAND_VARIABLE:
		variable = find_variable(run, o->variable);
		if (!variable)
			return template_run_fail(run, "undefined variable: %.*s",
						 STR_ARG(str_head(o->variable, 80)));
		*out = *variable;
		return 0;
	case OPERAND_FUNCTION:
		return eval_function(run, o, c, dot, final, out);
	case OPERAND_PIPE:
		rc = enter(run);
		if (!rc)
			rc = eval_pipe(run, o->pipe, dot, out);
		run->depth--;
		return rc;
	}
	return 0;
}

/* Evaluate an operand; `c` and `final` are given to the function or method at its end. */
static int eval_with_args(struct template_run *run, const struct template_operand *o,
			  const struct template_command *c, const struct template_value *dot,
			  const struct template_value *final, struct template_value *out)
{
	bool has_args = (c && c->operands.n > 1) || final;
	int rc = template_step(run, 1);

	*out = (struct template_value){0};
	run->at = o->at;
	if (!rc && has_args && !o->fields.n && o->kind != OPERAND_FUNCTION)
		return template_run_fail(
			run, "can't give argument to non-function %.*s",
			STR_ARG(str_head(str_of(run->tree->text.p + o->at, o->end - o->at), 80)));
	if (!rc)
		rc = eval_term(run, o, o->fields.n ? NULL : c, dot, o->fields.n ? NULL : final,
			       out);
	for (uint32_t i = 0; i < o->fields.n && !rc; i++) {
		bool last = i + 1 == o->fields.n;

		rc = eval_field(run, &o->fields.at[i], last ? c : NULL, dot, last ? final : NULL,
				out);
	}
	return rc;
}

static int eval_operand(struct template_run *run, const struct template_operand *o,
			const struct template_value *dot, struct template_value *out)
{
	return eval_with_args(run, o, NULL, dot, NULL, out);
}

/* Evaluate a pipeline and set its variables, but not those of `range`. */
static int eval_commands(struct template_run *run, const struct template_pipe *pipe,
			 const struct template_value *dot, struct template_value *out)
{
	struct template_value value = {0}, next;
	int rc = 0;

	for (uint32_t i = 0; i < pipe->commands.n && !rc; i++) {
		const struct template_command *c = &pipe->commands.at[i];

		if (c->operands.at[0].kind == OPERAND_NIL) {
			run->at = c->at;
			return template_run_fail(run, "nil is not a command");
		}
		rc = eval_with_args(run, &c->operands.at[0], c, dot, i ? &value : NULL, &next);
		value = next;
	}
	*out = value;
	return rc;
}

static int eval_pipe(struct template_run *run, const struct template_pipe *pipe,
		     const struct template_value *dot, struct template_value *out)
{
	int rc = eval_commands(run, pipe, dot, out);

	for (uint32_t i = 0; i < pipe->variable_count && !rc; i++)
		rc = set_variable(run, pipe, i, out);
	return rc;
}

bool template_truth(const struct template_value *v)
{
	switch (v->kind) {
	case TEMPLATE_NONE:
		return false;
	case TEMPLATE_BOOL:
		return v->b;
	case TEMPLATE_INT:
	case TEMPLATE_MONTH:
	case TEMPLATE_WEEKDAY:
		return v->i != 0;
	case TEMPLATE_FLOAT:
		return v->f != 0;
	case TEMPLATE_STRING:
		return v->s.n > 0;
	case TEMPLATE_LABELS:
		return v->labels.n > 0;
	case TEMPLATE_SAMPLES:
		return v->samples.n > 0;
	case TEMPLATE_ARGS:
		return v->args->n > 0;
	default:
		return true;
	}
}

/* ---- nodes ---- */

/* {{if}} and {{with}} */
static int run_condition(struct template_run *run, const struct template_node *n,
			 const struct template_value *dot)
{
	struct template_value value;
	uint32_t scope = run->variables.n;
	int rc = eval_pipe(run, n->pipe, dot, &value);

	if (!rc && template_truth(&value))
		rc = run_list(run, &n->list, n->kind == NODE_WITH ? &value : dot);
	else if (!rc)
		rc = run_list(run, &n->otherwise, dot);
	run->variables.n = scope;
	return rc;
}

/* Return the number of elements of a value that can be iterated, or -1. */
static int64_t element_count(const struct template_value *v)
{
	switch (v->kind) {
	case TEMPLATE_NONE:
		return 0;
	case TEMPLATE_INT:
		return v->i > 0 ? v->i : 0;
	case TEMPLATE_LABELS:
		return v->labels.n;
	case TEMPLATE_SAMPLES:
		return v->samples.n;
	case TEMPLATE_ARGS:
		return v->args->n;
	default:
		return -1;
	}
}

/* Get the i-th element of a value and its index or key. */
static int get_element(struct template_run *run, const struct template_value *v, int64_t i,
		       struct template_value *key, struct template_value *element)
{
	struct str name;

	*key = template_int(i);
	if (v->kind == TEMPLATE_INT) {
		*element = *key;
	} else if (v->kind == TEMPLATE_LABELS) {
		*key = template_string(v->labels.at[i].name);
		*element = template_string(v->labels.at[i].value);
	} else if (v->kind == TEMPLATE_SAMPLES) {
		*element = (struct template_value){.kind = TEMPLATE_SAMPLE,
						   .sample = v->samples.at[i]};
	} else {
		if (arena_printf(run->arena, &name, "arg%lld", (long long)i))
			return -ENOMEM;
		*key = template_string(name);
		*element = v->args->at[i];
	}
	return 0;
}

static int run_element(struct template_run *run, const struct template_node *n,
		       const struct template_value *key, const struct template_value *element)
{
	const struct template_pipe *pipe = n->pipe;
	uint32_t scope = run->variables.n;
	int rc = template_step(run, 1);

	if (!rc && pipe->variable_count == 1)
		rc = set_variable(run, pipe, 0, element);
	if (!rc && pipe->variable_count == 2) {
		rc = set_variable(run, pipe, 0, key);
		if (!rc)
			rc = set_variable(run, pipe, 1, element);
	}
	if (!rc)
		rc = run_list(run, &n->list, element);
	run->variables.n = scope;
	return rc;
}

static int run_range(struct template_run *run, const struct template_node *n,
		     const struct template_value *dot)
{
	struct template_value value, key, element;
	uint32_t scope = run->variables.n;
	int rc = eval_commands(run, n->pipe, dot, &value);
	int64_t count = rc ? 0 : element_count(&value);

	run->at = n->at;
	if (!rc && count < 0)
		return template_run_fail(run, "range can't iterate over a value of type %s",
					 template_type_name(&value));
	if (!rc && value.kind == TEMPLATE_INT && n->pipe->variable_count > 1)
		return template_run_fail(
			run, "can't use a number to iterate over more than one variable");
	for (int64_t i = 0; i < count && !rc; i++) {
		rc = get_element(run, &value, i, &key, &element);
		if (!rc)
			rc = run_element(run, n, &key, &element);
		if (rc == JUMP_CONTINUE)
			rc = 0;
	}
	if (!rc && !count)
		rc = run_list(run, &n->otherwise, dot);
	run->variables.n = scope;
	return rc == JUMP_BREAK ? 0 : rc;
}

int template_execute_named(struct template_run *run, struct str name,
			   const struct template_value *dot)
{
	const struct template_definition *found = NULL;
	uint32_t scope = run->variables.n, first = run->first_variable;
	int rc;

	for (uint32_t i = 0; i < run->tree->definitions.n; i++)
		if (str_eq(run->tree->definitions.at[i].name, name))
			found = &run->tree->definitions.at[i];
	if (!found)
		return template_run_fail(run, "template \"%.*s\" not defined",
					 STR_ARG(str_head(name, 80)));
	run->first_variable = scope;
	rc = push_variable(run, STR("$"), dot);
	if (!rc)
		rc = run_list(run, &found->list, dot);
	run->variables.n = scope;
	run->first_variable = first;
	return rc;
}

static int run_template(struct template_run *run, const struct template_node *n,
			const struct template_value *dot)
{
	struct template_value value = {0};
	int rc = n->pipe ? eval_pipe(run, n->pipe, dot, &value) : 0;

	run->at = n->at;
	return rc ? rc : template_execute_named(run, n->text, &value);
}

static int run_action(struct template_run *run, const struct template_node *n,
		      const struct template_value *dot)
{
	struct template_value value;
	int rc = eval_pipe(run, n->pipe, dot, &value);

	if (!rc && !n->pipe->variable_count)
		template_put_value(&run->out, &value);
	return rc;
}

static int run_node(struct template_run *run, const struct template_node *n,
		    const struct template_value *dot)
{
	switch (n->kind) {
	case NODE_TEXT:
		buf_put_str(&run->out, n->text);
		return 0;
	case NODE_ACTION:
		return run_action(run, n, dot);
	case NODE_IF:
	case NODE_WITH:
		return run_condition(run, n, dot);
	case NODE_RANGE:
		return run_range(run, n, dot);
	case NODE_TEMPLATE:
		return run_template(run, n, dot);
	case NODE_BREAK:
		return JUMP_BREAK;
	case NODE_CONTINUE:
		return JUMP_CONTINUE;
	}
	return 0;
}

/* Return 0, a jump, or -errno. */
static int run_list(struct template_run *run, const struct template_list *list,
		    const struct template_value *dot)
{
	int rc = enter(run);

	for (const struct template_node *n = list->first; n && !rc; n = n->next) {
		run->at = n->at;
		rc = template_step(run, 1);
		if (!rc)
			rc = run_node(run, n, dot);
		if (rc >= 0 && run->out.n > RULE_TEMPLATE_OUTPUT_MAX)
			rc = template_run_fail(run, "the result has more than %d bytes",
					       RULE_TEMPLATE_OUTPUT_MAX);
	}
	run->depth--;
	return rc;
}

int template_execute(struct template_run *run)
{
	const struct rule_template_data *d = run->data;
	const struct template_value dot = {.kind = TEMPLATE_DATA, .data = d};
	const struct template_variable variables[] = {
		{STR("$"), dot},
		{STR("$labels"), template_labels(d->labels, d->label_count)},
		{STR("$externalLabels"), template_labels(d->external_labels, d->external_count)},
		{STR("$externalURL"), template_string(d->external_url)},
		{STR("$value"), template_float(d->value)},
	};
	int rc = 0;

	for (size_t i = 0; i < countof(variables) && !rc; i++)
		rc = push_variable(run, variables[i].name, &variables[i].value);
	return rc ? rc : run_list(run, &run->tree->list, &dot);
}
