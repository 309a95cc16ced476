/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding of details as columns, group by group. The fields of all spans are listed first and
 * counted by key; then it is known which keys get a column, and the values are distributed.
 *
 * The key of a field is found without hashing where it follows the same key as the last time, which
 * holds for nearly all fields, since spans of one origin have their fields in one order.
 */
#include "store/sqlite/spans/span_columns.h"

#include "base/container/hash.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/spans/span_fields.h"
#include "store/sqlite/spans/span_filter.h"
#include "store/sqlite/spans/span_origins.h"
#include "store/sqlite/spans/span_values.h"

enum {
	COLUMNS_MAX = 512, /* of attributes */
	COLUMN_SHARE = 64, /* a key that fewer than 1/64 of the spans have gets no column */
	PIECES_ZSTD = 1,
	MESSAGES = 1, /* the candidate of attributes without a column of their own */
	NO_COLUMN = UINT16_MAX,
};

enum string_use { AS_TEXT, AS_RESOURCE, AS_SCOPE, STRING_USES };

/* A field with a key that may become a column. */
struct candidate {
	uint8_t field, type;
	uint16_t column;
	struct str key;
	uint32_t count;
	uint32_t next; /* the candidate that followed it the last time */
};

struct field_token {
	uint32_t candidate;
	uint32_t n; /* the payload */
	const char *p;
};

struct span_shape {
	uint32_t first, n; /* range of shape_columns */
};

struct details_encoder {
	const struct span_rows *rows;
	struct buf *index, *pieces;
	struct buf raw, ends;
	struct frame_packer packer;
	struct span_origins origins;
	const struct kept_span **spans; /* of the whole block, in its order */
	/* By use and index of rows->strings: the last group that has the hashes of the string. */
	uint32_t *seen[STRING_USES];
	uint32_t group;

	/* of the current group */
	struct arena arena;
	uint32_t first, n;
	VEC(struct candidate) candidates;
	struct idset keys;
	VEC(struct field_token) tokens;
	uint32_t *token_ends; /* by span */
	uint32_t column_count;
	struct span_column *columns;
	uint32_t *value_at; /* by column: where its values begin, then its next value */
	union span_value *values;
	VEC(uint16_t) shape_columns;
	VEC(struct span_shape) shapes;
	struct idset shape_index;
	uint64_t *shape_of, *resource_of, *scope_of;
	struct span_hashes hashes;
};

/* ---- fields ---- */

static bool candidate_is(const struct candidate *c, const struct span_field *f)
{
	return c->field == f->field && c->type == f->type && str_eq(c->key, f->key);
}

static uint32_t hash_candidate(const struct span_field *f)
{
	return hash32(f->key) ^ (uint32_t)f->field << 8 ^ f->type;
}

/* Find or add the candidate of the field, which follows candidate `before`. 0 or -ENOMEM. */
static int find_candidate(struct details_encoder *d, const struct span_field *f, uint32_t before,
			  uint32_t *id)
{
	uint32_t hash;
	int rc;

	*id = d->candidates.at[before].next;
	if (likely(candidate_is(&d->candidates.at[*id], f)))
		return 0;
	hash = hash_candidate(f);
	for (struct idset_cursor c = idset_seek(&d->keys, hash); idset_next(&d->keys, &c, id);)
		if (candidate_is(&d->candidates.at[*id], f)) {
			d->candidates.at[before].next = *id;
			return 0;
		}
	*id = d->candidates.n;
	d->candidates.at[before].next = *id;
	rc = vec_push(&d->arena, &d->candidates,
		      (struct candidate){.field = f->field, .type = f->type, .key = f->key});
	return rc ? rc : idset_add(&d->keys, hash, *id);
}

static int add_field(struct details_encoder *d, const struct span_field *f, uint32_t *before)
{
	uint32_t id;
	int rc = find_candidate(d, f, *before, &id);

	if (rc)
		return rc;
	d->candidates.at[id].count++;
	*before = id;
	return vec_push(&d->arena, &d->tokens,
			(struct field_token){id, (uint32_t)f->payload.n, f->payload.p});
}

/* List the fields of a span. Details that are no message are one field. */
static int list_fields(struct details_encoder *d, struct str details)
{
	uint32_t before = 0, first = d->tokens.n;
	struct span_field f;
	size_t at = 0;
	int rc = 0;

	while (!rc && span_field_next(details, &at, &f))
		rc = add_field(d, &f, &before);
	if (rc || at == details.n)
		return rc;
	for (uint32_t i = first; i < d->tokens.n; i++)
		d->candidates.at[d->tokens.at[i].candidate].count--;
	d->tokens.n = first;
	before = 0;
	f = (struct span_field){.field = SPAN_FIELD_WHOLE, .payload = details};
	return add_field(d, &f, &before);
}

