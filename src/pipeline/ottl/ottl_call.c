/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up functions by name, converts arguments to the kinds of the parameters, and calls. */
#include "pipeline/ottl/ottl_call.h"

#include <errno.h>

#include "pipeline/ottl/functions/editors.h"
#include "pipeline/ottl/functions/hashes.h"
#include "pipeline/ottl/functions/lists.h"
#include "pipeline/ottl/functions/metrics.h"
#include "pipeline/ottl/functions/parsers.h"
#include "pipeline/ottl/functions/replace.h"
#include "pipeline/ottl/functions/strings.h"
#include "pipeline/ottl/functions/times.h"
#include "pipeline/ottl/functions/types.h"

/* clang-format off */
const struct ottl_function *const ottl_functions[] = {
	ottl_editors,
	ottl_replace_editors,
	ottl_metric_functions,
	ottl_string_functions,
	ottl_type_functions,
	ottl_list_functions,
	ottl_hash_functions,
	ottl_parser_functions,
	ottl_time_functions,
	NULL,
};
/* clang-format on */

const struct ottl_function *ottl_function_find(struct str name)
{
	for (const struct ottl_function *const *table = ottl_functions; *table; table++)
		for (const struct ottl_function *f = *table; f->name; f++)
			if (str_eq(str_from(f->name), name))
				return f;
	return NULL;
}

const char *ottl_function_suggest(struct str name)
{
	const char *names[256], *found;
	size_t n = 0;

	for (const struct ottl_function *const *table = ottl_functions; *table; table++)
		for (const struct ottl_function *f = *table; f->name && n < countof(names); f++)
			names[n++] = f->name;
	found = config_suggest(name, names, n, sizeof(names[0]));
	return found;
}

/* ---- arguments ---- */

static int expected(struct ottl_eval *ev, const char *kind, const struct ottl_value *v)
{
	return ottl_fail(ev, "expected %s but got %s", kind, ottl_kind_names[v->kind]);
}

static int expect_kind(struct ottl_eval *ev, enum ottl_kind kind, const struct ottl_value *v)
{
	return v->kind == kind ? 0 : expected(ev, ottl_kind_names[kind], v);
}

static int convert_text(struct ottl_eval *ev, struct ottl_value *v)
{
	struct str text;
	int rc;

	if (v->kind == OTTL_NIL || v->kind == OTTL_STRING)
		return 0;
	rc = ottl_text_of(ev, v, &text);
	*v = OTTL_VALUE_STRING(text);
	return rc;
}

static int convert_argument(struct ottl_eval *ev, enum ottl_param_kind kind, struct ottl_value *v)
{
	switch (kind) {
	case PARAM_STRING:
	case PARAM_PATTERN:
	case PARAM_CHOICE:
		return expect_kind(ev, OTTL_STRING, v);
	case PARAM_TEXT:
		return convert_text(ev, v);
	case PARAM_INT:
		return expect_kind(ev, OTTL_INT, v);
	case PARAM_DOUBLE:
		if (v->kind == OTTL_INT)
			*v = OTTL_VALUE_DOUBLE((double)v->i);
		return expect_kind(ev, OTTL_DOUBLE, v);
	case PARAM_BOOL:
		return expect_kind(ev, OTTL_BOOL, v);
	case PARAM_MAP:
		return expect_kind(ev, OTTL_MAP, v);
	case PARAM_LIST:
		return expect_kind(ev, OTTL_LIST, v);
	case PARAM_TIME:
		return expect_kind(ev, OTTL_TIME, v);
	case PARAM_DURATION:
		return expect_kind(ev, OTTL_DURATION, v);
	default:
		return 0;
	}
}

static int refer_to_map(struct ottl_eval *ev, struct ottl_args *a, const struct ottl_node *n)
{
	int rc = ottl_path_ref(ev, n, &a->ref);

	if (rc)
		return rc;
	if (!a->ref.value || a->ref.value->kind != OTTL_MAP)
		return ottl_fail(ev, "expected map but got %s",
				 a->ref.value ? ottl_kind_names[a->ref.value->kind] : "nil");
	a->map = a->ref.value->map;
	return 0;
}

static int eval_argument(struct ottl_eval *ev, struct ottl_args *a, unsigned i,
			 enum ottl_param_kind kind, const struct ottl_node *n)
{
	int rc;

	a->given[i] = true;
	a->node[i] = n;
	if (kind == PARAM_TARGET || kind == PARAM_FUNCTION)
		return 0;
	if (kind == PARAM_TARGET_MAP)
		return refer_to_map(ev, a, n);
	rc = ottl_eval_node(ev, n, &a->v[i]);
	if (!rc)
		rc = ottl_value_open(&ev->scratch, &a->v[i]);
	return rc ? rc : convert_argument(ev, kind, &a->v[i]);
}

/* ---- calls ---- */

int ottl_call(struct ottl_eval *ev, const struct ottl_node *call, struct ottl_value *out)
{
	const struct ottl_function *f = call->function;
	struct ottl_args a = {.site = call->site};
	int rc = 0;

	*out = (struct ottl_value){0};
	/* The map of a target is referred to last: other arguments may load and move it. */
	for (unsigned i = (unsigned)call->items.n; i-- > 0 && !rc;)
		if (call->items.at[i])
			rc = eval_argument(ev, &a, i, f->params[i].kind, call->items.at[i]);
	if (!rc)
		rc = f->run(ev, &a, out);
	return rc || !call->keys.n ? rc : ottl_follow_keys(ev, call, out);
}

int ottl_apply(struct ottl_eval *ev, const struct ottl_node *function, struct ottl_value *value,
	       struct ottl_value *out)
{
	struct ottl_args a = {.v = {*value}, .given = {true}, .site = function->site};
	int rc = convert_argument(ev, function->function->params[0].kind, &a.v[0]);

	*out = (struct ottl_value){0};
	return rc ? rc : function->function->run(ev, &a, out);
}

struct buf ottl_text_buf(const struct ottl_eval *ev)
{
	return (struct buf){.budget = ev->scratch.budget};
}

int ottl_return_text(struct ottl_eval *ev, struct buf *text, struct ottl_value *out)
{
	int rc = buf_error(text);

	*out = (struct ottl_value){.kind = OTTL_STRING};
	if (!rc)
		rc = arena_copy_str(&ev->scratch, buf_str(text), &out->s);
	buf_fini(text);
	return rc;
}
