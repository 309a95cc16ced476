/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_PARTITION_H
#define VARVE_STORE_SQLITE_PARTITION_H

#include <pthread.h>

#include "base/container/lru.h"
#include "store/sqlite/block/dictionary.h"
#include "store/sqlite/block/frame.h"
#include "store/sqlite/block/rows.h"
#include "store/sqlite/catalog/chunk_list.h"
#include "store/sqlite/catalog/db.h"
#include "store/sqlite/catalog/file_check.h"
#include "store/sqlite/catalog/registry.h"

/*
 * One day: its file, what is known of it in memory, and how to read it.
 *
 * The directory says what is in the file: series, level-0 blocks, chunks. It is immutable; a commit
 * publishes a new one. A reader begins a snapshot of the file and takes the directory of the same
 * version, so both always agree, whatever is committed meanwhile. Rows of the file that must
 * be there, and no others, are proved by counts and a fold (xor) of their sums when it is loaded.
 */
/*
 * Format 2 has spans beside profiles, format 3 a part of its own for the links of a chunk, format 4 a dictionary for each
 * service, format 5 a row for each group with chunks. A file of an older format is read as it is, and becomes one of this when it is written to; chunks that are there stay
 * what they are.
 */
enum {
	PARTITION_VERSION = 5,
	PARTITION_WITH_SPANS = 2,
	PARTITION_WITH_LINKS = 3,
	PARTITION_WITH_BOOKS = 4,
	PARTITION_WITH_CHUNK_GROUPS = 5
};

/* Upper bounds of a partition. The writer adds no more, and a reader refuses a file that claims more. */
enum { GROUPS_MAX = 1 << 20, SERIES_MAX = 1 << 24 };

#define SECONDS_PER_DAY ((uint64_t)86400)
#define NS_PER_HOUR (3600 * NS_PER_SECOND)
#define NS_PER_DAY (24 * NS_PER_HOUR)
#define NS_PER_SLOT (STORE_SLOT_SECONDS * NS_PER_SECOND)

/*
 * A book is a dictionary of one service of one tenant: a reader or writer of one service does not load those of
 * others. The stack numbers of a group are rows of its book. A book has a bounded size. When it is full, the
 * service gets a new book (its next generation), and with it a new group for each profile type and new series
 * rows with the same labels; rows of the old book are repeated there as they are needed. Book 0 is shared by
 * all services: it is the dictionary of a file from before format 4, and of the groups that such a file has.
 */
struct book_entry {
	uint64_t segment; /* its last one; 0: none */
	uint64_t nodes;
};

/* Immutable after publish. */
struct book_list {
	_Atomic uint32_t refs;
	bool apart; /* false: of a file from before format 4 */
	uint32_t n;
	struct book_entry at[];
};

/* The row `book_state`: how many rows there are, and the fold of their sums. */
struct book_state {
	uint64_t rows, fold;
};

struct group {
	struct str tenant, service, type;
	uint32_t book;
	bool gauge;
};

struct series_entry {
	uint32_t number; /* of the registry */
	uint32_t group;
};

/* Immutable after publish. */
struct series_list {
	_Atomic uint32_t refs;
	struct registry *registry; /* has a ref for each of the series */
	struct arena arena;
	VEC(struct group) groups;
	VEC(struct series_entry) series;
};

struct level0_entry {
	uint64_t id, first, last; /* times of profiles */
	uint64_t profiles, samples, bytes;
	/* Which groups it may have, by level0_group_bit(); in memory only, all where that is not known. */
	uint64_t groups;
};

static inline uint64_t level0_group_bit(uint32_t group)
{
	return (uint64_t)1 << (group * 0x9e3779b1u >> 26);
}

/* The groups of a block of these rows. */
uint64_t level0_groups_of(const struct rows *r, const struct series_list *l);

extern const enum frame_kind part_kinds[CHUNK_PARTS];

/*
 * A block of spans. Those of a commit may be of any hour and have no filter (generation 0); the worker makes blocks of one
 * hour of them.
 */
struct span_entry {
	uint64_t id;
	uint64_t hour; /* of the day; of generation 0 SPANS_OF_ANY_HOUR */
	uint64_t generation;
	uint64_t made;	      /* seconds since 1970 */
	uint64_t first, last; /* starts */
	uint64_t spans;
	uint64_t data, filter; /* ids of blobs; 0: none */
	uint64_t bytes;
};

enum { SPANS_OF_ANY_HOUR = 24 };

/* Immutable after publish. */
struct span_list {
	_Atomic uint32_t refs;
	uint32_t n;
	struct span_entry at[]; /* by id */
};

/* The row `span_state`: how many rows there are, and the fold of their sums. */
struct span_state {
	uint64_t rows, fold;
};

