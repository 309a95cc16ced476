/* SPDX-License-Identifier: Apache-2.0 */
/* One commit of the writer: new series, new rows of the dictionary, a level-0 block, the state. */
#include "store/sqlite/writer.h"

/* Level 0 is read a few times and rewritten within minutes: cheap to pack matters, not small. */
enum { LEVEL0_ZSTD = -3, SEGMENT_ZSTD = 1, SEGMENTS_MAX = 64, SEGMENT_LARGE = 1 << 20 };

int writer_put_state(struct writer_side *side, const struct partition_state *state, struct err *e)
{
	const uint64_t *fields = &state->version;
	int n = sizeof(*state) / sizeof(*fields);
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, WRITE_STATE, &s, e);

	if (rc)
		return rc;
	for (int i = 0; i < n; i++)
		db_bind(s, i + 1, fields[i]);
	db_bind(s, n + 1, state_sum(state));
	return db_run(&side->db, s, e);
}

static int put_group(struct writer_side *side, uint32_t id, struct partition_state *state,
		     struct err *e)
{
	const struct group *g = &side->series->groups.at[id];
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, WRITE_GROUP, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, id);
	db_bind_text(s, 2, g->tenant);
	db_bind_text(s, 3, g->service);
	db_bind_text(s, 4, g->type);
	state->fold ^= group_sum(id, g);
	return db_run(&side->db, s, e);
}

static int put_series(struct writer_side *side, const struct registry *registry, uint32_t id,
		      struct partition_state *state, struct err *e)
{
	struct series_entry entry = side->series->series.at[id];
	struct str encoded = registry_get(registry, entry.number)->encoded;
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, WRITE_SERIES, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, id);
	db_bind(s, 2, entry.group);
	db_bind_bytes(s, 3, encoded);
	state->fold ^= series_sum(id, entry.group, encoded);
	return db_run(&side->db, s, e);
}

static int put_new_series(struct partition *p, struct partition_state *state, struct err *e)
{
	struct writer_side *side = p->writer;
	int rc = 0;

	for (; !rc && state->groups < side->series->groups.n; state->groups++)
		rc = put_group(side, (uint32_t)state->groups, state, e);
	for (; !rc && state->series < side->series->series.n; state->series++)
		rc = put_series(side, &p->store->registry, (uint32_t)state->series, state, e);
	return rc;
}

static int delete_segments(struct writer_side *side, uint64_t first, uint64_t last, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, DELETE_SEGMENTS, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, first);
	db_bind(s, 2, last);
	return db_run(&side->db, s, e);
}

/*
 * The new rows of the dictionary. Small segments are not let pile up: when there are SEGMENTS_MAX of
 * them, the next one takes their place and has their rows too.
 */
static int put_segment(struct writer_side *side, struct partition_state *state,
		       struct segment_tail *tail, struct err *e)
{
	bool merge = tail->n >= SEGMENTS_MAX;
	sqlite3_stmt *s;
	int rc;

	if (!dictionary_grew(side->written, dictionary_count(&side->tree)))
		return 0;
	buf_clear(&side->raw);
	buf_clear(&side->segment);
	rc = dictionary_encode(&side->tree, merge ? tail->from : side->written, &side->raw);
	if (!rc)
		rc = frame_put(&side->segment, FRAME_DICTIONARY, SEGMENT_ZSTD, buf_str(&side->raw));
	if (rc)
		return err_errno(e, rc, "write a dictionary");
	if (merge)
		rc = delete_segments(side, tail->first, state->segment, e);
	if (!rc)
		rc = db_statement(&side->db, WRITE_SEGMENT, &s, e);
	if (rc)
		return rc;
	db_bind_bytes(s, 1, buf_str(&side->segment));
	rc = db_run(&side->db, s, e);
	state->segment = (uint64_t)sqlite3_last_insert_rowid(side->db.handle);
	state->nodes = side->tree.nodes.n;
	side->ingested += merge ? 0 : side->raw.n;
	if (merge || !tail->n)
		tail->first = state->segment;
	if (!merge && !tail->n)
		tail->from = side->written;
	tail->n = merge ? 1 : tail->n + 1;
	if (side->segment.n > SEGMENT_LARGE) /* it stays as it is */
		tail->n = 0;
	return rc;
}

