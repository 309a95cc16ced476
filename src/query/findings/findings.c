/* SPDX-License-Identifier: Apache-2.0 */
/* The first walk adds up what each rule measures; rules that reach their threshold get evidence. */
#include "query/findings/findings.h"

#include <math.h>
#include <stdlib.h>

#include "query/findings/finding_evidence.h"
#include "query/findings/finding_same_work.h"

/* ---- kinds and samples ---- */

static bool has_any(struct str text, const char *const *parts)
{
	for (; *parts; parts++)
		if (str_find_str(text, str_from(*parts)) < text.n)
			return true;
	return false;
}

enum finding_kind finding_kind_of(struct str profile, struct sample_type type)
{
	static const char *const locks[] = {"delay", "contentions", "lock", "mutex", "block", NULL};
	static const char *const wall[] = {"wall", "off_cpu", NULL};
	static const char *const live[] = {"inuse", "in_use", "live", "objsize", NULL};
	static const char *const cpu[] = {"cpu", "samples", "sample", "cycles", "time", NULL};
	static const char *const other[] = {"goroutine", "thread", "exception", "miss", NULL};

	if (has_any(type.type, live) || has_any(type.type, other))
		return 0;
	if (has_any(type.type, locks))
		return FINDING_LOCK;
	if (str_find_str(type.type, STR("alloc")) < type.type.n)
		return FINDING_ALLOC;
	if (has_any(type.type, wall) || str_eq(profile, STR("wall")))
		return FINDING_WALL;
	return has_any(type.type, cpu) ? FINDING_CPU : 0;
}

/* Return the value of one sample that profilers use by default. */
static uint64_t usual_quantum(struct str unit)
{
	static const struct {
		struct str unit;
		uint64_t quantum;
	} units[] = {
		{STR_INIT("nanoseconds"), 10000000}, {STR_INIT("ns"), 10000000},
		{STR_INIT("microseconds"), 10000},   {STR_INIT("us"), 10000},
		{STR_INIT("milliseconds"), 10},	     {STR_INIT("ms"), 10},
		{STR_INIT("bytes"), 512 * 1024},     {STR_INIT("By"), 512 * 1024},
	};

	for (size_t i = 0; i < countof(units); i++)
		if (str_eq(unit, units[i].unit))
			return units[i].quantum;
	return 1;
}

enum { MANY_VALUES = 20 };

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Estimate the value of one sample: the greatest common divisor of all self values, if it is near
 * that of usual profilers, which it is with a fixed period. Few values may have a larger divisor by
 * chance.
 */
static double quantum_of(const struct tree *t)
{
	uint64_t usual = usual_quantum(t->type.unit), common = 0, most;
	uint32_t values = 0;

	for (uint32_t i = 0; i < t->nodes.n && common != 1; i++) {
		uint64_t self = magnitude_of(tree_self(t, i).in[TREE_ONLY]);

		values += self != 0;
		common = divisor(common, self);
	}
	most = values < MANY_VALUES ? usual : usual * 10;
	return (double)(common && common >= usual / 20 && common <= most ? common : usual);
}

/* Return the lower limit of the 95 % interval of a share of n samples (Wilson). */
static double share_at_least(double share, double n)
{
	const double z = 1.96;

	if (n <= 0)
		return 0;
	return (share + z * z / (2 * n) - z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))) /
	       (1 + z * z / n);
}

/* ---- the walk ---- */

struct evaluation {
	struct tree *tree;
	struct arena *scratch;
	struct finding_facts facts;
	struct finding_sums sums;
	int64_t of_rule[32];
	double quantum, total;
	bool exact; /* the values are no samples: locks */
};

static void add_enter(struct evaluation *ev, const struct finding_walk *w)
{
	const struct finding_step *s = finding_walk_step(w);
	uint32_t name = ev->tree->nodes.at[s->node].name, times = w->on_path[name];
	int64_t self = tree_self(ev->tree, s->node).in[TREE_ONLY];
	int64_t total = tree_total(ev->tree, s->node).in[TREE_ONLY];
	struct finding_name_sums *sum = &ev->sums.of_name[name];
	uint32_t active = self ? finding_walk_active(w) : 0;

	sum->self += self;
	if (!(s->excluded & ev->sums.own_rules))
		sum->own += self;
	if (times == 1)
		sum->total += total;
	else
		sum->nested = true;
	if (times == ev->sums.recursion_least)
		sum->recursive += total;
	if (s->place != FINDING_NO_NAME && !(s->excluded & ev->sums.place_rules))
		ev->sums.of_name[s->place].place += self;
	for (; active; active &= active - 1)
		ev->of_rule[__builtin_ctz(active)] += self;
}

static int walk_tree(struct evaluation *ev)
{
	struct finding_walk w;
	int rc = finding_walk_init(&w, &ev->facts, ev->scratch);

	while (!rc) {
		int event = finding_walk_next(&w);

		if (event < 0)
			rc = event;
		else if (event == FINDING_END)
			break;
		else if (event == FINDING_ENTER)
			add_enter(ev, &w);
	}
	return rc;
}

/* ---- rules ---- */

static bool reaches(const struct evaluation *ev, const struct finding_rule *rule, int64_t value)
{
	double share = (double)value / ev->total;

	if (ev->exact)
		return share >= rule->share;
	return (double)value / ev->quantum >= rule->samples &&
	       share_at_least(share, ev->total / ev->quantum) >= rule->share;
}

