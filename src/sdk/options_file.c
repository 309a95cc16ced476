/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options in a file, in the subset of YAML that configurations use: nested mappings by indentation,
 * or in braces on one line; plain and quoted scalars; comments. Lists, anchors, tags and multi-line
 * text are reported as errors. So the library needs no YAML parser.
 */
#include "sdk/options_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	DEPTH_MAX = 8,
	PATH_MAX_BYTES = 256,
};

/* Switches of single profiles; all other keys are in sdk_option_table. */
static const struct {
	const char *path;
	unsigned profiles;
} switches[] = {
	{"profiling.enabled", 0},
	{"profiling.cpu.enabled", VARVE_CPU},
	{"profiling.memory.enabled", VARVE_HEAP},
	{"profiling.heap.enabled", VARVE_HEAP},
	{"profiling.mutex.enabled", VARVE_MUTEX},
	{"profiling.block.enabled", VARVE_BLOCK},
	{"profiling.wall.enabled", VARVE_WALL},
	{"profiling.threads.enabled", VARVE_THREADS},
	{"profiling.threadcreate.enabled", VARVE_THREADCREATE},
	{"profiling.mmap.enabled", VARVE_MMAP},
};

/* Other names of options. */
static const char *const aliases[][2] = {
	{"profiling.heap.sample_rate", "profiling.memory.sample_rate"},
};

struct file_reader {
	struct sdk_options *out;
	const char *file;
	unsigned line;
	struct err *e;
	unsigned on, off; /* switches that were set */
	bool disabled;	  /* profiling.enabled is false */
	bool conditional; /* an option of it is in the file, so it is on */
	char path[PATH_MAX_BYTES];
	size_t path_size;
	struct {
		size_t indent, path_size;
	} levels[DEPTH_MAX];
	unsigned depth;
	/* set by this file */
	bool set_rows[SDK_OPTIONS_MAX], set_switches[countof(switches)];
};

static int syntax_error(struct file_reader *r, const char *text, struct str what)
{
	return err_set(r->e, -EINVAL, "%s:%u: %s \"%.*s\"", r->file, r->line, text,
		       STR_ARG(str_head(what, 64)));
}

static int push_key(struct file_reader *r, struct str key)
{
	int n = snprintf(r->path + r->path_size, sizeof(r->path) - r->path_size, "%s%.*s",
			 r->path_size ? "." : "", STR_ARG(key));

	if (n < 0 || (size_t)n >= sizeof(r->path) - r->path_size)
		return syntax_error(r, "key too long:", key);
	r->path_size += (size_t)n;
	return 0;
}

static void cut_path(struct file_reader *r, size_t size)
{
	r->path_size = size;
	r->path[size] = 0;
}

static int set_switch(struct file_reader *r, unsigned profiles, struct str value)
{
	unsigned on;

	if (sdk_flag_read(value, &on))
		return syntax_error(r, "expected true or false, found", value);
	if (on)
		r->on |= profiles;
	else
		r->off |= profiles;
	r->disabled |= !profiles && !on; /* profiling.enabled: false disables all */
	return 0;
}

static bool is_set_already(const struct file_reader *r, const struct option_row *row)
{
	static const char zero[sizeof(uint64_t)];
	size_t size = row->type == OPTION_TEXT || row->type == OPTION_BYTES ||
				      row->type == OPTION_MS || row->type == OPTION_NS ||
				      row->type == OPTION_SHARE
			      ? sizeof(uint64_t)
			      : sizeof(unsigned);

	return memcmp((const char *)&r->out->o + row->offset, zero, size) != 0;
}

