/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A commit: one transaction with the new series, the new dictionary rows of each book, a level-0
 * block, blocks of spans, of log records and of metrics, and the partition's state.
 */
#include "store/sqlite/write/commit.h"

#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/metrics/metric_write.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/log_write.h"
#include "store/sqlite/write/span_write.h"

/*
 * A level-0 block is read a few times and rewritten within minutes, so its compression is fast;
 * dictionary segments are kept, so theirs is better.
 */
enum { LEVEL0_ZSTD = -3, SEGMENT_ZSTD = 6, SEGMENTS_MAX = 64, SEGMENT_LARGE = 1 << 20 };

int writer_put_blob(struct writer_side *side, enum frame_kind kind, struct str frame, uint64_t *id,
		    struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, WRITE_BLOB, &s, e);

	if (rc)
		return rc;
	db_bind_text(s, 1, str_from(frame_kind_name(kind)));
	db_bind_bytes(s, 2, frame);
	rc = db_run(&side->db, s, e);
	*id = (uint64_t)sqlite3_last_insert_rowid(side->db.handle);
	return rc;
}

static int insert_group(struct writer_side *side, uint32_t id, struct partition_state *state,
			struct err *e)
{
	const struct group *g = &side->next->series->groups.at[id];
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, WRITE_GROUP, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, id);
	db_bind_text(s, 2, g->tenant);
	db_bind_text(s, 3, g->service);
	db_bind_text(s, 4, g->type);
	db_bind(s, 5, g->book);
	state->fold ^= group_sum(id, g);
	return db_run(&side->db, s, e);
}

static int insert_series(struct writer_side *side, const struct registry *registry, uint32_t id,
			 struct partition_state *state, struct err *e)
{
	struct series_entry entry = side->next->series->series.at[id];
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

static int insert_new_series(struct partition *p, struct partition_state *state, struct err *e)
{
	struct writer_side *side = p->writer;
	int rc = 0;

	for (; !rc && state->groups < side->next->series->groups.n; state->groups++)
		rc = insert_group(side, (uint32_t)state->groups, state, e);
	for (; !rc && state->series < side->next->series->series.n; state->series++)
		rc = insert_series(side, &p->store->registry, (uint32_t)state->series, state, e);
	return rc;
}

static int delete_segments(struct writer_side *side, uint32_t book, uint64_t first, uint64_t last,
			   struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, DELETE_SEGMENTS, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, book);
	db_bind(s, 2, first);
	db_bind(s, 3, last);
	return db_run(&side->db, s, e);
}

/*
 * Encode the new rows of a book. Small segments do not accumulate: after SEGMENTS_MAX of them the
 * next segment replaces them, and includes their rows.
 */
static int seal_segment(struct writer_side *side, struct writer_book *b)
{
	struct sealed_segment s = {.book = b,
				   .at = side->raw_segments.n,
				   .merge = b->tail.n >= SEGMENTS_MAX,
				   .counts = dictionary_count(&b->tree),
				   .tail = b->tail};
	int rc = dictionary_encode(&b->tree, s.merge ? b->tail.from : b->written,
				   &side->raw_segments);

	s.n = side->raw_segments.n - s.at;
	if (!rc)
		rc = vec_push(&side->sealed.arena, &side->segments, s);
	if (rc)
		return rc;
	side->ingested += s.merge ? 0 : s.n;
	b->sealed = true;
	return 0;
}

static int seal_segments(struct writer_side *side)
{
	int rc = 0;

	buf_clear(&side->raw_segments);
	for (uint32_t i = 0; !rc && i < side->grown.n; i++)
		rc = seal_segment(side, side->grown.at[i]);
	return rc;
}

static int insert_segment_row(struct writer_side *side, uint32_t book, uint64_t *id, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, WRITE_SEGMENT, &s, e);

	if (rc)
		return rc;
	db_bind_bytes(s, 1, buf_str(&side->segment));
	db_bind(s, 2, book);
	rc = db_run(&side->db, s, e);
	*id = (uint64_t)sqlite3_last_insert_rowid(side->db.handle);
	return rc;
}

static int insert_segment(struct writer_side *side, struct sealed_segment *s, struct directory *d,
			  struct err *e)
{
	struct book_entry *entry = &d->books->at[s->book->id];
	int rc;

