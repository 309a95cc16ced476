/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replacements: encoding new chunks (any thread), and applying all changes in one transaction
 * (writer thread). Changes of chunks are applied group by group, since the file has one row for all
 * chunks of a group.
 */
#include "store/sqlite/compact/replace.h"

#include <stdlib.h>

#include "store/sqlite/block/chunk.h"
#include "store/sqlite/block/chunk_encode.h"
#include "store/sqlite/block/rollup_block.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/write/commit.h"
#include "store/sqlite/write/writer.h"

/* Higher levels save little, because the data is in columns already: docs/adr/0007. */
enum { CHUNK_ZSTD = 1, LEVEL0_ZSTD = 1 };

void replacement_init(struct replacement *s, struct partition *p)
{
	*s = (struct replacement){.partition = p};
	arena_init(&s->arena, NULL);
}

void replacement_fini(struct replacement *s)
{
	for (uint32_t i = 0; i < s->add.n; i++)
		for (unsigned k = 0; k < CHUNK_PARTS; k++)
			buf_fini(&s->add.at[i].frames[k]);
	frame_packer_fini(&s->packer);
	for (uint32_t i = 0; i < s->spans.add.n; i++)
		new_spans_fini(&s->spans.add.at[i]);
	for (uint32_t i = 0; i < s->logs.add.n; i++)
		new_logs_fini(&s->logs.add.at[i]);
	metric_replacement_fini(&s->metrics);
	arena_fini(&s->arena);
}

/* ---- preparing ---- */

static int encode_columns(struct replacement *s, struct new_chunk *c, enum chunk_part part,
			  int level, const struct buf *bytes, const struct buf *ends)
{
	struct frame_columns columns = {.bytes = buf_str(bytes)};

	if (!bytes->n)
		return 0;
	if (ends) {
		columns.ends = (const uint32_t *)ends->p;
		columns.n = ends->n / sizeof(uint32_t);
	}
	return frame_put_columns(&s->packer, &c->frames[part], part_kinds[part], level, &columns);
}

static int encode_part(struct replacement *s, struct new_chunk *c, enum chunk_part part,
		       const struct buf *bytes)
{
	return encode_columns(s, c, part, CHUNK_ZSTD, bytes, NULL);
}

static struct new_chunk *new_chunk(struct replacement *s, uint64_t group)
{
	if (vec_push(&s->arena, &s->groups, (uint32_t)group) ||
	    vec_push(&s->arena, &s->add, (struct new_chunk){0}))
		return NULL;
	return &s->add.at[s->add.n - 1];
}

static void set_counts_and_times(struct chunk_entry *entry, const struct rows *r)
{
	entry->first = UINT64_MAX;
	for (uint32_t i = 0; i < r->time.n; i++) {
		entry->first = r->time.at[i] < entry->first ? r->time.at[i] : entry->first;
		entry->last = r->time.at[i] > entry->last ? r->time.at[i] : entry->last;
	}
	entry->profiles = r->series.n;
	entry->samples = r->node.n;
}

/* Set the bits of the hour's six slots among the 144 of the day. */
static void set_slots(struct chunk_entry *entry, uint64_t slots)
{
	for (unsigned i = 0; i < SLOTS_IN_HOUR; i++) {
		uint64_t slot = entry->hour * SLOTS_IN_HOUR + i;

		if (slots >> i & 1)
			entry->slots[slot / 64] |= (uint64_t)1 << slot % 64;
	}
}

