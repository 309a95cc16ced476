/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding and decoding roll-ups, by walking the touched blocks of node_sums. */
#include "store/sqlite/block/rollup_block.h"

#include "store/sqlite/block/columns.h"

/* Write one set of sums: count, unit, nodes (delta), values. */
static int encode_sums(struct buf *out, struct buf *ends, const struct node_sums *s,
		       struct arena *a)
{
	uint32_t *nodes, count = 0, before = 0;
	uint64_t *values, unit = 0;

	for (uint32_t first = 0, end = 0; node_sums_next(s, &first, &end);)
		for (uint32_t i = first; i < end; i++) {
			uint64_t x = s->at[i] < 0 ? 0 - (uint64_t)s->at[i] : (uint64_t)s->at[i];

			count += x != 0;
			while (x && unit != 1) { /* unit = gcd(unit, x) */
				uint64_t rest = unit % x;

				unit = x;
				x = rest;
			}
		}
	unit = unit && unit <= INT64_MAX ? unit : 1;
	nodes = arena_alloc(a, count, sizeof(*nodes));
	values = arena_alloc(a, count, sizeof(*values));
	if (!nodes || !values)
		return -ENOMEM;
	column_put_varint(out, count);
	column_put_varint(out, unit);
	count = 0;
	for (uint32_t first = 0, end = 0; node_sums_next(s, &first, &end);)
		for (uint32_t i = first; i < end; i++) {
			if (!s->at[i])
				continue;
			nodes[count] = i - before;
			values[count++] = zigzag(s->at[i] / (int64_t)unit);
			before = i;
		}
	column_put_u32(out, nodes, count);
	column_end(ends, out);
	column_put_u64(out, values, count);
	column_end(ends, out);
	return buf_error(out) ? buf_error(out) : buf_error(ends);
}

int rollup_encode(struct buf *out, struct buf *ends, const struct node_sums *sums,
		  const struct node_sums *parts)
{
	struct arena scratch;
	int rc;

	arena_init(&scratch, NULL);
	rc = encode_sums(out, ends, sums, &scratch);
	if (!rc && parts)
		rc = encode_sums(out, ends, parts, &scratch);
	arena_fini(&scratch);
	return rc;
}

static int decode_sums(struct column_cursor *c, struct node_sums *to, struct arena *a)
{
	uint32_t n = column_count(c), *nodes, node = 0;
	int64_t unit = (int64_t)column_varint(c);
	uint64_t *values;
	int rc = 0;

	nodes = column_new_u32(c, a, n, &rc);
	values = column_new_u64(c, a, n, &rc);
	if (rc || c->bad || unit < 1)
		return rc ? rc : -EUCLEAN;
	for (uint32_t i = 0; to && i < n; i++) {
		node += nodes[i];
		if (node >= to->n)
			return -EUCLEAN;
		node_sums_add(to, node, (int64_t)((uint64_t)unzigzag(values[i]) * (uint64_t)unit));
	}
	return 0;
}

int rollup_add(struct str rollup, bool parts, struct node_sums *to, struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(rollup);
	int rc = decode_sums(&c, parts ? NULL : to, a);

	if (!rc && parts)
		rc = c.p == c.end ? -EUCLEAN : decode_sums(&c, to, a);
	if (rc == -EUCLEAN)
		return err_set(e, -EUCLEAN, "the sums of a chunk are damaged");
	return rc ? err_errno(e, rc, "read a roll-up") : 0;
}
