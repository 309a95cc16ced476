/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging selections, with a cache of the sums and of the trees. A selection too large for memory
 * is merged service by service, keeping only the largest frames (query/wide.h).
 */
#include "api/merged.h"

#include <stdlib.h>

#include "api/files.h"
#include "query/wide.h"

/* ---- cache keys ---- */

static void put_key_number(struct buf *key, uint64_t n)
{
	buf_put(key, &n, sizeof(n));
}

static void put_key_bytes(struct buf *key, const void *p, size_t n)
{
	put_key_number(key, n);
	if (n)
		buf_put(key, p, n);
}

static void put_key_text(struct buf *key, struct str text)
{
	put_key_bytes(key, text.p, text.n);
}

static int compare_matchers(const void *a, const void *b)
{
	const struct matcher *x = a, *y = b;
	int c = str_cmp(x->name, y->name);

	if (!c)
		c = (int)x->op - (int)y->op;
	return c ? c : str_cmp(x->value, y->value);
}

/* Append the matchers, sorted, so that their order does not matter. */
static void put_key_matchers(struct buf *key, const struct selector *s)
{
	struct matcher sorted[SELECTOR_MATCHERS_MAX];
	uint32_t n = s->matchers.n < countof(sorted) ? s->matchers.n : countof(sorted);

	memcpy(sorted, s->matchers.at, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_matchers);
	put_key_number(key, s->matchers.n);
	for (uint32_t i = 0; i < n; i++) {
		put_key_number(key, sorted[i].op);
		put_key_text(key, sorted[i].name);
		put_key_text(key, sorted[i].value);
	}
}

/* Append everything that the sums of a selection depend on, except the stack filters. */
static void put_key_selection(struct buf *key, const struct selection *s)
{
	put_key_text(key, s->select.tenant);
	put_key_bytes(key, s->file ? s->file->id : NULL, s->file ? sizeof(s->file->id) : 0);
	put_key_number(key, s->file ? s->file->received : 0);
	put_key_number(key, s->select.from);
	put_key_number(key, s->select.to);
	put_key_number(key, s->select.average);
	put_key_bytes(key, s->select.spans, s->select.span_count * sizeof(*s->select.spans));
	put_key_bytes(key, s->traces, s->trace_n * sizeof(*s->traces));
	put_key_bytes(key, s->profiles, s->profile_n * sizeof(*s->profiles));
	put_key_number(key, s->times.from);
	put_key_number(key, s->times.to);
	put_key_number(key, s->times.phase_step);
	put_key_number(key, s->times.phase_from);
	put_key_number(key, s->times.phase_to);
	put_key_matchers(key, &s->selector);
}

/* ---- versions of the data ---- */

static uint64_t store_version(const struct selection *s)
{
	const struct store_ops *ops = s->store->ops;
	bool all = s->selector.matchers.n <= SELECTOR_MATCHERS_MAX;

	return s->kept && all && ops->version ? ops->version(s->store, s->select.from, s->select.to)
					      : 0;
}

/* Return the current versions; for a difference, unknown (0) unless both are known. */
static struct kept_versions current_versions(const struct selection *s,
					     const struct selection *after)
{
	struct kept_versions m = {.ns = clock_monotonic_ns(),
				  .current = {store_version(s)},
				  .as_of = {s->versions.as_of[0]}};

	if (after) {
		m.current[1] = store_version(after);
		m.as_of[1] = after->versions.as_of[0];
		m.current[0] = m.current[1] ? m.current[0] : 0;
		m.as_of[0] = m.as_of[1] ? m.as_of[0] : 0;
	}
	return m;
}

/* Return the versions of merged sides: of the data that their sums were computed from. */
static struct kept_versions merged_versions(const struct selection *s,
					    const struct selection *after)
{
	struct kept_versions m = s->versions;

	if (after) {
		m.current[1] = after->versions.current[0];
		m.current[0] = m.current[1] ? m.current[0] : 0;
		m.ns = m.ns < after->versions.ns ? m.ns : after->versions.ns;
	}
	return m;
}

static struct kept_entry *find_kept(const struct selection *s, enum kept_kind kind,
				    const struct buf *key, struct kept_versions *m)
{
	return m->current[0] && !buf_error(key) ? kept_find(s->kept, kind, buf_str(key), m) : NULL;
}

