/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_TEMPLATE_H
#define VARVE_STORE_SQLITE_LOG_TEMPLATE_H

#include "base/buf.h"
#include "base/container/vec.h"

/*
 * A text as a template and variables. The template is the text with a mark in the place of each
 * variable; variables are tokens with digits, or the digits of such a token:
 *
 *	LOG_NUMBER	decimal digits without leading zeros, at most 18
 *	LOG_DIGITS	decimal digits of a fixed width; the mark is followed by the width
 *	LOG_HEX		8 to 64 lower-case hex digits; the mark is followed by the length
 *	LOG_UUID	32 lower-case hex digits as 8-4-4-4-12
 *	LOG_WORD	any other token with digits
 *
 * A text with bytes below LOG_MARK_END, or with too many variables, has no template.
 */
enum log_mark {
	LOG_NUMBER = 1,
	LOG_DIGITS,
	LOG_HEX,
	LOG_UUID,
	LOG_WORD,
	LOG_MARK_END, /* must not occur in text */
};

enum { LOG_VARIABLES_MAX = 64, LOG_TEMPLATE_TEXT_MAX = 16384, LOG_HEX_MAX = 64 };

struct log_variable {
	struct str text;
	uint64_t number; /* of LOG_NUMBER and LOG_DIGITS */
};

/* The template of one text. */
struct log_scan {
	char *template; /* room for LOG_TEMPLATE_TEXT_MAX bytes */
	uint32_t template_n;
	uint32_t variable_n;
	struct log_variable variables[LOG_VARIABLES_MAX];
};

/* Find template and variables. Return false if the text has none. */
bool log_scan_text(struct log_scan *s, struct str text);

/* Return the bytes of the mark at p: 1, or 2 with its width. */
static inline size_t log_mark_size(char mark)
{
	return mark == LOG_DIGITS || mark == LOG_HEX ? 2 : 1;
}

/* Return the bytes of packed hex digits. */
static inline size_t log_hex_size(size_t digits)
{
	return (digits + 1) / 2;
}

/* Append the packed bytes of hex digits; those of a UUID without its dashes. */
void log_hex_pack(struct buf *out, struct str digits);

/* Write `digits` hex digits of packed bytes; 36 characters of a UUID. */
void log_hex_unpack(char *out, const uint8_t *packed, size_t digits);
void log_uuid_unpack(char *out, const uint8_t *packed);

/* Write a number, at least `width` digits; return the length. Room for 20 bytes. */
size_t log_number_write(char *out, uint64_t number, size_t width);

/* What a template says about all texts that are made of it. */
enum log_verdict { LOG_NEVER, LOG_MAYBE, LOG_ALWAYS };

/* Whether the phrase, in lower case, occurs in the texts with whole words. */
enum log_verdict log_template_phrase(struct str template, struct str phrase);

/* Whether the part occurs in the texts. */
enum log_verdict log_template_part(struct str template, struct str part);

/* Return a text that occurs in all matches of the expression; empty if there is none. */
struct str log_regex_literal(struct str pattern, char *room, size_t size);

#endif
