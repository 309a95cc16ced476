/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of metrics in the file of a day. */
#include "store/sqlite/metrics/metric_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/block/frame.h"
#include "store/sqlite/catalog/schema.h"

enum { ROWS_MAX = 1 << 24 };

static const char tables[] =
	"CREATE TABLE metrics(id INTEGER PRIMARY KEY AUTOINCREMENT, kind, hour, generation, made,"
	" first, last, low, high, series, samples, newest, data, bytes);"
	"CREATE TABLE metric_state(id INTEGER PRIMARY KEY CHECK(id = 1), rows, fold, sum);";

struct metric_list *metric_list_new(uint32_t n)
{
	struct metric_list *l = calloc(1, sizeof(*l) + n * sizeof(l->at[0]));

	if (l) {
		l->refs = 1;
		l->n = n;
	}
	return l;
}

struct metric_list *metric_list_ref(struct metric_list *l)
{
	atomic_fetch_add(&l->refs, 1);
	return l;
}

void metric_list_unref(struct metric_list *l)
{
	if (l && atomic_fetch_sub(&l->refs, 1) == 1)
		free(l);
}

uint64_t metric_entry_sum(const struct metric_entry *m)
{
	return frame_sum(m, sizeof(*m));
}

uint64_t metric_state_sum(const struct metric_state *s)
{
	return frame_sum(s, sizeof(*s));
}

bool metric_list_has_data(const struct metric_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].kind != METRIC_BLOCK_SERIES)
			return true;
	return false;
}

uint64_t metric_list_bytes(const struct metric_list *l)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < l->n; i++)
		bytes += l->at[i].bytes;
	return bytes;
}

static int load_state(struct metric_state *state, struct db *db, struct err *e)
{
	uint64_t sum = 0;
	sqlite3_stmt *s;
	int rc = db_statement(db, READ_METRIC_STATE, &s, e);

	if (!rc)
		rc = db_step(db, s, e);
	if (rc <= 0)
		return rc ? rc : err_set(e, -EUCLEAN, "its state of metrics is missing");
	*state = (struct metric_state){db_u64(s, 0), db_u64(s, 1)};
	sum = db_u64(s, 2);
	sqlite3_reset(s);
	if (sum != metric_state_sum(state) || state->rows > ROWS_MAX)
		return err_set(e, -EUCLEAN, "the checksum of its state of metrics is wrong");
	return 0;
}

static int load_entry(struct metric_entry *m, sqlite3_stmt *s, uint64_t *fold, struct err *e)
{
	uint64_t *fields = &m->id;

	for (size_t k = 0; k < sizeof(*m) / sizeof(*fields); k++)
		fields[k] = db_u64(s, (int)k);
	*fold ^= metric_entry_sum(m);
	if (!m->kind || m->kind >= METRIC_BLOCKS || m->hour > METRIC_ANY_HOUR || m->last < m->first)
		return err_set(e, -EUCLEAN, "metrics %llu are damaged", (unsigned long long)m->id);
	return 0;
}

static int load_entries(struct metric_list *l, const struct metric_state *state, struct db *db,
			struct err *e)
{
	uint64_t fold = 0;
	uint32_t n = 0;
	sqlite3_stmt *s;
	int rc = db_statement(db, READ_METRICS, &s, e);

	if (rc)
		return rc;
	while ((rc = db_step(db, s, e)) > 0) {
		rc = n < l->n ? load_entry(&l->at[n++], s, &fold, e)
			      : err_set(e, -EUCLEAN, "it has more rows of metrics than its state");
		if (rc)
			break;
	}
	sqlite3_reset(s);
	if (!rc && (n != l->n || fold != state->fold))
		rc = err_set(e, -EUCLEAN, "its rows of metrics do not add up to its state");
	return rc;
}

int metric_list_load(struct metric_list **out, struct metric_state *state, struct db *db,
		     uint64_t format, struct err *e)
{
	struct metric_list *l;
	int rc = 0;

	*state = (struct metric_state){0};
	if (format >= PARTITION_WITH_METRICS)
		rc = load_state(state, db, e);
	if (rc)
		return rc;
	l = metric_list_new((uint32_t)state->rows);
	if (!l)
		return err_errno(e, -ENOMEM, "read a partition");
	if (state->rows)
		rc = load_entries(l, state, db, e);
	if (rc)
		metric_list_unref(l);
	else
		*out = l;
	return rc;
}

int metric_tables_create(struct db *db, struct err *e)
{
	struct metric_state zero = {0};
	char sql[128];
	int rc = db_exec(db, tables, e);

	snprintf(sql, sizeof(sql), "INSERT INTO metric_state VALUES(1, 0, 0, %lld)",
		 (long long)metric_state_sum(&zero));
	return rc ? rc : db_exec(db, sql, e);
}

int metric_state_write(struct db *db, const struct metric_state *state, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(db, WRITE_METRIC_STATE, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, state->rows);
	db_bind(s, 2, state->fold);
	db_bind(s, 3, metric_state_sum(state));
	return db_run(db, s, e);
}