int replacement_add_chunk(struct replacement *s, const struct rows *r, uint64_t group,
			  uint64_t hour, uint64_t generation, bool rolled)
{
	struct new_chunk *c = new_chunk(s, group);
	struct chunk_parts parts = {0};
	int rc;

	if (!c)
		return -ENOMEM;
	c->entry = (struct chunk_entry){.kind = CHUNK_HOUR,
					.group = group,
					.hour = hour,
					.rolled = rolled,
					.generation = generation,
					.made = clock_realtime_ns() / NS_PER_SECOND};
	set_counts_and_times(&c->entry, r);
	rc = chunk_encode(&parts, r, s->partition->day * 24 + hour);
	set_slots(&c->entry, parts.slots);
	if (!rc)
		rc = encode_part(s, c, PART_POINTS, &parts.points);
	if (!rc)
		rc = encode_columns(s, c, PART_RUNS, parts.runs_packed ? 0 : CHUNK_ZSTD,
				    &parts.runs, NULL);
	if (!rc)
		rc = encode_columns(s, c, PART_DETAIL, CHUNK_ZSTD, &parts.detail,
				    &parts.detail_ends);
	if (!rc)
		rc = encode_part(s, c, PART_LINKED, &parts.linked);
	if (!rc)
		rc = encode_part(s, c, PART_LINKS, &parts.links);
	if (!rc)
		rc = encode_part(s, c, PART_FILTER, &parts.filter);
	chunk_parts_fini(&parts);
	return rc;
}

int replacement_add_rollup(struct replacement *s, const struct chunk_entry *like,
			   const struct node_sums *sums, const struct node_sums *parts,
			   const struct series_times *times)
{
	struct new_chunk *c = new_chunk(s, like->group);
	struct buf bytes = {0}, ends = {0};
	int rc;

	if (!c)
		return -ENOMEM;
	c->entry = *like;
	c->entry.made = clock_realtime_ns() / NS_PER_SECOND;
	rc = rollup_encode(&bytes, &ends, sums, parts);
	if (!rc)
		rc = encode_columns(s, c, PART_ROLLUP, CHUNK_ZSTD, &bytes, &ends);
	buf_clear(&bytes);
	if (!rc)
		rc = series_times_encode(&bytes, times);
	if (!rc)
		rc = encode_part(s, c, PART_SERIES, &bytes);
	buf_fini(&bytes);
	buf_fini(&ends);
	return rc;
}

int replacement_drop_chunk(struct replacement *s, const struct chunk_entry *c)
{
	int rc = vec_push(&s->arena, &s->chunks, c->id);

	return rc ? rc : vec_push(&s->arena, &s->groups, (uint32_t)c->group);
}

int replacement_mark_chunk(struct replacement *s, const struct chunk_entry *c, bool rolled)
{
	int rc = vec_push(&s->arena, &s->marks, (struct mark_chunk){c->id, rolled});

	return rc ? rc : vec_push(&s->arena, &s->groups, (uint32_t)c->group);
}

int replacement_drop_rollups(struct replacement *s, struct chunk_range g,
			     const struct chunk_entry *hour)
{
	bool in_day = false;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g.n; i++)
		if (g.at[i].kind == CHUNK_ROLLUP_HOUR && g.at[i].hour == hour->hour) {
			in_day = g.at[i].rolled;
			rc = replacement_drop_chunk(s, &g.at[i]);
		}
	for (uint32_t i = 0; !rc && in_day && i < g.n; i++) {
		const struct chunk_entry *c = &g.at[i];

		if (c->kind == CHUNK_ROLLUP_DAY)
			rc = replacement_drop_chunk(s, c);
		else if (c->kind == CHUNK_ROLLUP_HOUR && c->rolled && c->hour != hour->hour)
			rc = replacement_mark_chunk(s, c, false);
	}
	return rc;
}

/* ---- applying ---- */

struct replacement_work {
	struct replacement *change;
	struct writer_side *side;
	struct directory *old, *d;
	struct chunk_list *chunks;
	uint32_t dropped, marked; /* numbers of chunks */
};

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Return whether `id` is in the sorted list. */
static bool listed(const uint64_t *ids, uint32_t n, uint64_t id)
{
	return n && bsearch(&id, ids, n, sizeof(*ids), compare_ids);
}

static int compare_group_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int compare_added(const void *a, const void *b)
{
	const struct new_chunk *x = a, *y = b;

	return x->entry.group < y->entry.group ? -1 : x->entry.group > y->entry.group;
}

