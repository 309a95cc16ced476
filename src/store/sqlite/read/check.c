/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check a store. Every block is read, its checksum is verified, it is compared with its directory
 * entry, and sums are verified: samples against points, chunks against roll-ups. Also the sizes of
 * what is stored.
 */
#include <stdio.h>

#include "store/sqlite/block/rollup_block.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/metrics/metric_check.h"
#include "store/sqlite/read/book_cache.h"
#include "store/sqlite/read/logs/check_logs.h"
#include "store/sqlite/read/node_sums.h"
#include "store/sqlite/read/query.h"
#include "store/sqlite/read/spans/query_spans.h"
#include "store/sqlite/read/stats.h"
#include "store/sqlite/spans/span_check.h"

struct check {
	struct query q;
	const struct sqlite_store_report *report;
	const char *partition;
	uint64_t problems;
	/*
	 * of the current group: sums of rolled-up chunks of an hour and of the day, and a roll-up's
	 */
	struct node_sums hour, day, claimed;
};

static void report_problem(struct check *c, const char *text)
{
	c->problems++;
	c->report->problem(c->report->context, c->partition, text);
}

/* Run SQLite's integrity check. */
static int check_sqlite_file(struct check *c)
{
	struct db *db = &c->q.reader.connection->db;
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db->handle, "PRAGMA integrity_check(10)", -1, &s, NULL)
			 ? db_error(db, c->q.error)
			 : 0;

	while (!rc && sqlite3_step(s) == SQLITE_ROW) {
		struct str text = db_bytes(s, 0);
		char line[256];

		if (str_eq(text, STR("ok")))
			continue;
		snprintf(line, sizeof(line), "SQLite: %.*s", STR_ARG(text));
		report_problem(c, line);
	}
	sqlite3_finalize(s);
	return rc;
}

/* Check numbers and times of profiles against the entry, and totals against the samples. */
static void check_rows(struct check *c, const struct rows *r, uint64_t profiles, uint64_t samples,
		       uint64_t first, uint64_t last)
{
	uint32_t at = 0;

	if (r->series.n != profiles || r->node.n != samples)
		report_problem(c, "a block has an unexpected number of profiles or samples");
	for (uint32_t i = 0; i < r->series.n; i++) {
		uint64_t sum = 0;

		for (uint32_t k = 0; k < r->count.at[i]; k++)
			sum += (uint64_t)r->value.at[at++];
		if (r->time.at[i] < first || r->time.at[i] > last)
			report_problem(c, "a profile lies outside the time of its block");
		if (sum != (uint64_t)r->total.at[i])
			report_problem(c, "the samples of a profile do not add up to its total");
	}
}

static int check_level0(struct check *c)
{
	const struct directory *d = c->q.reader.directory;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < d->level0_n; i++) {
		const struct level0_entry *l = &d->level0[i];
		struct arena block;
		struct rows r;

		arena_init(&block, NULL);
		rc = reader_level0(&c->q.reader, l, &block, &r, c->q.error);
		if (!rc)
			rc = query_check_rows(&c->q, &r);
		if (!rc)
			check_rows(c, &r, l->profiles, l->samples, l->first, l->last);
		arena_fini(&block);
	}
	return rc;
}

static int check_chunk(struct check *c, const struct chunk_entry *entry)
{
	struct arena block;
	struct rows r;
	struct str filter;
	int rc;

	arena_init(&block, NULL);
	rc = query_chunk_rows(&c->q, entry, NEED_SAMPLES, &block, &r);
	if (!rc)
		rc = query_part(&c->q, entry, PART_FILTER, &block, &filter);
	if (!rc) {
		check_rows(c, &r, entry->profiles, entry->samples, entry->first, entry->last);
		for (uint32_t i = 1; i < r.links.n; i++)
			if (!chunk_filter_has(filter, r.links.at[i].span_id, 8) ||
			    !chunk_filter_has(filter, r.links.at[i].trace_id, 16))
				report_problem(c, "a span is missing in the filter of its chunk");
		for (uint32_t i = 0; entry->rolled && i < r.node.n; i++)
			node_sums_add(&c->hour, r.node.at[i], r.value.at[i]);
	}
	arena_fini(&block);
	return rc;
}

/* Compare the roll-up with `expected`, then clear that. */
static int check_rollup(struct check *c, const struct chunk_entry *entry,
			struct node_sums *expected)
{
	struct arena block;
	struct str rollup;
	int rc;

	arena_init(&block, NULL);
	node_sums_clear(&c->claimed);
	rc = query_part(&c->q, entry, PART_ROLLUP, &block, &rollup);
	if (!rc)
		rc = rollup_add(rollup, false, &c->claimed, &block, c->q.error);
	if (!rc && memcmp(c->claimed.at, expected->at, expected->n * sizeof(*expected->at)) != 0)
		report_problem(c, "a roll-up is not the sum of its chunks");
	for (uint32_t i = 0;
	     !rc && entry->kind == CHUNK_ROLLUP_HOUR && entry->rolled && i < expected->n; i++)
		if (c->claimed.at[i])
			node_sums_add(&c->day, i, c->claimed.at[i]);
	node_sums_clear(expected);
	arena_fini(&block);
	return rc;
}

