/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_STORE_ORACLE_H
#define VARVE_TEST_STORE_ORACLE_H

#include "store/store_support.h"

/* Compare the results of all kinds of queries with the oracle. */

/* ---- stacks ---- */

static inline void tree_pairs(struct pairs *p, const struct stack_tree *t,
			      const struct stack_sums *sums)
{
	for (uint32_t i = 0; i < sums->self.n; i++)
		if (sums->self.at[i])
			pairs_add(p, node_text(&p->arena, t, i), sums->self.at[i]);
	pairs_finish(p);
}

static inline int64_t divide(__int128 a, int64_t b)
{
	return (int64_t)((a + (a < 0 ? -b : b) / 2) / b);
}

static inline void labels_text(struct buf *out, struct label_set l)
{
	for (uint32_t i = 0; i < l.n; i++)
		buf_printf(out, "%.*s=%.*s,", STR_ARG(l.at[i].name), STR_ARG(l.at[i].value));
}

/* Return how many profiles in the slot and series of `f` are selected. */
static inline int64_t slot_profiles(const struct oracle *o, const struct store_select *s,
				    const struct fact *f)
{
	struct buf a = {0}, b = {0};
	uint32_t last = UINT32_MAX;
	int64_t n = 0;

	labels_text(&a, f->labels);
	for (uint32_t i = 0; i < o->facts.n; i++) {
		const struct fact *g = &o->facts.at[i];

		if (g->profile == last ||
		    g->time / (600 * NS_PER_SECOND) != f->time / (600 * NS_PER_SECOND) ||
		    !fact_selected(g, s))
			continue;
		buf_clear(&b);
		labels_text(&b, g->labels);
		last = g->profile;
		n += str_eq(buf_str(&a), buf_str(&b));
	}
	buf_fini(&a);
	buf_fini(&b);
	return n;
}

/* Compute sums by slot, series and stack, then means, as store.h defines them. */
static inline void oracle_average(const struct oracle *o, const struct store_select *s,
				  struct pairs *out)
{
	struct pairs parts = {0}, slots = {0};
	struct buf text = {0};
	const struct fact **example;
	VEC(const struct fact *) examples = {0};

	for (uint32_t i = 0; i < o->facts.n; i++) {
		const struct fact *f = &o->facts.at[i];

		if (!fact_selected(f, s))
			continue;
		buf_clear(&text);
		buf_printf(&text, "%llu", (unsigned long long)(f->time / (600 * NS_PER_SECOND)));
		pairs_add(&slots, buf_str(&text), 1);
		if (!f->stack.p || !fact_linked(f, s))
			continue;
		buf_put_char(&text, '|');
		labels_text(&text, f->labels);
		buf_printf(&text, "|%.*s", STR_ARG(f->stack));
		pairs_add(&parts, buf_str(&text), f->value);
		assert_ok(vec_push(&parts.arena, &examples, f));
	}
	/* insertion sort, because the examples move with the pairs */
	for (uint32_t i = 0; i < parts.at.n; i++) {
		int64_t sum = 0;
		bool first = true;

		for (uint32_t k = 0; k < parts.at.n; k++)
			if (str_eq(parts.at.at[k].text, parts.at.at[i].text)) {
				first &= k >= i;
				sum += parts.at.at[k].value;
			}
		example = &examples.at[i];
		if (first)
			pairs_add(out, (*example)->stack,
				  divide((__int128)sum * 240, slot_profiles(o, s, *example)));
	}
	pairs_finish(out);
	pairs_finish(&slots);
	for (uint32_t i = 0; i < out->at.n; i++)
		out->at.at[i].value = divide(out->at.at[i].value, (int64_t)slots.at.n * 240);
	pairs_finish(out);
	buf_fini(&text);
	arena_fini(&parts.arena);
	arena_fini(&slots.arena);
}

static inline void oracle_sum(const struct oracle *o, const struct store_select *s,
			      struct pairs *out)
{
	for (uint32_t i = 0; i < o->facts.n; i++) {
		const struct fact *f = &o->facts.at[i];

		if (f->stack.p && fact_selected(f, s) && fact_linked(f, s))
			pairs_add(out, f->stack, f->value);
	}
	pairs_finish(out);
}

static inline void check_stacks(struct store *store, const struct oracle *o,
				const struct store_select *s)
{
	struct pairs found = {0}, expected = {0};
	struct stack_tree tree;
	struct stack_sums sums = {0};
	struct err e = {0};

	assert_ok(stack_tree_init(&tree, NULL));
	assert_ok_err(store->ops->stacks(store, s, &tree, &sums, &e), &e);
	tree_pairs(&found, &tree, &sums);
	if (s->average)
		oracle_average(o, s, &expected);
	else
		oracle_sum(o, s, &expected);
	if (s->average && o->mean_tolerance)
		pairs_near(&found, &expected, o->mean_tolerance);
	else
		pairs_equal(&found, &expected);
	arena_fini(&found.arena);
	arena_fini(&expected.arena);
	stack_tree_fini(&tree);
}

/* ---- series and points ---- */

