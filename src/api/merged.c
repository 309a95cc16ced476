/* SPDX-License-Identifier: Apache-2.0 */
#include "api/merged.h"

#include <stdlib.h>

#include "api/files.h"
#include "query/wide.h"

/* ---- keys ---- */

static void put_number(struct buf *key, uint64_t n)
{
	buf_put(key, &n, sizeof(n));
}

static void put_bytes(struct buf *key, const void *p, size_t n)
{
	put_number(key, n);
	if (n)
		buf_put(key, p, n);
}

static void put_text(struct buf *key, struct str text)
{
	put_bytes(key, text.p, text.n);
}

static int compare_matchers(const void *a, const void *b)
{
	const struct matcher *x = a, *y = b;
	int c = str_cmp(x->name, y->name);

	if (!c)
		c = (int)x->op - (int)y->op;
	return c ? c : str_cmp(x->value, y->value);
}

/* In whichever order they were given. */
static void put_matchers(struct buf *key, const struct selector *s)
{
	struct matcher sorted[SELECTOR_MATCHERS_MAX];
	uint32_t n = s->matchers.n < countof(sorted) ? s->matchers.n : countof(sorted);

	memcpy(sorted, s->matchers.at, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_matchers);
	put_number(key, s->matchers.n);
	for (uint32_t i = 0; i < n; i++) {
		put_number(key, sorted[i].op);
		put_text(key, sorted[i].name);
		put_text(key, sorted[i].value);
	}
}

/* Everything that the sums of a selection depend on, apart from the filters of stacks. */
static void put_selection(struct buf *key, const struct selection *s)
{
	put_text(key, s->select.tenant);
	put_bytes(key, s->file ? s->file->id : NULL, s->file ? sizeof(s->file->id) : 0);
	put_number(key, s->file ? s->file->received : 0);
	put_number(key, s->select.from);
	put_number(key, s->select.to);
	put_number(key, s->select.average);
	put_bytes(key, s->select.spans, s->select.span_count * sizeof(*s->select.spans));
	put_bytes(key, s->traces, s->trace_n * sizeof(*s->traces));
	put_bytes(key, s->profiles, s->profile_n * sizeof(*s->profiles));
	put_number(key, s->times.from);
	put_number(key, s->times.to);
	put_number(key, s->times.phase_step);
	put_number(key, s->times.phase_from);
	put_number(key, s->times.phase_to);
	put_matchers(key, &s->selector);
}

/* ---- the moment ---- */

static uint64_t version_of(const struct selection *s)
{
	const struct store_ops *ops = s->store->ops;
	bool all = s->selector.matchers.n <= SELECTOR_MATCHERS_MAX;

	return s->kept && all && ops->version ? ops->version(s->store, s->select.from, s->select.to)
					      : 0;
}

/* Of a difference both have to be known. */
static struct kept_moment moment_now(const struct selection *s, const struct selection *after)
{
	struct kept_moment m = {.ns = clock_monotonic_ns(),
				.version = {version_of(s)},
				.as_of = {s->moment.as_of[0]}};

	if (after) {
		m.version[1] = version_of(after);
		m.as_of[1] = after->moment.as_of[0];
		m.version[0] = m.version[1] ? m.version[0] : 0;
		m.as_of[0] = m.as_of[1] ? m.as_of[0] : 0;
	}
	return m;
}

/* The same once the sides are summed up: each has the moment that its sums are of. */
static struct kept_moment moment_of(const struct selection *s, const struct selection *after)
{
	struct kept_moment m = s->moment;

	if (after) {
		m.version[1] = after->moment.version[0];
		m.version[0] = m.version[1] ? m.version[0] : 0;
		m.ns = m.ns < after->moment.ns ? m.ns : after->moment.ns;
	}
	return m;
}

static struct kept_entry *find(const struct selection *s, enum kept_kind kind,
			       const struct buf *key, struct kept_moment *m)
{
	return m->version[0] && !buf_error(key) ? kept_find(s->kept, kind, buf_str(key), m) : NULL;
}

static void keep(const struct selection *s, struct kept_entry *entry, const struct kept_moment *m,
		 size_t bytes)
{
	entry->moment = *m;
	entry->moment.as_of[0] = entry->moment.as_of[1] = 0;
	entry->bytes = bytes + entry->key.n;
	if (m->version[0])
		kept_put(s->kept, entry);
}

