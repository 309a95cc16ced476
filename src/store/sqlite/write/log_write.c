/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing log records: map them to the pending rows, write them with the commit, and later replace
 * the blocks by merged ones.
 */
#include "store/sqlite/write/log_write.h"

#include <stdlib.h>
#include <xxhash.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/catalog/time_limits.h"
#include "store/sqlite/write/commit.h"

/* Rows are rewritten within seconds. */
enum { ROWS_ZSTD = -3 };

/* ---- requests that were sent again ---- */

static bool was_sent_before(const struct writer_side *side, uint64_t hash)
{
	for (unsigned i = 0; i < RECENT_LOGS; i++)
		if (side->recent_logs[i] == hash)
			return true;
	return false;
}

static void note_sent(struct writer_side *side, uint64_t hash)
{
	side->recent_logs[side->recent_logs_next++ % RECENT_LOGS] = hash;
}

/* ---- mapping ---- */

struct map_logs {
	struct partition *partition;
	const struct store_write *write;
	struct commit_rows *rows;
	XXH3_state_t *hash; /* of the records and streams */
	uint32_t resource, scope, stream;
	bool known;   /* `stream` is of that resource and scope */
	bool untimed; /* a record has no time of its own */
	uint32_t records;
	struct buf encoded;
};

static const struct span_origin *origin_of(const struct span_origin *at, uint32_t number)
{
	static const struct span_origin none;

	return number ? &at[number - 1] : &none;
}

static int find_stream(struct map_logs *m, const struct log_item *entry)
{
	const struct log_batch *b = m->write->logs;
	struct log_stream s = {
		.tenant = m->write->tenant,
		.service = entry->resource ? b->services.at[entry->resource - 1] : STR(""),
		.resource = *origin_of(b->resources.at, entry->resource),
		.scope = *origin_of(b->scopes.at, entry->scope),
	};
	int rc;

	if (m->known && m->resource == entry->resource && m->scope == entry->scope)
		return 0;
	buf_clear(&m->encoded);
	log_stream_put(&m->encoded, &s);
	rc = buf_error(&m->encoded);
	if (rc)
		return rc;
	XXH3_64bits_update(m->hash, m->encoded.p, m->encoded.n);
	m->resource = entry->resource;
	m->scope = entry->scope;
	m->known = true;
	return log_rows_stream(&m->rows->logs, &m->rows->arena, buf_str(&m->encoded), &m->stream);
}

static bool is_of_day(const struct map_logs *m, const struct log_item *entry)
{
	uint64_t time = entry->time ? entry->time : m->write->received;

	return time / NS_PER_DAY == m->partition->day && time_limits_accept(m->write, entry->time);
}

/* Map the records with their messages in one piece of memory. */
static int map_records(struct map_logs *m)
{
	const struct log_batch *b = m->write->logs;
	struct log_rows *rows = &m->rows->logs;
	char *copy = arena_alloc(&m->rows->arena, b->bytes + 1, 1);
	int rc = copy ? vec_reserve(&m->rows->arena, &rows->logs, b->logs.n) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < b->logs.n; i++) {
		const struct log_item *entry = &b->logs.at[i];

		if (!is_of_day(m, entry))
			continue;
		rc = find_stream(m, entry);
		if (rc)
			break;
		if (entry->message.n)
			memcpy(copy, entry->message.p, entry->message.n);
		rows->logs.at[rows->logs.n++] =
			(struct kept_log){entry->time ? entry->time : m->write->received, m->stream,
					  str_of(copy, entry->message.n)};
		XXH3_64bits_update(m->hash, copy, entry->message.n);
		copy += entry->message.n;
		rows->bytes += entry->message.n;
		m->untimed |= entry->untimed;
		m->records++;
	}
	return rc;
}

int writer_map_logs(struct partition *p, struct store_write *w, struct err *e)
{
	struct commit_rows *c = &p->writer->pending;
	struct map_logs m = {.partition = p, .write = w, .rows = c, .hash = XXH3_createState()};
	uint32_t before = c->logs.logs.n;
	size_t bytes = c->logs.bytes;
	uint64_t hash = 0;
	bool again = false;
	int rc = m.hash ? 0 : -ENOMEM;

	if (!rc) {
		XXH3_64bits_reset(m.hash);
		rc = map_records(&m);
	}
	if (!rc && m.records && !m.untimed) {
		hash = XXH3_64bits_digest(m.hash);
		again = was_sent_before(p->writer, hash);
	}
	if (again)
		w->duplicates += m.records;
	else if (!rc && hash)
		note_sent(p->writer, hash);
	XXH3_freeState(m.hash);
	buf_fini(&m.encoded);
	if (rc || again) {
		c->logs.logs.n = before;
		c->logs.bytes = bytes;
	}
	return rc ? err_errno(e, rc, "store log records") : 0;
}

/* ---- writing ---- */

void new_logs_fini(struct new_logs *l)
{
	buf_fini(&l->frames);
	buf_fini(&l->ends);
}

static enum frame_kind kind_of(const struct log_block_entry *entry, uint64_t i)
{
	if (!i)
		return entry->generation ? FRAME_LOG_INDEX : FRAME_LOG_ROWS;
	return i <= entry->pages ? FRAME_LOG_PAGE : FRAME_LOG_FILTER;
}

