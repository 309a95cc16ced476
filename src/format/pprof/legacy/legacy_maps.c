/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory maps at the end of the older forms, in the form of /proc/PID/maps or in the brief form
 *
 * 0x40000-0x80000 /path/to/binary (@FF00) abc123456
 *
 * and lookup of the mapping of an address. Both follow google/pprof, including its repairs of maps
 * that are known to be wrong.
 */
#include "format/pprof/legacy/legacy_maps.h"

#include <errno.h>

/* The address at which non-PIE programs are linked; a split first mapping is extended to it. */
#define NON_PIE_START 0x400000u

/* More code mappings than any process has; lookup of an address is a linear search. */
enum { MAX_MAPPINGS = 16384 };

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool take_hex(struct str *text, uint64_t *out)
{
	size_t n = 0;

	if (str_starts(*text, STR("0x")))
		*text = str_from_at(*text, 2);
	while (n < text->n && is_hex(text->p[n]))
		n++;
	if (!n || str_to_u64(str_head(*text, n), 16, out))
		return false;
	*text = str_of(text->p + n, text->n - n);
	return true;
}

static struct str next_word(struct str *text)
{
	size_t n = 0;
	struct str word;

	legacy_skip_blanks(text);
	while (n < text->n && text->p[n] != ' ' && text->p[n] != '\t')
		n++;
	word = str_head(*text, n);
	*text = str_of(text->p + n, text->n - n);
	return word;
}

static bool all_of(struct str word, const char *set)
{
	for (size_t i = 0; i < word.n; i++)
		if (!strchr(set, word.p[i]) || !word.p[i])
			return false;
	return word.n > 0;
}

#define HEX_DIGITS "0123456789abcdefABCDEF"

/* Return whether the word is a device, such as "fd:01". */
static bool is_device(struct str word)
{
	struct str major = str_cut(&word, ':');

	return all_of(major, HEX_DIGITS) && all_of(word, HEX_DIGITS);
}

/* Read the part after the permissions in /proc/PID/maps: offset, device, inode, file. */
static bool read_proc_rest(struct str text, struct legacy_mapping *m)
{
	struct str offset = next_word(&text),
		   device = is_device(offset) ? offset : next_word(&text);

	if (!is_device(device) || !all_of(next_word(&text), "0123456789"))
		return false;
	m->offset = 0;
	if (offset.p != device.p && str_to_u64(offset, 16, &m->offset))
		return false;
	m->file = next_word(&text);
	return true;
}

/* Read the part after the addresses in the brief form: file, "(@offset)", build id. */
static bool read_brief_rest(struct str text, struct legacy_mapping *m)
{
	struct str word;

	m->file = next_word(&text);
	word = next_word(&text);
	if (str_starts(word, STR("(@")) && str_ends(word, STR(")"))) {
		if (str_to_u64(str_of(word.p + 2, word.n - 3), 16, &m->offset))
			return false;
		word = next_word(&text);
	}
	if (all_of(word, HEX_DIGITS))
		m->build_id = word;
	return true;
}

enum map_line { MAP_NONE, MAP_MAPPING, MAP_NOT_CODE };

static enum map_line read_map_line(struct str text, struct legacy_mapping *m)
{
	struct str rest, word;

	*m = (struct legacy_mapping){0};
	if (!take_hex(&text, &m->start))
		return MAP_NONE;
	if (!legacy_take_char(&text, '-') && (!text.n || (text.p[0] != ' ' && text.p[0] != '\t')))
		return MAP_NONE;
	legacy_skip_blanks(&text);
	if (!take_hex(&text, &m->limit))
		return MAP_NONE;
	legacy_take_char(&text, ':');
	rest = text;
	word = next_word(&rest);
	if (all_of(word, "-rwxp")) {
		text = rest;
		if (str_find(word, 'x') == word.n)
			return MAP_NOT_CODE;
	}
	if (read_proc_rest(text, m))
		return MAP_MAPPING;
	return read_brief_rest(text, m) ? MAP_MAPPING : MAP_NONE;
}

/* A line "name=value", for files that are written as "$name/...". */
struct variable {
	struct str name, value;
};

enum { MAX_VARIABLES = 16 };

static int expand_file_name(struct legacy *l, const struct variable *variables, size_t n,
			    struct str *file)
{
	if (!file->n || file->p[0] != '$')
		return 0;
	for (size_t i = 0; i < n; i++)
		if (str_starts(str_from_at(*file, 1), variables[i].name))
			return arena_printf(l->arena, file, "%.*s%.*s", STR_ARG(variables[i].value),
					    STR_ARG(str_from_at(*file, 1 + variables[i].name.n)));
	return 0;
}

