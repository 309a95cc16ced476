/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_VARVE_JSON_FIELDS_H
#define VARVE_API_VARVE_JSON_FIELDS_H

#include "query/tree/cut.h"
#include "wire/json_write.h"

/* Members of an open JSON object: of our answers, and of pages that carry theirs with them. */

void put_texts(struct json_writer *w, const char *key, const struct str *at, uint32_t n);
void put_u64(struct json_writer *w, const char *key, uint64_t value);
void put_i64(struct json_writer *w, const char *key, int64_t value);
void put_flag(struct json_writer *w, const char *key, bool value);
void put_ms(struct json_writer *w, const char *key, uint64_t ns);
void put_text(struct json_writer *w, const char *key, struct str text);

/*
 * Members of an open object: the shown part of a tree as columns, a node before what it calls, the larger call
 * first: names, and level, name, self, total (before_self and before_total if `both`) of each node. 0 or -ENOMEM.
 */
MUST_USE int put_nodes(struct json_writer *w, struct tree *t, const struct cut *c, bool both,
		       struct arena *arena);

#endif
