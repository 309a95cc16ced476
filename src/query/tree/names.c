/* SPDX-License-Identifier: Apache-2.0 */
/* Names are interned by text and, depending on the key, by module and file. */
#include "query/tree/names.h"

#include "base/container/hash.h"

int names_init(struct names *n, struct arena *arena, enum names_key key)
{
	*n = (struct names){.arena = arena, .key = key};
	return idset_init(&n->index, arena, 256);
}

struct str names_base(struct str path)
{
	size_t slash = str_find_last(path, '/');

	return slash < path.n && slash + 1 < path.n ? str_from_at(path, slash + 1) : path;
}

struct str names_module(struct str path)
{
	static const struct str deleted = STR_INIT(" (deleted)");
	struct str base;

	if (str_ends(path, deleted))
		path = str_head(path, path.n - deleted.n);
	base = names_base(path);
	if ((str_starts(base, STR("perf-")) && str_ends(base, STR(".map"))) ||
	    (str_starts(base, STR("jitted-")) && str_ends(base, STR(".so"))))
		return (struct str){0};
	return base;
}

struct str names_package(struct str name)
{
	static const struct str kernel = STR_INIT("_[k]");
	size_t end = 0, last = 0;

	if (str_ends(name, kernel))
		return kernel;
	if (name.n && (name.p[0] == '<' || name.p[0] == '('))
		return name;
	for (; end < name.n; end++) {
		char c = name.p[end];

		if (c == '(' || c == '[' || c == '<' || c == '{')
			break;
		if (c == '.' || c == '/' || c == ':')
			last = end + 1;
	}
	return str_head(name, last);
}

/* The parts of a name's identity beside its text. */
struct name_place {
	struct str module, file;
};

static struct name_place name_place_of(const struct names *n, struct str file, struct str module)
{
	struct name_place place = {0};

	if (n->key == NAMES_BY_TEXT)
		return place;
	place.module = names_module(module);
	if (n->key == NAMES_BY_FILE)
		place.file = file;
	else if (!place.module.n)
		place.file = names_base(file);
	return place;
}

static bool has_place(const struct names *n, const struct frame_name *row, struct name_place place)
{
	struct name_place known;

	if (n->key == NAMES_BY_TEXT)
		return true;
	known = name_place_of(n, row->file, row->module);
	return str_eq(known.module, place.module) && str_eq(known.file, place.file);
}

static uint32_t hash_name(struct str text, struct name_place place)
{
	uint64_t hash = (uint64_t)hash32(text) << 32;

	if (place.module.n)
		hash ^= hash32(place.module);
	if (place.file.n)
		hash ^= (uint64_t)hash32(place.file) << 16;
	return hash_u64(hash);
}

static int add_name_row(struct names *n, struct str text, struct str file, struct str module,
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

/* Record where an existing name occurs; the first known file and module are kept. */
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
	struct name_place place = name_place_of(n, file, module);
	uint32_t hash = hash_name(text, place);
	struct idset_cursor cursor = idset_seek(&n->index, hash);

	while (idset_next(&n->index, &cursor, id)) {
		struct frame_name *row = &n->rows.at[*id];

		if (str_eq(row->text, text) && has_place(n, row, place))
			return note_place(n, row, file, module);
	}
	*id = n->rows.n;
	return add_name_row(n, text, file, module, hash);
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

struct frame_ref frame_ref_parse(struct str text)
{
	struct frame_ref ref = {.whole = text};

	ref.has_module = str_find(text, '\t') < text.n;
	ref.name = str_cut(&text, '\t');
	ref.has_file = str_find(text, '\t') < text.n;
	ref.module = names_module(str_cut(&text, '\t'));
	ref.file = text;
	return ref;
}

/* Return whether `wanted` is the path or its base name. */
static bool is_file(struct str path, struct str wanted)
{
	return str_eq(path, wanted) || str_eq(names_base(path), wanted);
}

bool frame_ref_matches(const struct frame_ref *ref, const struct frame_name *name)
{
	if (str_eq(name->text, ref->whole))
		return true;
	return ref->has_module && str_eq(name->text, ref->name) &&
	       str_eq(names_module(name->module), ref->module) &&
	       (!ref->has_file || is_file(name->file, ref->file));
}

int names_cmp(const struct names *n, uint32_t a, uint32_t b)
{
	const struct frame_name *x = &n->rows.at[a], *y = &n->rows.at[b];
	int c = str_cmp(x->text, y->text);

	if (!c)
		c = str_cmp(x->file, y->file);
	return c ? c : str_cmp(x->module, y->module);
}