static void keep_result(const struct selection *s, struct kept_entry *entry,
			const struct kept_versions *m, size_t bytes)
{
	entry->versions = *m;
	entry->versions.as_of[0] = entry->versions.as_of[1] = 0;
	entry->bytes = bytes + entry->key.n;
	if (m->current[0])
		kept_put(s->kept, entry);
}

/* ---- stacks ---- */

struct stack_adder {
	const struct time_filter *times;
	struct stack_tree *tree;
	struct stack_sums *sums;
};

static int add_timed_samples(void *ctx, const struct store_samples *s)
{
	struct stack_adder *a = ctx;
	int rc = 0;

	for (uint32_t i = 0; i < s->n && s->times && !rc; i++)
		if (time_filter_keeps(a->times, s->times[i]))
			rc = stack_sums_add(a->tree, a->sums, s->nodes[i], s->values[i]);
	return rc;
}

static int query_stacks(const struct selection *s, const struct store_select *sel, void *ctx,
			struct err *e)
{
	struct stack_adder *a = ctx;

	return a->times ? s->store->ops->scan(s->store, sel, a->tree, add_timed_samples, a, e)
			: s->store->ops->stacks(s->store, sel, a->tree, a->sums, e);
}

/* Return whether the selection can be merged service by service. */
static bool can_merge_wide(const struct selection *s)
{
	return s->wide && s->store->ops->each_stacks && !time_filter_any(&s->times) &&
	       !s->trace_n && !s->profile_n && !stack_filter_any(&s->filter);
}

/* Query the store. Missing data is recorded in the cached entry. */
static int query_all(struct selection *s, struct kept_stacks *to, struct err *e)
{
	bool timed = time_filter_any(&s->times);
	struct stack_adder a = {timed ? &s->times : NULL, to->tree, &to->sums};
	struct store_missing *missing = s->select.limits.missing;
	int rc = timed ? selection_check_samples(s, e) : 0;

	s->select.limits.missing = &to->missing;
	s->select.refuse_large = can_merge_wide(s);
	if (!rc)
		rc = selection_each(s, query_stacks, &a, e);
	s->select.refuse_large = false;
	s->select.limits.missing = missing;
	if (rc)
		store_missing_add(missing, &to->missing);
	return rc;
}

/* Query the store for the largest frames only. */
static int query_largest(struct selection *s, struct kept_stacks *to, struct err *e)
{
	struct store_missing *missing = s->select.limits.missing;
	int rc;

	s->select.limits.missing = &to->missing;
	rc = wide_stacks(s->store, &s->select, s->largest, to->tree, &to->sums, e);
	s->select.limits.missing = missing;
	to->missing.smaller = true;
	return rc;
}

/* Free spare capacity after the last addition. Return the memory of the tree and its sums. */
static size_t trim_stacks(struct kept_stacks *s)
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
	put_key_selection(&key, s);
	if (!buf_error(&key))
		rc = beside ? kept_stacks_new_shared(out, buf_str(&key), beside)
			    : kept_stacks_new(out, buf_str(&key), s->select.limits.budget);
	buf_fini(&key);
	return rc;
}

/* ---- whole days ---- */

#define DAY_NS (86400 * NS_PER_SECOND)
/* A copy of the sums of whole days is kept if they use at most this share of the memory. */
enum { DAYS_SHARE = 8 };

/*
 * Find the whole past days within the range. They change rarely, so their sums are kept for the
 * next query whose range ends later or begins earlier on the same days. Return false if there are
 * fewer than two, or if sums of parts do not add up to the sum of the range.
 */
static bool find_whole_days(const struct selection *s, uint64_t *from, uint64_t *to)
{
	const struct store_select *sel = &s->select;

	if (!s->kept || s->file || sel->average || s->trace_n || s->profile_n || sel->span_count ||
	    time_filter_any(&s->times) || sel->from > UINT64_MAX - DAY_NS)
		return false;
	*from = (sel->from + DAY_NS - 1) / DAY_NS * DAY_NS;
	*to = min_size(sel->to, clock_realtime_ns()) / DAY_NS * DAY_NS;
	if (*to < *from || *to - *from < 2 * DAY_NS)
		return false;
	return *from != sel->from || *to != sel->to; /* else the result itself is kept */
}