/* ---- stacks ---- */

struct stack_adder {
	const struct time_filter *times;
	struct stack_tree *tree;
	struct stack_sums *sums;
};

static int add_samples(void *ctx, const struct store_samples *s)
{
	struct stack_adder *a = ctx;
	int rc = 0;

	for (uint32_t i = 0; i < s->n && s->times && !rc; i++)
		if (time_filter_keeps(a->times, s->times[i]))
			rc = stack_sums_add(a->tree, a->sums, s->nodes[i], s->values[i]);
	return rc;
}

static int ask_stacks(const struct selection *s, const struct store_select *sel, void *ctx,
		      struct err *e)
{
	struct stack_adder *a = ctx;

	return a->times ? s->store->ops->scan(s->store, sel, a->tree, add_samples, a, e)
			: s->store->ops->stacks(s->store, sel, a->tree, a->sums, e);
}

/* Can it be answered service by service? */
static bool may_be_wide(const struct selection *s)
{
	return s->wide && s->store->ops->each_stacks && !time_filter_any(&s->times) &&
	       !s->trace_n && !s->profile_n && !stack_filter_any(&s->filter);
}

/* Ask the store. What the answer is without stays with it. */
static int ask_all(struct selection *s, struct kept_stacks *to, struct err *e)
{
	bool timed = time_filter_any(&s->times);
	struct stack_adder a = {timed ? &s->times : NULL, to->tree, &to->sums};
	struct store_missing *missing = s->select.limits.missing;
	int rc = timed ? selection_check_samples(s, e) : 0;

	s->select.limits.missing = &to->missing;
	s->select.refuse_large = may_be_wide(s);
	if (!rc)
		rc = selection_each(s, ask_stacks, &a, e);
	s->select.refuse_large = false;
	s->select.limits.missing = missing;
	if (rc)
		store_missing_add(missing, &to->missing);
	return rc;
}

/* The same with the largest frames alone. */
static int ask_largest(struct selection *s, struct kept_stacks *to, struct err *e)
{
	struct store_missing *missing = s->select.limits.missing;
	int rc;

	s->select.limits.missing = &to->missing;
	rc = wide_stacks(s->store, &s->select, s->largest, to->tree, &to->sums, e);
	s->select.limits.missing = missing;
	to->missing.smaller = true;
	return rc;
}

/* Nothing is added any more: give back what is reserved. Return how much the tree and its sums take. */
static size_t trim(struct kept_stacks *s)
{
	stack_sums_trim(s->tree, &s->sums);
	stack_tree_trim(s->tree);
	return arena_bytes(&s->tree->dictionary.arena);
}

static int make_entry(struct kept_stacks **out, const struct selection *s,
		      const struct kept_stacks *beside)
{
	struct buf key;
	int rc = -ENOMEM;

	buf_init(&key, s->select.limits.budget);
	put_selection(&key, s);
	if (!buf_error(&key))
		rc = beside ? kept_stacks_beside(out, buf_str(&key), beside)
			    : kept_stacks_new(out, buf_str(&key), s->select.limits.budget);
	buf_fini(&key);
	return rc;
}

static int make_stacks(struct merged *m, struct selection *s, struct err *e)
{
	int rc = make_entry(&m->entry, s, NULL);
	struct err own = {0};

	if (!rc)
		rc = ask_all(s, m->entry, &own);
	if (rc == -ENOMEM && m->entry && m->entry->missing.smaller && s->largest) {
		m->entry->entry.free(&m->entry->entry);
		m->entry = NULL;
		own = (struct err){0};
		rc = make_entry(&m->entry, s, NULL);
		if (!rc)
			rc = ask_largest(s, m->entry, &own);
	}
	if (rc && e)
		*e = own;
	if (!rc)
		keep(s, &m->entry->entry, &s->moment, trim(m->entry));
	return rc;
}

/*
 * Sum up both sides of a difference on one tree: what both have is interned, named and walked once.
 * The sides are kept as if each had been queried by itself.
 */
