/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_JSON_WRITE_H
#define VARVE_WIRE_JSON_WRITE_H

#include "base/buf.h"

/*
 * JSON out, straight into a buffer. Commas and indentation are the writer's; that objects get keys
 * and that what was opened is closed is the caller's.
 *
 *	struct json_writer w = json_writer_to(&out, 0);
 *	json_open_object(&w);
 *	json_put_key(&w, STR("name"));
 *	json_put_string(&w, name);
 *	json_close_object(&w);
 *
 * The output is always valid UTF-8. Memory errors stick in the buffer: buf_error(), once at the end.
 */
struct json_writer {
	struct buf *out;
	unsigned indent; /* spaces a level; 0: all on one line */
	unsigned depth;
	bool behind_value; /* a comma is due before the next one */
	bool behind_key;
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

/* Bytes that are not UTF-8 become U+FFFD, one for each. */
void json_put_string(struct json_writer *w, struct str s);
void json_put_i64(struct json_writer *w, int64_t value);
void json_put_u64(struct json_writer *w, uint64_t value);
void json_put_bool(struct json_writer *w, bool value);
void json_put_null(struct json_writer *w);

/* The shortest text that reads back as the same double; the strings "NaN", "Infinity", "-Infinity". */
void json_put_double(struct json_writer *w, double value);

/* 64-bit integers as strings, as proto3's JSON wants them. */
void json_put_i64_string(struct json_writer *w, int64_t value);
void json_put_u64_string(struct json_writer *w, uint64_t value);

/* `json` is a whole valid value already. */
void json_put_raw(struct json_writer *w, struct str json);

#endif
