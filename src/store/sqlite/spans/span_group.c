/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of a group of details. Sizes were checked when the index was read. */
#include "store/sqlite/spans/span_group.h"

#include "store/sqlite/spans/span_fields.h"

void span_group_init(struct span_group_reader *r, const struct span_index *index, struct str pieces,
		     struct frame_unpacker *unpacker, struct budget *budget)
{
	*r = (struct span_group_reader){.index = index, .pieces = pieces, .unpacker = unpacker};
	arena_init(&r->scratch, budget);
}

void span_group_fini(struct span_group_reader *r)
{
	arena_fini(&r->scratch);
}

int span_group_error(const struct span_group_reader *r, struct err *e)
{
	if (r->rc)
		return err_errno(e, r->rc, "read spans");
	return r->bad ? err_set(e, -EUCLEAN, "columns of spans are damaged") : 0;
}

/* ---- pieces ---- */

/* Unpack the piece at `at`. An empty slice where it is damaged. */
static struct column_cursor open_piece(struct span_group_reader *r, size_t at, uint32_t raw,
				       uint32_t packed)
{
	struct str piece = str_from_at(r->pieces, at < r->pieces.n ? at : r->pieces.n);
	char *p;

	if (piece.n < packed || r->bad || r->rc) {
		r->bad = true;
		return column_cursor(STR(""));
	}
	piece = str_head(piece, packed);
	if (packed == raw)
		return column_cursor(raw ? piece : STR(""));
	p = arena_alloc(&r->scratch, raw, 1);
	if (!p)
		r->rc = -ENOMEM;
	else if (frame_unpack_piece(r->unpacker, piece, p, raw))
		r->bad = true;
	return column_cursor(r->rc || r->bad ? STR("") : str_of(p, raw));
}

static void get_shape(struct span_group_reader *r, struct column_cursor *c, uint32_t id)
{
	uint64_t n = column_varint(c);
	uint32_t *shape;

	if (n > column_left(c)) {
		c->bad = true;
		return;
	}
	shape = arena_alloc(&r->scratch, n + 1, sizeof(*shape));
	if (!shape) {
		r->rc = -ENOMEM;
		return;
	}
	*shape = (uint32_t)n;
	r->shapes[id] = shape;
	for (uint32_t i = 1; i <= n; i++) {
		uint64_t column = column_varint(c);

		c->bad |= column >= r->group->column_count;
		shape[i] = (uint32_t)column;
	}
}

static void get_shapes(struct span_group_reader *r)
{
	const struct span_group *g = r->group;
	struct column_cursor c = open_piece(r, g->at, g->raw, g->packed);

	r->shape_count = column_count(&c);
	r->shapes = arena_alloc(&r->scratch, (size_t)r->shape_count + 1, sizeof(*r->shapes));
	if (!r->shapes)
		r->rc = -ENOMEM;
	for (uint32_t i = 0; i < r->shape_count && !c.bad && !r->rc; i++)
		get_shape(r, &c, i);
	if (!r->rc && !c.bad)
		r->shape_of = span_numbers_get(&c, &r->scratch, g->rows, &r->rc);
	if (!r->rc && !c.bad)
		r->resource_of = span_numbers_get(&c, &r->scratch, g->rows, &r->rc);
	if (!r->rc && !c.bad)
		r->scope_of = span_numbers_get(&c, &r->scratch, g->rows, &r->rc);
	r->bad |= c.bad || column_left(&c);
	for (uint32_t i = 0; !r->rc && !r->bad && i < g->rows; i++)
		r->bad = r->shape_of[i] >= r->shape_count ||
			 r->resource_of[i] > r->index->origin_count ||
			 r->scope_of[i] > r->index->origin_count;
}

void span_group_open(struct span_group_reader *r, const struct span_group *group)
{
	uint32_t n = group->column_count;
	size_t at = group->at + group->packed;

	arena_reset(&r->scratch);
	r->group = group;
	r->at = arena_alloc(&r->scratch, (size_t)n + 1, sizeof(*r->at));
	r->values = arena_zalloc(&r->scratch, (size_t)n + 1, sizeof(*r->values));
	r->next = arena_zalloc(&r->scratch, (size_t)n + 1, sizeof(*r->next));
	if (!r->at || !r->values || !r->next) {
		r->rc = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		r->at[i] = at;
		at += group->columns[i].packed;
	}
	get_shapes(r);
}