static int make_both(struct merged m[2], struct selection *const sides[2], struct err *e)
{
	int rc = make_entry(&m[0].entry, sides[0], NULL);
	size_t bytes = 0;

	if (!rc)
		rc = make_entry(&m[1].entry, sides[1], m[0].entry);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		rc = ask_all(sides[i], m[i].entry, e);
		bytes = trim(m[i].entry);
	}
	for (unsigned i = 0; i < 2 && !rc; i++)
		keep(sides[i], &m[i].entry->entry, &sides[i]->moment, bytes / 2);
	return rc;
}

/* What is kept is shared: filters work on a copy of the sums. */
static int filter_sums(struct merged *m, const struct selection *s, struct err *e)
{
	struct stack_sums *own = &m->filtered;

	m->sums = &m->entry->sums;
	if (!stack_filter_any(&s->filter))
		return 0;
	*own = *m->sums;
	own->self.at = arena_alloc(&m->arena, own->self.n + 1, sizeof(*own->self.at));
	if (!own->self.at)
		return -ENOMEM;
	if (own->self.n)
		memcpy(own->self.at, m->sums->self.at, own->self.n * sizeof(*own->self.at));
	m->sums = own;
	return stack_filter_sums(&s->filter, m->tree, own, s->select.limits.budget, e);
}

/* Of what is kept there are only the largest frames, because it did not fit the memory, and all of them are wanted. */
static int too_large(const struct selection *s, struct err *e)
{
	if (s->select.limits.missing)
		s->select.limits.missing->smaller = true;
	return err_errno(e, -ENOMEM, "merge stacks");
}

/* Begin with what is kept: m->entry, or NULL. */
static int find_stacks(struct merged *m, struct selection *s, struct err *e)
{
	struct buf key;

	*m = (struct merged){.kept = s->kept};
	arena_init(&m->arena, s->select.limits.budget);
	buf_init(&key, s->select.limits.budget);
	put_selection(&key, s);
	s->moment = moment_now(s, NULL);
	m->entry = (struct kept_stacks *)find(s, KEPT_STACKS, &key, &s->moment);
	buf_fini(&key);
	return m->entry && m->entry->missing.smaller && !s->largest ? too_large(s, e) : 0;
}

/* Make the entry, where nothing was kept, and apply the filters. */
static int finish_stacks(struct merged *m, struct selection *s, struct err *e)
{
	int rc = m->entry ? 0 : make_stacks(m, s, e);

	if (rc)
		return rc;
	store_missing_add(s->select.limits.missing, &m->entry->missing);
	m->tree = m->entry->tree;
	return filter_sums(m, s, e);
}

int merged_stacks(struct merged *m, struct selection *s, struct err *e)
{
	int rc = find_stacks(m, s, e);

	return rc ? rc : finish_stacks(m, s, e);
}

void merged_fini(struct merged *m)
{
	struct kept_entry *entry = m->entry ? &m->entry->entry : NULL;

	if (m->kept)
		kept_unref(m->kept, entry);
	else if (entry)
		entry->free(entry);
	arena_fini(&m->arena);
	*m = (struct merged){0};
}

/* ---- trees ---- */

static void put_filter(struct buf *key, const struct stack_filter_options *o)
{
	put_text(key, o->function);
	put_number(key, o->call_site_n);
	for (uint32_t i = 0; i < o->call_site_n; i++)
		put_text(key, o->call_site[i]);
}

static void put_tree_key(struct buf *key, const struct selection *s, const struct selection *after,
			 const struct tree_options *o, struct str view)
{
	put_text(key, view);
	put_number(key, o->group);
	put_number(key, o->invert);
	put_selection(key, s);
	put_filter(key, &s->filter);
	if (after) {
		put_selection(key, after);
		put_filter(key, &after->filter);
	}
}

/*
 * Add sides that are not on one tree. The stacks of a side are given back before the next is merged:
 * together they may be large.
 */
static int add_each(struct tree *to, struct merged *m, struct selection *const *sides, unsigned n,
		    struct err *e)
{
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++) {
		rc = finish_stacks(&m[i], sides[i], e);
		if (!rc)
			rc = tree_add_stacks(to, m[i].tree, i ? NULL : m[i].sums,
					     i ? m[i].sums : NULL, e);
		merged_fini(&m[i]);
	}
	return rc;
}