/* Copy all sums into the empty entry. */
static int copy_stacks(struct kept_stacks *to, const struct kept_stacks *from)
{
	const struct stack_tree *tree = from->tree;
	struct stack_import import;
	int rc = stack_import_init(&import, to->tree, &tree->dictionary, true);

	for (uint32_t i = 1; i < tree->nodes.n && !rc; i++) {
		struct stack_node n = tree->nodes.at[i];
		uint32_t same;

		rc = stack_import_location(&import, n.location, &n.location);
		if (!rc)
			rc = stack_tree_append(to->tree, n.parent, n.location, &same);
	}
	stack_import_fini(&import);
	if (!rc)
		rc = stack_sums_fit(to->tree, &to->sums);
	if (!rc && from->sums.self.n)
		memcpy(to->sums.self.at, from->sums.self.at,
		       from->sums.self.n * sizeof(*to->sums.self.at));
	return rc;
}

/* Keep a copy of the sums of whole days, unless they are large. Without memory there is none. */
static void keep_days(const struct selection *days, const struct kept_stacks *sums)
{
	const struct budget *budget = days->select.limits.budget;
	struct kept_stacks *copy = NULL;

	if (budget && arena_bytes(&sums->tree->dictionary.arena) > budget->limit / DAYS_SHARE)
		return;
	if (make_entry(&copy, days, NULL))
		return;
	if (!copy_stacks(copy, sums)) {
		copy->missing = sums->missing;
		keep_result(days, &copy->entry, &days->versions, trim_stacks(copy));
	}
	kept_unref(days->kept, &copy->entry);
}

/* Put the sums of the whole days into the empty entry: from those that are kept, or the store. */
static int add_days(struct selection *days, struct kept_stacks *to, struct err *e)
{
	struct kept_stacks *kept;
	struct buf key;
	int rc;

	days->versions = (struct kept_versions){0};
	days->versions = current_versions(days, NULL);
	buf_init(&key, days->select.limits.budget);
	put_key_selection(&key, days);
	kept = (struct kept_stacks *)find_kept(days, KEPT_STACKS, &key, &days->versions);
	buf_fini(&key);
	if (kept && !kept->missing.smaller) {
		rc = copy_stacks(to, kept);
		store_missing_add(&to->missing, &kept->missing);
	} else {
		rc = query_all(days, to, e);
		if (!rc)
			keep_days(days, to);
	}
	if (kept)
		kept_unref(days->kept, &kept->entry);
	return rc;
}

/* Query the range as whole days and the parts before and after them. */
static int query_by_days(struct selection *s, struct kept_stacks *to, struct err *e)
{
	struct selection part = *s;
	uint64_t from, end;
	int rc;

	if (!find_whole_days(s, &from, &end))
		return query_all(s, to, e);
	part.select.from = from;
	part.select.to = end;
	rc = add_days(&part, to, e);
	if (!rc && s->select.from < from) {
		part.select.from = s->select.from;
		part.select.to = from;
		rc = query_all(&part, to, e);
	}
	if (!rc && end < s->select.to) {
		part.select.from = end;
		part.select.to = s->select.to;
		rc = query_all(&part, to, e);
	}
	return rc;
}

/* ---- results ---- */

static int make_stacks(struct merged *m, struct selection *s, struct err *e)
{
	int rc = make_entry(&m->entry, s, NULL);
	struct err own = {0};

	if (!rc)
		rc = query_by_days(s, m->entry, &own);
	if (rc == -ENOMEM && m->entry && m->entry->missing.smaller && s->largest) {
		m->entry->entry.free(&m->entry->entry);
		m->entry = NULL;
		own = (struct err){0};
		rc = make_entry(&m->entry, s, NULL);
		if (!rc)
			rc = query_largest(s, m->entry, &own);
	}
	if (rc && e)
		*e = own;
	if (!rc)
		keep_result(s, &m->entry->entry, &s->versions, trim_stacks(m->entry));
	return rc;
}

/*
 * Sum both sides of a difference on one stack tree, so that common stacks are interned, named and
 * walked once. The sides are cached as if they had been queried separately.
 */
static int make_both(struct merged m[2], struct selection *const sides[2], struct err *e)
{
	int rc = make_entry(&m[0].entry, sides[0], NULL);
	size_t bytes = 0;

	if (!rc)
		rc = make_entry(&m[1].entry, sides[1], m[0].entry);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		rc = query_all(sides[i], m[i].entry, e);
		bytes = trim_stacks(m[i].entry);
	}
	for (unsigned i = 0; i < 2 && !rc; i++)
		keep_result(sides[i], &m[i].entry->entry, &sides[i]->versions, bytes / 2);
	return rc;
}

