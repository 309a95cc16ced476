/* SPDX-License-Identifier: Apache-2.0 */
/* Names and values of labels, metadata, exemplars, counts. */
#include <stdlib.h>

#include "store/sqlite/metrics/metric_query.h"
#include "store/sqlite/store_state.h"

struct text_list {
	struct arena arena;
	VEC(struct str) list;
	uint64_t *selected; /* series of the current day; NULL: all */
};

static int mark_selected(struct text_list *t, const struct metric_day *d)
{
	t->selected = NULL;
	if (d->all)
		return 0;
	t->selected = arena_zalloc(&t->arena, d->index->n / 64 + 1, sizeof(*t->selected));
	for (uint32_t i = 0; t->selected && i < d->ids.n; i++)
		t->selected[d->ids.at[i] / 64] |= (uint64_t)1 << d->ids.at[i] % 64;
	return t->selected ? 0 : -ENOMEM;
}

static bool pair_is_selected(const struct text_list *t, const struct metric_pair *p)
{
	const uint32_t *ids = metric_postings(p);

	if (!t->selected)
		return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (t->selected[ids[i] / 64] >> ids[i] % 64 & 1)
			return true;
	return false;
}

static int add_values(struct text_list *t, const struct metric_index *x,
		      const struct metric_label_name *name)
{
	int rc = 0;

	for (uint32_t i = 0; i < name->pairs.n && !rc; i++) {
		const struct metric_pair *p = &x->pairs.at[name->pairs.at[i]];

		if (pair_is_selected(t, p)) /* the text stays as long as the index */
			rc = vec_push(&t->arena, &t->list, x->symbols.at[p->value]);
	}
	return rc;
}

static int add_names(struct text_list *t, const struct metric_index *x)
{
	int rc = 0;

	for (uint32_t i = 0; i < x->names.n && !rc; i++) {
		const struct metric_label_name *name = &x->names.at[i];
		bool any = false;

		for (uint32_t k = 0; k < name->pairs.n && !any; k++)
			any = pair_is_selected(t, &x->pairs.at[name->pairs.at[k]]);
		if (any && x->symbols.at[name->symbol].n)
			rc = vec_push(&t->arena, &t->list, x->symbols.at[name->symbol]);
	}
	return rc;
}

static int list_day(struct text_list *t, const struct metric_day *d, struct str name)
{
	const struct metric_label_name *of;
	int rc;

	if (!d->ids.n)
		return 0;
	pthread_rwlock_rdlock(&d->index->lock);
	rc = mark_selected(t, d);
	of = name.n ? metric_index_name_of(d->index, name) : NULL;
	if (!rc && name.n)
		rc = of ? add_values(t, d->index, of) : 0;
	else if (!rc)
		rc = add_names(t, d->index);
	pthread_rwlock_unlock(&d->index->lock);
	return rc;
}