static int list_group(struct details_encoder *d)
{
	const struct span_field fixed[] = {{.field = SPAN_FIELD_WHOLE},
					   {.field = SPAN_FIELD_ATTRIBUTES}};
	int rc = idset_init(&d->keys, &d->arena, 256);

	for (unsigned i = 0; !rc && i < countof(fixed); i++) {
		rc = vec_push(&d->arena, &d->candidates,
			      (struct candidate){.field = fixed[i].field});
		if (!rc)
			rc = idset_add(&d->keys, hash_candidate(&fixed[i]), i);
	}
	d->token_ends = arena_alloc(&d->arena, d->n + 1, sizeof(*d->token_ends));
	if (!d->token_ends)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < d->n; i++) {
		rc = list_fields(d, d->spans[d->first + i]->details);
		d->token_ends[i] = d->tokens.n;
	}
	return rc;
}

/* ---- columns ---- */

static bool gets_column(const struct details_encoder *d, const struct candidate *c, uint32_t n)
{
	if (c->field != SPAN_FIELD_ATTRIBUTES || c->type == SPAN_VALUE_MESSAGE)
		return true;
	return n < COLUMNS_MAX && c->count > 1 && (uint64_t)c->count * COLUMN_SHARE >= d->n;
}

/* Decide which candidates are columns; the attributes among the others become messages. */
static int choose_columns(struct details_encoder *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->candidates.n; i++) {
		struct candidate *c = &d->candidates.at[i];

		c->column = gets_column(d, c, n) ? 0 : NO_COLUMN;
		if (c->column != NO_COLUMN)
			n += c->count > 0;
		else
			d->candidates.at[MESSAGES].count += c->count;
	}
	d->columns = arena_zalloc(&d->arena, n + 2, sizeof(*d->columns));
	d->value_at = arena_alloc(&d->arena, n + 2, sizeof(*d->value_at));
	d->values = arena_alloc(&d->arena, d->tokens.n + 1, sizeof(*d->values));
	return d->columns && d->value_at && d->values ? 0 : -ENOMEM;
}

static void number_columns(struct details_encoder *d)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < d->candidates.n; i++) {
		struct candidate *c = &d->candidates.at[i];

		if (c->column == NO_COLUMN || !c->count)
			continue;
		c->column = (uint16_t)d->column_count;
		d->columns[d->column_count] = (struct span_column){
			.field = c->field, .type = c->type, .key = c->key, .count = c->count};
		d->value_at[d->column_count++] = at;
		at += c->count;
	}
}

/* Put the value of a token into its column, and return the column. */
static uint16_t place_value(struct details_encoder *d, const struct field_token *t)
{
	const struct candidate *c = &d->candidates.at[t->candidate];
	struct span_field f = {c->field, c->type, c->key, str_of(t->p, t->n)};
	union span_value *v;

	if (c->column == NO_COLUMN) {
		span_field_whole(&f);
		c = &d->candidates.at[MESSAGES];
	}
	v = &d->values[d->value_at[c->column]++];
	if (span_column_has_numbers(&d->columns[c->column]))
		v->number = span_field_number(&f);
	else
		v->text = f.payload;
	return c->column;
}

/* ---- shapes ---- */

static bool shape_is(const struct details_encoder *d, uint32_t id, const uint16_t *columns,
		     uint32_t n)
{
	const struct span_shape *s = &d->shapes.at[id];

	return s->n == n &&
	       (!n || memcmp(d->shape_columns.at + s->first, columns, n * sizeof(*columns)) == 0);
}

/* The columns of the shape are the last n of shape_columns; they are removed if it is known. */
static int find_shape(struct details_encoder *d, uint32_t n, uint64_t *id)
{
	uint32_t first = d->shape_columns.n - n, known;
	const uint16_t *columns = d->shape_columns.at + first;
	uint32_t hash = (uint32_t)hash_bytes(columns, n * sizeof(*columns));
	int rc;

	for (struct idset_cursor c = idset_seek(&d->shape_index, hash);
	     idset_next(&d->shape_index, &c, &known);)
		if (shape_is(d, known, columns, n)) {
			d->shape_columns.n = first;
			*id = known;
			return 0;
		}
	*id = d->shapes.n;
	rc = vec_push(&d->arena, &d->shapes, (struct span_shape){first, n});
	return rc ? rc : idset_add(&d->shape_index, hash, (uint32_t)*id);
}