const union span_value *span_group_column(struct span_group_reader *r, uint32_t column)
{
	const struct span_column *c;
	struct column_cursor cursor;

	if (r->rc || r->bad)
		return NULL;
	if (r->values[column])
		return r->values[column];
	c = &r->group->columns[column];
	cursor = open_piece(r, r->at[column], c->raw, c->packed);
	if (r->rc || r->bad)
		return NULL;
	r->values[column] = span_values_get(&cursor, &r->scratch, c->encoding, c->count, &r->rc);
	r->bad |= cursor.bad || (!r->rc && !r->values[column]) || column_left(&cursor);
	return r->rc || r->bad ? NULL : r->values[column];
}

/* ---- details ---- */

/* Append the needed details of a span of the group, or skip its values. */
static void restore_span(struct span_group_reader *r, const uint32_t *shape, bool wanted,
			 struct buf *out)
{
	size_t before = out->n;

	for (uint32_t k = 1; k <= shape[0]; k++) {
		const struct span_column *c = &r->group->columns[shape[k]];
		uint32_t at = r->next[shape[k]]++;
		const union span_value *v;

		if (at >= c->count || out->n - before > SPAN_DETAILS_MAX ||
		    out->n > SPAN_GROUP_BYTES_MAX) {
			r->bad = true;
			return;
		}
		if (!wanted)
			continue;
		v = &r->values[shape[k]][at];
		if (span_column_has_numbers(c))
			span_field_put(out, c, (struct str){0}, v->number);
		else
			span_field_put(out, c, v->text, 0);
	}
	r->bad |= out->n - before > SPAN_DETAILS_MAX || out->n > SPAN_GROUP_BYTES_MAX;
}

/* Read the needed columns, and flag them. NULL without memory. */
static bool *read_needed(struct span_group_reader *r, const struct span_need *need)
{
	uint32_t n = r->group->column_count;
	bool *needed = arena_alloc(&r->scratch, (size_t)n + 1, sizeof(*needed));

	for (uint32_t i = 0; needed && i < n; i++) {
		needed[i] = span_needs_column(need, &r->group->columns[i]);
		if (needed[i])
			(void)span_group_column(r, i);
	}
	return needed;
}

/* Return the shapes with their needed columns alone, or NULL without memory. */
static uint32_t **needed_shapes(struct span_group_reader *r, const bool *needed)
{
	uint32_t **out = arena_alloc(&r->scratch, (size_t)r->shape_count + 1, sizeof(*out));

	for (uint32_t i = 0; out && i < r->shape_count; i++) {
		const uint32_t *shape = r->shapes[i];

		out[i] = arena_alloc(&r->scratch, (size_t)shape[0] + 1, sizeof(*out[i]));
		if (!out[i])
			return NULL;
		out[i][0] = 0;
		for (uint32_t k = 1; k <= shape[0]; k++)
			if (needed[shape[k]])
				out[i][++out[i][0]] = shape[k];
	}
	return out;
}

void span_group_restore(struct span_group_reader *r, const struct span_need *need,
			const bool *wanted, struct buf *out, uint32_t *ends)
{
	uint32_t **shapes = NULL;
	bool *needed;

	if (r->rc || r->bad)
		return;
	needed = read_needed(r, need);
	if (needed)
		shapes = needed_shapes(r, needed);
	if (!shapes) {
		r->rc = -ENOMEM;
		return;
	}
	memset(r->next, 0, r->group->column_count * sizeof(*r->next));
	for (uint32_t i = 0; !r->rc && !r->bad && i < r->group->rows; i++) {
		restore_span(r, shapes[r->shape_of[i]], wanted[i], out);
		ends[i] = (uint32_t)out->n;
	}
	for (uint32_t i = 0; !r->rc && !r->bad && i < r->group->column_count; i++)
		r->bad = needed[i] && r->next[i] != r->group->columns[i].count;
	if (!r->rc)
		r->rc = buf_error(out);
}
