/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading the directory of a partition, which verifies it; its lists and checksums. The writer
 * derives the directory of each commit from the one before.
 */
#include "store/sqlite/catalog/directory.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/clock.h"
#include "signal/series.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/read/series_index.h"

uint64_t level0_sum(const struct level0_entry *l)
{
	return frame_sum(l, offsetof(struct level0_entry, groups));
}

uint64_t level0_groups_of(const struct rows *r, const struct series_list *l)
{
	uint64_t groups = 0;

	for (uint32_t i = 0; i < r->series.n; i++)
		groups |= level0_group_bit(l->series.at[r->series.at[i]].group);
	return groups;
}

uint64_t state_sum(const struct partition_state *s)
{
	return frame_sum(s, sizeof(*s));
}

/* Rows from before format 6 have none of the last fields; their checksum is without them. */
uint64_t span_entry_sum(const struct span_entry *s)
{
	bool newer = s->details || s->index || s->details_bytes || s->trace_filter;

	return frame_sum(s, newer ? sizeof(*s) : offsetof(struct span_entry, details));
}

uint64_t span_state_sum(const struct span_state *s)
{
	return frame_sum(s, sizeof(*s));
}

uint64_t series_sum(uint64_t id, uint64_t group, struct str encoded)
{
	uint64_t fields[] = {id, group, frame_sum(encoded.p, encoded.n)};

	return frame_sum(fields, sizeof(fields));
}

/* The checksum of a group in book 0 is the one from before format 4, without the book. */
uint64_t group_sum(uint64_t id, const struct group *g)
{
	uint64_t fields[] = {id,
			     frame_sum(g->tenant.p, g->tenant.n),
			     frame_sum(g->service.p, g->service.n),
			     frame_sum(g->type.p, g->type.n),
			     1 /* never equal to that of a series */,
			     g->book};

	return frame_sum(fields, sizeof(fields) - (g->book ? 0 : sizeof(fields[0])));
}

uint64_t book_sum(uint64_t id, const struct book_entry *b)
{
	uint64_t fields[] = {id, b->segment, b->nodes};

	return frame_sum(fields, sizeof(fields));
}

uint64_t book_state_sum(const struct book_state *s)
{
	return frame_sum(s, sizeof(*s));
}

/* ---- lists ---- */

struct series_list *series_list_new(struct registry *registry)
{
	struct series_list *l = calloc(1, sizeof(*l));

	if (l) {
		l->refs = 1;
		l->registry = registry;
		arena_init(&l->arena, NULL);
	}
	return l;
}

int series_list_add_group(struct series_list *l, const struct group *g)
{
	struct group copy = *g;
	int rc = arena_copy_str(&l->arena, g->tenant, &copy.tenant);

	if (!rc)
		rc = arena_copy_str(&l->arena, g->service, &copy.service);
	if (!rc)
		rc = arena_copy_str(&l->arena, g->type, &copy.type);
	copy.gauge = profile_type_is_gauge(g->type);
	return rc ? rc : vec_push(&l->arena, &l->groups, copy);
}

struct series_list *series_list_dup(const struct series_list *l)
{
	struct series_list *copy = series_list_new(l->registry);
	int rc = copy ? vec_reserve(&copy->arena, &copy->series, l->series.n + 1) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < l->groups.n; i++)
		rc = series_list_add_group(copy, &l->groups.at[i]);
	if (rc) {
		series_list_unref(copy);
		return NULL;
	}
	if (l->series.n)
		memcpy(copy->series.at, l->series.at, l->series.n * sizeof(*l->series.at));
	copy->series.n = l->series.n;
	for (uint32_t i = 0; i < l->series.n; i++)
		registry_ref(l->registry, l->series.at[i].number);
	return copy;
}

void series_list_unref(struct series_list *l)
{
	if (!l || atomic_fetch_sub(&l->refs, 1) != 1)
		return;
	for (uint32_t i = 0; i < l->series.n; i++)
		registry_unref(l->registry, l->series.at[i].number);
	arena_fini(&l->arena);
	free(l);
}

int series_list_add(struct series_list *l, struct series_entry entry)
{
	return vec_push(&l->arena, &l->series, entry);
}

struct group group_of_series(const struct registry_series *s)
{
	return (struct group){.tenant = s->tenant,
			      .service = label_set_get(s->labels, STR("service_name")),
			      .type = label_set_get(s->labels, STR("__profile_type__"))};
}