/* Distribute the values of all spans to the columns, and find their shapes. */
static int place_group(struct details_encoder *d)
{
	uint32_t t = 0;
	int rc = idset_init(&d->shape_index, &d->arena, 64);

	d->shape_of = arena_alloc(&d->arena, 3 * (size_t)d->n + 1, sizeof(*d->shape_of));
	if (!d->shape_of)
		return -ENOMEM;
	d->resource_of = d->shape_of + d->n;
	d->scope_of = d->resource_of + d->n;
	for (uint32_t i = 0; !rc && i < d->n; i++) {
		const struct kept_span *s = d->spans[d->first + i];
		uint32_t n = d->token_ends[i] - t;

		rc = vec_reserve(&d->arena, &d->shape_columns, n + 1);
		for (; !rc && t < d->token_ends[i]; t++)
			d->shape_columns.at[d->shape_columns.n++] =
				place_value(d, &d->tokens.at[t]);
		if (!rc)
			rc = find_shape(d, n, &d->shape_of[i]);
		d->resource_of[i] = span_origins_add(&d->origins, s->resource);
		d->scope_of[i] = span_origins_add(&d->origins, s->scope);
	}
	return rc;
}

/* ---- pieces ---- */

/* Compress d->raw as a piece and clear it. */
static int pack_piece(struct details_encoder *d, uint32_t *raw, uint32_t *packed)
{
	size_t before = d->pieces->n;
	struct frame_columns c = {buf_str(&d->raw), (const uint32_t *)(void *)d->ends.p,
				  d->ends.n / sizeof(uint32_t)};
	int rc = buf_error(&d->raw);

	if (!rc)
		rc = buf_error(&d->ends);
	if (!rc)
		rc = frame_pack_piece(&d->packer, d->pieces, PIECES_ZSTD, &c, 0, d->raw.n);
	*raw = (uint32_t)d->raw.n;
	*packed = (uint32_t)(d->pieces->n - before);
	buf_clear(&d->raw);
	buf_clear(&d->ends);
	return rc;
}

static int pack_shapes(struct details_encoder *d, uint32_t *raw, uint32_t *packed)
{
	uint64_t min, max;

	column_put_varint(&d->raw, d->shapes.n);
	for (uint32_t i = 0; i < d->shapes.n; i++) {
		const struct span_shape *s = &d->shapes.at[i];

		column_put_varint(&d->raw, s->n);
		for (uint32_t k = 0; k < s->n; k++)
			column_put_varint(&d->raw, d->shape_columns.at[s->first + k]);
	}
	column_end(&d->ends, &d->raw);
	span_numbers_put(&d->raw, &d->ends, d->shape_of, d->n, &min, &max);
	span_numbers_put(&d->raw, &d->ends, d->resource_of, d->n, &min, &max);
	span_numbers_put(&d->raw, &d->ends, d->scope_of, d->n, &min, &max);
	return pack_piece(d, raw, packed);
}

static int pack_column(struct details_encoder *d, uint32_t id, struct arena *scratch)
{
	struct span_column *c = &d->columns[id];
	const union span_value *v = d->values + d->value_at[id] - c->count;
	uint64_t *numbers;
	int rc;

	if (span_column_has_numbers(c)) {
		numbers = arena_alloc(scratch, (size_t)c->count + 1, sizeof(*numbers));
		if (!numbers)
			return -ENOMEM;
		for (uint32_t i = 0; i < c->count; i++)
			numbers[i] = v[i].number;
		span_numbers_put(&d->raw, &d->ends, numbers, c->count, &c->min, &c->max);
		c->encoding = SPAN_NUMBERS;
	} else {
		rc = span_text_put(&d->raw, &d->ends, v, c->count, scratch);
		if (rc < 0)
			return rc;
		c->encoding = (uint8_t)rc;
	}
	return pack_piece(d, &c->raw, &c->packed);
}

/* ---- the filter ---- */

/* Most values of a column repeat; this leaves out most of the repetitions. */
struct recent_hashes {
	uint64_t at[1024];
};

static int add_recent(struct details_encoder *d, struct recent_hashes *recent, uint64_t hash)
{
	uint64_t *known = &recent->at[hash % countof(recent->at)];

	if (*known == hash)
		return 0;
	*known = hash;
	return vec_push(&d->arena, &d->hashes.list, hash);
}

static uint64_t hash_value(const struct span_column *c, uint64_t key, const union span_value *v)
{
	if (c->type == SPAN_VALUE_STRING)
		return span_filter_text(key, v->text);
	if (c->type == SPAN_VALUE_DOUBLE)
		return span_filter_double(key, span_stored_double(v->number));
	return span_filter_number(key, v->number);
}