	buf_clear(&side->segment);
	rc = frame_put_columns(&side->store->packer, &side->segment, FRAME_DICTIONARY, SEGMENT_ZSTD,
			       &(struct frame_columns){str_of(side->raw_segments.p + s->at, s->n)});
	if (rc)
		return err_errno(e, rc, "commit");
	if (s->merge)
		rc = delete_segments(side, s->book->id, s->tail.first, entry->segment, e);
	if (!rc)
		rc = insert_segment_row(side, s->book->id, &d->state.segment, e);
	if (rc)
		return rc;
	d->state.nodes += s->counts.nodes - entry->nodes;
	*entry = (struct book_entry){d->state.segment, s->counts.nodes};
	if (s->merge || !s->tail.n)
		s->tail.first = d->state.segment;
	if (!s->merge && !s->tail.n)
		s->tail.from = s->book->written;
	s->tail.n = s->merge ? 1 : s->tail.n + 1;
	if (side->segment.n > SEGMENT_LARGE) /* never merged again */
		s->tail.n = 0;
	return 0;
}

/* Insert or update the row of a book. */
static int write_book(struct writer_side *side, const struct book_list *old, uint32_t id,
		      struct directory *d, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, WRITE_BOOK, &s, e);

	if (rc)
		return rc;
	if (id < old->n)
		d->book_state.fold ^= book_sum(id, &old->at[id]);
	d->book_state.fold ^= book_sum(id, &d->books->at[id]);
	db_bind(s, 1, id);
	db_bind(s, 2, d->books->at[id].segment);
	db_bind(s, 3, d->books->at[id].nodes);
	return db_run(&side->db, s, e);
}

static int write_book_state(struct writer_side *side, const struct book_state *state, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, WRITE_BOOK_STATE, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, state->rows);
	db_bind(s, 2, state->fold);
	db_bind(s, 3, book_state_sum(state));
	return db_run(&side->db, s, e);
}

static int write_books(struct writer_side *side, const struct book_list *old, struct directory *d,
		       struct err *e)
{
	int rc = 0;

	if (d->books == old)
		return 0;
	for (uint32_t i = old->n; i < d->books->n; i++)
		d->state.nodes += d->books->at[i].nodes;
	for (uint32_t i = 0; !rc && i < side->segments.n; i++) {
		uint32_t id = side->segments.at[i].book->id;

		rc = insert_segment(side, &side->segments.at[i], d, e);
		if (!rc && id < old->n)
			rc = write_book(side, old, id, d, e);
	}
	for (uint32_t i = old->n; !rc && i < d->books->n; i++)
		rc = write_book(side, old, i, d, e);
	d->book_state.rows = d->books->n;
	return rc ? rc : write_book_state(side, &d->book_state, e);
}