/* The row `state` of the file. All u64: its sum is over the bytes. */
struct partition_state {
	uint64_t version; /* counts commits */
	uint64_t profiles, samples, ingested;
	uint64_t segment;			 /* the last of all dictionaries */
	uint64_t nodes;				 /* of all of them */
	uint64_t level0, chunks, groups, series; /* how many rows there are */
	uint64_t
		fold; /* of the sums of all level-0 blocks, groups with chunks, groups and series */
};

struct directory {
	_Atomic uint32_t refs;
	struct partition_state state;
	uint64_t first, last; /* times of profiles; last < first: nothing is kept */
	uint64_t bytes;	      /* of all blobs */
	struct series_list *series;
	struct chunk_list *chunks;
	struct series_index *index; /* handed on from one directory to the next */
	struct span_list *spans;
	struct span_state span_state;
	struct book_list *books;
	struct book_state book_state;
	uint32_t level0_n;
	struct level0_entry level0[];
};

/* A book for readers. What comes before the lock is guarded by the store's books_mu. */
struct dictionary_cache {
	struct lru_link use; /* first */
	uint32_t refs;
	struct partition *partition; /* that lists it; NULL: it was taken out */
	uint32_t book;
	pthread_rwlock_t lock; /* of what follows: readers hold it while they look at the tree */
	struct stack_tree tree;
	uint64_t segment; /* the last that is in it */
};

struct connection {
	struct db db;
	struct frame_unpacker unpacker;
	struct connection *next;
};

struct sqlite_store;
struct writer_side;
struct series_index;

struct partition {
	struct sqlite_store *store;
	uint32_t day;  /* since 1970 */
	char name[24]; /* 2026-11-15 */
	char path[4096];
	uint32_t refs;	     /* guarded by the store's mu */
	struct file_id file; /* zero: it was not made yet. Writer thread only */

	pthread_mutex_t mu;	     /* guards all that follows, but for writer */
	struct directory *directory; /* NULL: not read yet */
	struct connection *idle;
	uint64_t used_ns;	/* the last time somebody read or wrote */
	uint64_t merged_ns;	/* the last time level 0 was merged or empty */
	uint64_t merge_cost_ns; /* how long the last merge took */
	int wal_moved;		/* pages in the log when the worker moved it last */
	uint64_t look_again_ns; /* the worker looks again then */
	uint64_t
		spans_merged_ns; /* the last time spans of commits were merged, or there were none */
	bool gone;		 /* dropped or set aside */
	bool closed_day;	 /* all there is to do for the worker is done */
	/* When each minute of the day was changed last, by the store's count; NULL: not since the start. changes.c */
	uint64_t *changed;
	uint64_t changed_all; /* the same of the whole day */

	struct writer_side *writer; /* writer thread only */

	/* Guarded by the store's books_mu: what is kept for readers, by book and by group. */
	struct dictionary_cache **books;
	uint32_t books_n;
	struct cached_chunks **chunks; /* chunk_cache.h */
	uint32_t chunks_n;
};

/* The statements of connections to partitions; schema.c has their text. */
enum statement {
	READ_VERSION,
	READ_STATE,
	READ_GROUPS,
	READ_GROUPS_WITHOUT_BOOKS,
	READ_BOOKS,
	READ_BOOK_STATE,
	READ_SERIES,
	READ_LEVEL0_LIST,
	READ_CHUNKS,
	READ_CHUNKS_WITHOUT_LINKS,
	READ_CHUNKS_OF_GROUP,
	READ_CHUNK_GROUPS,
	READ_LEVEL0,
	READ_BLOB,
	READ_SEGMENTS,
	READ_SEGMENTS_WITHOUT_BOOKS,
	READ_DICTIONARY_BYTES,
	READ_PARTITION_FORMAT,
	READ_SPAN_STATE,
	READ_SPANS,
	WRITE_GROUP,
	WRITE_SERIES,
	WRITE_SEGMENT,
	WRITE_LEVEL0,
	WRITE_STATE,
	WRITE_BLOB,
	WRITE_CHUNK,
	WRITE_CHUNK_GROUP,
	DELETE_CHUNK_GROUP,
	WRITE_ROLLED,
	DELETE_LEVEL0,
	DELETE_CHUNK,
	DELETE_BLOB,
	DELETE_SEGMENTS,
	WRITE_BOOK,
	WRITE_BOOK_STATE,
	WRITE_SPANS,
	WRITE_SPAN_STATE,
	DELETE_SPANS,
	STATEMENTS
};
extern const char *const statements[STATEMENTS];

/* The tables of a new file, and its version. */
MUST_USE int partition_create(struct db *db, uint32_t day, struct err *e);

/* Is it a file of ours, of this version, for that day? 0, -EUCLEAN, or -ENOTSUP for a newer one. */
MUST_USE int partition_check_version(struct db *db, uint32_t day, struct err *e);

/* Make a file of an older format one of this. Writer thread only. */
MUST_USE int partition_migrate(struct db *db, struct err *e);

