/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding of the details of merged blocks. Sizes and counts are checked against the limits of the
 * encoder before memory is allocated; a group of spans is restored at a time.
 */
#include "store/sqlite/spans/span_columns.h"

#include "store/sqlite/block/columns.h"
#include "store/sqlite/spans/span_group.h"
#include "store/sqlite/spans/span_origins.h"

/* Of a group: at least two bytes of details for each value, and limits of its pieces. */
#define GROUP_VALUES_MAX (SPAN_GROUP_BYTES_MAX / 2)
#define PIECE_MAX (4 * SPAN_GROUP_BYTES_MAX)

/* ---- the index ---- */

static void get_column_entry(struct column_cursor *c, struct span_column *out)
{
	const uint8_t *kinds = column_bytes(c, 3);
	uint64_t count, raw, packed;

	if (!kinds)
		return;
	*out = (struct span_column){.field = kinds[0], .type = kinds[1], .encoding = kinds[2]};
	out->key = column_str(c);
	count = column_varint(c);
	raw = column_varint(c);
	packed = column_varint(c);
	if (count > GROUP_VALUES_MAX || raw > PIECE_MAX || packed > raw ||
	    out->field > SPAN_FIELD_FLAGS || out->type >= SPAN_VALUE_TYPES ||
	    out->encoding >= SPAN_ENCODINGS ||
	    span_column_has_numbers(out) != (out->encoding == SPAN_NUMBERS)) {
		c->bad = true;
		return;
	}
	out->count = (uint32_t)count;
	out->raw = (uint32_t)raw;
	out->packed = (uint32_t)packed;
	if (!span_column_has_numbers(out))
		return;
	out->min = column_varint(c);
	out->max = column_varint(c);
}

/* Read a group whose pieces begin at *at, and add their sizes to it. 0 or -ENOMEM. */
static int get_group_entry(struct column_cursor *c, struct span_group *g, size_t *at,
			   struct arena *a)
{
	uint64_t rows = column_varint(c), raw = column_varint(c), packed = column_varint(c);
	uint32_t n = column_count(c);
	size_t filter;

	if (c->bad || !rows || rows > SPAN_GROUP_ROWS || raw > PIECE_MAX || packed > raw) {
		c->bad = true;
		return 0;
	}
	g->rows = (uint32_t)rows;
	g->raw = (uint32_t)raw;
	g->packed = (uint32_t)packed;
	g->at = *at;
	*at += packed;
	g->columns = arena_zalloc(a, (size_t)n + 1, sizeof(*g->columns));
	if (!g->columns)
		return -ENOMEM;
	g->column_count = n;
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		get_column_entry(c, &g->columns[i]);
		*at += g->columns[i].packed;
	}
	filter = column_varint(c);
	g->filter.p = (const char *)column_bytes(c, filter);
	g->filter.n = c->bad ? 0 : filter;
	return 0;
}

/* Read the times of all groups; the first indexes did not have them. */
static void get_times(struct column_cursor *c, struct span_index *in)
{
	bool have = column_left(c);

	for (uint32_t i = 0; !c->bad && i < in->group_count; i++) {
		struct span_group *g = &in->groups[i];

		g->first_start = have ? column_varint(c) : 0;
		g->last_start = have ? column_varint(c) : UINT64_MAX;
		g->last_end = have ? column_varint(c) : UINT64_MAX;
		g->longest = have ? column_varint(c) : UINT64_MAX;
	}
}

int span_index_get(struct span_index *out, struct span_rows *rows, struct str index,
		   struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(index);
	uint32_t first = 0;
	size_t at = 0;
	int rc = span_origins_get(&c, rows, a, &out->origin_count);

	out->group_count = column_count(&c);
	out->groups = NULL;
	if (!rc && !c.bad) {
		out->groups = arena_zalloc(a, (size_t)out->group_count + 1, sizeof(*out->groups));
		rc = out->groups ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; !rc && !c.bad && i < out->group_count; i++) {
		rc = get_group_entry(&c, &out->groups[i], &at, a);
		out->groups[i].first = first;
		first += out->groups[i].rows;
		c.bad |= first > rows->block_spans;
	}
	if (rc)
		return err_errno(e, rc, "read spans");
	get_times(&c, out);
	if (c.bad || column_left(&c) || first != rows->block_spans)
		return err_set(e, -EUCLEAN, "an index of spans is damaged");
	return 0;
}

/* ---- needed columns ---- */

