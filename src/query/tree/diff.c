/* SPDX-License-Identifier: Apache-2.0 */
/* Differences of the two columns of a tree, by the rows of top_of_tree(). */
#include "query/tree/diff.h"

#include "base/container/sort.h"

/* Return value * scale / unit, rounded; all three fit in 64 bits, so the product fits in 128. */
static int64_t scale_value(const struct diff *d, int64_t value)
{
	if (d->scale == d->unit)
		return value;

	__int128 product = (__int128)value * d->scale;
	__int128 half = d->unit / 2;

	return (int64_t)((product < 0 ? product - half : product + half) / d->unit);
}

struct diff_value diff_value_of(const struct diff *d, const int64_t columns[TREE_COLUMNS])
{
	struct diff_value v = {.before = scale_value(d, columns[TREE_BEFORE]),
			       .after = columns[TREE_AFTER],
			       .unscaled = columns[TREE_BEFORE]};

	if (__builtin_sub_overflow(v.after, v.before, &v.delta))
		v.delta = v.after > v.before ? INT64_MAX : INT64_MIN;
	return v;
}

enum diff_kind diff_kind_of(const struct diff *d, const int64_t columns[TREE_COLUMNS])
{
	struct diff_value v = diff_value_of(d, columns);

	if (!columns[TREE_BEFORE] && columns[TREE_AFTER])
		return DIFF_NEW;
	if (columns[TREE_BEFORE] && !columns[TREE_AFTER])
		return DIFF_GONE;
	return !v.delta ? DIFF_SAME : v.delta > 0 ? DIFF_GREW : DIFF_SHRANK;
}

const char *diff_kind_name(enum diff_kind kind)
{
	static const char *const names[] = {
		[DIFF_SAME] = "same", [DIFF_GREW] = "grew", [DIFF_SHRANK] = "shrank",
		[DIFF_NEW] = "new",   [DIFF_GONE] = "gone",
	};

	return names[kind];
}

static int set_diff_scale(struct diff *d, const struct tree *t, bool normalise, struct err *e)
{
	int64_t before = t->sum[TREE_BEFORE].kept, after = t->sum[TREE_AFTER].kept;

	d->scale = d->unit = 1;
	if (!normalise || before == after)
		return 0;
	if (before <= 0 || after <= 0)
		return err_set(e, -ERANGE,
			       "cannot normalise: a profile's total is not above zero (%lld, %lld)",
			       (long long)before, (long long)after);
	d->scale = after;
	d->unit = before;
	return 0;
}

int diff_of_tree(struct diff *out, struct tree *t, bool normalise, struct err *e)
{
	struct top top;
	int rc = top_of_tree(&top, t);

	return rc ? rc : diff_of_top(out, t, &top, normalise, e);
}

int diff_of_top(struct diff *out, struct tree *t, const struct top *top, bool normalise,
		struct err *e)
{
	int rc;

	*out = (struct diff){.tree = t};
	rc = set_diff_scale(out, t, normalise, e);
	if (rc)
		return rc;
	out->rows = arena_alloc(&t->arena, top->n, sizeof(*out->rows));
	if (top->n && !out->rows)
		return -ENOMEM;
	out->n = top->n;
	for (uint32_t i = 0; i < top->n; i++) {
		const struct top_row *row = &top->rows[i];
		enum diff_kind kind = diff_kind_of(out, row->total);

		out->count[kind]++;
		out->rows[i] = (struct diff_row){
			.name = row->name,
			.kind = kind,
			.self = diff_value_of(out, row->self),
			.total = diff_value_of(out, row->total),
		};
	}
	return 0;
}

struct diff_order {
	const struct diff *diff;
	enum top_order order;
};

static int compare_changes(const struct diff_value *a, const struct diff_value *b)
{
	uint64_t x = magnitude_of(a->delta), y = magnitude_of(b->delta);

	if (x != y)
		return x > y ? -1 : 1;
	return a->delta == b->delta ? 0 : a->delta > b->delta ? -1 : 1;
}

static int compare_diff_rows(const void *a, const void *b, void *arg)
{
	const struct diff_order *s = arg;
	const struct diff_row *x = a, *y = b;
	int self = compare_changes(&x->self, &y->self);
	int total = compare_changes(&x->total, &y->total);
	int c = s->order == TOP_BY_SELF ? self : total;

	if (!c)
		c = s->order == TOP_BY_SELF ? total : self;
	return c ? c : names_cmp(&s->diff->tree->names, x->name, y->name);
}

void diff_sort_first(struct diff *d, enum top_order order, uint64_t n)
{
	struct diff_order sorting = {d, order};

	sort_first(d->rows, d->n, sizeof(*d->rows), n && n < d->n ? n : d->n, compare_diff_rows,
		   &sorting);
}

void diff_sort(struct diff *d, enum top_order order)
{
	diff_sort_first(d, order, 0);
}
