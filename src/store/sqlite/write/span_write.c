/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing spans: map them to the pending rows, write them with the commit, and later replace the
 * blocks by merged ones.
 */
#include "store/sqlite/write/span_write.h"

#include <stdlib.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/catalog/time_limits.h"
#include "store/sqlite/spans/span_columns.h"
#include "store/sqlite/spans/span_packed.h"
#include "store/sqlite/write/commit.h"

/* Random ids do not compress at any level. Packed details are rewritten within seconds. */
enum { SPANS_ZSTD = 1, PACKED_ZSTD = -3 };

/* ---- mapping ---- */

static uint64_t start_of(const struct store_write *w, const struct span *s)
{
	return s->start ? s->start : w->received;
}

/* String numbers of the previous span: consecutive spans often share service and name. */
struct last_texts {
	struct str service, name;
	uint32_t tenant, service_number, name_number;
};

static int map_text(struct commit_rows *c, struct str text, struct str *last, uint32_t *number)
{
	int rc = 0;

	if (last->p == text.p && last->n == text.n && text.p)
		return 0;
	rc = span_rows_string(&c->spans, &c->arena, text, number);
	*last = text;
	return rc;
}

/* The string numbers of the resources and scopes of a write, by index; 0: not known yet. */
struct write_origins {
	uint32_t *resources, *scopes;
	struct buf encoded;
};

static int map_origin(struct commit_rows *c, struct write_origins *o, uint32_t *known,
		      const struct span_origin *origins, uint32_t number, uint32_t *out)
{
	int rc = 0;

	if (number && !known[number - 1]) {
		buf_clear(&o->encoded);
		span_origin_put(&o->encoded, &origins[number - 1]);
		rc = buf_error(&o->encoded);
		if (!rc)
			rc = span_rows_string(&c->spans, &c->arena, buf_str(&o->encoded),
					      &known[number - 1]);
		known[number - 1]++;
	}
	*out = number ? known[number - 1] : 0;
	return rc;
}

static int map_span(struct commit_rows *c, const struct store_write *w, const struct span *s,
		    struct last_texts *t, struct write_origins *o)
{
	struct kept_span k = {.start = start_of(w, s),
			      .duration = s->end > s->start ? s->end - s->start : 0,
			      .tenant = t->tenant,
			      .kind = s->kind,
			      .status = s->status};
	int rc = map_text(c, s->service, &t->service, &t->service_number);

	if (!rc)
		rc = map_text(c, s->name, &t->name, &t->name_number);
	if (!rc)
		rc = map_origin(c, o, o->resources, w->spans->resources.at, s->resource,
				&k.resource);
	if (!rc)
		rc = map_origin(c, o, o->scopes, w->spans->scopes.at, s->scope, &k.scope);
	if (!rc && s->details.n)
		rc = arena_copy_str(&c->arena, s->details, &k.details);
	k.service = t->service_number;
	k.name = t->name_number;
	memcpy(k.trace_id, s->trace_id, sizeof(k.trace_id));
	memcpy(k.span_id, s->span_id, sizeof(k.span_id));
	memcpy(k.parent_id, s->parent_id, sizeof(k.parent_id));
	if (!rc)
		rc = vec_push(&c->arena, &c->spans.spans, k);
	c->spans.bytes += rc ? 0 : k.details.n;
	return rc;
}

int writer_map_spans(struct partition *p, struct store_write *w, struct err *e)
{
	struct commit_rows *c = &p->writer->pending;
	uint32_t before = c->spans.spans.n;
	size_t bytes = c->spans.bytes;
	struct last_texts texts = {0};
	struct write_origins origins = {
		.resources = calloc(w->spans->resources.n + 1, sizeof(uint32_t)),
		.scopes = calloc(w->spans->scopes.n + 1, sizeof(uint32_t)),
	};
	int rc = origins.resources && origins.scopes
			 ? span_rows_string(&c->spans, &c->arena, w->tenant, &texts.tenant)
			 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < w->spans->spans.n; i++) {
		const struct span *s = &w->spans->spans.at[i];

		if (start_of(w, s) / NS_PER_DAY == p->day && time_limits_accept(w, s->start))
			rc = map_span(c, w, s, &texts, &origins);
	}
	free(origins.resources);
	free(origins.scopes);
	buf_fini(&origins.encoded);
	if (!rc)
		return 0;
	c->spans.spans.n = before;
	c->spans.bytes = bytes;
	return err_errno(e, rc, "store spans");
}

