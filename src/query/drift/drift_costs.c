/* SPDX-License-Identifier: Apache-2.0 */
#include "query/drift/drift_costs.h"

#include "base/container/hash.h"
#include "query/drift/drift_name.h"
#include "query/tree/names.h"

/* A visit of one dictionary of the store. */
struct cost_visit {
	struct drift_costs *costs;
	struct arena scratch;
	struct buf key;
	const struct stack_tree *tree;
	uint32_t *of_function, *of_mapping; /* index into costs->functions, + 1; 0: unknown yet */
	uint32_t *builds;		    /* by mapping: index into costs->builds, + 1 */
};

int drift_costs_init(struct drift_costs *c, struct arena *arena)
{
	*c = (struct drift_costs){.arena = arena};
	return idset_init(&c->index, arena, 1024);
}

static uint32_t find_key(const struct drift_costs *c, struct str key, uint32_t hash)
{
	struct idset_cursor at = idset_seek(&c->index, hash);
	uint32_t id;

	while (idset_next(&c->index, &at, &id))
		if (str_eq(c->functions.at[id].key, key))
			return id;
	return UINT32_MAX;
}

const struct drift_cost *drift_costs_find(const struct drift_costs *c, struct str key)
{
	uint32_t id = find_key(c, key, hash32(key));

	return id == UINT32_MAX ? NULL : &c->functions.at[id];
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

uint64_t drift_costs_unit(const struct drift_costs *c)
{
	enum { MOST_SAMPLES = 1000 }; /* of the smallest stack, if the divisor is one sample */

	/* samples of several periods, or of amounts, have no useful divisor */
	if (c->divisor && c->divisor >= c->least / MOST_SAMPLES)
		return c->divisor;
	return c->least ? c->least : 1;
}

/* Set *id to the function with that name, added if it is new. 0 or -ENOMEM. */
static int add_function(struct cost_visit *v, struct str name, struct str file, uint32_t *id)
{
	struct drift_costs *c = v->costs;
	struct drift_cost cost = {0};
	uint32_t hash;
	int rc;

	name = str_head(name, DRIFT_NAME_MAX);
	drift_name_key(&v->key, name);
	rc = buf_error(&v->key);
	hash = hash32(buf_str(&v->key));
	*id = rc ? 0 : find_key(c, buf_str(&v->key), hash);
	if (rc || *id != UINT32_MAX)
		return rc;
	if (c->functions.n >= DRIFT_COSTS_MAX)
		return -ENOMEM;
	rc = arena_copy_str(c->arena, buf_str(&v->key), &cost.key);
	cost.name = cost.key;
	if (!rc && !str_eq(name, cost.key))
		rc = arena_copy_str(c->arena, name, &cost.name);
	if (!rc)
		rc = arena_copy_str(c->arena, str_head(file, DRIFT_NAME_MAX), &cost.file);
	*id = c->functions.n;
	rc = rc ? rc : vec_push(c->arena, &c->functions, cost);
	return rc ? rc : idset_add(&c->index, hash, *id);
}

static struct str string_at(const struct cost_visit *v, uint32_t id)
{
	return string_of(&v->tree->dictionary, id);
}

static int add_module(struct cost_visit *v, uint32_t mapping, uint32_t *id)
{
	const struct mapping *m = &v->tree->dictionary.mappings.at[mapping];
	struct str module = names_module(string_at(v, m->filename)), name;
	int rc = arena_printf(&v->scratch, &name, "[%.*s]", STR_ARG(module));

	return rc ? rc : add_function(v, module.n ? name : STR("[unknown]"), (struct str){0}, id);
}

/* Set *id to the function of a line, or of a location without lines. 0 or -ENOMEM. */
static int function_of(struct cost_visit *v, const struct location *l, uint32_t line, uint32_t *id)
{
	const struct profile_batch *d = &v->tree->dictionary;
	uint32_t number = line < l->lines.n ? d->lines.at[l->lines.at + line].function : 0;
	struct str name = string_at(v, d->functions.at[number].name);
	uint32_t *known = name.n ? &v->of_function[number] : &v->of_mapping[l->mapping];
	int rc = 0;

	if (!*known) {
		rc = name.n ? add_function(v, name, string_at(v, d->functions.at[number].filename),
					   id)
			    : add_module(v, l->mapping, id);
		*known = rc ? 0 : *id + 1;
	}
	*id = *known - 1;
	return rc;
}

/* ---- builds ---- */

static int find_build(struct cost_visit *v, uint32_t mapping, uint32_t *at)
{
	static const struct str keys[] = {STR_INIT("process.executable.build_id.gnu"),
					  STR_INIT("process.executable.build_id.go"),
					  STR_INIT("process.executable.build_id.htlhash")};
	const struct profile_batch *d = &v->tree->dictionary;
	struct list refs = d->mappings.at[mapping].attributes;
	struct drift_costs *c = v->costs;
	struct drift_build build = {0};
	int rc;

	*at = UINT32_MAX;
	for (size_t i = 0; i < countof(keys) && !build.id.n; i++) {
		const struct attribute *a =
			profile_find_attribute(d, d->attribute_refs.at + refs.at, refs.n, keys[i]);

		if (a && a->value.kind == VALUE_STRING)
			build.id = a->value.s;
	}
	build.id = str_head(build.id, 100);
	for (uint32_t i = 0; i < c->builds.n && build.id.n; i++)
		if (str_eq(c->builds.at[i].id, build.id))
			*at = i;
	if (!build.id.n || *at != UINT32_MAX || c->builds.n == DRIFT_BUILDS_MAX)
		return 0;
	*at = c->builds.n;
	rc = arena_copy_str(c->arena, build.id, &build.id);
	return rc ? rc : vec_push(c->arena, &c->builds, build);
}

static int add_build(struct cost_visit *v, uint32_t mapping, uint64_t self)
{
	int rc = 0;

	if (!mapping)
		return 0;
	if (!v->builds[mapping]) {
		uint32_t at;

		rc = find_build(v, mapping, &at);
		v->builds[mapping] = at + 2; /* 1: it has none */
	}
	if (!rc && v->builds[mapping] > 1)
		v->costs->builds.at[v->builds[mapping] - 2].self += self;
	return rc;
}

/* ---- nodes ---- */

static int add_node(struct cost_visit *v, uint32_t node, uint64_t self)
{
	const struct location *l =
		&v->tree->dictionary.locations.at[v->tree->nodes.at[node].location];
	uint32_t id;
	int rc = function_of(v, l, 0, &id);

	if (rc)
		return rc;
	v->costs->functions.at[id].self += self;
	return add_build(v, l->mapping, self);
}

static void relate(struct cost_visit *v, uint32_t caller, uint32_t callee)
{
	struct drift_cost *at = v->costs->functions.at;

	if (str_eq(at[caller].key, v->costs->target))
		at[callee].related = true;
	if (str_eq(at[callee].key, v->costs->target))
		at[caller].related = true;
}

/* Mark the callers and callees of the target among the frames of a node and its caller. */
static int relate_node(struct cost_visit *v, uint32_t node)
{
	const struct profile_batch *d = &v->tree->dictionary;
	const struct stack_node *at = &v->tree->nodes.at[node];
	const struct location *l = &d->locations.at[at->location];
	uint32_t lines = l->lines.n ? l->lines.n : 1, last, id;
	int rc = function_of(v, l, 0, &last);

	for (uint32_t i = 1; i < lines && !rc; i++, last = id) {
		rc = function_of(v, l, i, &id);
		if (!rc)
			relate(v, id, last);
	}
	if (rc || !at->parent)
		return rc;
	rc = function_of(v, &d->locations.at[v->tree->nodes.at[at->parent].location], 0, &id);
	if (!rc)
		relate(v, id, last);
	return rc;
}

/* Mark the functions in the file of the target, and those with its name but for its template. */
static void relate_names(struct cost_visit *v)
{
	struct drift_costs *c = v->costs;
	const struct drift_cost *target = drift_costs_find(c, c->target);
	struct buf plain = {0};

	if (!target)
		return;
	drift_name_plain(&plain, c->target);
	for (uint32_t i = 0; i < c->functions.n; i++) {
		struct drift_cost *f = &c->functions.at[i];

		drift_name_plain(&v->key, f->key);
		f->related |= str_eq(buf_str(&v->key), buf_str(&plain)) ||
			      (f->file.n && str_eq(f->file, target->file));
	}
	buf_fini(&plain);
}

static int visit_stacks(void *ctx, const struct stack_tree *tree, const int64_t *self, uint32_t n)
{
	struct cost_visit *v = ctx;
	struct drift_costs *c = v->costs;
	const struct profile_batch *d = &tree->dictionary;
	int rc = 0;

	arena_reset(&v->scratch);
	v->tree = tree;
	v->of_function = arena_zalloc(&v->scratch, d->functions.n, sizeof(*v->of_function));
	v->of_mapping = arena_zalloc(&v->scratch, d->mappings.n, sizeof(*v->of_mapping));
	v->builds = arena_zalloc(&v->scratch, d->mappings.n, sizeof(*v->builds));
	if (!v->of_function || !v->of_mapping || !v->builds)
		return -ENOMEM;
	for (uint32_t i = 1; i < n && !rc; i++) {
		uint64_t value = self[i] > 0 ? (uint64_t)self[i] : 0;

		if (c->target.n)
			rc = relate_node(v, i);
		if (!value || rc)
			continue;
		c->total += value;
		c->least = !c->least || value < c->least ? value : c->least;
		c->divisor = common_divisor(value, c->divisor);
		rc = add_node(v, i, value);
	}
	if (!rc && c->target.n)
		relate_names(v);
	return rc;
}

int drift_source_select(const struct drift_source *source, struct selector *selector,
			struct store_select *select, struct err *e)
{
	int rc;

	selector_init(selector);
	*select = (struct store_select){
		.tenant = source->tenant,
		.selector = selector,
		.limits = {.budget = source->budget, .cancelled = source->cancelled}};
	rc = selector_add(selector, MATCH_EQUAL, STR("service_name"), source->service, e);
	return rc ? rc
		  : selector_add(selector, MATCH_EQUAL, STR("__profile_type__"), source->type, e);
}

int drift_costs_add(struct drift_costs *c, const struct drift_source *source, uint64_t from,
		    uint64_t to, struct err *e)
{
	struct cost_visit v = {.costs = c};
	struct store_select select;
	struct selector selector;
	uint64_t divisor;
	int rc = drift_source_select(source, &selector, &select, e);

	select.from = from;
	select.to = to;
	arena_init(&v.scratch, source->budget);
	if (!rc)
		rc = source->store->ops->each_stacks(source->store, &select, visit_stacks, &v,
						     &divisor, e);
	arena_fini(&v.scratch);
	buf_fini(&v.key);
	selector_fini(&selector);
	return rc == -ENOMEM ? err_set(e, rc, "out of memory") : rc;
}