/* "2026-11-15"; and back: false when it is no such name. */
void day_format(uint32_t day, char out[24]);
bool day_parse(struct str name, uint32_t *day);

/* Read the row `state`, and check it; write it, inside a transaction. 0 or -errno. */
MUST_USE int state_read(struct db *db, struct partition_state *state, struct err *e);
MUST_USE int state_write(struct db *db, const struct partition_state *state, struct err *e);

/* Read the directory from the connection's snapshot. 0 or -errno. */
MUST_USE int directory_load(struct directory **out, struct db *db, struct registry *registry,
			    struct err *e);
struct directory *directory_ref(struct directory *d);
void directory_unref(struct directory *d); /* takes NULL */

/*
 * A directory with room for that many level-0 blocks; lists and index are the given ones, with a ref each. Where no
 * index is given, it begins an empty one: what was known of its chunks does not hold any more.
 */
struct directory *directory_new(uint32_t level0_n, struct series_list *series,
				struct chunk_list *chunks, struct series_index *index,
				struct span_list *spans, struct book_list *books);

/* Add up first, last and bytes from the entries. */
void directory_finish(struct directory *d);

struct series_list *series_list_new(struct registry *registry);
struct series_list *series_list_dup(const struct series_list *l); /* NULL: no memory */
void series_list_unref(struct series_list *l);

struct book_list *book_list_new(uint32_t n);
void book_list_unref(struct book_list *l);

/* Nodes of the largest. */
uint64_t book_list_most_nodes(const struct book_list *l);
struct span_list *span_list_new(uint32_t n);
void span_list_unref(struct span_list *l);

/* Add it, taking over the ref of its number. 0, or -ENOMEM and nothing is taken. */
MUST_USE int series_list_add(struct series_list *l, struct series_entry entry);

/* The tenant, service and type of the series; `book` and `gauge` are not set. */
struct group group_of_series(const struct registry_series *s);

/* Add a group, whose texts are copied. 0 or -ENOMEM. */
MUST_USE int series_list_add_group(struct series_list *l, const struct group *g);

/* What the fold is made of. */
uint64_t level0_sum(const struct level0_entry *l);
uint64_t series_sum(uint64_t id, uint64_t group, struct str encoded);
uint64_t group_sum(uint64_t id, const struct group *g);
uint64_t state_sum(const struct partition_state *s);
uint64_t span_entry_sum(const struct span_entry *s);
uint64_t span_state_sum(const struct span_state *s);
uint64_t book_sum(uint64_t id, const struct book_entry *b);
uint64_t book_state_sum(const struct book_state *s);

/* ---- reading ---- */

/* One snapshot of a partition. One thread. */
struct reader {
	struct partition *partition;
	struct connection *connection;
	struct directory *directory;
	struct dictionary_cache *dictionary; /* after reader_dictionary() */
	uint32_t book;
	struct chunk_rows *chunks; /* after reader_chunks() */
	uint32_t chunks_group;
};

/*
 * Begin. 0; -ENOENT: the partition is gone; -EUCLEAN: it is damaged, tell partition_damaged();
 * or another -errno. reader_end() in every case.
 */
MUST_USE int reader_begin(struct reader *r, struct partition *p, struct err *e);
void reader_end(struct reader *r);

/*
 * Bring a book up to the snapshot and lock it for reading until the next one is asked for, or reader_leave(), or
 * reader_end(): the tree is r->dictionary->tree. May be called again.
 */
MUST_USE int reader_dictionary(struct reader *r, uint32_t book, struct err *e);
void reader_leave(struct reader *r);

/* A level-0 block, whose columns live in the arena. */
MUST_USE int reader_level0(struct reader *r, const struct level0_entry *entry, struct arena *arena,
			   struct rows *out, struct err *e);

/* A blob, unpacked into the arena. */
MUST_USE int reader_blob(struct reader *r, uint64_t id, enum frame_kind kind, struct arena *arena,
			 struct str *out, struct err *e);

/* Append the segments of the book behind *segment to the tree. For readers and for the writer. */
MUST_USE int dictionary_load(struct db *db, struct frame_unpacker *unpacker, struct stack_tree *t,
			     uint64_t *segment, const struct book_list *books, uint32_t book,
			     struct err *e);

/*
 * All files may take twice the bytes that are live and, as a small store has a log and pages that were just freed, too, this
 * for each partition that is written at the time; and for every partition its tables without rows and what is not worth
 * giving back.
 */
#define DISK_FLOOR (4 * MIB)
#define DISK_FLOOR_PARTITION (256 * KIB)

/* Bytes of its files on the disk, and of the log among them. */
uint64_t partition_file_bytes(const struct partition *p);
uint64_t partition_log_bytes(const struct partition *p);

/* Give back what the caches hold: idle connections, the dictionary, the directory if nobody has it. */
void partition_shrink(struct partition *p);

#endif
