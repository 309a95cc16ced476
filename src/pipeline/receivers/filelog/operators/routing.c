/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that decide by expressions where entries go: filter and router. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "pipeline/receivers/filelog/operators/operator.h"

/* ---- filter ---- */

struct filter_settings {
	struct operator_common common;
	struct str expr;
	struct str drop_ratio;
};

struct filter_state {
	struct expr *expr;
	double ratio;
	uint64_t random;
};

static const struct setting filter_table[] = {
	OPERATOR_COMMON(struct filter_settings, common),
	SET_STRING(struct filter_settings, expr, "expr", NULL,
		   "Entries for which this is true are dropped."),
	SET_STRING(struct filter_settings, drop_ratio, "drop_ratio", "1",
		   "The share of them that is dropped, 0 to 1."),
	SET_END,
};

static int filter_create(void **state, const void *settings, struct operator_build *b,
			 struct err *e)
{
	const struct filter_settings *s = settings;
	struct filter_state *f = arena_zalloc(b->arena, 1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	*state = f;
	f->random = clock_monotonic_ns() | 1;
	if (!s->expr.n)
		return err_set(e, -EINVAL, "missing required key \"expr\"");
	if (str_to_double(s->drop_ratio, &f->ratio) || !(f->ratio >= 0 && f->ratio <= 1))
		return err_set(e, -EINVAL, "\"drop_ratio\" has to be a number from 0 to 1");
	return expr_compile(&f->expr, s->expr, EXPR_BOOL, b->arena, e);
}

static void filter_destroy(void *state)
{
	expr_free(((struct filter_state *)state)->expr);
}

/* Return true for that share of the calls (xorshift64). */
static bool by_chance(struct filter_state *f)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return (double)(f->random >> 11) < f->ratio * 0x1p53;
}

static int filter_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			  struct err *e)
{
	struct filter_state *f = op->state;
	bool matched;
	int rc = expr_test(f->expr, entry, run->arena, &matched, e);

	return rc ? rc : matched && by_chance(f) ? OPERATOR_TAKEN : 0;
}

const struct operator_type filter_operator = {
	.name = "filter",
	.table = filter_table,
	.settings_size = sizeof(struct filter_settings),
	.create = filter_create,
	.process = filter_process,
	.destroy = filter_destroy,
};

/* ---- router ---- */

struct route_settings {
	struct operator_ids output;
	struct str expr;
	struct setting_map attributes;
};

struct router_settings {
	struct operator_common common;
	struct route_list {
		const struct route_settings *at;
		uint32_t n;
	} routes;
	struct operator_ids fallback;
};

struct router_state {
	struct expr *exprs[OPERATOR_ROUTES_MAX];
	struct operator_targets targets[OPERATOR_ROUTES_MAX], fallback;
	uint32_t n;
};

static const struct setting route_table[] = {
	SET_CUSTOM(struct route_settings, output, "output", operator_ids_read, "id or list",
		   "The operators that follow."),
	SET_STRING(struct route_settings, expr, "expr", NULL, "Entries for which this is true."),
	SET_MAP(struct route_settings, attributes, "attributes", "Attributes to add."),
	SET_END,
};

static int routes_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	struct route_list *out = to;
	struct route_settings *at;
	uint32_t count = 0;
	int rc = 0;

	for (const struct config_node *c = n->first; c; c = c->next)
		count++;
	if (n->kind != CONFIG_LIST || !count || count > OPERATOR_ROUTES_MAX)
		return config_fail(n, e, "%s: \"routes\" has to be a list of 1 to %d routes", what,
				   OPERATOR_ROUTES_MAX);
	at = arena_zalloc(arena, count, sizeof(*at));
	if (!at)
		return -ENOMEM;
	*out = (struct route_list){at, count};
	for (const struct config_node *c = n->first; c && !rc; c = c->next, at++) {
		rc = settings_read(route_table, c, what, at, arena, e);
		if (!rc && (!at->output.set || !at->expr.n))
			rc = config_fail(c, e, "%s: a route needs \"output\" and \"expr\"", what);
	}
	return rc;
}

static const struct setting router_table[] = {
	OPERATOR_COMMON(struct router_settings, common),
	SET_CUSTOM(struct router_settings, routes, "routes", routes_read, "list",
		   "A list of {output, expr}; the first that is true counts."),
	SET_CUSTOM(struct router_settings, fallback, "default", operator_ids_read, "id or list",
		   "The operators for other entries; default: they are dropped."),
	SET_END,
};

static int router_create(void **state, const void *settings, struct operator_build *b,
			 struct err *e)
{
	const struct router_settings *s = settings;
	struct router_state *r = arena_zalloc(b->arena, 1, sizeof(*r));
	int rc = 0;

	if (!r)
		return -ENOMEM;
	*state = r;
	if (!s->routes.n)
		return err_set(e, -EINVAL, "missing required key \"routes\"");
	for (; r->n < s->routes.n && !rc; r->n++)
		rc = expr_compile(&r->exprs[r->n], s->routes.at[r->n].expr, EXPR_BOOL, b->arena, e);
	return rc;
}

static int router_link(void *state, const void *settings, struct operator_build *b, struct err *e)
{
	const struct router_settings *s = settings;
	struct router_state *r = state;
	int rc = operator_find(&r->fallback, &s->fallback, b, e);

	for (uint32_t i = 0; i < r->n && !rc; i++)
		rc = operator_find(&r->targets[i], &s->routes.at[i].output, b, e);
	return rc;
}

static void router_destroy(void *state)
{
	struct router_state *r = state;

	for (uint32_t i = 0; i < r->n; i++)
		expr_free(r->exprs[i]);
}

static int add_route_attributes(const struct setting_map *map, struct operator_run *run,
				struct log_entry *entry, struct err *e)
{
	for (uint32_t i = 0; i < map->n; i++) {
		struct log_node value = LOG_NODE_STR(map->at[i].value);

		if (log_node_set(&entry->attributes, run->arena, map->at[i].name, &value))
			return err_errno(e, -ENOMEM, "router");
	}
	return 0;
}

static int router_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			  struct err *e)
{
	const struct router_settings *s = (const void *)op->settings;
	struct router_state *r = op->state;

	for (uint32_t i = 0; i < r->n; i++) {
		bool matched;
		int rc = expr_test(r->exprs[i], entry, run->arena, &matched, e);

		if (!rc && !matched)
			continue;
		if (!rc)
			rc = add_route_attributes(&s->routes.at[i].attributes, run, entry, e);
		if (rc)
			return rc;
		operator_pass(run, &r->targets[i], entry);
		return OPERATOR_TAKEN;
	}
	if (r->fallback.n)
		operator_pass(run, &r->fallback, entry);
	return OPERATOR_TAKEN;
}

const struct operator_type router_operator = {
	.name = "router",
	.table = router_table,
	.settings_size = sizeof(struct router_settings),
	.create = router_create,
	.link = router_link,
	.process = router_process,
	.destroy = router_destroy,
};