/* ---- writing ---- */

static bool has_details(const struct span_rows *r, uint32_t first, uint32_t n)
{
	if (r->bytes)
		return true;
	for (uint32_t i = first; i < first + n; i++)
		if (r->spans.at[i].resource || r->spans.at[i].scope)
			return true;
	return false;
}

static int pack_details(struct new_spans *out, const struct span_rows *r, struct span_order *order,
			bool merged)
{
	struct buf details = {0}, index = {0};
	int rc = merged ? span_columns_put(&index, &details, r, order)
			: span_packed_put(&details, r, order);

	if (!rc && !merged)
		rc = frame_put(&out->details, FRAME_SPAN_ROWS, PACKED_ZSTD, buf_str(&details));
	if (!rc && merged)
		rc = frame_put(&out->details, FRAME_SPAN_COLUMNS, 0, buf_str(&details));
	if (!rc && merged)
		rc = frame_put(&out->index, FRAME_SPAN_INDEX, SPANS_ZSTD, buf_str(&index));
	out->raw += details.n;
	for (uint32_t t = 0; t < order->traces_n; t++)
		for (uint32_t i = 0; i < order->traces[t].n; i++)
			out->entry.details_bytes +=
				order->spans[order->traces[t].first + i].details.n;
	buf_fini(&details);
	buf_fini(&index);
	return rc;
}

static int pack_filter(struct buf *out, struct span_order *order, bool ids)
{
	struct buf bits = {0};
	int rc = span_filter_put(&bits, order, ids);

	if (!rc)
		rc = frame_put(out, FRAME_SPAN_FILTER, 0, buf_str(&bits));
	buf_fini(&bits);
	return rc;
}

int spans_pack(struct new_spans *out, const struct span_rows *r, uint32_t first, uint32_t n,
	       bool merged)
{
	struct buf block = {0};
	struct span_extent extent = {0};
	struct span_order order;
	int rc = span_order_init(&order, r->spans.at + first, n);

	if (!rc)
		rc = span_block_put(&block, r, &order, &extent);
	if (!rc)
		rc = frame_put(&out->data, FRAME_SPANS, SPANS_ZSTD, buf_str(&block));
	if (!rc && merged)
		rc = pack_filter(&out->filter, &order, true);
	if (!rc && merged)
		rc = pack_filter(&out->trace_filter, &order, false);
	out->raw = block.n;
	if (!rc && has_details(r, first, n))
		rc = pack_details(out, r, &order, merged);
	out->entry.first = extent.first;
	out->entry.last = extent.last;
	out->entry.spans = extent.spans;
	out->entry.made = clock_realtime_ns() / NS_PER_SECOND;
	span_order_fini(&order);
	buf_fini(&block);
	return rc;
}

void new_spans_fini(struct new_spans *s)
{
	buf_fini(&s->data);
	buf_fini(&s->filter);
	buf_fini(&s->trace_filter);
	buf_fini(&s->details);
	buf_fini(&s->index);
}

/* Write the blobs of a block, and set their ids in its entry. */
static int insert_span_blobs(struct writer_side *side, struct new_spans *b, struct err *e)
{
	enum frame_kind kind = b->index.n ? FRAME_SPAN_COLUMNS : FRAME_SPAN_ROWS;
	int rc = writer_put_blob(side, FRAME_SPANS, buf_str(&b->data), &b->entry.data, e);

	if (!rc && b->filter.n)
		rc = writer_put_blob(side, FRAME_SPAN_FILTER, buf_str(&b->filter), &b->entry.filter,
				     e);
	if (!rc && b->trace_filter.n)
		rc = writer_put_blob(side, FRAME_SPAN_FILTER, buf_str(&b->trace_filter),
				     &b->entry.trace_filter, e);
	if (!rc && b->details.n)
		rc = writer_put_blob(side, kind, buf_str(&b->details), &b->entry.details, e);
	if (!rc && b->index.n)
		rc = writer_put_blob(side, FRAME_SPAN_INDEX, buf_str(&b->index), &b->entry.index,
				     e);
	b->entry.bytes = b->data.n + b->filter.n + b->trace_filter.n + b->details.n + b->index.n;
	return rc;
}

