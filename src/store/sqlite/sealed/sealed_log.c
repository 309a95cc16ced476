/* SPDX-License-Identifier: Apache-2.0 */
/* Translates reads and writes of SQLite's log. SQLite uses few sizes; others are refused. */
#include "store/sqlite/sealed/sealed_log.h"

#include <assert.h>

enum {
	LOG_HEADER = 32,
	FRAME_HEADER = 24,
	FRAME = FRAME_HEADER + SEALED_PAGE,
	/* in the file */
	LOG_HEADER_ROOM = 64,
	FRAME_HEADER_ROOM = 56,
	FRAME_ROOM = FRAME_HEADER_ROOM + SEALED_PAGE,
	PAGE_NUMBER = 4, /* at the beginning of a frame's header */
};

static_assert(LOG_HEADER + SEALED_EXTRA <= LOG_HEADER_ROOM, "the header of the log fits");
static_assert(sizeof(((struct sealed_log *)0)->header) == FRAME_HEADER_ROOM, "a header fits");
static_assert(FRAME_HEADER + SEALED_EXTRA <= FRAME_HEADER_ROOM, "the header of a frame fits");

static sqlite3_int64 frame_offset(uint64_t frame)
{
	return LOG_HEADER_ROOM + (sqlite3_int64)frame * FRAME_ROOM;
}

static struct sealed_place place_of(const struct sealed_log *l, enum sealed_place_kind kind,
				    uint64_t number)
{
	struct sealed_place at = {.kind = kind, .number = number};

	memcpy(at.file, l->pages->file, FILE_ID);
	return at;
}

/*
 * Return the place of a page from the header of its frame. The salts are no part of it: SQLite sets
 * them after the page was written where a transaction writes a page twice.
 */
static struct sealed_place place_of_page(const struct sealed_log *l, uint64_t frame,
					 const uint8_t header[FRAME_HEADER])
{
	struct sealed_place at = place_of(l, PLACE_FRAME, frame);

	memcpy(at.page, header, PAGE_NUMBER);
	return at;
}

static int read_real(struct sealed_log *l, void *out, int n, sqlite3_int64 at)
{
	return l->real->pMethods->xRead(l->real, out, n, at);
}

/* ---- writing ---- */

static int write_real(struct sealed_log *l, const void *in, int n, sqlite3_int64 at)
{
	return l->real->pMethods->xWrite(l->real, in, n, at);
}

int sealed_log_flush(struct sealed_log *l)
{
	if (!l->waits)
		return SQLITE_OK;
	l->waits = false;
	return write_real(l, l->header, FRAME_HEADER_ROOM, frame_offset(l->waiting));
}

static int write_log_header(struct sealed_log *l, const uint8_t *in)
{
	struct sealed_place at = place_of(l, PLACE_LOG_HEADER, 0);
	uint8_t out[LOG_HEADER_ROOM] = {0};

	if (sealed_record_seal(l->pages, &at, in, LOG_HEADER, out))
		return SQLITE_IOERR_WRITE;
	return write_real(l, out, sizeof(out), 0);
}

/* Keep the header in memory until its page is written. */
static int write_frame_header(struct sealed_log *l, const uint8_t *in, uint64_t frame)
{
	struct sealed_place at = place_of(l, PLACE_FRAME_HEADER, frame);

	memset(l->header, 0, FRAME_HEADER_ROOM);
	if (sealed_record_seal(l->pages, &at, in, FRAME_HEADER, l->header))
		return SQLITE_IOERR_WRITE;
	memcpy(l->page, in, PAGE_NUMBER);
	l->waiting = frame;
	l->waits = true;
	return SQLITE_OK;
}

/* Read the header of a frame that was written before. */
static int read_frame_header(struct sealed_log *l, uint64_t frame, uint8_t header[FRAME_HEADER])
{
	struct sealed_place at = place_of(l, PLACE_FRAME_HEADER, frame);
	uint8_t in[FRAME_HEADER_ROOM];
	int code = read_real(l, in, sizeof(in), frame_offset(frame));

	if (code)
		return code;
	return sealed_record_open(l->pages, &at, in, FRAME_HEADER, header) ? SQLITE_IOERR_DATA
									   : SQLITE_OK;
}