static int hash_column(struct details_encoder *d, const struct span_column *c,
		       const union span_value *v, struct recent_hashes *recent)
{
	uint64_t key = span_filter_key(SPAN_FILTER_SPAN, c->key);
	int rc = 0;

	for (uint32_t i = 0; !rc && i < c->count; i++) {
		if (c->type == SPAN_VALUE_STRING && i && str_eq(v[i].text, v[i - 1].text))
			continue;
		rc = add_recent(d, recent, hash_value(c, key, &v[i]));
	}
	return rc;
}

/* Add the values of a column of messages: attributes, events, links, or statuses. */
static int hash_messages(struct details_encoder *d, const struct span_column *c,
			 const union span_value *v)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < c->count; i++)
		if (c->field == SPAN_FIELD_ATTRIBUTES)
			rc = span_hashes_attribute(&d->hashes, &d->arena, SPAN_FILTER_SPAN,
						   v[i].text);
		else if (c->field == SPAN_FIELD_WHOLE)
			rc = span_hashes_details(&d->hashes, &d->arena, v[i].text);
		else if (!span_column_has_numbers(c))
			rc = span_hashes_field(&d->hashes, &d->arena, c->field, v[i].text);
	return rc;
}

/* Get the string if the group does not have its hashes yet. */
static bool is_new_string(struct details_encoder *d, enum string_use use, uint32_t number,
			  struct str *out)
{
	if (d->seen[use][number] == d->group)
		return false;
	d->seen[use][number] = d->group;
	*out = d->rows->strings.at[number];
	return true;
}

static int hash_origin(struct details_encoder *d, uint32_t origin, enum string_use use)
{
	struct span_origin o;
	struct str encoded;

	if (!origin || !is_new_string(d, use, origin - 1, &encoded) ||
	    !span_origin_get(encoded, &o))
		return 0;
	return use == AS_RESOURCE ? span_hashes_resource(&d->hashes, &d->arena, o.message)
				  : span_hashes_scope(&d->hashes, &d->arena, o.message);
}

/*
 * Add names, services, resources and scopes. One string may be a name and a service: both hashes
 * are added.
 */
static int hash_strings(struct details_encoder *d)
{
	uint64_t name = span_filter_intrinsic(SPAN_FILTER_NAME);
	uint64_t service = span_filter_intrinsic(SPAN_FILTER_SERVICE);
	int rc = 0;

	for (uint32_t i = 0; !rc && i < d->n; i++) {
		const struct kept_span *s = d->spans[d->first + i];
		uint32_t texts[] = {s->name, s->service};

		for (unsigned k = 0; !rc && k < countof(texts); k++) {
			struct str text;

			if (!is_new_string(d, AS_TEXT, texts[k], &text))
				continue;
			rc = vec_push(&d->arena, &d->hashes.list, span_filter_text(name, text));
			if (!rc)
				rc = vec_push(&d->arena, &d->hashes.list,
					      span_filter_text(service, text));
		}
		if (!rc)
			rc = hash_origin(d, s->resource, AS_RESOURCE);
		if (!rc)
			rc = hash_origin(d, s->scope, AS_SCOPE);
	}
	return rc;
}

static int put_group_filter(struct details_encoder *d)
{
	struct recent_hashes *recent = arena_zalloc(&d->arena, 1, sizeof(*recent));
	int rc = recent ? hash_strings(d) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < d->column_count; i++) {
		const struct span_column *c = &d->columns[i];
		const union span_value *v = d->values + d->value_at[i] - c->count;

		if (c->field != SPAN_FIELD_ATTRIBUTES || c->type == SPAN_VALUE_MESSAGE)
			rc = hash_messages(d, c, v);
		else
			rc = hash_column(d, c, v, recent);
	}
	return rc ? rc : span_hashes_put(d->index, &d->hashes, &d->arena);
}

/* ---- groups ---- */

static void put_column_entry(struct buf *out, const struct span_column *c)
{
	buf_put_char(out, (char)c->field);
	buf_put_char(out, (char)c->type);
	buf_put_char(out, (char)c->encoding);
	column_put_str(out, c->key);
	column_put_varint(out, c->count);
	column_put_varint(out, c->raw);
	column_put_varint(out, c->packed);
	if (span_column_has_numbers(c)) {
		column_put_varint(out, c->min);
		column_put_varint(out, c->max);
	}
}

