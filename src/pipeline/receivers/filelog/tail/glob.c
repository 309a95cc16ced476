/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pattern is walked part by part: parts without wildcards are appended to the path without reading
 * the directory, the others are matched with each name in it.
 */
#include "pipeline/receivers/filelog/tail/glob.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

/* ---- matching ---- */

/* Match a character with the class at p.p[0] == '['. Return the bytes of the class, 0 if it is bad. */
static size_t match_class(struct str p, char c, bool *matched)
{
	size_t i = 1;
	bool negated = p.n > 1 && (p.p[1] == '^' || p.p[1] == '!');

	i += negated;
	*matched = false;
	for (size_t first = i; i < p.n && (p.p[i] != ']' || i == first); i++) {
		unsigned char low = (unsigned char)p.p[i], high = low;

		if (i + 2 < p.n && p.p[i + 1] == '-' && p.p[i + 2] != ']') {
			high = (unsigned char)p.p[i + 2];
			i += 2;
		}
		*matched |= (unsigned char)c >= low && (unsigned char)c <= high;
	}
	if (i >= p.n)
		return 0;
	*matched ^= negated;
	return i + 1;
}

/* Match one character of the name; advance *p. */
static bool match_one(struct str *p, char c)
{
	bool matched = p->p[0] == '?';
	size_t n = 1;

	if (p->p[0] == '[') {
		n = match_class(*p, c, &matched);
	} else if (p->p[0] == '\\' && p->n > 1) {
		matched = p->p[1] == c;
		n = 2;
	} else if (!matched) {
		matched = p->p[0] == c;
	}
	*p = str_from_at(*p, n);
	return matched && n;
}

/* Match a name with one part of a pattern; *: any number of characters. */
static bool match_part(struct str p, struct str name)
{
	struct str star = {0}, star_name = {0};
	bool has_star = false;

	for (;;) {
		if (p.n && p.p[0] == '*') {
			star = p = str_from_at(p, 1);
			star_name = name;
			has_star = true;
			continue;
		}
		if (!name.n && !p.n)
			return true;
		if (name.n && p.n && match_one(&p, name.p[0])) {
			name = str_from_at(name, 1);
			continue;
		}
		if (!has_star || !star_name.n)
			return false;
		star_name = str_from_at(star_name, 1);
		name = star_name;
		p = star;
	}
}

/* Match a path with a pattern, part by part; ** takes any number of parts. */
static bool match_path(struct str pattern, struct str path, unsigned depth)
{
	while (pattern.n || pattern.p) {
		struct str part = str_cut(&pattern, '/'), name;

		if (str_eq(part, STR("**"))) {
			if (!pattern.p)
				return true;
			for (; path.p && depth < GLOB_DEPTH_MAX; str_cut(&path, '/'))
				if (match_path(pattern, path, depth + 1))
					return true;
			return false;
		}
		if (!path.p)
			return false;
		name = str_cut(&path, '/');
		if (!match_part(part, name))
			return false;
	}
	return !path.p;
}

bool glob_list_matches(const struct glob_list *l, struct str path)
{
	for (uint32_t i = 0; i < l->patterns.n; i++)
		if (match_path(l->patterns.at[i], path, 0))
			return true;
	return false;
}

/* ---- patterns ---- */

/* Return the offset of the brace that closes the one at `open`, or s.n. */
static size_t closing_brace(struct str s, size_t open)
{
	unsigned depth = 0;

	for (size_t i = open; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == '{')
			depth++;
		else if (s.p[i] == '}' && !--depth)
			return i;
	}
	return s.n;
}

/* Return the offset of the comma after the alternative at `at`, or `end`. */
static size_t next_comma(struct str s, size_t at, size_t end)
{
	unsigned depth = 0;

	for (; at < end; at++) {
		depth += s.p[at] == '{';
		depth -= s.p[at] == '}';
		if (s.p[at] == ',' && !depth)
			break;
	}
	return at;
}

static size_t opening_brace(struct str s)
{
	size_t i = 0;

	for (; i < s.n && s.p[i] != '{'; i++)
		i += s.p[i] == '\\';
	return min_size(i, s.n);
}

/* Append a pattern for each alternative. */
static int expand_braces(struct glob_list *l, struct str pattern, unsigned depth, struct err *e)
{
	size_t open = opening_brace(pattern), close = closing_brace(pattern, open);
	int rc = 0;

	if (l->patterns.n >= GLOB_PATTERNS_MAX || depth > GLOB_DEPTH_MAX)
		return err_set(e, -EINVAL, "more than %d patterns of files", GLOB_PATTERNS_MAX);
	if (open == pattern.n)
		return vec_push(&l->arena, &l->patterns, pattern)
			       ? err_errno(e, -ENOMEM, "patterns")
			       : 0;
	if (close == pattern.n)
		return err_set(e, -EINVAL, "pattern \"%.*s\": { is not closed",
			       STR_ARG(str_head(pattern, 100)));
	for (size_t at = open + 1; at <= close && !rc;) {
		size_t end = next_comma(pattern, at, close);
		struct str one;

		rc = arena_printf(&l->arena, &one, "%.*s%.*s%.*s", (int)open, pattern.p,
				  (int)(end - at), pattern.p + at,
				  STR_ARG(str_from_at(pattern, close + 1)));
		rc = rc ? err_errno(e, rc, "patterns") : expand_braces(l, one, depth + 1, e);
		at = end + 1;
	}
	return rc;
}

