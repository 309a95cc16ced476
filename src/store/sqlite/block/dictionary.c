/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding segments. A segment has, for each table in the order of struct dictionary_counts: the
 * index of the first row, the number of rows, and the fields of the rows as columns (columns.h).
 * The decoder checks that every reference is to an existing row, and that the parent of a node
 * precedes it.
 */
#include "store/sqlite/block/dictionary.h"

#include "store/sqlite/block/columns.h"

int dictionary_init(struct stack_tree *t, struct budget *budget)
{
	int rc;

	*t = (struct stack_tree){0};
	rc = profile_batch_init(&t->dictionary, budget);
	return rc ? rc : vec_push(&t->dictionary.arena, &t->nodes, (struct stack_node){0});
}

int dictionary_index(struct stack_tree *t)
{
	/* stack_tree_child() creates the index of nodes at its first call */
	return profile_builder_init(&t->builder, &t->dictionary);
}

struct dictionary_counts dictionary_count(const struct stack_tree *t)
{
	const struct profile_batch *b = &t->dictionary;

	return (struct dictionary_counts){b->strings.n,	  b->attributes.n, b->mappings.n,
					  b->functions.n, b->locations.n,  t->nodes.n};
}

/* ---- writing ---- */

/* Write one field of the rows [from, n) of a table as a column. */
#define PUT_U32(rows, from, n, field)                                                              \
	do {                                                                                       \
		for (uint32_t i_ = (from); i_ < (n); i_++)                                         \
			w->narrow[i_ - (from)] = (uint32_t)(rows)[i_].field;                       \
		column_put_u32(w->out, w->narrow, (n) - (from));                                   \
	} while (0)
#define PUT_U64(rows, from, n, expression)                                                         \
	do {                                                                                       \
		for (uint32_t i_ = (from); i_ < (n); i_++) {                                       \
			__auto_type row = &(rows)[i_];                                             \
			w->wide[i_ - (from)] = (uint64_t)(expression);                             \
		}                                                                                  \
		column_put_u64(w->out, w->wide, (n) - (from));                                     \
	} while (0)

struct segment_writer {
	struct buf *out;
	const struct stack_tree *t;
	uint32_t *narrow; /* room for the longest column */
	uint64_t *wide;
};

static void put_head(struct segment_writer *w, uint32_t from, uint32_t n)
{
	column_put_varint(w->out, from);
	column_put_varint(w->out, n - from);
}

static void put_strings(struct segment_writer *w, uint32_t from)
{
	const struct str *rows = w->t->dictionary.strings.at;
	uint32_t n = w->t->dictionary.strings.n;

	put_head(w, from, n);
	PUT_U32(rows, from, n, n);
	for (uint32_t i = from; i < n; i++)
		buf_put_str(w->out, rows[i]);
}

static bool value_has_bytes(const struct value *v)
{
	return v->kind == VALUE_STRING || v->kind == VALUE_BYTES || v->kind == VALUE_LIST ||
	       v->kind == VALUE_MAP;
}

static void put_attributes(struct segment_writer *w, uint32_t from)
{
	const struct attribute *rows = w->t->dictionary.attributes.at;
	uint32_t n = w->t->dictionary.attributes.n;

	put_head(w, from, n);
	PUT_U32(rows, from, n, key);
	PUT_U32(rows, from, n, unit);
	PUT_U32(rows, from, n, value.kind);
	for (uint32_t i = from; i < n; i++) {
		const struct value *v = &rows[i].value;

		if (value_has_bytes(v))
			column_put_str(w->out, v->s);
		else
			column_put_varint(w->out, (uint64_t)v->i); /* a double by its bits */
	}
}

/* Write the attribute lists of rows: the length of each, then the attribute ids. */
#define PUT_LISTS(rows, from, n)                                                                   \
	do {                                                                                       \
		PUT_U32(rows, from, n, attributes.n);                                              \
		for (uint32_t i_ = (from); i_ < (n); i_++)                                         \
			for (uint32_t k_ = 0; k_ < (rows)[i_].attributes.n; k_++)                  \
				column_put_varint(w->out,                                          \
						  w->t->dictionary.attribute_refs                  \
							  .at[(rows)[i_].attributes.at + k_]);     \
	} while (0)

static void put_mappings(struct segment_writer *w, uint32_t from)
{
	const struct mapping *rows = w->t->dictionary.mappings.at;
	uint32_t n = w->t->dictionary.mappings.n;

	put_head(w, from, n);
	PUT_U64(rows, from, n, row->start);
	PUT_U64(rows, from, n, row->limit);
	PUT_U64(rows, from, n, row->offset);
	PUT_U32(rows, from, n, filename);
	PUT_LISTS(rows, from, n);
}

static void put_functions(struct segment_writer *w, uint32_t from)
{
	const struct function *rows = w->t->dictionary.functions.at;
	uint32_t n = w->t->dictionary.functions.n;

	put_head(w, from, n);
	PUT_U32(rows, from, n, name);
	PUT_U32(rows, from, n, system_name);
	PUT_U32(rows, from, n, filename);
	PUT_U64(rows, from, n, zigzag(row->start_line));
}

static void put_locations(struct segment_writer *w, uint32_t from)
{
	const struct profile_batch *b = &w->t->dictionary;
	const struct location *rows = b->locations.at;
	uint32_t n = b->locations.n;

	put_head(w, from, n);
	PUT_U64(rows, from, n, row->address);
	PUT_U32(rows, from, n, mapping);
	PUT_LISTS(rows, from, n);
	PUT_U32(rows, from, n, lines.n);
	for (uint32_t i = from; i < n; i++)
		for (uint32_t k = 0; k < rows[i].lines.n; k++) {
			const struct line *l = &b->lines.at[rows[i].lines.at + k];

			column_put_varint(w->out, l->function);
			column_put_varint(w->out, zigzag(l->line));
			column_put_varint(w->out, zigzag(l->column));
		}
}

static void put_nodes(struct segment_writer *w, uint32_t from)
{
	const struct stack_node *rows = w->t->nodes.at;
	uint32_t n = w->t->nodes.n;

	put_head(w, from, n);
	for (uint32_t i = from; i < n; i++)
		w->narrow[i - from] = i - rows[i].parent;
	column_put_u32(w->out, w->narrow, n - from);
	PUT_U32(rows, from, n, location);
}

int dictionary_encode(const struct stack_tree *t, struct dictionary_counts from, struct buf *out)
{
	struct dictionary_counts to = dictionary_count(t);
	uint32_t most = 0;
	const uint32_t *a = &from.strings, *b = &to.strings;
	struct segment_writer w = {.out = out, .t = t};
	struct arena scratch;

	for (size_t i = 0; i < sizeof(from) / sizeof(*a); i++)
		most = b[i] - a[i] > most ? b[i] - a[i] : most;
	arena_init(&scratch, NULL);
	w.narrow = arena_alloc(&scratch, most, sizeof(*w.narrow));
	w.wide = arena_alloc(&scratch, most, sizeof(*w.wide));
	if (w.narrow && w.wide) {
		put_strings(&w, from.strings);
		put_attributes(&w, from.attributes);
		put_mappings(&w, from.mappings);
		put_functions(&w, from.functions);
		put_locations(&w, from.locations);
		put_nodes(&w, from.nodes);
	} else {
		out->failed = true;
	}
	arena_fini(&scratch);
	return buf_error(out);
}