static void sort_changes(struct replacement *s)
{
	if (s->groups.n)
		qsort(s->groups.at, s->groups.n, sizeof(*s->groups.at), compare_group_numbers);
	if (s->add.n)
		qsort(s->add.at, s->add.n, sizeof(*s->add.at), compare_added);
	if (s->level0.n)
		qsort(s->level0.at, s->level0.n, sizeof(*s->level0.at), compare_ids);
	if (s->chunks.n)
		qsort(s->chunks.at, s->chunks.n, sizeof(*s->chunks.at), compare_ids);
	if (s->marks.n)
		qsort(s->marks.at, s->marks.n, sizeof(*s->marks.at), compare_ids);
}

/* Copy the level-0 blocks that stay to the new directory, and delete the others. */
static int delete_level0(struct replacement_work *a, struct err *e)
{
	struct replacement *s = a->change;
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < a->old->level0_n; i++) {
		const struct level0_entry *entry = &a->old->level0[i];

		if (!listed(s->level0.at, s->level0.n, entry->id)) {
			a->d->level0[n++] = *entry;
			continue;
		}
		a->d->state.fold ^= level0_sum(entry);
		a->d->state.level0--;
		rc = db_run_id(&a->side->db, DELETE_LEVEL0, entry->id, e);
	}
	if (!rc && a->old->level0_n - n != s->level0.n)
		return -ESTALE;
	a->d->level0_n = n;
	return rc;
}

static int delete_chunk(struct replacement_work *a, const struct chunk_entry *entry, struct err *e)
{
	int rc = db_run_id(&a->side->db, DELETE_CHUNK, entry->id, e);

	for (unsigned k = 0; !rc && k < CHUNK_PARTS; k++)
		if (entry->parts[k])
			rc = db_run_id(&a->side->db, DELETE_BLOB, entry->parts[k], e);
	return rc;
}

/* Set `rolled` of the chunk if that is requested. */
static int mark_chunk(struct replacement_work *a, struct chunk_entry *entry, uint32_t *marked,
		      struct err *e)
{
	const struct replacement *s = a->change;
	const struct mark_chunk *mark = s->marks.n ? bsearch(&entry->id, s->marks.at, s->marks.n,
							     sizeof(*s->marks.at), compare_ids)
						   : NULL;
	sqlite3_stmt *st;
	int rc;

	if (!mark)
		return 0;
	if (entry->rolled == mark->rolled)
		return -ESTALE; /* another replacement did it */
	++*marked;
	entry->rolled = mark->rolled;
	rc = db_statement(&a->side->db, WRITE_ROLLED, &st, e);
	if (rc)
		return rc;
	db_bind(st, 1, entry->rolled);
	db_bind(st, 2, entry->id);
	return db_run(&a->side->db, st, e);
}

static int insert_chunk(struct replacement_work *a, const struct new_chunk *c,
			struct chunk_entry *entry, struct err *e)
{
	uint64_t *fields = &entry->kind;
	sqlite3_stmt *s;
	int rc = 0;

	*entry = c->entry;
	entry->bytes = 0;
	for (unsigned k = 0; !rc && k < CHUNK_PARTS; k++) {
		entry->parts[k] = 0;
		entry->bytes += c->frames[k].n;
		if (c->frames[k].n)
			rc = writer_put_blob(a->side, part_kinds[k], buf_str(&c->frames[k]),
					     &entry->parts[k], e);
	}
	if (!rc)
		rc = db_statement(&a->side->db, WRITE_CHUNK, &s, e);
	if (rc)
		return rc;
	for (int i = 0; i < (int)(sizeof(*entry) / sizeof(*fields)) - 1; i++)
		db_bind(s, i + 1, fields[i]);
	rc = db_run(&a->side->db, s, e);
	entry->id = (uint64_t)sqlite3_last_insert_rowid(a->side->db.handle);
	a->d->state.chunks++;
	return rc;
}

