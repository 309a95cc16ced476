/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding the segments of a dictionary; dictionary.c describes the format. */
#include "store/sqlite/block/columns.h"
#include "store/sqlite/block/dictionary.h"

struct segment_reader {
	struct column_cursor c;
	struct stack_tree *t;
	struct arena scratch;
	int rc;		  /* -ENOMEM; damaged bytes set c.bad */
	uint32_t from, n; /* rows of the current table */
	uint32_t have;	  /* existing rows: the first have - from rows are skipped */
	const char *table;
};

/* Begin a table that has `have` rows. Return false if the segment does not continue it. */
static bool table_begin(struct segment_reader *r, const char *name, uint32_t have)
{
	uint64_t from = column_varint(&r->c);

	r->table = name;
	r->n = column_count(&r->c);
	if (from > have || from > VEC_MAX || r->n > VEC_MAX - from)
		r->c.bad = true;
	r->from = (uint32_t)from;
	r->have = have;
	return !r->c.bad && !r->rc;
}

static uint32_t *read_u32_column(struct segment_reader *r)
{
	return column_new_u32(&r->c, &r->scratch, r->n, &r->rc);
}

static uint64_t *read_u64_column(struct segment_reader *r)
{
	return column_new_u64(&r->c, &r->scratch, r->n, &r->rc);
}

static bool row_is_new(const struct segment_reader *r, uint32_t i)
{
	return r->from + i >= r->have;
}

static bool reader_ok(const struct segment_reader *r)
{
	return !r->c.bad && !r->rc;
}

/* Check that a referenced row exists. */
static uint32_t check_reference(struct segment_reader *r, uint64_t id, uint32_t rows)
{
	if (id >= rows) {
		r->c.bad = true;
		return 0;
	}
	return (uint32_t)id;
}

static void get_strings(struct segment_reader *r)
{
	struct profile_batch *b = &r->t->dictionary;
	uint32_t *length;
	uint64_t bytes = 0;
	const uint8_t *p;
	char *copy;

	if (!table_begin(r, "strings", b->strings.n))
		return;
	length = read_u32_column(r);
	for (uint32_t i = 0; length && i < r->n; i++)
		bytes += length[i];
	p = length ? column_bytes(&r->c, bytes) : NULL;
	if (!p || r->c.bad)
		return;
	copy = arena_alloc(&b->arena, bytes + 1, 1);
	r->rc = copy ? vec_reserve(&b->arena, &b->strings, r->n) : -ENOMEM;
	if (r->rc)
		return;
	memcpy(copy, p, bytes);
	for (uint32_t i = 0; i < r->n; copy += length[i++])
		if (row_is_new(r, i))
			b->strings.at[b->strings.n++] = str_of(copy, length[i]);
}

static void get_value(struct segment_reader *r, struct value *v, bool keep)
{
	switch (v->kind) {
	case VALUE_STRING:
	case VALUE_BYTES:
	case VALUE_LIST:
	case VALUE_MAP:
		v->s = column_str(&r->c);
		if (keep && reader_ok(r))
			r->rc = arena_copy_str(&r->t->dictionary.arena, v->s, &v->s);
		break;
	case VALUE_EMPTY:
	case VALUE_BOOL:
	case VALUE_INT:
	case VALUE_DOUBLE:
		v->i = (int64_t)column_varint(&r->c);
		break;
	default:
		r->c.bad = true;
	}
}

static void get_attributes(struct segment_reader *r)
{
	struct profile_batch *b = &r->t->dictionary;
	uint32_t *key, *unit, *kind;

	if (!table_begin(r, "attributes", b->attributes.n))
		return;
	key = read_u32_column(r);
	unit = read_u32_column(r);
	kind = read_u32_column(r);
	for (uint32_t i = 0; kind && i < r->n && reader_ok(r); i++) {
		struct attribute row = {.key = check_reference(r, key[i], b->strings.n),
					.unit = check_reference(r, unit[i], b->strings.n),
					.value = {.kind = kind[i]}};

		get_value(r, &row.value, row_is_new(r, i));
		if (row_is_new(r, i) && reader_ok(r))
			r->rc = vec_push(&b->arena, &b->attributes, row);
	}
}

/* Read n attribute ids, and append them to the pool if `keep` is set. */
static struct list get_list(struct segment_reader *r, uint32_t n, bool keep)
{
	struct profile_batch *b = &r->t->dictionary;
	struct list l = {n ? b->attribute_refs.n : 0, n};

	for (uint32_t i = 0; i < n && reader_ok(r); i++) {
		uint32_t id = check_reference(r, column_varint(&r->c), b->attributes.n);

		if (keep && reader_ok(r))
			r->rc = vec_push(&b->arena, &b->attribute_refs, id);
	}
	return l;
}