/* Return the name with the largest value of a measure by name, or FINDING_NO_NAME. */
static uint32_t largest_name(const struct evaluation *ev, const struct finding_rule *rule,
			     int64_t *value)
{
	uint32_t best = FINDING_NO_NAME;

	*value = 0;
	for (uint32_t i = 0; i < ev->tree->names.rows.n; i++) {
		const struct finding_name_sums *sum = &ev->sums.of_name[i];
		int64_t v = rule->measure == FINDING_LARGEST_SELF    ? sum->own
			    : rule->measure == FINDING_LARGEST_PLACE ? sum->place
								     : sum->recursive;

		if (rule->measure == FINDING_RECURSION && sum->self < v / 2)
			continue;
		if (v > *value && !(ev->facts.roles[i] & rule->no_names)) {
			*value = v;
			best = i;
		}
	}
	return best;
}

static int evaluate(struct evaluation *ev, size_t i, struct findings *out)
{
	const struct finding_rule *rule = &finding_rules[i];
	struct finding f = {.rule = rule};
	uint32_t name = FINDING_NO_NAME;
	int rc = 0;

	if (rule->measure == FINDING_SAME_WORK)
		rc = finding_same_work(&name, &f.value, &ev->facts, &ev->sums, rule, ev->scratch);
	else if (rule->measure == FINDING_LARGEST_SELF || rule->measure == FINDING_LARGEST_PLACE ||
		 rule->measure == FINDING_RECURSION)
		name = largest_name(ev, rule, &f.value);
	else
		f.value = ev->of_rule[i];
	if (rc || f.value <= 0 || !reaches(ev, rule, f.value))
		return rc;
	rc = finding_explain(&f, &ev->facts, &ev->sums, (uint32_t)i, name, ev->scratch);
	return rc ? rc : vec_push(&ev->tree->arena, &out->rows, f);
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* Set what the walk needs to know of the rules. */
static void prepare_sums(struct evaluation *ev)
{
	for (size_t i = 0; i < finding_rule_count; i++) {
		const struct finding_rule *rule = &finding_rules[i];

		if (!(ev->facts.applied & 1u << i))
			continue;
		if (rule->measure == FINDING_LARGEST_PLACE)
			ev->sums.place_rules |= 1u << i;
		if (rule->measure == FINDING_LARGEST_SELF)
			ev->sums.own_rules |= 1u << i;
		if (rule->measure == FINDING_RECURSION)
			ev->sums.recursion_least = rule->least;
	}
}

static int evaluate_all(struct findings *out, struct evaluation *ev)
{
	int rc;

	_Static_assert(sizeof(ev->of_rule) / sizeof(*ev->of_rule) == 32, "a bit for each rule");
	rc = finding_facts_init(&ev->facts, ev->tree, out->kind, ev->scratch);
	if (rc)
		return rc;
	prepare_sums(ev);
	ev->sums.of_name =
		arena_zalloc(ev->scratch, ev->tree->names.rows.n + 1, sizeof(*ev->sums.of_name));
	rc = ev->sums.of_name ? walk_tree(ev) : -ENOMEM;
	for (size_t i = 0; i < finding_rule_count && !rc; i++)
		if (ev->facts.applied & 1u << i) {
			out->rules++;
			rc = evaluate(ev, i, out);
		}
	return rc;
}

int findings_of_tree(struct findings *out, struct tree *t, enum finding_kind kind)
{
	struct arena scratch;
	struct evaluation ev = {.tree = t, .scratch = &scratch};
	int rc;

	*out = (struct findings){.kind = kind, .total = tree_total(t, 0).in[TREE_ONLY]};
	if (!out->kind || !t->monotone || out->total <= 0)
		return 0;
	ev.quantum = quantum_of(t);
	ev.total = (double)out->total;
	ev.exact = out->kind == FINDING_LOCK;
	out->samples = ev.total / ev.quantum;
	arena_init(&scratch, t->arena.budget);
	rc = evaluate_all(out, &ev);
	arena_fini(&scratch);
	if (!rc && out->rows.n)
		qsort(out->rows.at, out->rows.n, sizeof(*out->rows.at), compare_findings);
	return rc;
}

/* ---- what a finding refers to ---- */

uint32_t finding_path(const struct tree *t, const struct finding *f, struct str *out)
{
	uint32_t n = 0, skip;

	for (uint32_t i = f->node; i; i = t->nodes.at[i].parent)
		n++;
	skip = n > FINDING_PATH_MAX ? n - FINDING_PATH_MAX : 0; /* the innermost are left out */
	n -= skip;
	for (uint32_t i = f->node, at = n; i; i = t->nodes.at[i].parent) {
		if (skip)
			skip--;
		else
			out[--at] = tree_text(t, i);
	}
	return n;
}

static void put_literal(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if ((c >= ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < '_') ||
		    (c > 'z' && c <= '~'))
			if (c != ' ')
				buf_put_char(out, '\\');
		buf_put_char(out, c);
	}
}

void finding_focus(struct buf *out, const struct tree *t, const struct finding *f)
{
	buf_put_str(out, STR("^(?:"));
	for (uint32_t i = 0; i < f->function_n; i++) {
		if (i)
			buf_put_char(out, '|');
		put_literal(out, t->names.rows.at[f->functions[i]].text);
	}
	buf_put_str(out, STR(")$"));
}