/*
 * Copy the chunks of a group that stay to `to`, and mark those that are requested; delete the
 * others.
 */
static int keep_chunks(struct replacement_work *a, struct chunk_range old, struct chunk_rows *to,
		       struct err *e)
{
	const struct replacement *s = a->change;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < old.n; i++) {
		if (listed(s->chunks.at, s->chunks.n, old.at[i].id)) {
			a->d->state.chunks--;
			a->dropped++;
			rc = delete_chunk(a, &old.at[i], e);
		} else {
			to->at[to->n] = old.at[i];
			rc = mark_chunk(a, &to->at[to->n++], &a->marked, e);
		}
	}
	return rc;
}

/* Replace the row of the group's chunks. */
static int replace_group(struct replacement_work *a, struct chunk_group old, struct chunk_group new,
			 struct err *e)
{
	a->d->state.fold ^= old.rows ? chunk_group_sum(&old) : 0;
	a->d->state.fold ^= new.rows ? chunk_group_sum(&new) : 0;
	a->chunks->at[new.group] = new;
	return old.rows || new.rows ? chunk_group_write(&a->side->db, &new, e) : 0;
}

/*
 * Apply all changes of a group. New chunks are sorted by group; *next is the first of this group.
 */
static int change_group(struct replacement_work *a, uint32_t group, uint32_t *next, struct err *e)
{
	const struct replacement *s = a->change;
	struct chunk_group before = chunk_list_get(a->old->chunks, group);
	struct chunk_rows *old = NULL, *rows = NULL;
	uint32_t end = *next;
	int rc = chunk_rows_read(&old, &a->side->db, &before, e);

	while (end < s->add.n && s->add.at[end].entry.group == group)
		end++;
	if (!rc) {
		rows = chunk_rows_new(old->n + end - *next);
		rc = rows ? 0 : err_errno(e, -ENOMEM, "merge");
	}
	if (!rc) {
		rows->n = 0;
		rc = keep_chunks(a, (struct chunk_range){old->at, old->n}, rows, e);
	}
	for (; !rc && *next < end; ++*next)
		rc = insert_chunk(a, &s->add.at[*next], &rows->at[rows->n++], e);
	if (!rc)
		rc = replace_group(a, before, chunk_rows_finish(rows, group), e);
	chunk_rows_unref(old);
	chunk_rows_unref(rows);
	return rc;
}

static int change_groups(struct replacement_work *a, struct err *e)
{
	const struct replacement *s = a->change;
	uint32_t next = 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < s->groups.n; i++)
		if (!i || s->groups.at[i] != s->groups.at[i - 1])
			rc = change_group(a, s->groups.at[i], &next, e);
	if (!rc && (a->dropped != s->chunks.n || a->marked != s->marks.n))
		return -ESTALE;
	return rc;
}

static int insert_level0_rows(struct replacement_work *a, const struct rows *r, struct err *e)
{
	struct level0_entry *entry = &a->d->level0[a->d->level0_n++];
	struct chunk_entry like = {0};
	struct buf raw = {0}, frame = {0};
	sqlite3_stmt *s;
	int rc = rows_encode(r, &raw);

	set_counts_and_times(&like, r);
	*entry = (struct level0_entry){.first = like.first,
				       .last = like.last,
				       .profiles = like.profiles,
				       .samples = like.samples,
				       .groups = level0_groups_of(r, a->d->series)};
	if (!rc)
		rc = frame_put(&frame, FRAME_LEVEL0, LEVEL0_ZSTD, buf_str(&raw));
	entry->bytes = frame.n;
	if (rc)
		(void)err_errno(e, rc, "write samples");
	else
		rc = db_statement(&a->side->db, WRITE_LEVEL0, &s, e);
	if (!rc) {
		db_bind(s, 1, entry->first);
		db_bind(s, 2, entry->last);
		db_bind(s, 3, entry->profiles);
		db_bind(s, 4, entry->samples);
		db_bind_bytes(s, 5, buf_str(&frame));
		rc = db_run(&a->side->db, s, e);
		entry->id = (uint64_t)sqlite3_last_insert_rowid(a->side->db.handle);
	}
	a->d->state.level0++;
	a->d->state.fold ^= level0_sum(entry);
	buf_fini(&raw);
	buf_fini(&frame);
	return rc;
}

