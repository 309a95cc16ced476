/* SPDX-License-Identifier: Apache-2.0 */
/* status/tsdb: sizes of the store, and the names and labels that most series of a day have. */
#include <errno.h>
#include <stdlib.h>

#include "api/prometheus/prometheus_request.h"
#include "base/clock.h"
#include "base/container/intern.h"

enum { TOP_DEFAULT = 10, TOP_MAX = 1000, DAY_MS = 86400000 };

/* Counts of texts. */
struct tally {
	struct intern texts;
	VEC(uint64_t) counts; /* by id */
};

struct tallies {
	struct arena *arena;
	struct tally series_by_metric, values_by_name, bytes_by_name, series_by_pair;
	struct buf pair;
};

static int tally_add(struct tallies *t, struct tally *to, struct str text, uint64_t n, bool *added)
{
	uint32_t id;
	int rc = intern_add(&to->texts, text, &id);

	while (!rc && to->counts.n <= id)
		rc = vec_push(t->arena, &to->counts, (uint64_t)0);
	if (rc)
		return rc;
	*added = !to->counts.at[id];
	to->counts.at[id] += n;
	return 0;
}

static int count_label(struct tallies *t, const struct label *l)
{
	bool added;
	int rc;

	buf_clear(&t->pair);
	buf_printf(&t->pair, "%.*s=%.*s", STR_ARG(l->name), STR_ARG(l->value));
	rc = buf_error(&t->pair);
	if (!rc)
		rc = tally_add(t, &t->series_by_pair, buf_str(&t->pair), 1, &added);
	if (!rc && added)
		rc = tally_add(t, &t->values_by_name, l->name, 1, &added);
	if (!rc)
		rc = tally_add(t, &t->bytes_by_name, l->name, l->value.n, &added);
	if (!rc && str_eq(l->name, STR(METRIC_NAME_LABEL)))
		rc = tally_add(t, &t->series_by_metric, l->value, 1, &added);
	return rc;
}

static int count_series(struct tallies *t, struct request *r, const struct store_metric_ops *ops,
			struct err *e)
{
	const int64_t now = (int64_t)(r->now_ns / NS_PER_MS);
	const struct store_metric_select select = {.tenant = r->tenant,
						   .from = now - DAY_MS,
						   .to = now,
						   .labels_only = true,
						   .limits = r->limits};
	struct store_metric_cursor *c = NULL;
	struct store_metric_series s;
	int rc = ops->open(r->store, &select, &c, e);

	if (rc)
		return rc;
	while ((rc = ops->next(c, &s, e)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < s.label_count && !rc; i++)
			rc = count_label(t, &s.labels[i]);
		if (rc)
			break;
	}
	ops->close(c);
	return rc;
}

struct counted {
	struct str text;
	uint64_t n;
};

static int compare_counted(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	return x->n == y->n ? str_cmp(x->text, y->text) : x->n < y->n ? 1 : -1;
}

static int put_top(struct json_writer *w, const char *key, const struct tally *t, uint64_t limit)
{
	struct counted *all = calloc(t->counts.n + 1, sizeof(*all));
	uint32_t n = 0;

	if (!all)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->counts.n; i++)
		if (t->counts.at[i])
			all[n++] = (struct counted){intern_get(&t->texts, i), t->counts.at[i]};
	qsort(all, n, sizeof(*all), compare_counted);
	json_put_key(w, str_from(key));
	json_open_array(w);
	for (uint32_t i = 0; i < n && i < limit; i++) {
		json_open_object(w);
		json_put_key(w, STR("name"));
		json_put_string(w, all[i].text);
		json_put_key(w, STR("value"));
		json_put_u64(w, all[i].n);
		json_close_object(w);
	}
	json_close_array(w);
	free(all);
	return 0;
}

static int put_tallies(struct json_writer *w, const struct tallies *t, uint64_t limit)
{
	int rc = put_top(w, "seriesCountByMetricName", &t->series_by_metric, limit);

	if (!rc)
		rc = put_top(w, "labelValueCountByLabelName", &t->values_by_name, limit);
	if (!rc)
		rc = put_top(w, "memoryInBytesByLabelName", &t->bytes_by_name, limit);
	if (!rc)
		rc = put_top(w, "seriesCountByLabelValuePair", &t->series_by_pair, limit);
	return rc;
}

static int tallies_init(struct tallies *t, struct request *r)
{
	struct tally *all[] = {&t->series_by_metric, &t->values_by_name, &t->bytes_by_name,
			       &t->series_by_pair};
	int rc = 0;

	*t = (struct tallies){.arena = r->arena};
	buf_init(&t->pair, r->limits.budget);
	for (size_t i = 0; i < countof(all) && !rc; i++)
		rc = intern_init(&all[i]->texts, r->arena);
	return rc;
}

static void put_count(struct json_writer *w, const char *key, uint64_t n)
{
	json_put_key(w, str_from(key));
	json_put_u64(w, n);
}

static void put_head(struct json_writer *w, const struct store_metric_counts *n)
{
	json_put_key(w, STR("headStats"));
	json_open_object(w);
	put_count(w, "numSeries", n->series);
	put_count(w, "numLabelPairs", n->label_pairs);
	put_count(w, "chunkCount", n->chunks);
	put_count(w, "minTime", n->first);
	put_count(w, "maxTime", n->last);
	json_close_object(w);
}

int prometheus_tsdb_status(struct request *r, struct reply *out, struct err *e)
{
	const struct store_metric_ops *ops = prometheus_store(r, e);
	struct store_metric_select select = {.tenant = r->tenant, .limits = r->limits};
	struct store_metric_counts n;
	struct tallies t;
	struct json_writer w;
	uint64_t limit;
	int rc = ops ? prometheus_read_form(r) : -EOPNOTSUPP;

	if (!rc)
		rc = request_u64(r, "limit", TOP_DEFAULT, &limit, e);
	if (!rc && (!limit || limit > TOP_MAX))
		rc = err_set(e, -EINVAL, "limit must be a positive number up to %d", TOP_MAX);
	if (!rc)
		rc = ops->counts(r->store, &select, &n, e);
	if (rc)
		return rc;
	rc = tallies_init(&t, r);
	if (!rc)
		rc = count_series(&t, r, ops, e);
	if (!rc) {
		w = prometheus_open(out);
		json_open_object(&w);
		put_head(&w, &n);
		rc = put_tallies(&w, &t, limit);
		json_close_object(&w);
	}
	buf_fini(&t.pair);
	return rc ? rc : prometheus_close(&w, r, false);
}