struct book_list *book_list_new(uint32_t n)
{
	struct book_list *l = calloc(1, sizeof(*l) + n * sizeof(l->at[0]));

	if (l) {
		l->refs = 1;
		l->apart = true;
		l->n = n;
	}
	return l;
}

void book_list_unref(struct book_list *l)
{
	if (l && atomic_fetch_sub(&l->refs, 1) == 1)
		free(l);
}

uint64_t book_list_most_nodes(const struct book_list *l)
{
	uint64_t most = 1;

	for (uint32_t i = 0; i < l->n; i++)
		most = l->at[i].nodes > most ? l->at[i].nodes : most;
	return most;
}

struct span_list *span_list_new(uint32_t n)
{
	struct span_list *l = calloc(1, sizeof(*l) + n * sizeof(l->at[0]));

	if (l) {
		l->refs = 1;
		l->n = n;
	}
	return l;
}

void span_list_unref(struct span_list *l)
{
	if (l && atomic_fetch_sub(&l->refs, 1) == 1)
		free(l);
}

struct directory *directory_new(uint32_t level0_n, struct series_list *series,
				struct chunk_list *chunks, struct series_index *index,
				struct span_list *spans, struct book_list *books)
{
	struct directory *d = calloc(1, sizeof(*d) + level0_n * sizeof(d->level0[0]));

	index = index ? series_index_ref(index) : series_index_new();
	if (!d || !index) {
		series_index_unref(index);
		free(d);
		return NULL;
	}
	d->index = index;
	d->refs = 1;
	d->level0_n = level0_n;
	d->series = series;
	d->chunks = chunks;
	d->spans = spans;
	d->books = books;
	atomic_fetch_add(&books->refs, 1);
	atomic_fetch_add(&series->refs, 1);
	atomic_fetch_add(&spans->refs, 1);
	chunk_list_ref(chunks);
	return d;
}

struct directory *directory_ref(struct directory *d)
{
	atomic_fetch_add(&d->refs, 1);
	return d;
}

void directory_unref(struct directory *d)
{
	if (!d || atomic_fetch_sub(&d->refs, 1) != 1)
		return;
	series_list_unref(d->series);
	chunk_list_unref(d->chunks);
	series_index_unref(d->index);
	span_list_unref(d->spans);
	metric_list_unref(d->metrics);
	book_list_unref(d->books);
	log_list_unref(d->logs);
	free(d);
}

void directory_set_logs(struct directory *d, struct log_list *logs, const struct log_state *state)
{
	d->logs = log_list_ref(logs);
	d->log_state = *state;
}

static void widen_directory(struct directory *d, uint64_t first, uint64_t last, uint64_t bytes)
{
	d->first = first < d->first ? first : d->first;
	d->last = last > d->last ? last : d->last;
	d->bytes += bytes;
}

void directory_finish(struct directory *d)
{
	d->first = d->chunks->first;
	d->last = d->chunks->last;
	d->bytes = d->chunks->bytes;
	for (uint32_t i = 0; i < d->level0_n; i++)
		widen_directory(d, d->level0[i].first, d->level0[i].last, d->level0[i].bytes);
	for (uint32_t i = 0; i < d->spans->n; i++)
		d->bytes += d->spans->at[i].bytes; /* first and last are of profiles only */
	for (uint32_t i = 0; i < d->logs->n; i++)
		d->bytes += d->logs->at[i].bytes;
	d->bytes += metric_list_bytes(d->metrics);
}

/* ---- loading ---- */

struct load {
	struct db *db;
	struct registry *registry;
	uint64_t format;
	struct partition_state state;
	uint64_t fold; /* of the rows seen so far */
	struct series_list *series;
	struct chunk_list *chunks;
	struct span_list *spans;
	struct span_state span_state;
	struct book_list *books;
	struct book_state book_state;
	struct directory *directory;
	struct arena scratch;
	VEC(struct chunk_entry) group; /* the chunks of the current group, in `scratch` */
};

/* Upper bound of the counts in a file, checked before memory is allocated for them. */
enum { CHUNKS_MAX = 1 << 24 };

