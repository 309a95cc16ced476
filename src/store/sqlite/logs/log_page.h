/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_PAGE_H
#define VARVE_STORE_SQLITE_LOG_PAGE_H

#include "signal/otlp/attributes.h"
#include "store/sqlite/block/frame.h"
#include "store/sqlite/logs/log_rows.h"
#include "store/sqlite/logs/log_strings.h"

/*
 * A page: at most LOGS_IN_PAGE records of a block, sorted by stream and time, as columns. The bytes
 * are the number of records, sizes of the pieces before and after compression, and the pieces, each
 * compressed by itself, so that a search reads the columns that it needs:
 *
 *	core	segments (runs of a stream): stream, records, first time; times (differences);
 *		severities, derived from the text where there is no number; kinds of bodies
 *	head	of the column of bodies that are strings (log_strings.h)
 *	text	the rest of it; lengths and bytes of other bodies, AnyValue messages
 *	details	everything else, log_details.h
 */
enum { LOGS_IN_PAGE = 4096, LOG_SEGMENTS_MAX = LOGS_IN_PAGE };

/* A page is ended when its records have this many bytes. */
#define LOG_PAGE_BYTES (1 * MIB)

enum log_piece { LOG_PIECE_CORE, LOG_PIECE_HEAD, LOG_PIECE_TEXT, LOG_PIECE_DETAILS, LOG_PIECES };

enum log_body { LOG_BODY_NONE, LOG_BODY_STRING, LOG_BODY_OTHER };

struct log_segment {
	uint32_t stream; /* of the block */
	uint32_t n;
	uint64_t first, last;
};

/* ---- encoding ---- */

enum { LOG_RECENT_HASHES = 1 << 14, LOG_RECENT_BYTES = LOG_RECENT_HASHES * 8 };

/* Collects what the filter of a page must have. */
struct log_hashes {
	struct arena *arena;
	VEC(uint64_t) list; /* without most duplicates */
	uint64_t *recent;   /* private */
};

struct log_page_packer {
	struct frame_packer packer;
	struct arena arena; /* of one page */
	struct log_strings_packer strings;
	struct buf pieces[LOG_PIECES], rest;
	/* Of the last page: */
	struct log_record *records;
	uint32_t *severities;
	struct log_segment *segments;
	uint32_t segment_n;
};

void log_page_packer_init(struct log_page_packer *p);
void log_page_packer_fini(struct log_page_packer *p);

/* Return the number of records from `first` on that make a page. */
uint32_t log_page_cut(const struct kept_log *logs, uint32_t n);

/*
 * Append a page of n sorted records, without frame header, and add its hashes. Return 0, -ENOMEM,
 * or -EBADMSG for a damaged record.
 */
MUST_USE int log_page_put(struct log_page_packer *p, struct buf *out, const struct kept_log *logs,
			  uint32_t n, struct log_hashes *hashes);

MUST_USE int log_hashes_add(struct log_hashes *h, uint64_t hash);
MUST_USE int log_hashes_tokens(void *hashes, struct str text); /* log_tokens.add */

/* ---- decoding ---- */

struct log_page {
	struct arena *arena;
	struct frame_unpacker *unpacker;
	uint32_t n;
	struct str packed[LOG_PIECES];
	uint32_t sizes[LOG_PIECES]; /* before compression */
	bool read[LOG_PIECES];
	/* core */
	struct log_segment *segments;
	uint32_t segment_n;
	uint64_t *times;
	uint32_t *severities;
	uint8_t *body_kinds;
	/* head and text; indexes of both columns by record */
	struct log_strings strings;
	uint32_t *body_places;
	const uint32_t *other_at;
	const char *others;
	uint32_t other_n;
};

/* Read the directory of a page; memory is of the arena. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int log_page_open(struct log_page *p, struct str bytes, struct frame_unpacker *u,
			   struct arena *a, struct err *e);

/* Read a piece, if it is not read yet: core before the others. Return as log_page_open(). */
MUST_USE int log_page_read(struct log_page *p, enum log_piece piece, struct err *e);

/* Return the body as text, in `scratch` or borrowed. `text` is read. */
struct str log_page_text(const struct log_page *p, uint32_t i, struct buf *scratch);

/* Return the body of a record that is not a string: an AnyValue message. */
struct str log_page_other_body(const struct log_page *p, uint32_t i);

#endif
