/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_VARVE_JSON_FIELDS_H
#define VARVE_API_VARVE_JSON_FIELDS_H

#include "query/tree/cut.h"
#include "signal/series.h"
#include "wire/json_write.h"

/* JSON of responses, and of pages that contain their data: members of an open object. */
struct reply;
struct store_missing;
struct view_query;

void put_texts(struct json_writer *w, const char *key, const struct str *at, uint32_t n);
void put_u64(struct json_writer *w, const char *key, uint64_t value);
void put_i64(struct json_writer *w, const char *key, int64_t value);
void put_flag(struct json_writer *w, const char *key, bool value);
void put_ms(struct json_writer *w, const char *key, uint64_t ns);
void put_text(struct json_writer *w, const char *key, struct str text);

enum { HEX_ID_MAX = 32 };
void put_hex(struct json_writer *w, const char *key, const uint8_t *id, size_t n);

/* Append an object of labels, as a value. */
void put_labels(struct json_writer *w, struct label_set labels);

/*
 * Append the shown part of a tree as columns: names, and level, name, self, total (before_self and
 * before_total if `both`) of each node. A node precedes its callees, the largest first. Return 0 or
 * -ENOMEM.
 */
MUST_USE int put_nodes(struct json_writer *w, struct tree *t, const struct cut *c, bool both,
		       struct arena *arena);

/*
 * Begin the object of a response, with "warnings" if data is missing. Call it after the store was
 * queried: only then is it known what is missing.
 */
struct json_writer answer_open(struct reply *out, const struct store_missing *missing);

/* Like answer_open(), and append type, unit, gauge, from, to and as_of of the query. */
struct json_writer view_open(struct reply *out, const struct view_query *q);

/* Close the object of a response. Return 0 or -ENOMEM. */
MUST_USE int view_close(struct json_writer *w);

#endif
