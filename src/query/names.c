/* SPDX-License-Identifier: Apache-2.0 */
#include "query/names.h"

#include "base/hash.h"

int names_init(struct names *n, struct arena *arena, enum names_key key)
{
	*n = (struct names){.arena = arena, .key = key};
	return idset_init(&n->index, arena, 256);
}

static struct str second_key(const struct names *n, struct str file, struct str module)
{
	switch (n->key) {
	case NAMES_BY_FILE:
		return file;
	case NAMES_BY_MODULE:
		return module;
	default:
		return (struct str){0};
	}
}

static int add_row(struct names *n, struct str text, struct str file, struct str module,
		   uint32_t hash)
{
	struct frame_name row = {0};
	int rc = vec_reserve(n->arena, &n->rows, 1);

	if (!rc)
		rc = arena_copy_str(n->arena, text, &row.text);
	if (!rc)
		rc = arena_copy_str(n->arena, file, &row.file);
	if (!rc)
		rc = arena_copy_str(n->arena, module, &row.module);
	if (!rc)
		rc = idset_add(&n->index, hash, n->rows.n);
	if (!rc)
		n->rows.at[n->rows.n++] = row;
	return rc;
}

/* Remember that a known name was seen elsewhere too; the first known place stays. */
static int note_place(struct names *n, struct frame_name *row, struct str file, struct str module)
{
	int rc = 0;

	if (!row->file.n && file.n)
		rc = arena_copy_str(n->arena, file, &row->file);
	else if (file.n && !str_eq(row->file, file))
		row->many_files = true;
	if (!rc && !row->module.n && module.n)
		rc = arena_copy_str(n->arena, module, &row->module);
	else if (module.n && !str_eq(row->module, module))
		row->many_modules = true;
	return rc;
}

int names_add(struct names *n, struct str text, struct str file, struct str module, uint32_t *id)
{
	struct str second = second_key(n, file, module);
	uint32_t hash = hash_u64((uint64_t)hash32(text) << 32 | (second.n ? hash32(second) : 0));
	struct idset_cursor cursor = idset_seek(&n->index, hash);

	while (idset_next(&n->index, &cursor, id)) {
		struct frame_name *row = &n->rows.at[*id];

		if (str_eq(row->text, text) &&
		    str_eq(second_key(n, row->file, row->module), second))
			return note_place(n, row, file, module);
	}
	*id = n->rows.n;
	return add_row(n, text, file, module, hash);
}

void names_note_line(struct names *n, uint32_t id, struct str file, int64_t start, int64_t line)
{
	struct frame_name *row = &n->rows.at[id];

	if (row->line_starts || (start <= 0 && line <= 0) || !str_eq(row->file, file))
		return;
	if (start > 0) {
		row->line = start;
		row->line_starts = true;
	} else if (!row->line || line < row->line) {
		row->line = line;
	}
}

int names_cmp(const struct names *n, uint32_t a, uint32_t b)
{
	const struct frame_name *x = &n->rows.at[a], *y = &n->rows.at[b];
	int c = str_cmp(x->text, y->text);

	if (!c)
		c = str_cmp(x->file, y->file);
	return c ? c : str_cmp(x->module, y->module);
}