static int insert_level0(struct writer_side *side, struct directory *d, struct err *e)
{
	const struct rows *r = &side->sealed.rows;
	struct level0_entry *entry = &d->level0[d->level0_n - 1];
	sqlite3_stmt *s;
	int rc;

	*entry = (struct level0_entry){.first = UINT64_MAX,
				       .profiles = r->series.n,
				       .samples = r->node.n,
				       .groups = level0_groups_of(r, d->series)};
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

static int write_sealed(struct partition *p, struct err *e)
{
	struct writer_side *side = p->writer;
	struct directory *d = side->next;
	struct partition_state *state = &d->state;
	int rc = db_begin(&side->db, "BEGIN IMMEDIATE", e);

	if (!rc)
		rc = insert_new_series(p, state, e);
	if (!rc)
		rc = write_books(side, p->directory->books, d, e);
	if (!rc && side->sealed.rows.series.n)
		rc = insert_level0(side, d, e);
	if (!rc && side->sealed.spans.spans.n)
		rc = writer_put_spans(side, d, e);
	if (!rc && side->sealed.logs.logs.n)
		rc = writer_put_logs(side, d, e);
	if (!rc && side->sealed.metrics.any)
		rc = writer_put_metrics(side, p->directory, d, e);
	if (rc)
		return rc;
	state->version++;
	state->profiles += side->sealed.rows.series.n;
	state->samples += side->sealed.rows.node.n;
	state->ingested += side->ingested;
	if (side->sealed.rows.series.n) {
		state->level0++;
		state->fold ^= level0_sum(&d->level0[d->level0_n - 1]);
	}
	rc = state_write(&side->db, state, e);
	return rc ? rc : db_exec(&side->db, "COMMIT", e);
}

/* Return a copy of the list with room for n more blocks, or a new reference to it if n is 0. */
static struct span_list *more_spans(struct span_list *old, uint32_t n)
{
	struct span_list *l = n ? span_list_new(old->n + n) : old;

	if (l == old)
		atomic_fetch_add(&l->refs, 1);
	else if (l)
		memcpy(l->at, old->at, old->n * sizeof(old->at[0]));
	return l;
}

/*
 * Return a copy of the list with the new books, or a new reference to it if there is no new book
 * and no book has new rows.
 */
static struct book_list *more_books(const struct writer_side *side, struct book_list *old)
{
	bool same = side->book_count == old->n && !side->grown.n;
	struct book_list *l = same ? old : book_list_new(side->book_count);

	if (same)
		atomic_fetch_add(&l->refs, 1);
	if (same || !l)
		return l;
	memcpy(l->at, old->at, old->n * sizeof(old->at[0]));
	for (uint32_t i = old->n; i < l->n; i++)
		l->at[i].nodes = 1;
	return l;
}

/* Return a copy of the partition's directory with room for the sealed commit. NULL: no memory. */
static struct directory *next_directory(const struct partition *p)
{
	const struct directory *old = p->directory;
	const struct commit_rows *c = &p->writer->sealed;
	struct span_list *spans = more_spans(old->spans, commit_span_blocks(c));
	struct log_list *logs = log_list_more(old->logs, commit_log_blocks(c));
	struct book_list *books = more_books(p->writer, old->books);
	struct directory *d = NULL;

	if (spans && books && logs)
		d = directory_new(old->level0_n + (c->rows.series.n != 0), p->writer->series,
				  old->chunks, old->index, spans, books);
	if (d)
		directory_set_logs(d, logs, &old->log_state);
	log_list_unref(logs);
	span_list_unref(spans);
	book_list_unref(books);
	if (!d)
		return NULL;
	d->state = old->state;
	d->span_state = old->span_state;
	d->metrics = metric_list_ref(old->metrics);
	d->metric_state = old->metric_state;
	d->book_state = old->book_state;
	memcpy(d->level0, old->level0, old->level0_n * sizeof(old->level0[0]));
	return d;
}

static void add_level0_bytes(struct sqlite_store *s, uint64_t bytes)
{
	pthread_mutex_lock(&s->worker_mu);
	s->level0_bytes += bytes;
	pthread_mutex_unlock(&s->worker_mu);
}

static void forget_rows(struct commit_rows *c)
{
	c->rows = (struct rows){0};
	c->new_ids.at = NULL;
	c->new_ids.n = c->new_ids.cap = 0;
	c->spans = (struct span_rows){0};
	c->logs = (struct log_rows){0};
	c->metrics = (struct metric_rows){0};
	arena_reset(&c->arena);
}

int writer_seal(struct partition *p, struct err *e)
{
	struct writer_side *side = p->writer;
	struct commit_rows rows = side->sealed; /* empty */
	int rc;

	side->sealed = side->pending;
	side->pending = rows;
	if (!commit_rows_any(&side->sealed))
		return 0;
	side->ingested = 0;
	side->next = next_directory(p);
	side->series_shared = true;
	writer_seal_metrics(side);
	rc = side->next ? seal_segments(side) : -ENOMEM;
	return rc ? err_errno(e, rc, "commit") : 0;
}

int writer_commit(struct partition *p, struct err *e)
{
	struct writer_side *side = p->writer;
	int rc;

	if (!commit_rows_any(&side->sealed))
		return 0;
	rc = write_sealed(p, e);
	if (!rc)
		rc = file_check_commit(p, e);
	if (rc) {
		db_rollback(&side->db);
		err_prefix(e, "partition %s", p->name);
		return rc;
	}
	directory_finish(side->next);
	partition_publish(p, take_ptr(&side->next)); /* at once: readers wait for it */
	add_level0_bytes(p->store, side->block.n);
	return 0;
}

/*
 * End the segments of the commit; `written` says whether they are on disk. Books that still have
 * unwritten rows stay listed for the next commit.
 */
static void end_segments(struct writer_side *side, bool written)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < side->segments.n; i++) {
		const struct sealed_segment *s = &side->segments.at[i];

		s->book->sealed = false;
		if (written) {
			s->book->written = s->counts;
			s->book->tail = s->tail;
		}
	}
	for (uint32_t i = 0; i < side->grown.n; i++) {
		struct writer_book *b = side->grown.at[i];

		b->grown = dictionary_grew(b->written, dictionary_count(&b->tree));
		if (b->grown)
			side->grown.at[n++] = b;
	}
	side->grown.n = n;
	side->segments.at = NULL; /* it lives in the arena of the rows */
	side->segments.n = side->segments.cap = 0;
}

void writer_commit_end(struct partition *p, int rc)
{
	struct writer_side *side = p->writer;

	directory_unref(take_ptr(&side->next));
	if (rc) {
		forget_rows(&side->pending);
		memset(side->recent_logs, 0, sizeof(side->recent_logs));
		side->ticket = atomic_fetch_add(&p->store->tickets, 1) + 1;
	} else if (commit_rows_any(&side->sealed)) {
		writer_metrics_committed(side);
		writer_ids_committed(p);
	}
	if (!rc && side->on_disk != p->directory->books)
		writer_books_changed(p);
	end_segments(side, !rc && commit_rows_any(&side->sealed));
	forget_rows(&side->sealed);
}