/* Write the blobs of a block, whose ids are consecutive. */
static int insert_log_blobs(struct writer_side *side, struct new_logs *b, struct err *e)
{
	uint64_t from = 0, end, id = 0, n = log_block_blobs(&b->entry);
	int rc = buf_error(&b->frames) || buf_error(&b->ends) ? -ENOMEM : 0;

	if (rc || b->ends.n != n * sizeof(end))
		return err_errno(e, rc ? rc : -EINVAL, "write log records");
	for (uint64_t i = 0; !rc && i < n; i++, from = end) {
		memcpy(&end, b->ends.p + i * sizeof(end), sizeof(end));
		rc = writer_put_blob(side, kind_of(&b->entry, i),
				     str_of(b->frames.p + from, end - from), &id, e);
		if (!rc && !i)
			b->entry.data = id;
		if (!rc && id != b->entry.data + i)
			rc = err_set(e, -EUCLEAN, "the ids of blobs are not consecutive");
	}
	b->entry.bytes = b->frames.n;
	return rc;
}

static int insert_log_block(struct writer_side *side, struct new_logs *b, struct log_state *state,
			    struct err *e)
{
	uint64_t *fields = &b->entry.hour;
	sqlite3_stmt *s;
	int rc = insert_log_blobs(side, b, e);

	if (!rc)
		rc = db_statement(&side->db, WRITE_LOGS, &s, e);
	if (rc)
		return rc;
	for (int i = 0; i < (int)(sizeof(b->entry) / sizeof(*fields)) - 1; i++)
		db_bind(s, i + 1, fields[i]);
	rc = db_run(&side->db, s, e);
	b->entry.id = (uint64_t)sqlite3_last_insert_rowid(side->db.handle);
	state->rows++;
	state->fold ^= log_block_sum(&b->entry);
	return rc;
}

/* Encode the records of a commit as a block of generation 0. */
static int pack_rows(struct new_logs *out, const struct log_rows *r, uint32_t first, uint32_t n)
{
	struct arena scratch;
	struct buf raw = {0};
	int rc;

	arena_init(&scratch, NULL);
	out->entry = (struct log_block_entry){.hour = LOGS_OF_ANY_HOUR,
					      .made = clock_realtime_ns() / NS_PER_SECOND,
					      .first = UINT64_MAX,
					      .logs = n};
	for (uint32_t i = first; i < first + n; i++) {
		uint64_t time = r->logs.at[i].time;

		out->entry.first = time < out->entry.first ? time : out->entry.first;
		out->entry.last = time > out->entry.last ? time : out->entry.last;
		out->entry.record_bytes += r->logs.at[i].message.n;
	}
	rc = log_rows_put(&raw, r, first, n, &scratch);
	if (!rc)
		rc = frame_put(&out->frames, FRAME_LOG_ROWS, ROWS_ZSTD, buf_str(&raw));
	new_logs_end(out);
	buf_fini(&raw);
	arena_fini(&scratch);
	return rc;
}

int writer_put_logs(struct writer_side *side, struct directory *d, struct err *e)
{
	const struct log_rows *r = &side->sealed.logs;
	uint32_t at = d->logs->n - commit_log_blocks(&side->sealed);
	int rc = 0;

	for (uint32_t first = 0, n; !rc && first < r->logs.n; first += n) {
		struct new_logs b = {0};

		n = log_rows_cut(r, first);
		rc = pack_rows(&b, r, first, n);
		if (rc)
			(void)err_errno(e, rc, "write log records");
		else
			rc = insert_log_block(side, &b, &d->log_state, e);
		d->logs->at[at++] = b.entry;
		side->ingested += b.entry.record_bytes;
		new_logs_fini(&b);
	}
	return rc ? rc : log_state_write(&side->db, &d->log_state, e);
}

/* ---- replacing ---- */

static int delete_log_block(struct writer_side *side, const struct log_block_entry *entry,
			    struct log_state *state, struct err *e)
{
	int rc = db_run_id(&side->db, DELETE_LOGS, entry->id, e);

	for (uint64_t i = 0; !rc && i < log_block_blobs(entry); i++)
		rc = db_run_id(&side->db, DELETE_BLOB, entry->data + i, e);
	state->rows--;
	state->fold ^= log_block_sum(entry);
	return rc;
}

int log_replacement_apply(struct log_replacement *s, struct writer_side *side,
			  const struct log_list *old, struct directory *d, struct err *e)
{
	uint32_t n = 0;
	int rc = 0;

	if (d->logs == old) /* no change */
		return 0;
	for (uint32_t i = 0; !rc && i < old->n; i++) {
		if (id_is_listed(s->drop.at, s->drop.n, old->at[i].id))
			rc = delete_log_block(side, &old->at[i], &d->log_state, e);
		else
			d->logs->at[n++] = old->at[i];
	}
	if (!rc && old->n - n != s->drop.n)
		return -ESTALE;
	for (uint32_t i = 0; !rc && i < s->add.n; i++) {
		rc = insert_log_block(side, &s->add.at[i], &d->log_state, e);
		d->logs->at[n++] = s->add.at[i].entry;
	}
	d->logs->n = n;
	return rc ? rc : log_state_write(&side->db, &d->log_state, e);
}

struct log_list *log_replacement_list(const struct log_replacement *s, struct log_list *old)
{
	if (s->drop.n || s->add.n)
		return log_list_new(old->n + s->add.n);
	return log_list_ref(old);
}