static int write_frame_page(struct sealed_log *l, const uint8_t *in, uint64_t frame)
{
	bool together = l->waits && l->waiting == frame;
	int code = together ? SQLITE_OK : sealed_log_flush(l);
	uint8_t header[FRAME_HEADER];
	struct sealed_place at;

	if (together)
		memcpy(header, l->page, PAGE_NUMBER);
	else if (!code)
		code = read_frame_header(l, frame, header);
	if (code)
		return code;
	at = place_of_page(l, frame, header);
	if (sealed_page_seal(l->pages, &at, in, l->pages->room + FRAME_HEADER_ROOM))
		return SQLITE_IOERR_WRITE;
	l->waits = false;
	if (together) {
		memcpy(l->pages->room, l->header, FRAME_HEADER_ROOM);
		return write_real(l, l->pages->room, FRAME_ROOM, frame_offset(frame));
	}
	return write_real(l, l->pages->room + FRAME_HEADER_ROOM, SEALED_PAGE,
			  frame_offset(frame) + FRAME_HEADER_ROOM);
}

int sealed_log_write(struct sealed_log *l, const void *in, int n, sqlite3_int64 at)
{
	uint64_t frame, within;
	int code;

	if (at == 0 && n == LOG_HEADER) {
		code = sealed_log_flush(l);
		return code ? code : write_log_header(l, in);
	}
	if (at < LOG_HEADER)
		return SQLITE_IOERR_WRITE;
	frame = (uint64_t)(at - LOG_HEADER) / FRAME;
	within = (uint64_t)(at - LOG_HEADER) % FRAME;
	if (within == 0 && n == FRAME_HEADER) {
		code = sealed_log_flush(l);
		return code ? code : write_frame_header(l, in, frame);
	}
	if (within == FRAME_HEADER && n == SEALED_PAGE)
		return write_frame_page(l, in, frame);
	return SQLITE_IOERR_WRITE;
}

/* ---- reading ---- */

/* Log once what is not authentic, and is skipped. */
static void report_log(struct sealed_log *l, uint64_t frame)
{
	if (!l->reported)
		log_warn(l->log,
			 "a write-ahead log ends at a frame that is torn or damaged; without a "
			 "power failure or a full disk, commits that follow are lost",
			 LOG_STR("file", str_from(l->name)), LOG_U64("frame", frame));
	l->reported = true;
}

static bool is_zero(const uint8_t *p, size_t n)
{
	return !*p && memcmp(p, p + 1, n - 1) == 0;
}

/* Read the header of the log, as zeros where it is damaged: SQLite then ignores the log. */
static int read_log_header(struct sealed_log *l, uint8_t out[LOG_HEADER])
{
	struct sealed_place at = place_of(l, PLACE_LOG_HEADER, 0);
	uint8_t in[LOG_HEADER_ROOM];
	int code = read_real(l, in, sizeof(in), 0);

	memset(out, 0, LOG_HEADER);
	if (!code && sealed_record_open(l->pages, &at, in, LOG_HEADER, out) &&
	    !is_zero(in, sizeof(in)))
		report_log(l, 0);
	return code;
}

/* Read a whole frame: of recovery, which verifies checksums. What is damaged is zero. */
static int read_frame(struct sealed_log *l, uint8_t *out, uint64_t frame)
{
	struct sealed_place header = place_of(l, PLACE_FRAME_HEADER, frame), page;
	uint8_t *in = l->pages->room;
	int code = read_real(l, in, FRAME_ROOM, frame_offset(frame));

	if (code) {
		memset(out, 0, FRAME);
		return code;
	}
	memcpy(out + FRAME_HEADER, in + FRAME_HEADER_ROOM, SEALED_PAGE);
	if (sealed_record_open(l->pages, &header, in, FRAME_HEADER, out)) {
		memset(out, 0, FRAME);
		if (!is_zero(in, FRAME_HEADER_ROOM))
			report_log(l, frame);
		return SQLITE_OK;
	}
	page = place_of_page(l, frame, out);
	if (sealed_page_open(l->pages, &page, out + FRAME_HEADER)) {
		memset(out, 0, FRAME);
		report_log(l, frame);
	}
	return SQLITE_OK;
}