/* Check one group: its hours with their roll-ups, then the day's. Entries are sorted by kind. */
static int check_group(struct check *c, struct chunk_range g)
{
	const struct chunk_entry *at = g.at;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g.n; i++) {
		if (at[i].kind == CHUNK_ROLLUP_DAY)
			rc = check_rollup(c, &at[i], &c->day);
		if (at[i].kind != CHUNK_HOUR)
			continue;
		rc = check_chunk(c, &at[i]);
		if (i + 1 < g.n && at[i + 1].kind == CHUNK_HOUR && at[i + 1].hour == at[i].hour)
			continue; /* more chunks of that hour follow */
		for (uint32_t k = 0; !rc && k < g.n; k++)
			if (at[k].kind == CHUNK_ROLLUP_HOUR && at[k].hour == at[i].hour)
				rc = check_rollup(c, &at[k], &c->hour);
		node_sums_clear(&c->hour);
	}
	return rc;
}

static int check_chunks(struct check *c)
{
	const struct directory *d = c->q.reader.directory;
	uint64_t profiles = 0, samples = 0;
	int rc = 0;

	for (uint32_t group = 0; !rc && group < d->chunks->groups; group++) {
		struct chunk_range g;

		rc = reader_chunks(&c->q.reader, group, &g, c->q.error);
		if (!rc)
			rc = check_group(c, g);
		profiles += d->chunks->at[group].profiles;
		samples += d->chunks->at[group].samples;
	}
	for (uint32_t i = 0; i < d->level0_n; i++) {
		profiles += d->level0[i].profiles;
		samples += d->level0[i].samples;
	}
	if (!rc && (profiles != d->state.profiles || samples != d->state.samples))
		report_problem(c, "the number of profiles or samples differs from its state");
	return rc;
}

/* Check that details can be read, and that the filters of their groups are complete. */
static int check_span_details(struct check *c, const struct span_entry *entry,
			      struct span_rows *rows, struct arena *block)
{
	struct reader *r = &c->q.reader;
	uint32_t missing = 0;
	struct str index;
	int rc = spans_read_details(r, entry, NULL, block, rows, c->q.error);

	if (!rc && entry->index)
		rc = reader_blob(r, entry->index, FRAME_SPAN_INDEX, block, &index, c->q.error);
	if (!rc && entry->index)
		rc = span_index_check(rows, index, &missing, c->q.error);
	if (!rc && missing)
		report_problem(c, "an attribute is missing in the filter of its spans");
	return rc;
}

/* Check that spans lie in the time of their block and in the day, and are in its filter. */
static int check_spans(struct check *c, const struct span_entry *entry)
{
	struct reader *r = &c->q.reader;
	struct str filter = {0}, traces = {0};
	struct span_rows rows;
	struct arena block;
	int rc;

	arena_init(&block, NULL);
	rc = spans_read(r, entry, NULL, &block, &rows, c->q.error);
	if (!rc)
		rc = check_span_details(c, entry, &rows, &block);
	if (!rc && entry->filter)
		rc = reader_blob(r, entry->filter, FRAME_SPAN_FILTER, &block, &filter, c->q.error);
	if (!rc && entry->trace_filter)
		rc = reader_blob(r, entry->trace_filter, FRAME_SPAN_FILTER, &block, &traces,
				 c->q.error);
	for (uint32_t i = 0; !rc && i < rows.spans.n; i++) {
		const struct kept_span *s = &rows.spans.at[i];

		if (traces.n && !chunk_filter_has(traces, s->trace_id, sizeof(s->trace_id)))
			report_problem(c, "a trace is missing in the filter of its block");
		if (s->start < entry->first || s->start > entry->last ||
		    s->start / NS_PER_DAY != r->partition->day ||
		    (entry->generation && s->start / NS_PER_HOUR % 24 != entry->hour))
			report_problem(c, "a span lies outside the time of its block");
		if (filter.n && (!chunk_filter_has(filter, s->span_id, sizeof(s->span_id)) ||
				 !chunk_filter_has(filter, s->trace_id, sizeof(s->trace_id))))
			report_problem(c, "a span is missing in the filter of its block");
	}
	arena_fini(&block);
	return rc;
}

static void report_part_problem(void *context, const char *text)
{
	report_problem(context, text);
}

