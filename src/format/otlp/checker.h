/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_CHECKER_H
#define VARVE_FORMAT_OTLP_CHECKER_H

#include "format/otlp/decoder.h"
#include "format/otlp/otlp.h"

/*
 * Private to the checker: check.c (messages, profiles, samples), check_tables.c (the rows of the
 * dictionary), check_rows.c (equal rows and rows nobody uses).
 *
 * It works on a batch that was decoded with nothing repaired: rows have the numbers they have in
 * the file, and any index may be out of range.
 */

/* What was seen while decoding: see enum otlp_event. `owner` is the row of its place. */
struct check_event {
	enum otlp_event event;
	uint32_t owner, row;
	uint64_t number;
};

enum { CHECK_PLACES = IN_STRING_TABLE + 1 };

struct otlp_checker {
	struct profile_batch b;
	unsigned flags;
	otlp_report *report;
	void *arg;
	int64_t broken;
	char prefix[32]; /* "messages[1]." in a stream */
	char profile_path[128];
	char text[512];
	bool zero_link_filled; /* link_table[0] has ids, of zeros */
	int failed;	       /* the first allocation that failed, while decoding */

	struct {
		VEC(struct check_event) all;
		uint32_t next; /* the first that was not reported yet */
	} events[CHECK_PLACES];

	uint32_t *string_class;		 /* the first string that reads the same */
	uint32_t *marks, *mark_at, mark; /* by string class: in this list, at that position */
	uint8_t *used[OTLP_TABLES];	 /* by row */
};

/* Report a broken rule; the path is formatted. */
void check_must(struct otlp_checker *c, const char *text, const char *path, ...) PRINTF_LIKE(3, 4);
void check_should(struct otlp_checker *c, const char *text, const char *path, ...)
	PRINTF_LIKE(3, 4);

/* Words for the two above, valid until the next call. */
const char *check_text(struct otlp_checker *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* "index N is out of range [0..M)" unless it is below `rows`; marks the row as used. */
bool check_index(struct otlp_checker *c, enum otlp_table table, uint32_t index, const char *path,
		 ...) PRINTF_LIKE(4, 5);

/* A list of attributes: each in range, each key once. `path` names the list. */
void check_attributes(struct otlp_checker *c, const uint32_t *ids, uint32_t n, const char *path);

uint32_t check_rows(const struct otlp_checker *c, enum otlp_table table);

/* Report the events of a place that belong to row `owner`. */
void check_events(struct otlp_checker *c, enum otlp_place place, uint32_t owner, const char *path);

void check_dictionary(struct otlp_checker *c);
MUST_USE int check_equal_rows(struct otlp_checker *c);
MUST_USE int check_equal_samples(struct otlp_checker *c, const struct profile *p);
void check_orphans(struct otlp_checker *c);

#endif