static int set_row(struct file_reader *r, const struct option_row *row, struct str value)
{
	int rc;

	r->conditional |= strstr(row->path, ".conditional.") != NULL;
	if (r->out->given[row - sdk_option_table] || is_set_already(r, row))
		return 0; /* code and environment take precedence */
	rc = sdk_option_read(r->out, row, value);
	if (rc == -ERANGE)
		return err_set(r->e, -EINVAL, "%s:%u: %s: %.*s is not between %g and %g", r->file,
			       r->line, row->path, STR_ARG(value), row->low, row->high);
	if (rc == -EINVAL)
		return err_set(r->e, -EINVAL, "%s:%u: %s: cannot read the value \"%.*s\"", r->file,
			       r->line, row->path, STR_ARG(str_head(value, 64)));
	return rc;
}

/* Return the Levenshtein distance of the first 63 bytes. */
static unsigned edit_distance(const char *a, const char *b)
{
	enum { LONGEST = 63 };
	size_t n = strnlen(b, LONGEST), m = strnlen(a, LONGEST);
	unsigned row[LONGEST + 1], diagonal, above;

	for (unsigned k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 0; i < m; i++) {
		diagonal = row[0];
		row[0] = (unsigned)i + 1;
		for (size_t k = 0; k < n; k++) {
			above = row[k + 1];
			row[k + 1] = diagonal + (a[i] != b[k]);
			if (row[k] + 1 < row[k + 1])
				row[k + 1] = row[k] + 1;
			if (above + 1 < row[k + 1])
				row[k + 1] = above + 1;
			diagonal = above;
		}
	}
	return row[n];
}

/* Return the length of as many leading components of `path` as the reader's path has. */
static size_t prefix_at_depth(const struct file_reader *r, const char *path)
{
	size_t n = 0;

	for (const char *at = r->path; (at = strchr(at, '.')); at++) {
		n += strcspn(path + n, ".");
		if (!path[n])
			return n;
		n++;
	}
	return n + strcspn(path + n, ".");
}

struct suggestion {
	char path[PATH_MAX_BYTES];
	unsigned edit_distance;
};

static void consider_candidate(const struct file_reader *r, const char *candidate, bool mapping,
			       struct suggestion *best)
{
	struct suggestion s;
	size_t n = mapping ? prefix_at_depth(r, candidate) : strlen(candidate);

	snprintf(s.path, sizeof(s.path), "%.*s", (int)n, candidate);
	s.edit_distance = edit_distance(r->path, s.path);
	if (s.edit_distance < best->edit_distance)
		*best = s;
}

/*
 * Report that the reader's path is unknown, with a suggestion. `mapping`: it begins a mapping, or
 * has no value.
 */
static int unknown_key(struct file_reader *r, bool mapping)
{
	enum { TOO_FAR = 5 };
	struct suggestion best = {.edit_distance = TOO_FAR};

	for (size_t i = 0; i < sdk_option_count; i++)
		consider_candidate(r, sdk_option_table[i].path, mapping, &best);
	for (size_t i = 0; i < countof(switches); i++)
		consider_candidate(r, switches[i].path, mapping, &best);
	return err_set(r->e, -EINVAL, "%s:%u: unknown option \"%.100s\"%s%s%s", r->file, r->line,
		       r->path, best.path[0] ? "; did you mean \"" : "", best.path,
		       best.path[0] ? "\"?" : "");
}

/* Note that the file sets the option. -EINVAL if it did so before. */
static int set_once(struct file_reader *r, bool *set)
{
	if (*set)
		return err_set(r->e, -EINVAL, "%s:%u: %s is set twice", r->file, r->line, r->path);
	*set = true;
	return 0;
}

/* Return the row of the reader's path, or NULL. */
static const struct option_row *find_option_row(const struct file_reader *r)
{
	const char *path = r->path;

	for (size_t i = 0; i < countof(aliases); i++)
		if (!strcmp(path, aliases[i][0]))
			path = aliases[i][1];
	for (size_t i = 0; i < sdk_option_count; i++)
		if (!strcmp(path, sdk_option_table[i].path))
			return &sdk_option_table[i];
	return NULL;
}

