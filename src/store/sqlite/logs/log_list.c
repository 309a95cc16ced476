/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table `logs`, and its state. */
#include "store/sqlite/logs/log_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/block/frame.h"
#include "store/sqlite/catalog/schema.h"

/* Upper bound of the rows in a file, checked before memory is allocated for them. */
enum { BLOCKS_MAX = 1 << 22 };

static const char tables[] =
	"CREATE TABLE logs(id INTEGER PRIMARY KEY AUTOINCREMENT, hour, generation, made, first,"
	" last, logs, bytes, record_bytes, data, pages, shards);"
	"CREATE TABLE log_state(id INTEGER PRIMARY KEY CHECK(id = 1), rows, fold, sum);";

struct log_list *log_list_new(uint32_t n)
{
	struct log_list *l = calloc(1, sizeof(*l) + n * sizeof(l->at[0]));

	if (l) {
		l->refs = 1;
		l->n = n;
	}
	return l;
}

struct log_list *log_list_ref(struct log_list *l)
{
	atomic_fetch_add(&l->refs, 1);
	return l;
}

void log_list_unref(struct log_list *l)
{
	if (l && atomic_fetch_sub(&l->refs, 1) == 1)
		free(l);
}

struct log_list *log_list_more(struct log_list *old, uint32_t n)
{
	struct log_list *l = n ? log_list_new(old->n + n) : NULL;

	if (!n)
		return log_list_ref(old);
	if (l)
		memcpy(l->at, old->at, old->n * sizeof(old->at[0]));
	return l;
}

uint64_t log_block_sum(const struct log_block_entry *l)
{
	return frame_sum(l, sizeof(*l));
}

uint64_t log_state_sum(const struct log_state *s)
{
	return frame_sum(s, sizeof(*s));
}

/* ---- reading ---- */

static int read_state(struct log_state *state, struct db *db, struct err *e)
{
	sqlite3_stmt *s;
	uint64_t sum;
	int rc = db_statement(db, READ_LOG_STATE, &s, e);

	if (!rc)
		rc = db_step(db, s, e);
	if (rc <= 0)
		return rc ? rc : err_set(e, -EUCLEAN, "its state of logs is missing");
	*state = (struct log_state){db_u64(s, 0), db_u64(s, 1)};
	sum = db_u64(s, 2);
	sqlite3_reset(s);
	if (sum != log_state_sum(state) || state->rows > BLOCKS_MAX)
		return err_set(e, -EUCLEAN, "the checksum of its state of logs is wrong");
	return 0;
}

static int read_row(struct log_block_entry *out, sqlite3_stmt *s, struct err *e)
{
	uint64_t *fields = &out->id;

	for (size_t k = 0; k < sizeof(*out) / sizeof(*fields); k++)
		fields[k] = db_u64(s, (int)k);
	if (out->hour > LOGS_OF_ANY_HOUR || out->pages > LOG_PAGES_MAX ||
	    out->shards > LOG_SHARDS_MAX || out->logs > UINT32_MAX || out->last < out->first)
		return err_set(e, -EUCLEAN, "logs %llu are damaged", (unsigned long long)out->id);
	return 0;
}

static int read_rows(struct log_list *l, const struct log_state *state, struct db *db,
		     struct err *e)
{
	sqlite3_stmt *s;
	uint64_t fold = 0;
	uint32_t n = 0;
	int rc = db_statement(db, READ_LOGS, &s, e);

	if (rc)
		return rc;
	while ((rc = db_step(db, s, e)) > 0) {
		rc = n < l->n ? read_row(&l->at[n], s, e)
			      : err_set(e, -EUCLEAN, "it has too many rows of logs");
		if (rc)
			break;
		fold ^= log_block_sum(&l->at[n++]);
	}
	sqlite3_reset(s);
	if (!rc && (n != l->n || fold != state->fold))
		rc = err_set(e, -EUCLEAN, "its rows of logs do not add up to its state");
	return rc;
}

int log_list_load(struct log_list **out, struct log_state *state, struct db *db, uint64_t format,
		  struct err *e)
{
	struct log_list *l;
	int rc = 0;

	*state = (struct log_state){0};
	if (format >= PARTITION_WITH_LOGS)
		rc = read_state(state, db, e);
	if (rc)
		return rc;
	l = log_list_new((uint32_t)state->rows);
	if (!l)
		return err_errno(e, -ENOMEM, "read a partition");
	if (state->rows)
		rc = read_rows(l, state, db, e);
	if (rc)
		log_list_unref(l);
	else
		*out = l;
	return rc;
}

/* ---- writing ---- */

int log_tables_create(struct db *db, struct err *e)
{
	struct log_state zero = {0};
	char sql[128];
	int rc = db_exec(db, tables, e);

	snprintf(sql, sizeof(sql), "INSERT INTO log_state VALUES(1, 0, 0, %lld)",
		 (long long)log_state_sum(&zero));
	return rc ? rc : db_exec(db, sql, e);
}

int log_state_write(struct db *db, const struct log_state *state, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(db, WRITE_LOG_STATE, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, state->rows);
	db_bind(s, 2, state->fold);
	db_bind(s, 3, log_state_sum(state));
	return db_run(db, s, e);
}
