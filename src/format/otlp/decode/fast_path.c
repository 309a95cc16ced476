/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast path for functions, locations and stacks in the form that nearly all senders write: fields
 * in ascending order, zero fields absent, varints of up to eight bytes, every index in range. A row
 * is read without bounds checks, and only afterwards is its end compared with the expected end; any
 * deviation leads to a different end. Rows of any other form are left to dictionary.c, which
 * handles, repairs and reports everything, in the same order.
 */
#include "format/otlp/decode/fast_path.h"

#include "format/otlp/decode/rows.h"
#include "wire/varints_wide.h"

/* How far a malformed row can be read beyond its end: two varints, and a line of three. */
enum { ROW_SLACK = 64 };

/* varint_read() or an equivalent. */
typedef const uint8_t *read_number(const uint8_t *p, uint64_t *out);

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/*
 * Read field `field` if it comes next, else set *out to 0. Return false if its varint is too long.
 */
ALWAYS_INLINE bool read_field(const uint8_t **p, uint32_t field, read_number *read, uint64_t *out)
{
	*out = 0;
	if (**p != PROTO_TAG(field, PROTO_VARINT))
		return true;
	*p = read(*p + 1, out);
	return likely(*p != NULL);
}

/* Return the row of an index that is in range. */
ALWAYS_INLINE uint32_t row_of(const struct otlp_rows *t, uint64_t index)
{
	return index ? (uint32_t)index + t->offset : t->zero;
}

/* Return the last position where a row may end, so that ROW_SLACK bytes after it are readable. */
static const uint8_t *last_end(const struct otlp_decoder *d)
{
	const uint8_t *input = (const uint8_t *)d->whole.p;

	return d->whole.n > ROW_SLACK ? input + d->whole.n - ROW_SLACK : input;
}

ALWAYS_INLINE bool read_function(const struct otlp_rows *strings, struct str row, read_number *read,
				 struct function *to)
{
	const uint8_t *p = (const uint8_t *)row.p, *end = p + row.n;
	uint64_t name, system_name, filename, line;

	if (!read_field(&p, 1, read, &name) || !read_field(&p, 2, read, &system_name) ||
	    !read_field(&p, 3, read, &filename) || !read_field(&p, 4, read, &line))
		return false;
	if (unlikely(p != end || name >= strings->limit || system_name >= strings->limit ||
		     filename >= strings->limit))
		return false;
	to->name = row_of(strings, name);
	to->system_name = row_of(strings, system_name);
	to->filename = row_of(strings, filename);
	to->start_line = (int64_t)line;
	return true;
}

ALWAYS_INLINE const uint8_t *fast_functions(struct otlp_decoder *d, const uint8_t *at,
					    const uint8_t *end, read_number *read)
{
	const struct otlp_rows strings = d->rows[TABLE_STRINGS];
	const uint8_t *last = last_end(d), *next = at;
	struct function *to = d->b->functions.at + d->b->functions.n;
	struct str row;

	for (; proto_next_short(&next, end, PROTO_TAG(TABLE_FUNCTIONS, PROTO_BYTES), &row);
	     at = next) {
		if (unlikely(next > last || !read_function(&strings, row, read, to)))
			break;
		to++;
	}
	d->b->functions.n = (uint32_t)(to - d->b->functions.at);
	return at;
}

/* Read the line in [p, end). Return false if it has another form. */
ALWAYS_INLINE bool read_line(const struct otlp_rows *functions, const uint8_t *p,
			     const uint8_t *end, read_number *read, struct line *to)
{
	uint64_t function, line, column;

	if (!read_field(&p, 1, read, &function) || !read_field(&p, 2, read, &line) ||
	    !read_field(&p, 3, read, &column))
		return false;
	if (unlikely(p != end || function >= functions->limit))
		return false;
	to->function = row_of(functions, function);
	to->line = (int64_t)line;
	to->column = (int64_t)column;
	return true;
}

/*
 * Read a location. Store its lines from b->lines.at[*line_count] on and advance *line_count; append
 * its attributes to their pool. Return false if it has another form.
 */
ALWAYS_INLINE bool read_location(struct otlp_decoder *d, struct str row, read_number *read,
				 struct location *to, uint32_t *line_count)
{
	struct profile_batch *b = d->b;
	const struct otlp_rows *mappings = &d->rows[TABLE_MAPPINGS];
	const uint8_t *p = (const uint8_t *)row.p, *end = p + row.n, *next;
	uint32_t lines = *line_count, attributes = b->attribute_refs.n;
	uint64_t mapping, address;