/* Return the index of the switch of the reader's path; countof(switches): none. */
static size_t find_switch(const struct file_reader *r)
{
	size_t i = 0;

	while (i < countof(switches) && strcmp(r->path, switches[i].path) != 0)
		i++;
	return i;
}

static int set_option(struct file_reader *r, struct str value)
{
	const struct option_row *row = find_option_row(r);
	size_t i = find_switch(r);
	int rc;

	if (i < countof(switches)) {
		rc = set_once(r, &r->set_switches[i]);
		return rc ? rc : set_switch(r, switches[i].profiles, value);
	}
	if (!row)
		return unknown_key(r, false);
	rc = set_once(r, &r->set_rows[row - sdk_option_table]);
	return rc ? rc : set_row(r, row, value);
}

static bool is_below(const struct file_reader *r, const char *path)
{
	return !strncmp(path, r->path, r->path_size) && path[r->path_size] == '.';
}

/* The reader's path begins a mapping: -EINVAL unless there are options below it. */
static int check_mapping(struct file_reader *r)
{
	for (size_t i = 0; i < sdk_option_count; i++)
		if (is_below(r, sdk_option_table[i].path))
			return 0;
	for (size_t i = 0; i < countof(switches); i++)
		if (is_below(r, switches[i].path))
			return 0;
	if (find_option_row(r) || find_switch(r) < countof(switches))
		return err_set(r->e, -EINVAL, "%s:%u: %s: expected a value", r->file, r->line,
			       r->path);
	return unknown_key(r, true);
}

/* Return a scalar in *value, without its quotes and without a comment after it. */
static int plain_value(struct file_reader *r, struct str text, struct str *value)
{
	size_t end;

	text = str_trim(text);
	if (text.n && (text.p[0] == '"' || text.p[0] == '\'')) {
		end = str_find(str_from_at(text, 1), text.p[0]) + 1;
		if (end >= text.n)
			return syntax_error(r, "unterminated quote:", text);
		*value = str_of(text.p + 1, end - 1);
		text = str_trim(str_from_at(text, end + 1));
		return text.n && text.p[0] != '#'
			       ? syntax_error(r, "unexpected text after the value:", text)
			       : 0;
	}
	end = text.n && text.p[0] == '#' ? 0 : str_find_str(text, STR(" #"));
	*value = str_trim(str_head(text, end));
	if (value->n && strchr("[&*!|>%@`", value->p[0]))
		return syntax_error(
			r, "lists, anchors, tags and multi-line text are not supported:", *value);
	return 0;
}

static int read_braces(struct file_reader *r, struct str *rest);

/* Return where a value in braces ends: at an unquoted comma or brace. */
static size_t value_end(struct str text)
{
	char quote = text.n && (text.p[0] == '"' || text.p[0] == '\'') ? text.p[0] : 0;
	size_t end = 0;

	if (quote)
		end = min_size(str_find(str_from_at(text, 1), quote) + 2, text.n);
	while (end < text.n && text.p[end] != ',' && text.p[end] != '}')
		end++;
	return end;
}

/* Read one "key: value" in braces; *rest is what follows. */
static int read_pair(struct file_reader *r, struct str *rest)
{
	size_t colon = str_find(*rest, ':'), before = r->path_size, end;
	struct str value;
	int rc;

	if (colon == rest->n)
		return syntax_error(r, "expected key: value, found", *rest);
	rc = push_key(r, str_trim(str_head(*rest, colon)));
	if (rc)
		return rc;
	*rest = str_trim(str_from_at(*rest, colon + 1));
	if (rest->n && rest->p[0] == '{') {
		rc = read_braces(r, rest);
	} else {
		end = value_end(*rest);
		rc = plain_value(r, str_head(*rest, end), &value);
		rc = rc ? rc : set_option(r, value);
		*rest = str_from_at(*rest, end);
	}
	cut_path(r, before);
	return rc;
}

/*
 * Read a mapping in braces. Recursion is bounded, because only mappings that contain options are
 * accepted.
 */
