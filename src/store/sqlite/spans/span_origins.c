/* SPDX-License-Identifier: Apache-2.0 */
/* The list of the resources and scopes of a block. */
#include "store/sqlite/spans/span_origins.h"

int span_origins_init(struct span_origins *o, const struct span_rows *r, struct arena *a)
{
	*o = (struct span_origins){
		.rows = r,
		.known = arena_zalloc(a, r->strings.n + 1, sizeof(*o->known)),
		.list = arena_alloc(a, r->strings.n + 1, sizeof(*o->list)),
	};
	return o->known && o->list ? 0 : -ENOMEM;
}

void span_origins_put(struct buf *out, const struct span_origins *o)
{
	column_put_varint(out, o->n);
	for (uint32_t i = 0; i < o->n; i++)
		column_put_str(out, o->rows->strings.at[o->list[i]]);
}

int span_origins_get(struct column_cursor *c, struct span_rows *rows, struct arena *a, uint32_t *n)
{
	int rc;

	*n = column_count(c);
	rc = c->bad ? 0 : vec_reserve(a, &rows->strings, *n);
	for (uint32_t i = 0; !rc && !c->bad && i < *n; i++) {
		struct str encoded = column_str(c);
		struct span_origin origin;

		c->bad |= !span_origin_get(encoded, &origin);
		rows->strings.at[rows->strings.n++] = encoded;
	}
	return rc;
}