int state_read(struct db *db, struct partition_state *state, struct err *e)
{
	uint64_t *fields = &state->version;
	size_t n = sizeof(*state) / sizeof(*fields);
	sqlite3_stmt *s;
	int rc = db_statement(db, READ_STATE, &s, e);

	if (rc)
		return rc;
	rc = db_step(db, s, e);
	if (rc <= 0)
		return rc ? rc : err_set(e, -EUCLEAN, "its state is missing");
	for (size_t i = 0; i < n; i++)
		fields[i] = db_u64(s, (int)i);
	if (db_u64(s, (int)n) != state_sum(state))
		rc = err_set(e, -EUCLEAN, "the checksum of its state is wrong");
	else if (state->groups > GROUPS_MAX || state->series > SERIES_MAX ||
		 state->chunks > CHUNKS_MAX || state->level0 > CHUNKS_MAX)
		rc = err_set(e, -EUCLEAN, "its state exceeds the limits");
	else
		rc = 0;
	sqlite3_reset(s);
	return rc;
}

int state_write(struct db *db, const struct partition_state *state, struct err *e)
{
	const uint64_t *fields = &state->version;
	int n = sizeof(*state) / sizeof(*fields);
	sqlite3_stmt *s;
	int rc = db_statement(db, WRITE_STATE, &s, e);

	if (rc)
		return rc;
	for (int i = 0; i < n; i++)
		db_bind(s, i + 1, fields[i]);
	db_bind(s, n + 1, state_sum(state));
	return db_run(db, s, e);
}

/* Call `row` for all rows of a statement, whose number must be `count`. */
static int each_row(struct load *l, enum statement which, uint64_t count,
		    int (*row)(struct load *l, sqlite3_stmt *s, uint32_t i, struct err *e),
		    struct err *e)
{
	sqlite3_stmt *s;
	uint64_t n = 0;
	int rc = db_statement(l->db, which, &s, e);

	if (rc)
		return rc;
	while ((rc = db_step(l->db, s, e)) > 0) {
		rc = n < count ? row(l, s, (uint32_t)n, e) : -EUCLEAN;
		if (rc)
			break;
		n++;
	}
	sqlite3_reset(s);
	if (rc == -EUCLEAN || (!rc && n != count))
		return err_set(e, -EUCLEAN, "rows are missing or too many");
	return rc;
}

static int load_group(struct load *l, sqlite3_stmt *s, uint32_t i, struct err *e)
{
	struct group g = {db_bytes(s, 1), db_bytes(s, 2), db_bytes(s, 3), db_u32(s, 4), false};

	if (db_u64(s, 0) != i || g.book >= l->books->n)
		return err_set(e, -EUCLEAN, "group %u is damaged", i);
	l->fold ^= group_sum(i, &g);
	return series_list_add_group(l->series, &g);
}

static int load_series(struct load *l, sqlite3_stmt *s, uint32_t i, struct err *e)
{
	struct str encoded = db_bytes(s, 2);
	struct series_entry entry = {.group = db_u32(s, 1)};
	int rc;

	if (db_u64(s, 0) != i || entry.group >= l->series->groups.n)
		return err_set(e, -EUCLEAN, "series %u is damaged", i);
	l->fold ^= series_sum(i, entry.group, encoded);
	rc = registry_add(l->registry, encoded, &entry.number, e);
	if (rc)
		return rc;
	rc = series_list_add(l->series, entry);
	if (rc)
		registry_unref(l->registry, entry.number);
	return rc;
}

static int load_level0(struct load *l, sqlite3_stmt *s, uint32_t i, struct err *e)
{
	struct level0_entry *entry = &l->directory->level0[i];
	uint64_t *fields = &entry->id;

	(void)e;
	for (size_t k = 0; k < offsetof(struct level0_entry, groups) / sizeof(*fields); k++)
		fields[k] = db_u64(s, (int)k);
	entry->groups = UINT64_MAX;
	l->fold ^= level0_sum(entry);
	return 0;
}

/* End the current group: all its chunks are read. */
static int end_group(struct load *l)
{
	struct chunk_rows *rows;
	uint32_t group;

	if (!l->group.n)
		return 0;
	rows = chunk_rows_new(l->group.n);
	if (!rows)
		return -ENOMEM;
	memcpy(rows->at, l->group.at, l->group.n * sizeof(*l->group.at));
	group = (uint32_t)rows->at[0].group;
	l->chunks->at[group] = chunk_rows_finish(rows, group);
	l->chunks->pinned[group] = rows;
	l->group.n = 0;
	return 0;
}

