/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_CHECK_CHECKER_H
#define VARVE_FORMAT_OTLP_CHECK_CHECKER_H

#include "format/otlp/check/check.h"
#include "format/otlp/decode/decoder.h"

/*
 * State and helpers shared by the files of the checker: check.c (messages, profiles, samples),
 * check_tables.c (rows of the dictionary) and check_rows.c (equal and unreferenced rows).
 *
 * The checker works on a batch that was decoded without repairs: rows have the numbers they have in
 * the file, and any index may be out of range.
 */

/* An event of the decoder (enum otlp_event). `owner` is the row that its place refers to. */
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
	int64_t broken;	 /* OTLP_MUST findings so far */
	char prefix[32]; /* of paths: "messages[1]." in a stream */
	char profile_path[128];
	char text[512];
	bool zero_link_filled; /* link_table[0] has ids, of zeros */
	int failed;	       /* -ENOMEM if an allocation failed in the observer */

	/* Events whose path is only known after decoding, by place, in order of owners. */
	struct {
		VEC(struct check_event) all;
		uint32_t next; /* first event that is not reported yet */
	} events[CHECK_PLACES];

	uint32_t *string_class; /* by string: the first string with the same text */
	/*
	 * by string class: marks[class] == mark if the key is in the current list, at
	 * mark_at[class]
	 */
	uint32_t *marks, *mark_at, mark;
	uint8_t *used[OTLP_TABLES]; /* by row: 1 if referenced */
};

/* Report a violated rule (must) or recommendation (should). `path` is a format for its location. */
void check_must(struct otlp_checker *c, const char *text, const char *path, ...) PRINTF_LIKE(3, 4);
void check_should(struct otlp_checker *c, const char *text, const char *path, ...)
	PRINTF_LIKE(3, 4);

/* Format a text for these functions. It is valid until the next call. */
const char *check_text(struct otlp_checker *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Mark the row of a table as used and return true, or report that the index is out of range and
 * return false.
 */
bool check_index(struct otlp_checker *c, enum otlp_table table, uint32_t index, const char *path,
		 ...) PRINTF_LIKE(4, 5);

/* Check a list of attributes: indices in range, keys distinct. `path` is the path of the list. */
void check_attributes(struct otlp_checker *c, const uint32_t *ids, uint32_t n, const char *path);

/* Return the number of rows of a table. */
uint32_t check_rows(const struct otlp_checker *c, enum otlp_table table);

/* Report the recorded events of a place whose owner is at most `owner`. */
void check_events(struct otlp_checker *c, enum otlp_place place, uint32_t owner, const char *path);

#endif
