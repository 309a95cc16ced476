/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/live_data.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void live_data_init(struct live_data *d, struct cli *cli, const struct view_options *options)
{
	*d = (struct live_data){.cli = cli, .options = options};
	arena_init(&d->arena, &cli->budget);
}

static void clear_rows(struct live_data *d)
{
	if (d->zoomed)
		sandwich_fini(&d->zoom);
	d->zoomed = false;
	arena_fini(&d->arena);
	arena_init(&d->arena, &d->cli->budget);
	memset(&d->rows, 0, sizeof(d->rows));
}

static void clear_data(struct live_data *d)
{
	clear_rows(d);
	if (d->loaded)
		view_fini(&d->view);
	d->top = (struct top){0};
	d->loaded = false;
}

void live_data_fini(struct live_data *d)
{
	clear_data(d);
	arena_fini(&d->arena);
}

/* ---- loading ---- */

/* Implements inputs.fetch: the paths are those of load_pair(). */
static int fetch_bytes(void *arg, struct buf *out, const char *path, struct err *e)
{
	const struct live_pair *pair = arg;

	(void)e;
	buf_put_str(out, buf_str(strcmp(path, "before") == 0 ? &pair->before : &pair->after));
	return buf_error(out);
}

static void ignore_warning(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

static int load_pair(struct live_data *d, const struct live_pair *pair, struct inputs *in,
		     struct err *e)
{
	int rc = view_init(&d->view, d->cli, d->options, e);

	d->loaded = true;
	if (!rc && pair->after.n)
		rc = view_add(&d->view, in, "after", TREE_AFTER, e);
	if (!rc && pair->before.n)
		rc = view_add(&d->view, in, "before", TREE_BEFORE, e);
	if (!rc && tree_finish(&d->view.tree))
		rc = err_set(e, -ENOMEM, "out of memory: raise --max-memory");
	return rc;
}

int live_data_load(struct live_data *d, const struct live_pair *pair, struct err *e)
{
	static const struct input_options plain;
	struct inputs in = {0};
	int rc;

	clear_data(d);
	d->has_before = pair->before.n > 0;
	rc = inputs_init(&in, d->cli, &plain, e);
	in.fetch = fetch_bytes;
	in.fetch_arg = (void *)(uintptr_t)pair;
	in.decode.warn = ignore_warning;
	if (!rc)
		rc = load_pair(d, pair, &in, e);
	inputs_fini(&in);
	if (rc)
		clear_data(d);
	return rc;
}

/* ---- rows ---- */

static bool contains(struct str text, struct str part)
{
	for (size_t i = 0; i + part.n <= text.n; i++) {
		size_t j = 0;

		while (j < part.n &&
		       tolower((unsigned char)text.p[i + j]) == tolower((unsigned char)part.p[j]))
			j++;
		if (j == part.n)
			return true;
	}
	return false;
}

static uint64_t sort_value(const struct live_row *r, enum live_sort sort)
{
	bool self = sort != LIVE_BY_TOTAL && r->part == LIVE_FUNCTION;
	const int64_t *v = self ? r->self : r->total;
	bool wrapped = false;

	return magnitude_of(sort == LIVE_BY_CHANGE
				    ? add_wrapping(v[TREE_AFTER], -v[TREE_BEFORE], &wrapped)
				    : v[TREE_AFTER]);
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct live_row *x = a, *y = b;
	enum live_sort sort = *(const enum live_sort *)arg;
	uint64_t one = sort_value(x, sort), two = sort_value(y, sort);

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (one != two)
		return one > two ? -1 : 1;
	if (x->total[TREE_AFTER] != y->total[TREE_AFTER])
		return x->total[TREE_AFTER] > y->total[TREE_AFTER] ? -1 : 1;
	return str_cmp(x->name.text, y->name.text);
}

static int add_row(struct live_data *d, struct live_row row, struct str filter)
{
	if (row.part != LIVE_FOCUS && filter.n && !contains(row.name.text, filter))
		return 0;
	return vec_push(&d->arena, &d->rows, row);
}

static int add_functions(struct live_data *d, struct str filter)
{
	int rc = d->top.rows ? 0 : top_of_tree(&d->top, &d->view.tree);

	for (uint32_t i = 0; i < d->top.n && !rc; i++) {
		const struct top_row *t = &d->top.rows[i];
		struct live_row row = {.name = d->view.tree.names.rows.at[t->name]};

		memcpy(row.self, t->self, sizeof(row.self));
		memcpy(row.total, t->total, sizeof(row.total));
		rc = add_row(d, row, filter);
	}
	return rc;
}

static void set_values(struct live_row *row, const struct tree *t, uint32_t node)
{
	struct tree_values self = tree_self(t, node), total = tree_total(t, node);

	memcpy(row->self, self.in, sizeof(row->self));
	memcpy(row->total, total.in, sizeof(row->total));
}

/* Add the function of a sandwich's tree, or its neighbours there. */
static int add_neighbours(struct live_data *d, struct tree *t, enum live_part part,
			  struct str filter)
{
	const uint32_t *functions = tree_children(t, 0);
	int rc = 0;

	for (uint32_t i = 0; i < t->nodes.at[0].child_n && !rc; i++) {
		const uint32_t *children = tree_children(t, functions[i]);

		if (part == LIVE_FOCUS) {
			struct live_row row = {.part = part, .name = *tree_name(t, functions[i])};

			set_values(&row, t, functions[i]);
			rc = add_row(d, row, filter);
			continue;
		}
		for (uint32_t c = 0; c < t->nodes.at[functions[i]].child_n && !rc; c++) {
			struct live_row row = {.part = part, .name = *tree_name(t, children[c])};

			set_values(&row, t, children[c]);
			rc = add_row(d, row, filter);
		}
	}
	return rc;
}

int live_data_rows(struct live_data *d, struct str function, struct str filter, enum live_sort sort,
		   struct err *e)
{
	int rc;

	clear_rows(d);
	if (!d->loaded)
		return 0;
	if (!function.n) {
		rc = add_functions(d, filter);
	} else {
		rc = sandwich_of_tree(&d->zoom, &d->view.tree, function, e);
		d->zoomed = true;
		if (!rc)
			rc = add_neighbours(d, &d->zoom.callers, LIVE_CALLER, filter);
		if (!rc)
			rc = add_neighbours(d, &d->zoom.callees, LIVE_FOCUS, filter);
		if (!rc)
			rc = add_neighbours(d, &d->zoom.callees, LIVE_CALLEE, filter);
	}
	if (rc)
		return rc == -ENOENT ? rc : err_set(e, rc, "out of memory: raise --max-memory");
	if (d->rows.n)
		qsort_r(d->rows.at, d->rows.n, sizeof(*d->rows.at), compare_rows, &sort);
	return 0;
}

double live_data_whole(const struct live_data *d)
{
	return d->loaded ? (double)d->view.tree.sum[TREE_AFTER].magnitude : 0;
}
