/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of log records over time. A merged block has counts by minute, severity class and stream
 * in its index; its pages are read only for conditions on records, and for minutes that the range
 * or the step cuts.
 */
#include "store/sqlite/read/logs/query_log_counts.h"

#include "store/sqlite/read/logs/query_logs.h"
#include "store/sqlite/read/query.h"

static int count_record(struct log_counting *c, uint64_t time, uint32_t severity,
			const struct log_stream *s)
{
	struct store_log_count n = {time - time % c->step, 1, severity_class_of(severity),
				    s->service};

	return c->visit(c->context, &n);
}

static int count_rows(struct log_counting *c, struct reader *r, const struct log_block_entry *entry,
		      struct err *e)
{
	const struct store_log_select *s = c->select;
	struct log_rows rows;
	struct log_streams streams;
	int rc = logs_read_rows(r, entry, &c->block, &rows, e);

	if (!rc)
		rc = log_streams_match(&streams, rows.streams.at, rows.streams.n, &c->matcher,
				       &c->block, e);
	for (uint32_t i = 0; !rc && streams.any && i < rows.logs.n; i++) {
		const struct kept_log *k = &rows.logs.at[i];
		const struct log_stream *of = &streams.at[k->stream];
		struct log_record record;
		int yes;

		if (k->time < s->from || k->time >= s->to || !streams.wanted[k->stream])
			continue;
		if (log_record_read(&record, k->message))
			return err_set(e, -EUCLEAN, "a log record is damaged");
		yes = log_match_record(&c->matcher, &record, of);
		if (yes < 0)
			rc = err_set(e, yes, "%s", c->matcher.error.text);
		if (yes > 0)
			rc = count_record(c, k->time,
					  log_severity(record.severity, record.severity_text), of);
	}
	return rc;
}

static int count_day(struct log_counting *c, struct partition *p, struct err *e)
{
	struct reader r = {0};
	int rc = reader_begin(&r, p, e);

	/* the newest blocks first: they are complete if the search is stopped */
	for (uint32_t i = rc ? 0 : r.directory->logs->n; !rc && i; i--) {
		const struct log_block_entry *entry = &r.directory->logs->at[i - 1];

		if (entry->last < c->select->from || entry->first >= c->select->to)
			continue;
		rc = query_check_limits(&c->select->limits, true, e);
		c->stopped = c->select->stop_ns && clock_monotonic_ns() > c->select->stop_ns;
		if (rc || c->stopped)
			break;
		rc = entry->generation ? log_block_count(c, &r, entry, e)
				       : count_rows(c, &r, entry, e);
		arena_reset(&c->block);
	}
	reader_end(&r);
	return rc ? err_errno(e, rc, "count logs") : 0;
}

int query_log_counts(struct store *base, const struct store_log_select *sel, uint64_t step,
		     store_visit_log_count *visit, void *ctx, bool *stopped, struct err *e)
{
	struct sqlite_store *s = store_of(base);
	struct log_counting c = {.select = sel, .step = step, .visit = visit, .context = ctx};
	uint32_t n = 0;
	struct partition **list = partitions_between(s, sel->from, sel->to, &n);
	int rc = list ? 0 : -ENOMEM;

	arena_init(&c.arena, sel->limits.budget);
	arena_init(&c.block, sel->limits.budget);
	if (!rc)
		rc = log_matcher_init(&c.matcher, sel, &c.arena);
	if (rc)
		(void)err_errno(e, rc, "count logs");
	for (uint32_t i = n; !rc && !c.stopped && i; i--) {
		struct err own = {0};

		rc = count_day(&c, list[i - 1], &own);
		if (rc == -EUCLEAN)
			partition_damaged(list[i - 1], &own);
		if (rc == -EUCLEAN || rc == -ENOENT)
			rc = 0; /* use the others */
		if (rc && e && !e->code)
			*e = own;
	}
	*stopped = c.stopped;
	partitions_missing(s, sel->from, sel->to, sel->limits.missing);
	partitions_release(list, n);
	log_matcher_fini(&c.matcher);
	arena_fini(&c.block);
	arena_fini(&c.arena);
	return rc;
}