static int put_group(struct details_encoder *d)
{
	struct arena scratch;
	uint32_t raw, packed;
	int rc = list_group(d);

	if (!rc)
		rc = choose_columns(d);
	if (rc)
		return rc;
	number_columns(d);
	rc = place_group(d);
	if (!rc)
		rc = pack_shapes(d, &raw, &packed);
	arena_init(&scratch, NULL);
	for (uint32_t i = 0; !rc && i < d->column_count; i++) {
		rc = pack_column(d, i, &scratch);
		arena_reset(&scratch);
	}
	arena_fini(&scratch);
	if (rc)
		return rc;
	column_put_varint(d->index, d->n);
	column_put_varint(d->index, raw);
	column_put_varint(d->index, packed);
	column_put_varint(d->index, d->column_count);
	for (uint32_t i = 0; i < d->column_count; i++)
		put_column_entry(d->index, &d->columns[i]);
	return put_group_filter(d);
}

/* Return the number of spans of the group that begins at `first`. */
static uint32_t cut_group(const struct details_encoder *d, uint32_t first, uint32_t end)
{
	size_t bytes = 0;
	uint32_t i = first;

	for (; i < end && i - first < SPAN_GROUP_ROWS; i++) {
		bytes += d->spans[i]->details.n;
		if (i > first && bytes > SPAN_GROUP_BYTES)
			break;
	}
	return i - first;
}

static void begin_group(struct details_encoder *d, uint32_t first, uint32_t n)
{
	arena_reset(&d->arena);
	d->group++;
	d->first = first;
	d->n = n;
	d->candidates.at = NULL;
	d->candidates.n = d->candidates.cap = 0;
	d->tokens.at = NULL;
	d->tokens.n = d->tokens.cap = 0;
	d->shape_columns.at = NULL;
	d->shape_columns.n = d->shape_columns.cap = 0;
	d->shapes.at = NULL;
	d->shapes.n = d->shapes.cap = 0;
	d->hashes.list.at = NULL;
	d->hashes.list.n = d->hashes.list.cap = 0;
	d->column_count = 0;
}

static void put_times(struct buf *out, const struct details_encoder *d)
{
	uint64_t first = UINT64_MAX, last = 0, end = 0, longest = 0;

	for (uint32_t i = d->first; i < d->first + d->n; i++) {
		const struct kept_span *s = d->spans[i];

		first = s->start < first ? s->start : first;
		last = s->start > last ? s->start : last;
		end = s->start + s->duration > end ? s->start + s->duration : end;
		longest = s->duration > longest ? s->duration : longest;
	}
	column_put_varint(out, first);
	column_put_varint(out, last);
	column_put_varint(out, end);
	column_put_varint(out, longest);
}

static int put_groups(struct details_encoder *d, uint32_t n, struct buf *index)
{
	struct buf groups = {0}, times = {0};
	uint32_t count = 0;
	int rc = 0;

	d->index = &groups;
	for (uint32_t first = 0; !rc && first < n; first += d->n, count++) {
		begin_group(d, first, cut_group(d, first, n));
		rc = put_group(d);
		put_times(&times, d);
	}
	span_origins_put(index, &d->origins);
	column_put_varint(index, count);
	buf_put_str(index, buf_str(&groups));
	buf_put_str(index, buf_str(&times));
	if (!rc)
		rc = buf_error(&groups);
	if (!rc)
		rc = buf_error(&times);
	buf_fini(&times);
	buf_fini(&groups);
	d->index = NULL;
	return rc ? rc : buf_error(index);
}

int span_columns_put(struct buf *index, struct buf *pieces, const struct span_rows *r,
		     struct span_order *order)
{
	struct details_encoder d = {.rows = r, .pieces = pieces};
	uint32_t n = 0;
	int rc = span_origins_init(&d.origins, r, &order->arena);

	arena_init(&d.arena, NULL);
	d.spans = arena_alloc(&order->arena, order->n + 1, sizeof(const struct kept_span *));
	for (unsigned i = 0; i < STRING_USES; i++)
		d.seen[i] = arena_zalloc(&order->arena, r->strings.n + 1, sizeof(*d.seen[i]));
	if (!rc && (!d.spans || !d.seen[AS_TEXT] || !d.seen[AS_RESOURCE] || !d.seen[AS_SCOPE]))
		rc = -ENOMEM;
	for (uint32_t t = 0; !rc && t < order->traces_n; t++)
		for (uint32_t i = 0; i < order->traces[t].n; i++)
			d.spans[n++] = &order->spans[order->traces[t].first + i];
	if (!rc)
		rc = put_groups(&d, n, index);
	frame_packer_fini(&d.packer);
	buf_fini(&d.raw);
	buf_fini(&d.ends);
	arena_fini(&d.arena);
	return rc;
}