static int check_all(struct check *c)
{
	const struct book_list *books = c->q.reader.directory->books;
	uint64_t n = book_list_most_nodes(books);
	int rc = check_sqlite_file(c);

	for (uint32_t i = 0; !rc && i < books->n; i++)
		rc = reader_dictionary(&c->q.reader, i, c->q.error);
	if (!rc && (node_sums_init(&c->hour, n, NULL) || node_sums_init(&c->day, n, NULL) ||
		    node_sums_init(&c->claimed, n, NULL)))
		rc = err_errno(c->q.error, -ENOMEM, "check a partition");
	if (!rc)
		rc = check_level0(c);
	for (uint32_t i = 0; !rc && i < c->q.reader.directory->spans->n; i++)
		rc = check_spans(c, &c->q.reader.directory->spans->at[i]);
	for (uint32_t i = 0; !rc && i < c->q.reader.directory->logs->n; i++)
		rc = logs_check(&c->q.reader, &c->q.reader.directory->logs->at[i],
				report_part_problem, c, c->q.error);
	if (!rc)
		rc = metrics_check(&c->q.reader, report_part_problem, c, c->q.error);
	return rc ? rc : check_chunks(c);
}

/*
 * Check a partition. If it cannot be read at all that is one problem; else each
 * inconsistency is one. Return 0 or -ENOMEM.
 */
static int check_partition(struct check *c, struct partition *p)
{
	struct err e = {0};
	struct store_select everything = {.to = UINT64_MAX};
	int rc;

	c->partition = p->name;
	c->q = (struct query){.store = p->store, .select = &everything, .error = &e};
	arena_init(&c->q.scratch, NULL);
	rc = reader_begin(&c->q.reader, p, &e);
	if (!rc)
		rc = check_all(c);
	if (rc && rc != -ENOMEM)
		report_problem(c, e.text);
	query_fini(&c->q);
	node_sums_fini(&c->hour);
	node_sums_fini(&c->day);
	node_sums_fini(&c->claimed);
	return rc == -ENOMEM ? rc : 0;
}

int sqlite_store_check(struct store *base, const struct sqlite_store_report *report,
		       uint64_t *problems, struct err *e)
{
	struct sqlite_store *s = store_of(base);
	struct check c = {.report = report};
	uint32_t n;
	struct partition **list = partitions_between(s, 0, UINT64_MAX, &n);
	int rc = list ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++) {
		if (report->begin)
			report->begin(report->context, list[i]->name, i, n);
		rc = check_partition(&c, list[i]);
	}
	partitions_release(list, n);
	*problems = c.problems;
	return rc ? err_errno(e, rc, "check the store") : 0;
}

/* ---- sizes ---- */

static int size_rows(struct reader *r, const char *sql, const char *name,
		     const struct sqlite_store_sizes *out, uint64_t *known, struct err *e)
{
	struct db *db = &r->connection->db;
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) ? db_error(db, e) : 0;

	while (!rc && (rc = db_step(db, s, e)) > 0) {
		struct str kind = name ? str_from(name) : db_bytes(s, 2);

		*known += db_u64(s, 1);
		out->visit(out->context, r->partition->name, kind, db_u64(s, 0), db_u64(s, 1));
		rc = 0;
	}
	sqlite3_finalize(s);
	return rc;
}

static int partition_sizes(struct partition *p, const struct sqlite_store_sizes *out, struct err *e)
{
	struct reader r = {0};
	uint64_t known = 0, file = partition_file_bytes(p);
	int rc = reader_begin(&r, p, e);

	if (!rc)
		rc = size_rows(&r, "SELECT count(*), coalesce(sum(length(data)), 0) FROM level0",
			       "level0", out, &known, e);
	if (!rc)
		rc = size_rows(&r,
			       "SELECT count(*), coalesce(sum(length(data)), 0) FROM dictionary",
			       "dictionary", out, &known, e);
	if (!rc)
		rc = size_rows(&r, "SELECT count(*), coalesce(sum(length(labels)), 0) FROM series",
			       "series", out, &known, e);
	if (!rc)
		rc = size_rows(&r,
			       "SELECT count(*), sum(length(data)), kind FROM blob GROUP BY kind",
			       NULL, out, &known, e);
	if (!rc)
		out->visit(out->context, p->name, STR("free and overhead"), 1,
			   file > known ? file - known : 0);
	reader_end(&r);
	return rc;
}

int sqlite_store_sizes(struct store *base, const struct sqlite_store_sizes *out, struct err *e)
{
	struct sqlite_store *s = store_of(base);
	uint32_t n;
	struct partition **list = partitions_between(s, 0, UINT64_MAX, &n);
	int rc = list ? 0 : err_errno(e, -ENOMEM, "list the partitions");

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct err own = {0};

		rc = partition_sizes(list[i], out, &own);
		if (rc == -EUCLEAN) {
			out->visit(out->context, list[i]->name, STR("damaged"), 1,
				   partition_file_bytes(list[i]));
			rc = 0;
		}
		if (rc && e && !e->code)
			*e = own;
	}
	partitions_release(list, n);
	return rc;
}
