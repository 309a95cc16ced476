/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding of the details of merged blocks. Sizes and counts are checked against the limits of the
 * encoder before memory is allocated; a group of spans is restored at a time.
 */
#include "store/sqlite/spans/span_columns.h"

#include "store/sqlite/block/columns.h"
#include "store/sqlite/spans/span_fields.h"
#include "store/sqlite/spans/span_origins.h"
#include "store/sqlite/spans/span_values.h"

/* Of a group: at least two bytes of details for each value, and limits of its pieces. */
#define GROUP_BYTES_MAX (SPAN_GROUP_BYTES + SPAN_DETAILS_MAX)
#define GROUP_VALUES_MAX (GROUP_BYTES_MAX / 2)
#define PIECE_MAX (4 * GROUP_BYTES_MAX)

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
	if (c.bad || column_left(&c) || first != rows->block_spans)
		return err_set(e, -EUCLEAN, "an index of spans is damaged");
	return 0;
}

/* ---- groups ---- */

struct group_decoder {
	struct span_rows *rows;
	const struct span_group *group;
	uint32_t next_row; /* the first span of the rows that is not before the group */
	uint32_t first_origin, origin_count;
	struct str pieces;
	struct frame_unpacker *unpacker;
	struct arena *arena;  /* of the results */
	struct arena scratch; /* of the group */
	uint32_t shape_count;
	const uint32_t **shapes; /* of each: the number of its columns, then these */
	uint64_t *shape_of, *resource_of, *scope_of;
	union span_value **values; /* by column */
	uint32_t *next;		   /* by column: its next value */
	struct buf details;
	uint32_t *ends; /* of the details of each span of the group */
	bool bad;
	int rc;
};

/* Unpack the next piece. An empty slice where it is damaged. */
static struct column_cursor open_piece(struct group_decoder *d, size_t *at, uint32_t raw,
				       uint32_t packed)
{
	struct str piece = str_from_at(d->pieces, *at < d->pieces.n ? *at : d->pieces.n);
	char *p;

	*at += packed;
	if (piece.n < packed || d->bad || d->rc) {
		d->bad = true;
		return column_cursor(STR(""));
	}
	piece = str_head(piece, packed);
	if (packed == raw)
		return column_cursor(raw ? piece : STR(""));
	p = arena_alloc(&d->scratch, raw, 1);
	if (!p)
		d->rc = -ENOMEM;
	else if (frame_unpack_piece(d->unpacker, piece, p, raw))
		d->bad = true;
	return column_cursor(d->rc || d->bad ? STR("") : str_of(p, raw));
}

static void get_shape(struct group_decoder *d, struct column_cursor *c, uint32_t id)
{
	uint64_t n = column_varint(c);
	uint32_t *shape;

	if (n > column_left(c)) {
		c->bad = true;
		return;
	}
	shape = arena_alloc(&d->scratch, n + 1, sizeof(*shape));
	if (!shape) {
		d->rc = -ENOMEM;
		return;
	}
	*shape = (uint32_t)n;
	d->shapes[id] = shape;
	for (uint32_t i = 1; i <= n; i++) {
		uint64_t column = column_varint(c);

		c->bad |= column >= d->group->column_count;
		shape[i] = (uint32_t)column;
	}
}

static void get_shapes(struct group_decoder *d, size_t *at)
{
	struct column_cursor c = open_piece(d, at, d->group->raw, d->group->packed);
	uint32_t rows = d->group->rows;

	d->shape_count = column_count(&c);
	d->shapes = arena_alloc(&d->scratch, (size_t)d->shape_count + 1, sizeof(*d->shapes));
	if (!d->shapes)
		d->rc = -ENOMEM;
	for (uint32_t i = 0; i < d->shape_count && !c.bad && !d->rc; i++)
		get_shape(d, &c, i);
	if (!d->rc && !c.bad)
		d->shape_of = span_numbers_get(&c, &d->scratch, rows, &d->rc);
	if (!d->rc && !c.bad)
		d->resource_of = span_numbers_get(&c, &d->scratch, rows, &d->rc);
	if (!d->rc && !c.bad)
		d->scope_of = span_numbers_get(&c, &d->scratch, rows, &d->rc);
	d->bad |= c.bad || column_left(&c);
	for (uint32_t i = 0; !d->rc && !d->bad && i < rows; i++)
		d->bad = d->shape_of[i] >= d->shape_count || d->resource_of[i] > d->origin_count ||
			 d->scope_of[i] > d->origin_count;
}