static int add_both(struct tree *to, struct merged m[2], struct selection *const sides[2],
		    struct err *e)
{
	int rc = finish_stacks(&m[0], sides[0], e);

	if (!rc)
		rc = finish_stacks(&m[1], sides[1], e);
	return rc ? rc : tree_add_stacks(to, m[0].tree, m[0].sums, m[1].sums, e);
}

/* A file lends its texts, so its stacks cannot be on the tree of what lives longer. */
static bool may_share(const struct selection *a, const struct selection *b)
{
	return a->store == b->store && !a->file && !b->file;
}

static int add_sides(struct tree *to, struct selection *const *sides, unsigned n, struct err *e)
{
	struct merged m[2] = {0};
	bool any = false;
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++) {
		rc = find_stacks(&m[i], sides[i], e);
		any |= m[i].entry != NULL;
	}
	if (!rc && n > 1 && !any && may_share(sides[0], sides[1]))
		rc = make_both(m, sides, e);
	if (!rc)
		rc = n > 1 && m[0].entry && m[1].entry && m[0].entry->tree == m[1].entry->tree
			     ? add_both(to, m, sides, e)
			     : add_each(to, m, sides, n, e);
	merged_fini(&m[0]);
	merged_fini(&m[1]);
	return rc;
}

/* What the tree is without stays with it. */
static int add_stacks(struct kept_tree *to, struct selection *s, struct selection *after,
		      struct err *e)
{
	struct selection *const sides[2] = {s, after};
	struct store_missing *missing[2] = {0};
	unsigned n = after ? 2 : 1;
	int rc;

	for (unsigned i = 0; i < n; i++) {
		missing[i] = sides[i]->select.limits.missing;
		sides[i]->select.limits.missing = &to->missing;
	}
	rc = add_sides(&to->tree, sides, n, e);
	for (unsigned i = 0; i < n; i++) {
		sides[i]->select.limits.missing = missing[i];
		if (rc)
			store_missing_add(missing[i], &to->missing);
	}
	return rc;
}

static int make_tree(struct kept_tree **out, struct selection *s, struct selection *after,
		     const struct tree_options *o, const struct buf *key, struct err *e)
{
	int rc = kept_tree_new(out, buf_str(key), o, s->select.limits.budget);

	if (rc)
		return rc;
	rc = tree_set_type(&(*out)->tree, s->type.sample_type, s->type.sample_unit);
	if (!rc)
		rc = add_stacks(*out, s, after, e);
	if (!rc)
		rc = tree_finish(&(*out)->tree);
	if (rc)
		return rc;
	(*out)->tree.options.frames = (struct frame_filters){0}; /* they are the query's */
	(*out)->tree.options.type = (struct str){0};
	/* Sums of stacks that were kept for the moment that the query names make a tree of that moment. */
	s->moment = moment_of(s, after);
	keep(s, &(*out)->entry, &s->moment, arena_bytes(&(*out)->tree.arena));
	return 0;
}

int merged_tree(struct tree *t, struct selection *s, struct selection *after,
		const struct tree_options *o, struct str view, struct err *e)
{
	struct kept_moment moment = moment_now(s, after);
	struct kept_tree *made;
	struct buf key;
	int rc = 0;

	*t = (struct tree){0};
	selection_release(s);
	buf_init(&key, s->select.limits.budget);
	put_tree_key(&key, s, after, o, view);
	s->held = find(s, KEPT_TREE, &key, &moment);
	made = (struct kept_tree *)s->held;
	if (made)
		s->moment = moment;
	if (made && made->missing.smaller && !s->largest) {
		rc = too_large(s, e);
	} else if (!s->held) {
		rc = buf_error(&key) ? -ENOMEM : make_tree(&made, s, after, o, &key, e);
		s->held = made ? &made->entry : NULL;
	}
	buf_fini(&key);
	if (rc)
		return rc;
	made = (struct kept_tree *)s->held;
	if (after)
		after->moment = s->moment;
	store_missing_add(s->select.limits.missing, &made->missing);
	tree_borrow(t, &made->tree, s->select.limits.budget);
	return 0;
}

int merged_top(struct top *out, struct tree *t, struct selection *s)
{
	return s->kept ? kept_tree_top(s->kept, (struct kept_tree *)s->held, out)
		       : top_of_tree(out, t);
}