static int read_braces(struct file_reader *r, struct str *rest)
{
	int rc = check_mapping(r);

	*rest = str_trim(str_from_at(*rest, 1));
	while (!rc && rest->n && rest->p[0] != '}') {
		rc = read_pair(r, rest);
		*rest = str_trim(*rest);
		if (!rc && rest->n && rest->p[0] == ',')
			*rest = str_trim(str_from_at(*rest, 1));
		else if (!rc && (!rest->n || rest->p[0] != '}'))
			rc = syntax_error(r, "expected , or } before", *rest);
	}
	if (!rc && !rest->n)
		rc = syntax_error(r, "unterminated brace", *rest);
	*rest = str_trim(str_from_at(*rest, 1));
	return rc;
}

/* Leave the mappings that a line of this indentation is not part of. */
static void leave_levels(struct file_reader *r, size_t indent)
{
	while (r->depth && r->levels[r->depth - 1].indent >= indent)
		r->depth--;
	cut_path(r, r->depth ? r->levels[r->depth - 1].path_size : 0);
}

static int read_line(struct file_reader *r, struct str line)
{
	size_t indent = 0, colon, before;
	struct str text = str_trim(line), value;
	int rc;

	while (indent < line.n && line.p[indent] == ' ')
		indent++;
	if (!text.n || text.p[0] == '#' || str_eq(text, STR("---")))
		return 0;
	if (indent < line.n && line.p[indent] == '\t')
		return syntax_error(r, "tabs are not allowed for indentation:", text);
	leave_levels(r, indent);
	colon = str_find(text, ':');
	if (colon == text.n || text.p[0] == '-')
		return syntax_error(r, "expected key: value, found", text);
	before = r->path_size;
	rc = push_key(r, str_trim(str_head(text, colon)));
	text = str_trim(str_from_at(text, colon + 1));
	if (!rc && text.n && text.p[0] == '{') {
		rc = read_braces(r, &text);
		if (!rc && text.n && text.p[0] != '#')
			rc = syntax_error(r, "unexpected text after a brace:", text);
		cut_path(r, before);
		return rc;
	}
	rc = rc ? rc : plain_value(r, text, &value);
	if (rc)
		return rc;
	if (value.n || (text.n && text.p[0] != '#')) {
		rc = set_option(r, value);
		cut_path(r, before);
		return rc;
	}
	rc = check_mapping(r);
	if (rc)
		return rc;
	if (r->depth == DEPTH_MAX) /* deeper than any option */
		return syntax_error(r, "nested too deeply:", str_from(r->path));
	r->levels[r->depth].indent = indent;
	r->levels[r->depth++].path_size = r->path_size;
	return 0;
}

/* Apply the switches to the profiles that the file selects or, if it selects none, the default. */
static void choose_profiles(struct file_reader *r, bool chosen)
{
	struct sdk_options *out = r->out;
	unsigned base = out->o.profiles ? out->o.profiles : VARVE_CPU | VARVE_HEAP;

	if (chosen || !(r->on || r->off || r->disabled))
		return;
	out->o.profiles = r->disabled ? 0 : (base | r->on) & ~r->off;
	out->given[sdk_option_named("profiling.profiles") - sdk_option_table] = true;
}

int sdk_options_from_file(struct sdk_options *out, struct str file, const char *path, struct err *e)
{
	struct file_reader r = {.out = out, .file = path, .e = e};
	struct str line;
	bool chosen = out->o.profiles != 0; /* by code or environment, which take precedence */
	int rc = 0;

	while (!rc && str_next_line(&file, &line)) {
		r.line++;
		rc = read_line(&r, line);
	}
	if (rc)
		return rc;
	choose_profiles(&r, chosen);
	if (r.conditional &&
	    !out->given[sdk_option_named("profiling.conditional.enabled") - sdk_option_table])
		out->o.conditional = 1;
	return 0;
}