static void get_mappings(struct segment_reader *r)
{
	struct profile_batch *b = &r->t->dictionary;
	uint64_t *start, *limit, *offset;
	uint32_t *filename, *lists;

	if (!table_begin(r, "mappings", b->mappings.n))
		return;
	start = read_u64_column(r);
	limit = read_u64_column(r);
	offset = read_u64_column(r);
	filename = read_u32_column(r);
	lists = read_u32_column(r);
	for (uint32_t i = 0; lists && i < r->n && reader_ok(r); i++) {
		struct mapping row = {.start = start[i],
				      .limit = limit[i],
				      .offset = offset[i],
				      .filename = check_reference(r, filename[i], b->strings.n),
				      .attributes = get_list(r, lists[i], row_is_new(r, i))};

		if (row_is_new(r, i) && reader_ok(r))
			r->rc = vec_push(&b->arena, &b->mappings, row);
	}
}

static void get_functions(struct segment_reader *r)
{
	struct profile_batch *b = &r->t->dictionary;
	uint32_t *name, *system_name, *filename;
	uint64_t *line;

	if (!table_begin(r, "functions", b->functions.n))
		return;
	name = read_u32_column(r);
	system_name = read_u32_column(r);
	filename = read_u32_column(r);
	line = read_u64_column(r);
	for (uint32_t i = 0; line && i < r->n && reader_ok(r); i++) {
		struct function row = {.name = check_reference(r, name[i], b->strings.n),
				       .system_name =
					       check_reference(r, system_name[i], b->strings.n),
				       .filename = check_reference(r, filename[i], b->strings.n),
				       .start_line = unzigzag(line[i])};

		if (row_is_new(r, i) && reader_ok(r))
			r->rc = vec_push(&b->arena, &b->functions, row);
	}
}

static struct list get_lines(struct segment_reader *r, uint32_t n, bool keep)
{
	struct profile_batch *b = &r->t->dictionary;
	struct list l = {n ? b->lines.n : 0, n};

	for (uint32_t i = 0; i < n && reader_ok(r); i++) {
		struct line line = {
			.function = check_reference(r, column_varint(&r->c), b->functions.n)};

		line.line = unzigzag(column_varint(&r->c));
		line.column = unzigzag(column_varint(&r->c));
		if (keep && reader_ok(r))
			r->rc = vec_push(&b->arena, &b->lines, line);
	}
	return l;
}

static void get_locations(struct segment_reader *r)
{
	struct profile_batch *b = &r->t->dictionary;
	uint64_t *address;
	uint32_t *mapping, *lists, *lines, first = b->locations.n;

	if (!table_begin(r, "locations", b->locations.n))
		return;
	address = read_u64_column(r);
	mapping = read_u32_column(r);
	lists = read_u32_column(r);
	for (uint32_t i = 0; lists && i < r->n && reader_ok(r); i++) {
		struct location row = {.address = address[i],
				       .mapping = check_reference(r, mapping[i], b->mappings.n),
				       .attributes = get_list(r, lists[i], row_is_new(r, i))};

		if (row_is_new(r, i) && reader_ok(r))
			r->rc = vec_push(&b->arena, &b->locations, row);
	}
	lines = read_u32_column(r);
	for (uint32_t i = 0; lines && i < r->n && reader_ok(r); i++) {
		struct list l = get_lines(r, lines[i], row_is_new(r, i));

		if (row_is_new(r, i) && reader_ok(r))
			b->locations.at[first++].lines = l;
	}
}

static void get_nodes(struct segment_reader *r)
{
	struct stack_tree *t = r->t;
	uint32_t *up, *location, rows = t->dictionary.locations.n;

	if (!table_begin(r, "nodes", t->nodes.n))
		return;
	up = read_u32_column(r);
	location = read_u32_column(r);
	if (!location || !reader_ok(r))
		return;
	r->rc = vec_reserve(&t->dictionary.arena, &t->nodes, r->n);
	for (uint32_t i = 0; i < r->n && reader_ok(r); i++) {
		uint32_t id = r->from + i;

		if (!up[i] || up[i] > id || location[i] >= rows)
			r->c.bad = true;
		else if (row_is_new(r, i))
			t->nodes.at[t->nodes.n++] = (struct stack_node){id - up[i], location[i]};
	}
}

int dictionary_decode(struct stack_tree *t, struct str bytes, struct err *e)
{
	static void (*const tables[])(struct segment_reader *) = {
		get_strings, get_attributes, get_mappings, get_functions, get_locations, get_nodes,
	};
	struct segment_reader r = {.c = column_cursor(bytes), .t = t, .table = "head"};

	arena_init(&r.scratch, t->dictionary.arena.budget);
	for (size_t i = 0; i < countof(tables) && reader_ok(&r); i++) {
		tables[i](&r);
		arena_reset(&r.scratch);
	}
	arena_fini(&r.scratch);
	if (r.rc)
		return err_errno(e, r.rc, "read a dictionary");
	if (r.c.bad || r.c.p != r.c.end)
		return err_set(e, -EUCLEAN, "at byte %zu: the %s of a dictionary are damaged",
			       (size_t)(r.c.p - (const uint8_t *)bytes.p), r.table);
	return 0;
}