bool span_needs_column(const struct span_need *need, const struct span_column *c)
{
	if (!need || c->field == SPAN_FIELD_WHOLE)
		return true;
	switch (c->field) {
	case SPAN_FIELD_EVENTS:
		return need->events;
	case SPAN_FIELD_LINKS:
		return need->links;
	case SPAN_FIELD_STATUS:
		return need->status;
	case SPAN_FIELD_ATTRIBUTES:
		break;
	default:
		return false;
	}
	if (c->type == SPAN_VALUE_MESSAGE)
		return need->key_count;
	for (uint32_t i = 0; i < need->key_count; i++)
		if (str_eq(need->keys[i], c->key))
			return true;
	return false;
}

int span_need_of(struct span_need *out, const struct trace_field *fields, uint32_t n,
		 struct arena *a)
{
	*out = (struct span_need){.keys = arena_alloc(a, n + (size_t)1, sizeof(*out->keys))};
	if (!out->keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_field *f = &fields[i];
		bool intrinsic = f->scope == TRACE_SCOPE_INTRINSIC;

		if (f->scope == TRACE_SCOPE_SPAN)
			out->keys[out->key_count++] = f->key;
		out->events |= f->scope == TRACE_SCOPE_EVENT ||
			       (intrinsic && (f->intrinsic == TRACE_EVENT_NAME ||
					      f->intrinsic == TRACE_EVENT_TIME));
		out->links |= f->scope == TRACE_SCOPE_LINK ||
			      (intrinsic && (f->intrinsic == TRACE_LINK_TRACE_ID ||
					     f->intrinsic == TRACE_LINK_SPAN_ID));
		out->status |= intrinsic && f->intrinsic == TRACE_STATUS_MESSAGE;
	}
	return 0;
}

/* ---- groups ---- */

struct details_reader {
	struct span_group_reader group;
	struct span_rows *rows;
	const struct span_need *need;
	struct arena *arena; /* of the results */
	uint32_t next_row;   /* the first span of the rows that is not before the group */
	uint32_t first_origin;
	struct buf details;
};

/* Return the place in the block of the row, or UINT32_MAX after the last one. */
static uint32_t place_of(const struct details_reader *d, uint32_t row)
{
	if (row >= d->rows->spans.n)
		return UINT32_MAX;
	return d->rows->picked ? d->rows->picked[row] : row;
}

/* Give the spans of the group the details that were restored. */
static int hand_out(struct details_reader *d, const bool *wanted, const uint32_t *ends)
{
	const struct span_group_reader *g = &d->group;
	uint32_t from = 0;
	struct str all;
	int rc = arena_copy_str(d->arena, buf_str(&d->details), &all);

	for (uint32_t i = 0; !rc && i < g->group->rows; from = ends[i++]) {
		struct kept_span *s = &d->rows->spans.at[d->next_row];

		if (!wanted[i])
			continue;
		d->next_row++;
		s->resource = g->resource_of[i] ? d->first_origin + (uint32_t)g->resource_of[i] : 0;
		s->scope = g->scope_of[i] ? d->first_origin + (uint32_t)g->scope_of[i] : 0;
		s->details = str_of(all.p + from, ends[i] - from);
		d->rows->bytes += s->details.n;
	}
	return rc;
}

static int restore_group(struct details_reader *d, const struct span_group *group, struct err *e)
{
	uint32_t row = d->next_row, *ends;
	bool *wanted;
	int rc;

	span_group_open(&d->group, group);
	wanted = arena_alloc(&d->group.scratch, (size_t)group->rows + 1, sizeof(*wanted));
	ends = arena_alloc(&d->group.scratch, (size_t)group->rows + 1, sizeof(*ends));
	if (!wanted || !ends)
		return err_errno(e, -ENOMEM, "read spans");
	for (uint32_t i = 0; i < group->rows; i++) {
		wanted[i] = place_of(d, row) == group->first + i;
		row += wanted[i];
	}
	buf_clear(&d->details);
	span_group_restore(&d->group, d->need, wanted, &d->details, ends);
	rc = span_group_error(&d->group, e);
	if (rc)
		return rc;
	rc = hand_out(d, wanted, ends);
	return rc ? err_errno(e, rc, "read spans") : 0;
}

int span_columns_get(struct span_rows *rows, struct str index, struct str pieces,
		     const struct span_need *need, struct frame_unpacker *u, struct arena *a,
		     struct err *e)
{
	struct details_reader d = {
		.rows = rows, .need = need, .first_origin = rows->strings.n, .arena = a};
	struct span_index in;
	int rc = span_index_get(&in, rows, index, a, e);

	if (rc)
		return rc;
	span_group_init(&d.group, &in, pieces, u, a->budget);
	buf_init(&d.details, a->budget);
	for (uint32_t i = 0; !rc && i < in.group_count; i++)
		if (place_of(&d, d.next_row) - in.groups[i].first < in.groups[i].rows)
			rc = restore_group(&d, &in.groups[i], e);
	buf_fini(&d.details);
	span_group_fini(&d.group);
	return rc;
}
