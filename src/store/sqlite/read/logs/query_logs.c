/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search of log records, the newest first: day by day, and in a day part by part (a block of a
 * commit, or a page of a merged block), in the order of their newest record. A part is not read if
 * all of its records are older than the newest ones that were found, or if a filter says that it
 * has no match. Records are read completely only when they are among the results.
 */
#include "store/sqlite/read/logs/query_logs.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/logs/log_text.h"
#include "store/sqlite/read/logs/log_found.h"
#include "store/sqlite/read/logs/log_units.h"
#include "store/sqlite/read/query.h"

struct log_query {
	const struct store_log_select *select;
	struct sqlite_store *store;
	struct arena arena; /* of the whole query */
	struct arena found; /* of the results of a day, and of its list of parts */
	struct arena block; /* of the current part */
	struct log_matcher matcher;
	struct found_logs results;
	struct log_units units;
	struct store_log_end *end;
	uint32_t left; /* records that may still be visited */
	uint32_t skip;
	uint32_t visited_at_end; /* of the time of the last one */
};

int log_streams_match(struct log_streams *out, const struct str *encoded, uint32_t n,
		      struct log_matcher *m, struct arena *a, struct err *e)
{
	*out = (struct log_streams){
		.at = arena_alloc(a, n + (size_t)1, sizeof(*out->at)),
		.wanted = arena_zalloc(a, n + (size_t)1, 1),
		.n = n,
	};
	if (!out->at || !out->wanted)
		return err_errno(e, -ENOMEM, "search logs");
	for (uint32_t i = 0; i < n; i++) {
		if (!log_stream_get(encoded[i], &out->at[i]))
			return err_set(e, -EUCLEAN, "a stream of log records is damaged");
		out->wanted[i] = log_match_stream(m, &out->at[i]);
		out->any |= out->wanted[i];
	}
	return 0;
}

/* ---- one part ---- */

/* Add a record of a block of a commit, with copies of its message and stream. */
static int add_row(struct log_query *q, const struct kept_log *k, const struct log_stream *s,
		   uint64_t tie)
{
	struct found_log l = {.time = k->time, .tie = tie};
	struct log_stream *copy = arena_alloc(&q->found, 1, sizeof(*copy));
	struct buf encoded = {0};
	struct str bytes;
	int rc = copy ? 0 : -ENOMEM;

	log_stream_put(&encoded, s);
	if (!rc)
		rc = buf_error(&encoded);
	if (!rc)
		rc = arena_copy_str(&q->found, buf_str(&encoded), &bytes);
	if (!rc && !log_stream_get(bytes, copy))
		rc = -EUCLEAN;
	buf_fini(&encoded);
	l.stream = copy;
	if (!rc)
		rc = arena_copy_str(&q->found, k->message, &l.message);
	return rc ? rc : found_logs_add(&q->results, &l);
}

static int search_rows(struct log_query *q, struct reader *r, const struct log_block_entry *entry,
		       struct err *e)
{
	const struct store_log_select *s = q->select;
	struct log_rows rows;
	struct log_streams streams;
	int rc = logs_read_rows(r, entry, &q->block, &rows, e);

	if (!rc)
		rc = log_streams_match(&streams, rows.streams.at, rows.streams.n, &q->matcher,
				       &q->block, e);
	for (uint32_t i = 0; !rc && streams.any && i < rows.logs.n; i++) {
		const struct kept_log *k = &rows.logs.at[i];
		struct log_record record;
		int yes;

		if (k->time < s->from || k->time >= s->to || !streams.wanted[k->stream] ||
		    found_logs_is_past(&q->results, k->time))
			continue;
		if (log_record_read(&record, k->message))
			return err_set(e, -EUCLEAN, "a log record is damaged");
		yes = log_match_record(&q->matcher, &record, &streams.at[k->stream]);
		if (yes < 0)
			rc = err_set(e, yes, "%s", q->matcher.error.text);
		if (yes > 0) {
			struct str text = log_body_text(&q->matcher.text, record.body);
			uint64_t tie = log_tie(text);

			if (found_logs_wants(&q->results, k->time, tie))
				rc = add_row(q, k, &streams.at[k->stream], tie);
		}
	}
	return rc ? err_errno(e, rc, "search logs") : 0;
}

static bool is_time_up(const struct store_log_select *s)
{
	return s->stop_ns && clock_monotonic_ns() > s->stop_ns;
}

static int search_unit(struct log_query *q, struct reader *r, const struct log_unit *u,
		       struct err *e)
{
	int rc = query_check_limits(&q->select->limits, true, e);