static int change_rows(struct replacement_work *a, struct err *e)
{
	struct replacement *s = a->change;
	int rc = db_begin(&a->side->db, "BEGIN IMMEDIATE", e);

	if (!rc)
		rc = delete_level0(a, e);
	if (!rc)
		rc = change_groups(a, e);
	for (uint32_t i = 0; !rc && i < s->rows.n; i++)
		rc = insert_level0_rows(a, &s->rows.at[i], e);
	if (!rc)
		rc = span_replacement_apply(&s->spans, a->side, a->old->spans, a->d, e);
	if (!rc)
		rc = log_replacement_apply(&s->logs, a->side, a->old->logs, a->d, e);
	if (!rc)
		rc = metric_replacement_apply(&s->metrics, a->side, a->old, a->d, e);
	if (rc)
		return rc;
	a->d->state.version++;
	a->d->state.profiles -= s->profiles;
	a->d->state.samples -= s->samples;
	rc = state_write(&a->side->db, &a->d->state, e);
	if (!rc)
		rc = db_exec(&a->side->db, "COMMIT", e);
	return rc ? rc : file_check(s->partition, e);
}

static int apply_replacement(struct replacement_work *a, struct err *e)
{
	struct replacement *s = a->change;
	struct log_list *logs;
	struct span_list *spans;
	int rc;

	sort_changes(s);
	a->side = s->partition->writer;
	a->old = s->partition->directory;
	a->chunks = chunk_list_new(a->old->series->groups.n, a->old->chunks);
	spans = span_replacement_list(&s->spans, a->old->spans);
	logs = log_replacement_list(&s->logs, a->old->logs);
	if (a->chunks && spans && logs)
		a->d = directory_new(a->old->level0_n + s->rows.n, a->old->series, a->chunks,
				     s->profiles ? NULL : a->old->index, spans, a->old->books);
	if (a->d)
		directory_set_logs(a->d, logs, &a->old->log_state);
	log_list_unref(logs);
	span_list_unref(spans);
	if (!a->d)
		return err_errno(e, -ENOMEM, "merge");
	a->d->state = a->old->state;
	a->d->span_state = a->old->span_state;
	a->d->metrics = metric_list_ref(a->old->metrics);
	a->d->metric_state = a->old->metric_state;
	a->d->book_state = a->old->book_state;
	rc = change_rows(a, e);
	if (rc)
		return rc;
	chunk_list_finish(a->chunks);
	directory_finish(a->d);
	return 0;
}

int replacement_apply(struct replacement *s)
{
	struct replacement_work a = {.change = s};
	struct partition *p = s->partition;
	int rc = p->gone ? -ESTALE : writer_open(p, &s->error);

	if (!rc)
		rc = apply_replacement(&a, &s->error);
	if (rc && p->writer)
		db_rollback(&p->writer->db);
	if (!rc)
		partition_publish(p, take_ptr(&a.d));
	chunk_list_unref(a.chunks);
	directory_unref(a.d);
	s->rc = rc;
	return rc;
}

static void run_replacement(struct writer_job *job)
{
	struct replacement *s = (struct replacement *)job;
	int rc = replacement_apply(s);

	if (rc == -EUCLEAN)
		partition_set_aside(s->partition, &s->error);
	else if (rc == -ESTALE && !s->partition->gone && file_check(s->partition, &s->error))
		partition_lost(s->partition, &s->error);
}

int replacement_run(struct replacement *s)
{
	int rc;

	s->job.run = run_replacement;
	rc = writer_do(s->partition->store, &s->job);
	return rc ? rc : s->rc;
}