struct visit_context {
	struct pairs pairs;
	struct pairs names; /* text of each series; the value is its number */
	const struct stack_tree *tree;
	bool untimed;
	uint32_t series; /* series and time of the previous point */
	uint64_t time;
};

static inline struct str series_name(const struct visit_context *c, uint32_t number)
{
	for (uint32_t i = 0; i < c->names.at.n; i++)
		if (c->names.at.at[i].value == number)
			return c->names.at.at[i].text;
	fail_msg("series %u was not visited", number);
	return (struct str){0};
}

static inline int visit_series(void *ctx, uint32_t number, const struct store_series *s)
{
	struct visit_context *c = ctx;
	struct buf text = {0};

	labels_text(&text, s->labels);
	pairs_add(&c->names, buf_str(&text), number);
	if (!c->untimed)
		buf_printf(&text, " %llu-%llu", (unsigned long long)s->first,
			   (unsigned long long)s->last);
	pairs_add(&c->pairs, buf_str(&text), 1);
	buf_fini(&text);
	return 0;
}

static inline void oracle_series(const struct oracle *o, const struct store_select *s,
				 struct pairs *out)
{
	struct pairs names = {0};
	struct buf text = {0};

	for (uint32_t i = 0; i < o->facts.n; i++) {
		const struct fact *f = &o->facts.at[i];

		if (!fact_selected(f, s))
			continue;
		buf_clear(&text);
		labels_text(&text, f->labels);
		pairs_add(&names, buf_str(&text), 1);
	}
	pairs_finish(&names);
	for (uint32_t n = 0; n < names.at.n; n++) {
		uint64_t first = UINT64_MAX, last = 0;

		for (uint32_t i = 0; i < o->facts.n; i++) {
			const struct fact *f = &o->facts.at[i];

			buf_clear(&text);
			labels_text(&text, f->labels);
			if (!fact_selected(f, s) || !str_eq(buf_str(&text), names.at.at[n].text))
				continue;
			first = f->time < first ? f->time : first;
			last = f->time > last ? f->time : last;
		}
		buf_clear(&text);
		buf_printf(&text, "%.*s", STR_ARG(names.at.at[n].text));
		if (!s->untimed)
			buf_printf(&text, " %llu-%llu", (unsigned long long)first,
				   (unsigned long long)last);
		pairs_add(out, buf_str(&text), 1);
	}
	buf_fini(&text);
	arena_fini(&names.arena);
	pairs_finish(out);
}

static inline int visit_point(void *ctx, const struct store_point *p)
{
	struct visit_context *c = ctx;
	struct buf text = {0};

	assert_true(p->series > c->series || (p->series == c->series && p->time >= c->time));
	c->series = p->series;
	c->time = p->time;
	buf_printf(&text, "%.*s %llu %llu %lld ", STR_ARG(series_name(c, p->series)),
		   (unsigned long long)p->time, (unsigned long long)p->duration_nano,
		   (long long)p->total);
	for (unsigned i = 0; i < 16; i++)
		buf_printf(&text, "%02x", p->profile_id[i]);
	pairs_add(&c->pairs, buf_str(&text), 1);
	buf_fini(&text);
	return 0;
}

static inline void oracle_points(const struct oracle *o, const struct store_select *s,
				 struct pairs *out)
{
	struct buf text = {0};

	for (uint32_t i = 0; i < o->facts.n; i++) {
		const struct fact *f = &o->facts.at[i];
		int64_t total = 0;

		if (f->stack.p || !fact_selected(f, s))
			continue; /* the first fact of a profile has no stack */
		for (uint32_t k = i; k < o->facts.n && o->facts.at[k].profile == f->profile; k++)
			total += o->facts.at[k].value;
		buf_clear(&text);
		labels_text(&text, f->labels);
		buf_printf(&text, " %llu %llu %lld ", (unsigned long long)f->time,
			   (unsigned long long)f->duration, (long long)total);
		for (unsigned b = 0; b < 16; b++)
			buf_printf(&text, "%02x", f->id[b]);
		pairs_add(out, buf_str(&text), 1);
	}
	buf_fini(&text);
	pairs_finish(out);
}

/* ---- scan ---- */

static inline void sample_text(struct buf *text, uint64_t time, struct str stack,
			       uint64_t sample_time, const struct link *l)
{
	buf_printf(text, " %llu %.*s %llu ", (unsigned long long)time, STR_ARG(stack),
		   (unsigned long long)sample_time);
	for (unsigned i = 0; i < 8; i++)
		buf_printf(text, "%02x", l->span_id[i]);
	for (unsigned i = 0; i < 16; i++)
		buf_printf(text, "%02x", l->trace_id[i]);
}

static inline int visit_samples(void *ctx, const struct store_samples *s)
{
	static const struct link none;
	struct visit_context *c = ctx;
	struct buf text = {0};

	for (uint32_t i = 0; i < s->n; i++) {
		buf_clear(&text);
		buf_put_str(&text, series_name(c, s->series));
		sample_text(&text, s->time, node_text(&c->pairs.arena, c->tree, s->nodes[i]),
			    s->times ? s->times[i] : 0, s->links ? &s->links[i] : &none);
		pairs_add(&c->pairs, buf_str(&text), s->values[i]);
	}
	buf_fini(&text);
	return 0;
}

