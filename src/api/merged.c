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

static struct kept_moment moment_now(const struct selection *s, const struct selection *after)
{
	struct kept_moment m = {.ns = clock_monotonic_ns(), .as_of = s->moment.as_of};
	uint64_t a = version_of(s), b = after ? version_of(after) : 0;

	/* Both grow only: where one has changed the sum has. */
	m.version = a && (b || !after) ? a + b : 0;
	return m;
}

static struct kept_entry *find(const struct selection *s, enum kept_kind kind,
			       const struct buf *key, struct kept_moment *m)
{
	return m->version && !buf_error(key) ? kept_find(s->kept, kind, buf_str(key), m) : NULL;
}

static void keep(const struct selection *s, struct kept_entry *entry, const struct kept_moment *m,
		 size_t bytes)
{
	entry->moment = *m;
	entry->moment.as_of = 0;
	entry->bytes = bytes + entry->key.n;
	if (m->version)
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
	struct stack_adder a = {timed ? &s->times : NULL, &to->tree, &to->sums};
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
	rc = wide_stacks(s->store, &s->select, s->largest, &to->tree, &to->sums, e);
	s->select.limits.missing = missing;
	to->missing.smaller = true;
	return rc;
}

static int make_stacks(struct merged *m, struct selection *s, const struct buf *key, struct err *e)
{
	int rc = kept_stacks_new(&m->entry, buf_str(key), s->select.limits.budget);
	struct err own = {0};

	if (!rc)
		rc = ask_all(s, m->entry, &own);
	if (rc == -ENOMEM && m->entry && m->entry->missing.smaller && s->largest) {
		m->entry->entry.free(&m->entry->entry);
		m->entry = NULL;
		own = (struct err){0};
		rc = kept_stacks_new(&m->entry, buf_str(key), s->select.limits.budget);
		if (!rc)
			rc = ask_largest(s, m->entry, &own);
	}
	if (rc && e)
		*e = own;
	if (!rc)
		keep(s, &m->entry->entry, &s->moment,
		     arena_bytes(&m->entry->tree.dictionary.arena));
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

int merged_stacks(struct merged *m, struct selection *s, struct err *e)
{
	struct buf key;
	int rc = 0;

	*m = (struct merged){.kept = s->kept};
	arena_init(&m->arena, s->select.limits.budget);
	buf_init(&key, s->select.limits.budget);
	put_selection(&key, s);
	s->moment = moment_now(s, NULL);
	m->entry = (struct kept_stacks *)find(s, KEPT_STACKS, &key, &s->moment);
	if (m->entry && m->entry->missing.smaller && !s->largest)
		rc = too_large(s, e);
	else if (!m->entry)
		rc = buf_error(&key) ? -ENOMEM : make_stacks(m, s, &key, e);
	buf_fini(&key);
	if (rc)
		return rc;
	store_missing_add(s->select.limits.missing, &m->entry->missing);
	m->tree = &m->entry->tree;
	return filter_sums(m, s, e);
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

/* Add one side of it. The stacks are given back before the tree is finished: both together may be much. */
static int add_side(struct kept_tree *to, struct selection *s, enum tree_column column,
		    struct err *e)
{
	struct store_missing *missing = s->select.limits.missing;
	struct merged m;
	int rc;

	s->select.limits.missing = &to->missing;
	rc = merged_stacks(&m, s, e);
	s->select.limits.missing = missing;
	if (!rc)
		rc = tree_add_stacks(&to->tree, m.tree, column == TREE_BEFORE ? m.sums : NULL,
				     column == TREE_AFTER ? m.sums : NULL, e);
	merged_fini(&m);
	if (rc)
		store_missing_add(missing, &to->missing);
	return rc;
}

static int make_tree(struct kept_tree **out, struct selection *s, struct selection *after,
		     const struct tree_options *o, const struct buf *key, struct err *e)
{
	struct kept_moment moment = s->moment;
	int rc = kept_tree_new(out, buf_str(key), o, s->select.limits.budget);

	if (rc)
		return rc;
	rc = tree_set_type(&(*out)->tree, s->type.sample_type, s->type.sample_unit);
	if (!rc)
		rc = add_side(*out, s, TREE_BEFORE, e);
	if (!rc && after)
		rc = add_side(*out, after, TREE_AFTER, e);
	if (!rc)
		rc = tree_finish(&(*out)->tree);
	if (rc)
		return rc;
	(*out)->tree.options.frames = (struct frame_filters){0}; /* they are the query's */
	(*out)->tree.options.type = (struct str){0};
	/* Sums of stacks that were kept for the moment that the query names make a tree of that moment. */
	s->moment = after ? moment : s->moment;
	keep(s, &(*out)->entry, &s->moment, arena_bytes(&(*out)->tree.arena));
	return 0;
}

int merged_tree(struct tree *t, struct selection *s, struct selection *after,
		const struct tree_options *o, struct str view, struct err *e)
{
	struct kept_tree *made = NULL;
	struct buf key;
	int rc = 0;

	*t = (struct tree){0};
	selection_release(s);
	buf_init(&key, s->select.limits.budget);
	put_tree_key(&key, s, after, o, view);
	s->moment = moment_now(s, after);
	s->held = find(s, KEPT_TREE, &key, &s->moment);
	made = (struct kept_tree *)s->held;
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
	store_missing_add(s->select.limits.missing, &made->missing);
	tree_borrow(t, &made->tree, s->select.limits.budget);
	return 0;
}

int merged_top(struct top *out, struct tree *t, struct selection *s)
{
	return s->kept ? kept_tree_top(s->kept, (struct kept_tree *)s->held, out)
		       : top_of_tree(out, t);
}
