/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_JSON_H
#define VARVE_WIRE_JSON_H

#include "base/container/vec.h"
#include "base/err.h"
#include "wire/json_value.h"

/*
 * A strict JSON parser (RFC 8259; a leading UTF-8 BOM is accepted).
 *
 *	struct json doc;
 *	json_init(&doc, arena);
 *	rc = json_parse(&doc, in, e);
 *	use(json_root(&doc));
 *
 * Values borrow from the input and from the arena (only strings with escapes are copied), and are
 * valid until the next parse into the same document.
 */
struct json {
	struct arena *arena; /* borrowed */
	struct str in;	     /* borrowed */
	VEC(struct json_value) nodes;
};

enum {
	JSON_DEPTH_MAX = 512,
	JSON_NODES_MAX = 1 << 29,
};

void json_init(struct json *doc, struct arena *arena);

/*
 * Parse `in`, which must be one value. Return 0, -EBADMSG "at byte N (line L, column C): expected
 * X, found Y", -ENOMEM, or -EFBIG for 4 GiB and more. The nodes of the previous parse are reused.
 */
MUST_USE int json_parse(struct json *doc, struct str in, struct err *e);

/*
 * Like json_parse(), for a sequence of values (JSON lines): parse the value at *at and advance *at
 * past it. Return 1, 0 if there is only white space left, or an error.
 */
MUST_USE int json_parse_next(struct json *doc, struct str in, size_t *at, struct err *e);

/* Return the parsed value. */
static inline const struct json_value *json_root(const struct json *doc)
{
	return doc->nodes.n ? doc->nodes.at : NULL;
}

/* Return "a number", "nothing" etc. for error messages. */
const char *json_kind_name(enum json_kind kind);

/* Return the offset of the value in the input; the end of the input for NULL. */
size_t json_offset(const struct json *doc, const struct json_value *v);

/* Set "at byte N (line L, column C): expected X, found a number" and return -EBADMSG. */
int json_fail(const struct json *doc, const struct json_value *v, struct err *e,
	      const char *expected);

#endif
