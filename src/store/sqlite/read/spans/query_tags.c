/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and values of attributes of all spans in a time range, by blocks. Blocks of recent commits
 * and those with spans of several tenants are decoded; of all others the index and single columns
 * are read.
 */
#include "store/sqlite/read/spans/query_tags.h"

#include "store/sqlite/read/query.h"
#include "store/sqlite/read/spans/query_spans.h"
#include "store/sqlite/spans/span_tags.h"
#include "store/sqlite/store_state.h"

struct tag_query {
	const struct store_tag_select *select;
	struct span_tags tags;
	struct arena arena; /* of the current block */
};

struct block_pieces {
	struct tag_query *query;
	struct reader *reader;
	const struct span_entry *entry;
};

static int load_pieces(void *ctx, struct str *pieces, struct err *e)
{
	struct block_pieces *b = ctx;

	return reader_blob(b->reader, b->entry->details, FRAME_SPAN_COLUMNS, &b->query->arena,
			   pieces, e);
}

static int decode_block(struct tag_query *q, struct reader *r, const struct span_entry *entry,
			bool details, struct err *e)
{
	struct span_rows rows;
	int rc = spans_read(r, entry, NULL, &q->arena, &rows, e);

	if (!rc && details)
		rc = spans_read_details(r, entry, NULL, &q->arena, &rows, e);
	return rc ? rc : span_tags_rows(&q->tags, &rows);
}

static int read_columns(struct tag_query *q, struct reader *r, const struct span_entry *entry,
			struct err *e)
{
	struct block_pieces b = {q, r, entry};
	const struct span_tag_pieces pieces = {load_pieces, &b, &r->connection->unpacker};
	struct span_rows origins = {.block_spans = (uint32_t)entry->spans};
	struct str index;
	int rc = reader_blob(r, entry->index, FRAME_SPAN_INDEX, &q->arena, &index, e);

	return rc ? rc : span_tags_columns(&q->tags, &origins, index, &pieces, e);
}

static int visit_block(struct tag_query *q, struct reader *r, const struct span_entry *entry,
		       struct err *e)
{
	enum span_tenants whose;
	struct str bytes;
	int rc = query_check_limits(&q->select->limits, true, e);

	if (rc || span_tags_need_structure(q->select) || !entry->index)
		return rc ? rc : decode_block(q, r, entry, !span_tags_need_structure(q->select), e);
	rc = reader_blob(r, entry->data, FRAME_SPANS, &q->arena, &bytes, e);
	if (!rc)
		rc = span_block_tenants(bytes, q->select->tenant, &q->arena, &whose, e);
	if (rc || whose == SPANS_OF_OTHERS)
		return rc;
	return whose == SPANS_OF_TENANT ? read_columns(q, r, entry, e)
					: decode_block(q, r, entry, true, e);
}

static int visit_partition(struct tag_query *q, struct partition *p, struct err *e)
{
	struct reader r = {0};
	int rc = reader_begin(&r, p, e);

	for (uint32_t i = rc ? 0 : r.directory->spans->n; !rc && i > 0; i--) {
		const struct span_entry *entry = &r.directory->spans->at[i - 1];

		if (entry->last < q->select->from || entry->first >= q->select->to)
			continue;
		rc = visit_block(q, &r, entry, e);
		arena_reset(&q->arena);
	}
	reader_end(&r);
	return rc;
}

static int visit_partitions(struct tag_query *q, struct sqlite_store *store, struct err *e)
{
	const struct store_tag_select *s = q->select;
	uint32_t n;
	struct partition **list = partitions_between(store, s->from, s->to, &n);
	int rc = list ? 0 : err_errno(e, -ENOMEM, "list the partitions");

	for (uint32_t i = n; !rc && i > 0; i--) {
		struct err own = {0};

		rc = visit_partition(q, list[i - 1], &own);
		if (rc == -EUCLEAN)
			partition_damaged(list[i - 1], &own);
		if (rc == -EUCLEAN || rc == -ENOENT)
			rc = 0; /* use the others */
		if (rc < 0 && e && !e->code)
			*e = own;
	}
	partitions_missing(store, s->from, s->to, s->limits.missing);
	partitions_release(list, n);
	return rc;
}

int query_tags(struct store *base, const struct store_tag_select *sel, store_visit_tag *visit,
	       void *ctx, struct err *e)
{
	struct tag_query q = {.select = sel, .tags = {.select = sel, .visit = visit, .ctx = ctx}};
	int rc;

	arena_init(&q.arena, sel->limits.budget);
	q.tags.arena = &q.arena;
	rc = visit_partitions(&q, store_of(base), e);
	arena_fini(&q.arena);
	if (rc == -ENOMEM && e && !e->code)
		(void)err_errno(e, rc, "list tags");
	return rc > 0 ? 0 : rc;
}