/* Read the page of a frame, which SQLite has found valid before. */
static int read_frame_page(struct sealed_log *l, uint8_t *out, uint64_t frame)
{
	struct sealed_place header = place_of(l, PLACE_FRAME_HEADER, frame), page;
	uint8_t *in = l->pages->room, bytes[FRAME_HEADER];
	int code = read_real(l, in, FRAME_ROOM, frame_offset(frame));

	memset(out, 0, SEALED_PAGE);
	if (code)
		return code;
	if (sealed_record_open(l->pages, &header, in, FRAME_HEADER, bytes))
		return SQLITE_IOERR_DATA;
	page = place_of_page(l, frame, bytes);
	memcpy(out, in + FRAME_HEADER_ROOM, SEALED_PAGE);
	return sealed_page_open(l->pages, &page, out) ? SQLITE_IOERR_DATA : SQLITE_OK;
}

/* Read a part of a header: SQLite reads checksums so. */
static int read_header_part(struct sealed_log *l, uint8_t *out, int n, sqlite3_int64 at)
{
	struct sealed_place place;
	uint8_t in[FRAME_HEADER_ROOM], header[LOG_HEADER] = {0};
	uint64_t frame, within;
	int code;

	if (at < LOG_HEADER) {
		code = read_log_header(l, header);
		memcpy(out, header + at, (size_t)n);
		return code;
	}
	frame = (uint64_t)(at - LOG_HEADER) / FRAME;
	within = (uint64_t)(at - LOG_HEADER) % FRAME;
	place = place_of(l, PLACE_FRAME_HEADER, frame);
	code = read_real(l, in, sizeof(in), frame_offset(frame));
	if (!code && sealed_record_open(l->pages, &place, in, FRAME_HEADER, header))
		code = SQLITE_IOERR_DATA;
	memcpy(out, header + within, (size_t)n);
	return code;
}

int sealed_log_read(struct sealed_log *l, void *out, int n, sqlite3_int64 at)
{
	sqlite3_int64 in_frame = at - LOG_HEADER;
	uint64_t frame = in_frame < 0 ? 0 : (uint64_t)in_frame / FRAME;
	uint64_t within = in_frame < 0 ? 0 : (uint64_t)in_frame % FRAME;
	int code = sealed_log_flush(l);

	if (code)
		return code;
	if (in_frame >= 0 && within == 0 && n == FRAME)
		return read_frame(l, out, frame);
	if (in_frame >= 0 && within == FRAME_HEADER && n == SEALED_PAGE)
		return read_frame_page(l, out, frame);
	if (in_frame < 0 ? at + n <= LOG_HEADER : within + (uint64_t)n <= FRAME_HEADER)
		return read_header_part(l, out, n, at);
	return SQLITE_IOERR_READ;
}

/* ---- size ---- */

int sealed_log_truncate(struct sealed_log *l, sqlite3_int64 size)
{
	sqlite3_int64 to = 0;
	int code = sealed_log_flush(l);

	/* a limit of SQLite's need not be at the end of a frame: round it down */
	if (size >= LOG_HEADER)
		to = frame_offset((uint64_t)(size - LOG_HEADER) / FRAME);
	return code ? code : l->real->pMethods->xTruncate(l->real, to);
}

int sealed_log_size(struct sealed_log *l, sqlite3_int64 *out)
{
	sqlite3_int64 size = 0;
	int code = sealed_log_flush(l);

	if (!code)
		code = l->real->pMethods->xFileSize(l->real, &size);
	*out = size < LOG_HEADER_ROOM ? 0
				      : LOG_HEADER + (size - LOG_HEADER_ROOM) / FRAME_ROOM * FRAME;
	return code;
}