	if (!read_field(&p, 1, read, &mapping) || !read_field(&p, 2, read, &address))
		return false;
	for (; *p == PROTO_TAG(3, PROTO_BYTES); p = next, lines++) {
		next = p + 2 + p[1]; /* a length of two bytes makes the line not match */
		if (unlikely(next > end || lines == b->lines.cap ||
			     !read_line(&d->rows[TABLE_FUNCTIONS], p + 2, next, read,
					&b->lines.at[lines])))
			return false;
	}
	if (*p == PROTO_TAG(4, PROTO_BYTES)) {
		struct str list = {(const char *)p + 2, p[1]};

		p += 2 + list.n;
		if (unlikely(list.n >= 0x80 || p > end ||
			     otlp_read_rows(d, TABLE_ATTRIBUTES, list, &b->attribute_refs)))
			return false;
	}
	if (unlikely(p != end || mapping >= mappings->limit ||
		     otlp_end_list(d, &b->attribute_refs, attributes)))
		return false;
	to->address = address;
	to->mapping = row_of(mappings, mapping);
	to->lines = (struct list){*line_count, lines - *line_count};
	to->attributes = (struct list){attributes, b->attribute_refs.n - attributes};
	*line_count = lines;
	return true;
}

ALWAYS_INLINE const uint8_t *fast_locations(struct otlp_decoder *d, const uint8_t *at,
					    const uint8_t *end, read_number *read)
{
	struct profile_batch *b = d->b;
	const uint8_t *last = last_end(d), *next = at;
	struct location *to = b->locations.at + b->locations.n;
	uint32_t lines = b->lines.n;
	struct str row;

	for (; proto_next_short(&next, end, PROTO_TAG(TABLE_LOCATIONS, PROTO_BYTES), &row);
	     at = next) {
		uint32_t attributes = b->attribute_refs.n;

		if (unlikely(next > last || !read_location(d, row, read, to, &lines))) {
			b->attribute_refs.n = attributes; /* discard what this row appended */
			break;
		}
		to++;
	}
	b->locations.n = (uint32_t)(to - b->locations.at);
	b->lines.n = lines;
	return at;
}

/* varint_take_indices() or an equivalent. */
typedef void take_indices(struct varint_list *l);

ALWAYS_INLINE const uint8_t *fast_stacks(struct otlp_decoder *d, const uint8_t *at,
					 const uint8_t *end, take_indices *take)
{
	struct profile_batch *b = d->b;
	const uint8_t *next = at;
	struct varint_list l = {
		.readable = (const uint8_t *)d->whole.p + d->whole.n,
		.last = d->rows[TABLE_LOCATIONS].limit - 1,
		.offset = d->rows[TABLE_LOCATIONS].offset,
	};
	struct str row, list;

	for (; proto_next_short(&next, end, PROTO_TAG(TABLE_STACKS, PROTO_BYTES), &row);
	     at = next) {
		uint32_t from = b->stack_locations.n;

		l.at = (const uint8_t *)row.p;
		if (unlikely(!proto_next_short(&l.at, next, PROTO_TAG(1, PROTO_BYTES), &list) ||
			     l.at != next ||
			     vec_reserve(&b->arena, &b->stack_locations, list.n + VARINT_ROOM)))
			break;
		l.at = (const uint8_t *)list.p;
		l.end = next;
		l.out = b->stack_locations.at + from;
		take(&l);
		if (unlikely(l.at != next))
			break;
		b->stack_locations.n = (uint32_t)(l.out - b->stack_locations.at);
		b->stacks.at[b->stacks.n++] = (struct list){from, b->stack_locations.n - from};
	}
	return at;
}

#ifdef VARINT_HAS_BMI2
TARGET_BMI2 static const uint8_t *fast_functions_bits(struct otlp_decoder *d, const uint8_t *at,
						      const uint8_t *end)
{
	return fast_functions(d, at, end, varint_read_bmi2);
}

TARGET_BMI2 static const uint8_t *fast_locations_bits(struct otlp_decoder *d, const uint8_t *at,
						      const uint8_t *end)
{
	return fast_locations(d, at, end, varint_read_bmi2);
}
#endif

const uint8_t *otlp_fast_functions(struct otlp_decoder *d, const uint8_t *at, const uint8_t *end)
{
#ifdef VARINT_HAS_BMI2
	if (VARINT_HAS_BMI2)
		return fast_functions_bits(d, at, end);
#endif
	return fast_functions(d, at, end, varint_read);
}

const uint8_t *otlp_fast_locations(struct otlp_decoder *d, const uint8_t *at, const uint8_t *end)
{
	if (d->layout == OTLP_1_7) /* has different fields */
		return at;
#ifdef VARINT_HAS_BMI2
	if (VARINT_HAS_BMI2)
		return fast_locations_bits(d, at, end);
#endif
	return fast_locations(d, at, end, varint_read);
}

#ifdef VARINT_HAS_AVX512
TARGET_AVX512 static const uint8_t *fast_stacks_wide(struct otlp_decoder *d, const uint8_t *at,
						     const uint8_t *end)
{
	return fast_stacks(d, at, end, varint_take_indices_wide);
}
#endif

const uint8_t *otlp_fast_stacks(struct otlp_decoder *d, const uint8_t *at, const uint8_t *end)
{
#ifdef VARINT_HAS_AVX512
	if (VARINT_HAS_AVX512)
		return fast_stacks_wide(d, at, end);
#endif
	return fast_stacks(d, at, end, varint_take_indices);
}