static inline void oracle_scan(const struct oracle *o, const struct store_select *s,
			       struct pairs *out)
{
	struct buf text = {0};

	for (uint32_t i = 0; i < o->facts.n; i++) {
		const struct fact *f = &o->facts.at[i];

		if (!f->stack.p || !fact_selected(f, s) || !fact_linked(f, s))
			continue;
		buf_clear(&text);
		labels_text(&text, f->labels);
		sample_text(&text, f->time, f->stack, f->sample_time, &f->link);
		pairs_add(out, buf_str(&text), f->value);
	}
	buf_fini(&text);
	pairs_finish(out);
}

static inline void expect(struct pairs *found,
			  void (*answer)(const struct oracle *o, const struct store_select *s,
					 struct pairs *out),
			  const struct oracle *o, const struct store_select *s)
{
	struct pairs expected = {0};

	pairs_finish(found);
	answer(o, s, &expected);
	pairs_equal(found, &expected);
	arena_fini(&expected.arena);
	arena_fini(&found->arena);
	*found = (struct pairs){0};
}

/* Check the list of series of a selection without their times. */
static inline void check_untimed(struct store *store, const struct oracle *o,
				 const struct store_select *s)
{
	struct visit_context c = {.untimed = true};
	struct store_select untimed = *s;
	struct err e = {0};

	untimed.untimed = true;
	assert_ok_err(store->ops->series(store, &untimed, visit_series, &c, &e), &e);
	expect(&c.pairs, oracle_series, o, &untimed);
	arena_fini(&c.names.arena);
}

static inline void check_visits(struct store *store, const struct oracle *o,
				const struct store_select *s)
{
	struct visit_context c = {0};
	struct stack_tree tree;
	struct err e = {0};

	assert_ok(stack_tree_init(&tree, NULL));
	c.tree = &tree;
	assert_ok_err(store->ops->series(store, s, visit_series, &c, &e), &e);
	expect(&c.pairs, oracle_series, o, s);
	check_untimed(store, o, s);
	assert_ok_err(store->ops->points(store, s, visit_point, &c, &e), &e);
	expect(&c.pairs, oracle_points, o, s);
	assert_ok_err(store->ops->scan(store, s, &tree, visit_samples, &c, &e), &e);
	expect(&c.pairs, oracle_scan, o, s);
	arena_fini(&c.names.arena);
	stack_tree_fini(&tree);
}

/* Run all kinds of queries for one selection. */
static inline void check_select(struct store *store, const struct oracle *o, struct store_select *s)
{
	s->average = false;
	check_stacks(store, o, s);
	s->average = true;
	check_stacks(store, o, s);
	s->average = false;
	check_visits(store, o, s);
}

/* Check many random selections over [from, to). */
static inline void check_answers(struct store *store, const struct oracle *o, uint64_t seed,
				 uint64_t from, uint64_t to, unsigned rounds)
{
	static const char *const selectors[] = {
		"",
		"{service_name=\"service_0\"}",
		"{service_name=\"service_1\", pod=\"pod_1\"}",
		"{pod!=\"pod_2\"}",
		"{service_name=~\"service_[12]\", __profile_type__=~\".*cpu.*\"}",
		"{service_name=\"service_2\", __profile_type__=~\".*(goroutine|inuse).*\"}",
		"{nothing=\"like this\"}",
	};
	uint64_t hours = (to - from) / (3600 * NS_PER_SECOND);
	struct err e = {0};

	for (unsigned i = 0; i < rounds; i++) {
		struct selector selector;
		uint8_t spans[2][8] = {{2, (uint8_t)test_random(&seed, 6)}, {2, 1}};
		uint8_t trace[16] = {1, (uint8_t)test_random(&seed, 4)};
		struct store_select s = {.selector = &selector, .from = from, .to = to};
		unsigned kind = i ? test_random(&seed, 6) : 0;

		selector_init(&selector);
		assert_ok_err(
			selector_parse(&selector, str_from(selectors[i % countof(selectors)]), &e),
			&e);
		if (kind >= 2) { /* whole hours, or anything */
			s.from = from + test_random(&seed, (uint32_t)hours) * 3600 * NS_PER_SECOND;
			s.to = s.from + (1 + test_random(&seed, 30)) * 3600 * NS_PER_SECOND;
		}
		if (kind >= 4) {
			s.from += test_random(&seed, 3600) * NS_PER_SECOND;
			s.to -= test_random(&seed, 3600) * NS_PER_SECOND + 7;
		}
		if (i % 5 == 3) {
			s.spans = spans;
			s.span_count = 1 + test_random(&seed, 2);
		}
		if (i % 7 == 4)
			s.trace_id = trace;
		for (uint32_t k = test_random(&seed, 50); i % 11 == 6 && k < o->facts.n; k++)
			if (o->facts.at[k].id[0]) {
				s.profile_id = o->facts.at[k].id;
				break;
			}
		if (i % 3 == 2)
			s.tenant = STR("second");
		check_select(store, o, &s);
		selector_fini(&selector);
	}
}

#endif