/* Return whether `next` continues mapping `m`. */
static bool is_adjacent(const struct legacy_mapping *m, const struct legacy_mapping *next)
{
	if (m->file.n && next->file.n && !str_eq(m->file, next->file))
		return false;
	if (m->build_id.n && next->build_id.n && !str_eq(m->build_id, next->build_id))
		return false;
	if (m->limit != next->start)
		return false;
	return !m->offset || !next->offset || m->offset + (m->limit - m->start) == next->offset;
}

/* Append a mapping, or extend the last one if they are adjacent. */
static int add_legacy_mapping(struct legacy *l, const struct legacy_mapping *m)
{
	struct legacy_mapping *last = l->mappings.n ? &l->mappings.at[l->mappings.n - 1] : NULL;

	if (!last || !is_adjacent(last, m)) {
		if (l->mappings.n == MAX_MAPPINGS)
			return legacy_fail(l, "at most 16384 mappings of code");
		return vec_push(l->arena, &l->mappings, *m);
	}
	last->limit = m->limit;
	if (m->file.n)
		last->file = m->file;
	if (m->build_id.n)
		last->build_id = m->build_id;
	return 0;
}

/* Return whether ".so" ends the name or precedes [._] and a digit. */
static bool is_shared_library(struct str file)
{
	for (size_t at = 0; at + 3 <= file.n; at++) {
		struct str rest = str_from_at(file, at);

		if (!str_starts(rest, STR(".so")))
			continue;
		if (rest.n == 3)
			return true;
		if (rest.n > 4 && (rest.p[3] == '.' || rest.p[3] == '_') && rest.p[4] >= '0' &&
		    rest.p[4] <= '9')
			return true;
	}
	return false;
}

/* Move the first mapping that looks like the main program to the front. */
static void move_main_first(struct legacy *l)
{
	for (uint32_t i = 0; i < l->mappings.n; i++) {
		struct legacy_mapping m = l->mappings.at[i];
		size_t deleted = str_find_str(m.file, STR("(deleted)"));
		struct str file = str_trim(str_head(m.file, deleted));

		if (!file.n || file.p[0] == '[' || is_shared_library(file))
			continue;
		l->mappings.at[i] = l->mappings.at[0];
		l->mappings.at[0] = m;
		return;
	}
}

/*
 * Drop a huge-page part before the first mapping, and undo the split of a non-PIE program's
 * mapping.
 */
static void repair_first_mapping(struct legacy *l)
{
	struct legacy_mapping *m = l->mappings.at;

	if (l->mappings.n > 1 && str_starts(m[0].file, STR("/anon_hugepage")) &&
	    m[0].limit == m[1].start) {
		memmove(m, m + 1, (l->mappings.n - 1) * sizeof(*m));
		l->mappings.n--;
	}
	if (l->mappings.n && m->start - m->offset == NON_PIE_START) {
		m->start = NON_PIE_START;
		m->offset = 0;
	}
}

int legacy_read_maps(struct legacy *l)
{
	struct variable variables[MAX_VARIABLES];
	struct legacy_mapping m;
	size_t n = 0;
	int rc = 0;

	while (!rc && legacy_next_line(l)) {
		enum map_line kind = read_map_line(l->line, &m);

		if (kind == MAP_MAPPING) {
			rc = expand_file_name(l, variables, n, &m.file);
			if (!rc)
				rc = add_legacy_mapping(l, &m);
		} else if (kind == MAP_NONE && n < MAX_VARIABLES &&
			   str_find(l->line, '=') < l->line.n) {
			struct str value = l->line;

			variables[n].name = str_trim(str_cut(&value, '='));
			variables[n++].value = str_trim(value);
		}
	}
	if (l->mappings.n)
		move_main_first(l);
	repair_first_mapping(l);
	return rc;
}

int legacy_find_mapping(struct legacy *l, uint64_t address, uint32_t *mapping)
{
	struct legacy_mapping *m = l->mappings.at;

	*mapping = NO_MAPPING;
	if (!address)
		return 0;
	for (*mapping = 0; *mapping < l->mappings.n; ++*mapping)
		if (m[*mapping].start <= address && address < m[*mapping].limit)
			return 0;
	/* some writers omit the first part of a split mapping */
	for (*mapping = 0; *mapping < l->mappings.n; ++*mapping) {
		struct legacy_mapping *x = &m[*mapping];

		if (x->offset && x->start - x->offset <= address && address < x->start) {
			x->start -= x->offset;
			x->offset = 0;
			return 0;
		}
	}
	/* one mapping for all other addresses: Go's text profiles have no map */
	if (l->has_fallback) {
		*mapping = l->mappings.n - 1;
		return 0;
	}
	l->has_fallback = true;
	return vec_push(l->arena, &l->mappings, (struct legacy_mapping){.limit = UINT64_MAX});
}