static int put_level0(struct writer_side *side, struct directory *d, struct err *e)
{
	const struct rows *r = &side->rows;
	struct level0_entry *entry = &d->level0[d->level0_n - 1];
	sqlite3_stmt *s;
	int rc;

	*entry = (struct level0_entry){
		.first = UINT64_MAX, .profiles = r->series.n, .samples = r->node.n};
	for (uint32_t i = 0; i < r->time.n; i++) {
		entry->first = r->time.at[i] < entry->first ? r->time.at[i] : entry->first;
		entry->last = r->time.at[i] > entry->last ? r->time.at[i] : entry->last;
	}
	buf_clear(&side->raw);
	buf_clear(&side->block);
	rc = rows_encode(r, &side->raw);
	if (!rc)
		rc = frame_put(&side->block, FRAME_LEVEL0, LEVEL0_ZSTD, buf_str(&side->raw));
	if (rc)
		return err_errno(e, rc, "write samples");
	rc = db_statement(&side->db, WRITE_LEVEL0, &s, e);
	if (rc)
		return rc;
	db_bind(s, 1, entry->first);
	db_bind(s, 2, entry->last);
	db_bind(s, 3, entry->profiles);
	db_bind(s, 4, entry->samples);
	db_bind_bytes(s, 5, buf_str(&side->block));
	rc = db_run(&side->db, s, e);
	entry->id = (uint64_t)sqlite3_last_insert_rowid(side->db.handle);
	entry->bytes = side->block.n;
	side->ingested += side->raw.n;
	return rc;
}

static int put_all(struct partition *p, struct directory *d, struct segment_tail *tail,
		   struct err *e)
{
	struct writer_side *side = p->writer;
	struct partition_state *state = &d->state;
	int rc = db_exec(&side->db, "BEGIN IMMEDIATE", e);

	side->ingested = 0;
	if (!rc)
		rc = put_new_series(p, state, e);
	if (!rc)
		rc = put_segment(side, state, tail, e);
	if (!rc)
		rc = put_level0(side, d, e);
	if (rc)
		return rc;
	state->version++;
	state->level0++;
	state->profiles += side->rows.series.n;
	state->samples += side->rows.node.n;
	state->ingested += side->ingested;
	state->fold ^= level0_sum(&d->level0[d->level0_n - 1]);
	rc = writer_put_state(side, state, e);
	return rc ? rc : db_exec(&side->db, "COMMIT", e);
}

/* What there was, and room for one level-0 block more. */
static struct directory *next_directory(const struct partition *p)
{
	const struct directory *old = p->directory;
	struct directory *d = directory_new(old->level0_n + 1, p->writer->series, old->chunks);

	if (!d)
		return NULL;
	d->state = old->state;
	memcpy(d->level0, old->level0, old->level0_n * sizeof(old->level0[0]));
	return d;
}

static void tell_worker(struct sqlite_store *s, uint64_t bytes)
{
	pthread_mutex_lock(&s->worker_mu);
	s->level0_bytes += bytes;
	pthread_mutex_unlock(&s->worker_mu);
}

static int commit_rows(struct partition *p, struct err *e)
{
	struct writer_side *side = p->writer;
	struct directory *d = next_directory(p);
	struct segment_tail tail = side->tail; /* which is the case when the commit succeeds */
	int rc = d ? id_set_reserve(&side->ids, side->new_ids.n) : -ENOMEM;

	if (rc)
		(void)err_errno(e, rc, "commit");
	else
		rc = put_all(p, d, &tail, e);
	if (rc) {
		db_rollback(&side->db);
		directory_unref(d);
		return rc;
	}
	side->written = dictionary_count(&side->tree);
	side->tail = tail;
	for (uint32_t i = 0; i < side->new_ids.n; i++)
		id_set_add(&side->ids, side->new_ids.at[i]);
	directory_finish(d);
	partition_publish(p, d);
	tell_worker(p->store, side->block.n);
	return 0;
}

int writer_commit(struct partition *p, struct err *e)
{
	struct writer_side *side = p->writer;
	int rc = side->rows.series.n ? commit_rows(p, e) : 0;

	side->rows = (struct rows){0};
	side->new_ids.at = NULL;
	side->new_ids.n = side->new_ids.cap = 0;
	arena_reset(&side->arena);
	if (rc)
		err_prefix(e, "partition %s", p->name);
	return rc;
}