static int check_classes(struct str pattern, struct err *e)
{
	bool matched;

	for (size_t i = 0; i < pattern.n; i++) {
		if (pattern.p[i] == '\\')
			i++;
		else if (pattern.p[i] == '[' &&
			 !match_class(str_from_at(pattern, i), 'a', &matched))
			return err_set(e, -EINVAL, "pattern \"%.*s\": [ is not closed",
				       STR_ARG(str_head(pattern, 100)));
	}
	return 0;
}

int glob_list_init(struct glob_list *l, const struct setting_list *from, struct err *e)
{
	int rc = 0;

	*l = (struct glob_list){0};
	arena_init(&l->arena, NULL);
	for (uint32_t i = 0; i < from->n && !rc; i++) {
		if (!from->at[i].n || from->at[i].n > GLOB_PATTERN_MAX ||
		    memchr(from->at[i].p, 0, from->at[i].n))
			return err_set(e, -EINVAL,
				       "a pattern of files has to have 1 to %d characters",
				       GLOB_PATTERN_MAX);
		rc = check_classes(from->at[i], e);
		rc = rc ? rc : expand_braces(l, from->at[i], 0, e);
	}
	return rc;
}

void glob_list_fini(struct glob_list *l)
{
	arena_fini(&l->arena);
	*l = (struct glob_list){0};
}

/* ---- searching ---- */

struct glob_search {
	struct arena *arena;
	struct glob_files *out;
	char path[GLOB_PATTERN_MAX * 2];
	unsigned visits;
};

static int search_in(struct glob_search *g, size_t length, struct str pattern, unsigned depth);

static bool has_wildcard(struct str part)
{
	return part.n && (memchr(part.p, '*', part.n) || memchr(part.p, '?', part.n) ||
			  memchr(part.p, '[', part.n) || memchr(part.p, '\\', part.n));
}

/* Append a name to the path; return its new length, 0 if it is too long. */
static size_t append_name(struct glob_search *g, size_t length, struct str name, bool slash)
{
	if (length + name.n + 2 > sizeof(g->path))
		return 0;
	memcpy(g->path + length, name.p ? name.p : "", name.n);
	length += name.n;
	if (slash)
		g->path[length++] = '/';
	g->path[length] = 0;
	return length;
}

static int found_path(struct glob_search *g, size_t length)
{
	struct str copy;
	struct stat st;

	if (stat(g->path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (g->out->list.n >= GLOB_PATHS_MAX)
		return -E2BIG;
	if (arena_copy_str(g->arena, str_of(g->path, length), &copy) ||
	    vec_push(g->arena, &g->out->list,
		     (struct glob_file){copy, st.st_dev, st.st_ino, (uint64_t)st.st_size,
					st.st_mtim.tv_sec}))
		return -ENOMEM;
	return 0;
}

/* Return whether a name is a directory, and not a link to one. */
static bool is_directory(const char *path, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

/* Go on with one name of a directory that the part of the pattern matches. */
static int visit_name(struct glob_search *g, size_t length, const struct dirent *d,
		      struct str pattern, struct str rest, bool any, unsigned depth)
{
	struct str name = str_from(d->d_name);
	size_t longer = append_name(g, length, name, false);

	if (++g->visits > GLOB_VISITS_MAX)
		return -E2BIG;
	if (!longer || str_eq(name, STR(".")) || str_eq(name, STR("..")))
		return 0;
	if (any) {
		if (!rest.p && !is_directory(g->path, d))
			return found_path(g, longer);
		if (!is_directory(g->path, d))
			return 0;
		longer = append_name(g, longer, STR(""), true);
		return longer ? search_in(g, longer, pattern, depth + 1) : 0;
	}
	if (!rest.p)
		return found_path(g, longer);
	longer = append_name(g, longer, STR(""), true);
	return longer ? search_in(g, longer, rest, depth + 1) : 0;
}

static int search_directory(struct glob_search *g, size_t length, struct str pattern,
			    struct str part, struct str rest, unsigned depth)
{
	bool any = str_eq(part, STR("**"));
	const struct dirent *d;
	DIR *dir;
	int rc = 0;

	g->path[length] = 0;
	dir = opendir(length ? g->path : ".");
	if (!dir)
		return 0;
	while (!rc && (d = readdir(dir)))
		if (any || match_part(part, str_from(d->d_name)))
			rc = visit_name(g, length, d, pattern, rest, any, depth);
	closedir(dir);
	return rc;
}

/* Find the rest of a pattern below the path, which ends with a slash. */
static int search_in(struct glob_search *g, size_t length, struct str pattern, unsigned depth)
{
	struct str rest = pattern, part = str_cut(&rest, '/');
	size_t longer;
	int rc = 0;

	if (depth > GLOB_DEPTH_MAX)
		return 0;
	if (str_eq(part, STR("**")) && rest.p)
		rc = search_in(g, length, rest, depth + 1);
	if (rc || has_wildcard(part))
		return rc ? rc : search_directory(g, length, pattern, part, rest, depth);
	longer = append_name(g, length, part, rest.p != NULL);
	if (!longer)
		return 0;
	return rest.p ? search_in(g, longer, rest, depth + 1) : found_path(g, longer);
}

int glob_find(const struct glob_list *l, struct arena *arena, struct glob_files *out)
{
	struct glob_search g = {.arena = arena, .out = out};
	int rc = 0;

	for (uint32_t i = 0; i < l->patterns.n && !rc; i++) {
		g.path[0] = 0;
		rc = search_in(&g, 0, l->patterns.at[i], 0);
	}
	return rc;
}