/* Load a chunk of a file from before format 5. Rows are ordered by group. */
static int load_chunk(struct load *l, sqlite3_stmt *s, uint32_t i, struct err *e)
{
	struct chunk_entry entry;
	uint64_t *fields = &entry.id;
	int rc = 0;

	(void)i;
	for (size_t k = 0; k < sizeof(entry) / sizeof(*fields); k++)
		fields[k] = db_u64(s, (int)k);
	l->fold ^= chunk_sum(&entry);
	if (entry.group >= l->series->groups.n || entry.hour > 23 || entry.kind > CHUNK_ROLLUP_DAY)
		return err_set(e, -EUCLEAN, "chunk %llu is damaged", (unsigned long long)entry.id);
	if (l->group.n && l->group.at[0].group != entry.group)
		rc = end_group(l);
	return rc ? rc : vec_push(&l->scratch, &l->group, entry);
}

/* Load all chunks of such a file; the directory keeps their rows in memory. */
static int load_old_chunks(struct load *l, struct err *e)
{
	int rc;

	l->chunks->pinned = calloc(l->chunks->groups + (size_t)1, sizeof(struct chunk_rows *));
	if (!l->chunks->pinned)
		return -ENOMEM;
	rc = each_row(l, l->format < PARTITION_WITH_LINKS ? READ_CHUNKS_WITHOUT_LINKS : READ_CHUNKS,
		      l->state.chunks, load_chunk, e);
	return rc ? rc : end_group(l);
}

static int load_chunk_group(struct load *l, sqlite3_stmt *s, struct err *e)
{
	struct chunk_group g;
	uint64_t *fields = &g.group;

	for (size_t k = 0; k < sizeof(g) / sizeof(*fields); k++)
		fields[k] = db_u64(s, (int)k);
	if (g.group >= l->chunks->groups || !g.rows || g.rows > l->state.chunks)
		return err_set(e, -EUCLEAN, "the row of the chunks of group %llu is damaged",
			       (unsigned long long)g.group);
	l->fold ^= chunk_group_sum(&g);
	l->chunks->at[g.group] = g;
	return 0;
}

static int load_chunk_groups(struct load *l, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(l->db, READ_CHUNK_GROUPS, &s, e);

	if (rc)
		return rc;
	while ((rc = db_step(l->db, s, e)) > 0) {
		rc = load_chunk_group(l, s, e);
		if (rc)
			break;
	}
	sqlite3_reset(s);
	return rc;
}

static int load_span_row(struct load *l, sqlite3_stmt *s, uint32_t i, struct err *e)
{
	struct span_entry *entry = &l->spans->at[i];
	uint64_t *fields = &entry->id;

	for (size_t k = 0; k < sizeof(*entry) / sizeof(*fields); k++)
		fields[k] = db_u64(s, (int)k);
	l->fold ^= span_entry_sum(entry);
	if (entry->hour > SPANS_OF_ANY_HOUR)
		return err_set(e, -EUCLEAN, "spans %llu are damaged",
			       (unsigned long long)entry->id);
	return 0;
}

static int load_number(struct load *l, enum statement which, uint64_t *out, int n, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(l->db, which, &s, e);

	if (!rc)
		rc = db_step(l->db, s, e);
	if (rc <= 0)
		return rc ? rc : err_set(e, -EUCLEAN, "its state is missing");
	for (int i = 0; i < n; i++)
		out[i] = db_u64(s, i);
	sqlite3_reset(s);
	return 0;
}

static int load_book(struct load *l, sqlite3_stmt *s, uint32_t i, struct err *e)
{
	struct book_entry *b = &l->books->at[i];

	*b = (struct book_entry){db_u64(s, 1), db_u64(s, 2)};
	l->fold ^= book_sum(i, b);
	if (db_u64(s, 0) != i || b->segment > l->state.segment || !b->nodes ||
	    b->nodes > l->state.nodes)
		return err_set(e, -EUCLEAN, "book %u is damaged", i);
	return 0;
}

/* Load the state and allocate the list. A file from before format 4 has one book. */
static int load_book_state(struct load *l, struct err *e)
{
	uint64_t fields[3] = {0};
	int rc = 0;

	l->book_state.rows = 1;
	if (l->format >= PARTITION_WITH_BOOKS) {
		rc = load_number(l, READ_BOOK_STATE, fields, countof(fields), e);
		l->book_state = (struct book_state){fields[0], fields[1]};
	}
	if (!rc && l->format >= PARTITION_WITH_BOOKS &&
	    (fields[2] != book_state_sum(&l->book_state) || !fields[0] || fields[0] > GROUPS_MAX))
		rc = err_set(e, -EUCLEAN, "the checksum of its state of books is wrong");
	if (rc)
		return rc;
	l->books = book_list_new((uint32_t)l->book_state.rows);
	if (!l->books)
		return err_errno(e, -ENOMEM, "read a partition");
	l->books->apart = l->format >= PARTITION_WITH_BOOKS;
	l->books->at[0] = (struct book_entry){l->state.segment, l->state.nodes};
	return 0;
}