static void get_values(struct group_decoder *d, size_t *at)
{
	uint32_t n = d->group->column_count;

	d->values = arena_zalloc(&d->scratch, (size_t)n + 1, sizeof(*d->values));
	d->next = arena_zalloc(&d->scratch, (size_t)n + 1, sizeof(*d->next));
	if (!d->values || !d->next)
		d->rc = -ENOMEM;
	for (uint32_t i = 0; i < n && !d->rc && !d->bad; i++) {
		const struct span_column *column = &d->group->columns[i];
		struct column_cursor c = open_piece(d, at, column->raw, column->packed);

		if (d->rc || d->bad)
			return;
		d->values[i] =
			span_values_get(&c, &d->scratch, column->encoding, column->count, &d->rc);
		d->bad |= c.bad || (!d->rc && !d->values[i]) || column_left(&c);
	}
}

/* Append the details of a span of the group, or skip its values. */
static void restore_span(struct group_decoder *d, uint32_t i, bool wanted)
{
	const uint32_t *shape = d->shapes[d->shape_of[i]];
	size_t before = d->details.n;

	for (uint32_t k = 1; k <= shape[0]; k++) {
		const struct span_column *c = &d->group->columns[shape[k]];
		uint32_t at = d->next[shape[k]]++;
		const union span_value *v;

		if (at >= c->count || d->details.n - before > SPAN_DETAILS_MAX ||
		    d->details.n > GROUP_BYTES_MAX) {
			d->bad = true;
			return;
		}
		v = &d->values[shape[k]][at];
		if (!wanted)
			continue;
		if (span_column_has_numbers(c))
			span_field_put(&d->details, c, (struct str){0}, v->number);
		else
			span_field_put(&d->details, c, v->text, 0);
	}
	d->bad |= d->details.n - before > SPAN_DETAILS_MAX || d->details.n > GROUP_BYTES_MAX;
}

/* Return the place in the block of the row, or UINT32_MAX after the last one. */
static uint32_t place_of(const struct group_decoder *d, uint32_t row)
{
	if (row >= d->rows->spans.n)
		return UINT32_MAX;
	return d->rows->picked ? d->rows->picked[row] : row;
}

/* Give the spans of the group the details that were restored. */
static void hand_out(struct group_decoder *d)
{
	struct str all;
	uint32_t from = 0;

	if (d->rc || d->bad)
		return;
	d->rc = buf_error(&d->details);
	if (!d->rc)
		d->rc = arena_copy_str(d->arena, buf_str(&d->details), &all);
	for (uint32_t i = 0; !d->rc && i < d->group->rows; from = d->ends[i++]) {
		struct kept_span *s = &d->rows->spans.at[d->next_row];

		if (place_of(d, d->next_row) != d->group->first + i)
			continue;
		d->next_row++;
		s->resource = d->resource_of[i] ? d->first_origin + (uint32_t)d->resource_of[i] : 0;
		s->scope = d->scope_of[i] ? d->first_origin + (uint32_t)d->scope_of[i] : 0;
		s->details = str_of(all.p + from, d->ends[i] - from);
		d->rows->bytes += s->details.n;
	}
}

static void restore_group(struct group_decoder *d)
{
	const struct span_group *g = d->group;
	uint32_t row = d->next_row;
	size_t at = g->at;

	buf_clear(&d->details);
	get_shapes(d, &at);
	if (!d->rc && !d->bad)
		get_values(d, &at);
	d->ends = arena_alloc(&d->scratch, (size_t)g->rows + 1, sizeof(*d->ends));
	if (!d->ends)
		d->rc = -ENOMEM;
	for (uint32_t i = 0; !d->rc && !d->bad && i < g->rows; i++) {
		bool wanted = place_of(d, row) == g->first + i;

		restore_span(d, i, wanted);
		row += wanted;
		d->ends[i] = (uint32_t)d->details.n;
	}
	for (uint32_t i = 0; !d->rc && !d->bad && i < g->column_count; i++)
		d->bad = d->next[i] != g->columns[i].count;
	hand_out(d);
	arena_reset(&d->scratch);
}

int span_columns_get(struct span_rows *rows, struct str index, struct str pieces,
		     struct frame_unpacker *u, struct arena *a, struct err *e)
{
	struct group_decoder d = {.rows = rows,
				  .first_origin = rows->strings.n,
				  .pieces = pieces,
				  .unpacker = u,
				  .arena = a};
	struct span_index in;
	int rc = span_index_get(&in, rows, index, a, e);

	if (rc)
		return rc;
	d.origin_count = in.origin_count;
	arena_init(&d.scratch, a->budget);
	buf_init(&d.details, a->budget);
	for (uint32_t i = 0; !d.rc && !d.bad && i < in.group_count; i++) {
		d.group = &in.groups[i];
		if (place_of(&d, d.next_row) - d.group->first < d.group->rows)
			restore_group(&d);
	}
	buf_fini(&d.details);
	arena_fini(&d.scratch);
	if (d.rc)
		return err_errno(e, d.rc, "read spans");
	return d.bad ? err_set(e, -EUCLEAN, "columns of spans are damaged") : 0;
}