/* Write the block and its row, and set the ids in its entry. */
static int insert_span_block(struct writer_side *side, struct new_spans *b,
			     struct span_state *state, struct err *e)
{
	uint64_t *fields = &b->entry.hour;
	sqlite3_stmt *s;
	int rc = insert_span_blobs(side, b, e);

	if (!rc)
		rc = db_statement(&side->db, WRITE_SPANS, &s, e);
	if (rc)
		return rc;
	for (int i = 0; i < (int)(sizeof(b->entry) / sizeof(*fields)) - 1; i++)
		db_bind(s, i + 1, fields[i]);
	rc = db_run(&side->db, s, e);
	b->entry.id = (uint64_t)sqlite3_last_insert_rowid(side->db.handle);
	state->rows++;
	state->fold ^= span_entry_sum(&b->entry);
	return rc;
}

static int write_span_state(struct writer_side *side, const struct span_state *state, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(&side->db, WRITE_SPAN_STATE, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, state->rows);
	db_bind(s, 2, state->fold);
	db_bind(s, 3, span_state_sum(state));
	return db_run(&side->db, s, e);
}

int writer_put_spans(struct writer_side *side, struct directory *d, struct err *e)
{
	const struct span_rows *r = &side->sealed.spans;
	uint32_t at = d->spans->n - commit_span_blocks(&side->sealed);
	int rc = 0;

	for (uint32_t first = 0, n; !rc && first < r->spans.n; first += n) {
		struct new_spans b = {.entry.hour = SPANS_OF_ANY_HOUR};

		n = span_rows_cut(r, first);
		rc = spans_pack(&b, r, first, n, false);
		if (rc)
			(void)err_errno(e, rc, "write spans");
		else
			rc = insert_span_block(side, &b, &d->span_state, e);
		d->spans->at[at++] = b.entry;
		side->ingested += b.raw;
		new_spans_fini(&b);
	}
	return rc ? rc : write_span_state(side, &d->span_state, e);
}

/* ---- replacing ---- */

static int delete_span_block(struct writer_side *side, const struct span_entry *entry,
			     struct span_state *state, struct err *e)
{
	const uint64_t blobs[] = {entry->data, entry->filter, entry->trace_filter, entry->details,
				  entry->index};
	int rc = db_run_id(&side->db, DELETE_SPANS, entry->id, e);

	for (size_t i = 0; !rc && i < countof(blobs); i++)
		if (blobs[i])
			rc = db_run_id(&side->db, DELETE_BLOB, blobs[i], e);
	state->rows--;
	state->fold ^= span_entry_sum(entry);
	return rc;
}

int span_replacement_apply(struct span_replacement *s, struct writer_side *side,
			   const struct span_list *old, struct directory *d, struct err *e)
{
	uint32_t n = 0;
	int rc = 0;

	if (d->spans == old) /* no change */
		return 0;
	for (uint32_t i = 0; !rc && i < old->n; i++) {
		if (id_is_listed(s->drop.at, s->drop.n, old->at[i].id))
			rc = delete_span_block(side, &old->at[i], &d->span_state, e);
		else
			d->spans->at[n++] = old->at[i];
	}
	if (!rc && old->n - n != s->drop.n)
		return -ESTALE;
	for (uint32_t i = 0; !rc && i < s->add.n; i++) {
		rc = insert_span_block(side, &s->add.at[i], &d->span_state, e);
		d->spans->at[n++] = s->add.at[i].entry;
	}
	d->spans->n = n;
	return rc ? rc : write_span_state(side, &d->span_state, e);
}

struct span_list *span_replacement_list(const struct span_replacement *s, struct span_list *old)
{
	if (s->drop.n || s->add.n)
		return span_list_new(old->n + s->add.n);
	atomic_fetch_add(&old->refs, 1);
	return old;
}