static int compare_texts(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

int metric_query_texts(struct store *s, const struct store_metric_select *sel, struct str name,
		       store_visit_text *visit, void *ctx, struct err *e)
{
	struct text_list t = {0};
	struct metric_days days;
	int rc;

	arena_init(&t.arena, sel->limits.budget);
	rc = metric_days_open(&days, s, sel, &t.arena, e);
	for (uint32_t i = 0; i < days.n && !rc; i++)
		rc = list_day(&t, &days.at[i], name);
	if (!rc && t.list.n > 1)
		qsort(t.list.at, t.list.n, sizeof(*t.list.at), compare_texts);
	for (uint32_t i = 0; i < t.list.n && !rc; i++)
		if (!i || !str_eq(t.list.at[i], t.list.at[i - 1]))
			rc = visit(ctx, t.list.at[i]);
	metric_days_close(&days);
	arena_fini(&t.arena);
	return rc == -ENOMEM ? err_errno(e, rc, "list labels") : rc;
}

/* ---- metadata ---- */

struct family_list {
	VEC(struct metric_metadata) list;
};

/* Later ones of a name are newer: keep the order of those with the same name. */
struct ordered_family {
	const struct metric_metadata *meta;
	uint32_t at;
};

static int compare_ordered(const void *a, const void *b)
{
	const struct ordered_family *x = a, *y = b;
	int order = str_cmp(x->meta->name, y->meta->name);

	return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static int add_families(struct family_list *f, const struct metric_day *d, struct str tenant,
			struct arena *a)
{
	int rc = 0;

	pthread_rwlock_rdlock(&d->index->lock);
	for (uint32_t i = 0; i < d->index->families.n && !rc; i++)
		if (str_eq(d->index->families.at[i].tenant, tenant))
			rc = vec_push(a, &f->list, d->index->families.at[i].meta);
	pthread_rwlock_unlock(&d->index->lock);
	return rc;
}

int metric_query_families(struct store *s, const struct store_metric_select *sel,
			  store_visit_family *visit, void *ctx, struct err *e)
{
	struct family_list f = {0};
	struct ordered_family *order = NULL;
	struct metric_days days;
	struct arena a;
	int rc;

	arena_init(&a, sel->limits.budget);
	rc = metric_days_open(&days, s, sel, &a, e);
	for (uint32_t i = 0; i < days.n && !rc; i++)
		rc = add_families(&f, &days.at[i], sel->tenant, &a);
	if (!rc) {
		order = arena_alloc(&a, f.list.n + 1, sizeof(*order));
		rc = order ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; i < f.list.n && !rc; i++)
		order[i] = (struct ordered_family){&f.list.at[i], i};
	if (!rc && f.list.n > 1)
		qsort(order, f.list.n, sizeof(*order), compare_ordered);
	for (uint32_t i = 0; i < f.list.n && !rc; i++)
		if (i + 1 == f.list.n || !str_eq(order[i].meta->name, order[i + 1].meta->name))
			rc = visit(ctx, order[i].meta);
	metric_days_close(&days);
	arena_fini(&a);
	return rc == -ENOMEM ? err_errno(e, rc, "list metadata") : rc;
}

/* ---- exemplars ---- */

struct found_exemplar {
	struct str labels;
	struct metric_exemplar exemplar;
};

struct exemplar_list {
	struct arena arena;
	VEC(struct found_exemplar) list;
};

static int compare_found(const void *a, const void *b)
{
	const struct found_exemplar *x = a, *y = b;
	int order = metric_labels_cmp(x->labels, y->labels);

	if (order)
		return order;
	if (x->exemplar.time != y->exemplar.time)
		return x->exemplar.time < y->exemplar.time ? -1 : 1;
	return str_cmp(x->exemplar.labels, y->exemplar.labels);
}

static bool has_id(const struct metric_ids *ids, uint32_t id)
{
	uint32_t low = 0, high = ids->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ids->at[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ids->n && ids->at[low] == id;
}

static int add_found(struct exemplar_list *f, const struct metric_day *d,
		     const struct metric_exemplar *x)
{
	struct found_exemplar found = {.exemplar = *x};
	struct buf labels = {0};
	int rc;

	pthread_rwlock_rdlock(&d->index->lock);
	metric_index_labels(d->index, x->series, &labels);
	pthread_rwlock_unlock(&d->index->lock);
	rc = buf_error(&labels);
	if (!rc)
		rc = arena_copy_str(&f->arena, buf_str(&labels), &found.labels);
	buf_fini(&labels);
	return rc ? rc : vec_push(&f->arena, &f->list, found);
}

static int find_exemplars(struct exemplar_list *f, struct metric_day *d,
			  const struct store_metric_select *sel, struct err *e)
{
	const struct metric_list *l = d->reader.directory->metrics;
	int rc = 0;

	for (uint32_t i = 0; i < l->n && !rc; i++) {
		struct metric_extras extras = {0};
		struct str block;

		if (l->at[i].kind != METRIC_BLOCK_EXTRAS || !l->at[i].samples ||
		    (int64_t)l->at[i].last < sel->from || (int64_t)l->at[i].first > sel->to)
			continue;
		rc = reader_blob(&d->reader, l->at[i].data, FRAME_METRIC_EXTRAS, &f->arena, &block,
				 e);
		if (!rc)
			rc = metric_extras_get(&extras, block, &f->arena, e);
		for (uint32_t k = 0; k < extras.exemplars.n && !rc; k++) {
			const struct metric_exemplar *x = &extras.exemplars.at[k];

			if (x->time >= sel->from && x->time <= sel->to &&
			    has_id(&d->ids, x->series))
				rc = add_found(f, d, x);
		}
	}
	return rc;
}

int metric_query_exemplars(struct store *s, const struct store_metric_select *sel,
			   store_visit_exemplar *visit, void *ctx, struct err *e)
{
	struct exemplar_list f = {0};
	struct metric_days days;
	int rc;

	arena_init(&f.arena, sel->limits.budget);
	rc = metric_days_open(&days, s, sel, &f.arena, e);
	for (uint32_t i = 0; i < days.n && !rc; i++)
		rc = find_exemplars(&f, &days.at[i], sel, e);
	if (!rc && f.list.n > 1)
		qsort(f.list.at, f.list.n, sizeof(*f.list.at), compare_found);
	for (uint32_t i = 0; i < f.list.n && !rc; i++)
		if (!i || compare_found(&f.list.at[i - 1], &f.list.at[i]) != 0)
			rc = visit(ctx, f.list.at[i].labels, &f.list.at[i].exemplar);
	metric_days_close(&days);
	arena_fini(&f.arena);
	return rc == -ENOMEM ? err_errno(e, rc, "find exemplars") : rc;
}

/* ---- counts ---- */

static void count_blocks(struct store_metric_counts *out, const struct metric_list *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		const struct metric_entry *m = &l->at[i];

		if (m->kind != METRIC_BLOCK_CHUNK && m->kind != METRIC_BLOCK_ROWS)
			continue;
		out->first = !out->first || m->first < out->first ? m->first : out->first;
		out->last = m->last > out->last ? m->last : out->last;
		out->chunks++;
	}
}

int metric_query_counts(struct store *s, const struct store_metric_select *sel,
			struct store_metric_counts *out, struct err *e)
{
	struct store_metric_select all = {
		.tenant = sel->tenant, .to = INT64_MAX, .limits = sel->limits};
	struct metric_days days;
	struct arena a;
	int rc;

	*out = (struct store_metric_counts){0};
	arena_init(&a, sel->limits.budget);
	rc = metric_days_open(&days, s, &all, &a, e);
	for (uint32_t i = 0; i < days.n && !rc; i++) {
		const struct metric_day *d = &days.at[i];

		count_blocks(out, d->reader.directory->metrics);
		if (!d->ids.n)
			continue;
		out->series = d->ids.n;
		pthread_rwlock_rdlock(&d->index->lock);
		out->label_pairs = d->index->pairs.n;
		out->label_names = d->index->names.n;
		pthread_rwlock_unlock(&d->index->lock);
	}
	metric_days_close(&days);
	arena_fini(&a);
	return rc;
}
