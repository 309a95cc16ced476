/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_JSON_WRITE_H
#define VARVE_WIRE_JSON_WRITE_H

#include "base/buf.h"

/*
 * A JSON writer that appends to a buffer. The writer adds commas and indentation; the caller writes
 * a key before each value of an object and closes what it opens.
 *
 *	struct json_writer w = json_writer_to(&out, 0);
 *	json_open_object(&w);
 *	json_put_key(&w, STR("name"));
 *	json_put_string(&w, name);
 *	json_close_object(&w);
 *
 * The output is always valid UTF-8. Memory errors are sticky: check buf_error() once, at the end.
 */
struct json_writer {
	struct buf *out;
	unsigned indent; /* spaces per level; 0: everything on one line */
	unsigned depth;
	bool needs_comma; /* a comma is needed before the next value */
	bool after_key;
};

static inline struct json_writer json_writer_to(struct buf *out, unsigned indent)
{
	return (struct json_writer){.out = out, .indent = indent};
}

void json_open_object(struct json_writer *w);
void json_close_object(struct json_writer *w);
void json_open_array(struct json_writer *w);
void json_close_array(struct json_writer *w);

void json_put_key(struct json_writer *w, struct str key);

/* Append a string; each byte that is not valid UTF-8 is replaced by U+FFFD. */
void json_put_string(struct json_writer *w, struct str s);
void json_put_i64(struct json_writer *w, int64_t value);
void json_put_u64(struct json_writer *w, uint64_t value);
void json_put_bool(struct json_writer *w, bool value);
void json_put_null(struct json_writer *w);

/*
 * Append the shortest text that parses to the same double, or the strings "NaN", "Infinity",
 * "-Infinity".
 */
void json_put_double(struct json_writer *w, double value);

/* Append a 64-bit integer as a string, as proto3's JSON mapping requires. */
void json_put_i64_string(struct json_writer *w, int64_t value);
void json_put_u64_string(struct json_writer *w, uint64_t value);

/* Append `json`, which must be a valid value. */
void json_put_raw(struct json_writer *w, struct str json);

#endif