	if (rc)
		return rc;
	if (!u->block->generation)
		rc = search_rows(q, r, u->block, e);
	else if (u->page < 0)
		rc = log_units_expand(&q->units, r, u, &q->matcher, e);
	else
		rc = log_unit_search(&q->units, r, u, &q->matcher, &q->results, &q->block, e);
	arena_reset(&q->block);
	return rc;
}

/* ---- a day ---- */

/* Visit the results, the newest first. */
static int visit_found(struct log_query *q, store_visit_log *visit, void *ctx, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && q->left && i < q->results.heap.n; i++) {
		const struct found_log *f = &q->results.heap.at[i];
		struct store_log l = {.time = f->time,
				      .service = f->stream->service,
				      .resource = f->stream->resource,
				      .scope = f->stream->scope};

		if (q->skip && f->time == q->select->to - 1) {
			q->skip--;
			continue;
		}
		if (log_record_read(&l.record, f->message))
			return err_set(e, -EUCLEAN, "a log record is damaged");
		rc = visit(ctx, &l);
		q->left--;
		q->visited_at_end = q->end->to == f->time + 1 ? q->visited_at_end + 1 : 1;
		q->end->to = f->time + 1;
	}
	return rc;
}

/* Leave out results that may be older than records that were not searched. */
static void drop_unsure(struct log_query *q, uint64_t unsearched)
{
	while (q->results.heap.n && q->results.heap.at[q->results.heap.n - 1].time <= unsearched)
		q->results.heap.n--;
	q->end->stopped = true;
}

static int search_day(struct log_query *q, struct partition *p, store_visit_log *visit, void *ctx,
		      struct err *e)
{
	struct reader r = {0};
	uint64_t unsearched = 0;
	int rc = reader_begin(&r, p, e);

	q->results = (struct found_logs){.arena = &q->found, .limit = q->left + q->skip};
	if (!rc)
		rc = log_units_init(&q->units, r.directory->logs, q->select, &q->found);
	while (!rc) {
		const struct log_unit *next = log_units_newest(&q->units);
		struct log_unit u;

		if (!next || found_logs_is_past(&q->results, next->last))
			break;
		if (is_time_up(q->select)) {
			unsearched = next->last;
			break;
		}
		u = *next;
		log_units_pop(&q->units);
		rc = search_unit(q, &r, &u, e);
	}
	if (!rc)
		rc = log_units_read_found(&q->units, &r, &q->results, &q->block, e);
	reader_end(&r);
	arena_reset(&q->block);
	if (rc)
		return err_errno(e, rc, "search logs");
	found_logs_sort(&q->results);
	if (unsearched)
		drop_unsure(q, unsearched);
	rc = visit_found(q, visit, ctx, e);
	if (unsearched && q->left) { /* nothing newer is left */
		q->end->to = unsearched + 1 < q->end->to ? unsearched + 1 : q->end->to;
		q->visited_at_end = 0;
	}
	return rc;
}

int query_logs(struct store *base, const struct store_log_select *sel, store_visit_log *visit,
	       void *ctx, struct store_log_end *end, struct err *e)
{
	struct log_query q = {.select = sel,
			      .store = store_of(base),
			      .end = end,
			      .left = sel->limit,
			      .skip = sel->skip};
	uint32_t n = 0;
	struct partition **list = partitions_between(q.store, sel->from, sel->to, &n);
	int rc = list ? 0 : -ENOMEM;

	*end = (struct store_log_end){.to = sel->to};
	arena_init(&q.arena, sel->limits.budget);
	arena_init(&q.found, sel->limits.budget);
	arena_init(&q.block, sel->limits.budget);
	if (!rc)
		rc = log_matcher_init(&q.matcher, sel, &q.arena);
	if (rc)
		(void)err_errno(e, rc, "search logs");
	for (uint32_t i = n; !rc && q.left && !end->stopped && i; i--) {
		struct err own = {0};

		rc = search_day(&q, list[i - 1], visit, ctx, &own);
		if (rc == -EUCLEAN)
			partition_damaged(list[i - 1], &own);
		if (rc == -EUCLEAN || rc == -ENOENT)
			rc = 0; /* use the others */
		if (rc && e && !e->code)
			*e = own;
		arena_reset(&q.found);
	}
	if (end->to == sel->to && !q.visited_at_end)
		q.visited_at_end = sel->skip;
	else if (end->to == sel->to)
		q.visited_at_end += sel->skip;
	end->skip = q.visited_at_end;
	end->more = end->stopped || !q.left;
	partitions_missing(q.store, sel->from, sel->to, sel->limits.missing);
	partitions_release(list, n);
	log_matcher_fini(&q.matcher);
	arena_fini(&q.block);
	arena_fini(&q.found);
	arena_fini(&q.arena);
	return rc;
}