/* Apply the filters to a copy of the sums, because cached sums are shared. */
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

/* Fail: the cached result has only the largest frames, for lack of memory, and all are needed. */
static int too_large(const struct selection *s, struct err *e)
{
	if (s->select.limits.missing)
		s->select.limits.missing->smaller = true;
	return err_errno(e, -ENOMEM, "merge stacks");
}

/* Look up the cached sums: set m->entry, or NULL. */
static int find_stacks(struct merged *m, struct selection *s, struct err *e)
{
	struct buf key;

	*m = (struct merged){.kept = s->kept};
	arena_init(&m->arena, s->select.limits.budget);
	buf_init(&key, s->select.limits.budget);
	put_key_selection(&key, s);
	s->versions = current_versions(s, NULL);
	m->entry = (struct kept_stacks *)find_kept(s, KEPT_STACKS, &key, &s->versions);
	buf_fini(&key);
	return m->entry && m->entry->missing.smaller && !s->largest ? too_large(s, e) : 0;
}

/* Compute the entry unless it was cached, and apply the filters. */
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

static void put_key_filter(struct buf *key, const struct stack_filter_options *o)
{
	put_key_text(key, o->function);
	put_key_number(key, o->call_site_n);
	for (uint32_t i = 0; i < o->call_site_n; i++)
		put_key_text(key, o->call_site[i]);
}

static void put_tree_key(struct buf *key, const struct selection *s, const struct selection *after,
			 const struct tree_options *o, struct str view)
{
	put_key_text(key, view);
	put_key_number(key, o->group);
	put_key_number(key, o->invert);
	put_key_selection(key, s);
	put_key_filter(key, &s->filter);
	if (after) {
		put_key_selection(key, after);
		put_key_filter(key, &after->filter);
	}
}

/*
 * Add sides that are not on one stack tree. Release the stacks of a side before merging the next:
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

/* Return whether two sides may use one stack tree. Stacks of a file borrow strings of the file. */
static bool can_share_tree(const struct selection *a, const struct selection *b)
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
	if (!rc && n > 1 && !any && can_share_tree(sides[0], sides[1]))
		rc = make_both(m, sides, e);
	if (!rc)
		rc = n > 1 && m[0].entry && m[1].entry && m[0].entry->tree == m[1].entry->tree
			     ? add_both(to, m, sides, e)
			     : add_each(to, m, sides, n, e);
	merged_fini(&m[0]);
	merged_fini(&m[1]);
	return rc;
}

/* Merge the sides into the tree. Missing data is recorded in the cached tree. */
static int add_tree_stacks(struct kept_tree *to, struct selection *s, struct selection *after,
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
		rc = add_tree_stacks(*out, s, after, e);
	if (!rc)
		rc = tree_finish(&(*out)->tree);
	if (rc)
		return rc;
	(*out)->tree.options.frames = (struct frame_filters){0}; /* borrowed from the query */
	(*out)->tree.options.type = (struct str){0};
	/* Sums cached for the version that the query names (as_of) make a tree of that version. */
	s->versions = merged_versions(s, after);
	keep_result(s, &(*out)->entry, &s->versions, arena_bytes(&(*out)->tree.arena));
	return 0;
}

int merged_tree(struct tree *t, struct selection *s, struct selection *after,
		const struct tree_options *o, struct str view, struct err *e)
{
	struct kept_versions versions = current_versions(s, after);
	struct kept_tree *made;
	struct buf key;
	int rc = 0;

	*t = (struct tree){0};
	selection_release(s);
	buf_init(&key, s->select.limits.budget);
	put_tree_key(&key, s, after, o, view);
	s->held = find_kept(s, KEPT_TREE, &key, &versions);
	made = (struct kept_tree *)s->held;
	if (made)
		s->versions = versions;
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
		after->versions = s->versions;
	store_missing_add(s->select.limits.missing, &made->missing);
	tree_borrow(t, &made->tree, s->select.limits.budget);
	return 0;
}

int merged_top(struct top *out, struct tree *t, struct selection *s)
{
	return s->kept ? kept_tree_top(s->kept, (struct kept_tree *)s->held, out)
		       : top_of_tree(out, t);
}