static int load_books(struct load *l, struct err *e)
{
	int rc;

	if (!l->books->apart)
		return 0;
	l->fold = 0;
	rc = each_row(l, READ_BOOKS, l->book_state.rows, load_book, e);
	if (!rc && l->fold != l->book_state.fold)
		rc = err_set(e, -EUCLEAN, "its books do not add up to its state");
	return rc;
}

/* A file from before format 2 has no spans. */
static int load_span_state(struct load *l, struct err *e)
{
	uint64_t fields[3] = {0};
	int rc;

	if (l->format < PARTITION_WITH_SPANS)
		return 0;
	rc = load_number(l, READ_SPAN_STATE, fields, countof(fields), e);
	l->span_state = (struct span_state){fields[0], fields[1]};
	if (!rc && (fields[2] != span_state_sum(&l->span_state) || fields[0] > CHUNKS_MAX))
		rc = err_set(e, -EUCLEAN, "the checksum of its state of spans is wrong");
	return rc;
}

static int load_spans(struct load *l, struct err *e)
{
	int rc = 0;

	l->fold = 0;
	if (l->span_state.rows)
		rc = each_row(l,
			      l->format < PARTITION_WITH_DETAILS ? READ_SPANS_WITHOUT_DETAILS
								 : READ_SPANS,
			      l->span_state.rows, load_span_row, e);
	if (!rc && l->fold != l->span_state.fold)
		rc = err_set(e, -EUCLEAN, "its rows of spans do not add up to its state");
	return rc;
}

static int load_all(struct load *l, struct err *e)
{
	int rc = state_read(l->db, &l->state, e);

	if (!rc)
		rc = load_number(l, READ_PARTITION_FORMAT, &l->format, 1, e);
	if (!rc)
		rc = load_span_state(l, e);
	if (!rc)
		rc = load_book_state(l, e);
	if (!rc)
		rc = load_books(l, e);
	if (rc)
		return rc;
	l->fold = 0;
	l->series = series_list_new(l->registry);
	l->chunks = chunk_list_new((uint32_t)l->state.groups, NULL);
	l->spans = span_list_new((uint32_t)l->span_state.rows);
	if (l->series && l->chunks && l->spans)
		l->directory = directory_new((uint32_t)l->state.level0, l->series, l->chunks, NULL,
					     l->spans, l->books);
	if (!l->directory)
		return err_errno(e, -ENOMEM, "read a partition");
	l->directory->state = l->state;
	l->directory->span_state = l->span_state;
	l->directory->book_state = l->book_state;
	rc = each_row(l, l->books->apart ? READ_GROUPS : READ_GROUPS_WITHOUT_BOOKS, l->state.groups,
		      load_group, e);
	if (!rc)
		rc = each_row(l, READ_SERIES, l->state.series, load_series, e);
	if (!rc)
		rc = each_row(l, READ_LEVEL0_LIST, l->state.level0, load_level0, e);
	if (!rc)
		rc = l->format < PARTITION_WITH_CHUNK_GROUPS ? load_old_chunks(l, e)
							     : load_chunk_groups(l, e);
	chunk_list_finish(l->chunks);
	if (!rc && (l->fold != l->state.fold || l->chunks->n != l->state.chunks))
		rc = err_set(e, -EUCLEAN, "its rows do not add up to its state");
	if (!rc)
		rc = load_spans(l, e);
	if (!rc)
		rc = log_list_load(&l->directory->logs, &l->directory->log_state, l->db, l->format,
				   e);
	return rc ? rc
		  : metric_list_load(&l->directory->metrics, &l->directory->metric_state, l->db,
				     l->format, e);
}

int directory_load(struct directory **out, struct db *db, struct registry *registry, struct err *e)
{
	struct load l = {.db = db, .registry = registry};
	int rc;

	arena_init(&l.scratch, NULL);
	rc = load_all(&l, e);
	arena_fini(&l.scratch);

	series_list_unref(l.series);
	chunk_list_unref(l.chunks);
	span_list_unref(l.spans);
	book_list_unref(l.books);
	if (rc) {
		directory_unref(l.directory);
		return rc;
	}
	directory_finish(l.directory);
	*out = l.directory;
	return 0;
}
