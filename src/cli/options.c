/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All functions walk the tables of the option groups; nothing is allocated but the text of --help.
 */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	NEAREST_MAX = 48, /* longer words get no suggestion */
	OPTIONS_MAX = 96, /* of one command */
	HELP_COLUMN = 30, /* of the descriptions */
};

/* ---- typos ---- */

static size_t min3(size_t a, size_t b, size_t c)
{
	return min_size(a, min_size(b, c));
}

/* Return the number of substituted, inserted, removed or transposed letters between a and b. */
static size_t option_edit_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	size_t rows[3][NEAREST_MAX + 1];

	if (n > NEAREST_MAX || m > NEAREST_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *older = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = min3(last[j] + 1, now[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = min_size(now[j], older[j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

const char *options_nearest(const char *typed, const char *const *candidates, size_t n)
{
	const char *best = NULL;
	size_t length = strlen(typed), best_distance = length / 3 + 2;

	for (size_t i = 0; i < n; i++) {
		size_t distance = option_edit_distance(typed, candidates[i]);

		/* A prefix is a good match too: --norm for --normalise. */
		if (length >= 3 && strncmp(typed, candidates[i], length) == 0)
			distance = 1;
		if (distance < best_distance) {
			best_distance = distance;
			best = candidates[i];
		}
	}
	return best;
}

/* ---- values ---- */

int options_parse_size(struct str text, uint64_t *out)
{
	static const struct {
		struct str suffix;
		unsigned shift;
	} units[] = {
		{STR_INIT("KiB"), 10}, {STR_INIT("MiB"), 20}, {STR_INIT("GiB"), 30},
		{STR_INIT("KB"), 10},  {STR_INIT("MB"), 20},  {STR_INIT("GB"), 30},
		{STR_INIT("k"), 10},   {STR_INIT("K"), 10},   {STR_INIT("m"), 20},
		{STR_INIT("M"), 20},   {STR_INIT("g"), 30},   {STR_INIT("G"), 30},
		{STR_INIT("B"), 0},
	};
	unsigned shift = 0;
	uint64_t n;

	for (size_t i = 0; i < countof(units); i++) {
		if (str_ends(text, units[i].suffix)) {
			text.n -= units[i].suffix.n;
			shift = units[i].shift;
			break;
		}
	}

	int rc = str_to_u64(str_trim(text), 10, &n);

	if (rc)
		return rc;
	if (n > UINT64_MAX >> shift)
		return -ERANGE;
	*out = n << shift;
	return 0;
}

static int set_choice(const struct option *o, unsigned *out, const char *text, struct err *e)
{
	char all[256] = "";
	size_t n = 0;

	for (unsigned i = 0; o->choices[i]; i++) {
		if (strcmp(o->choices[i], text) == 0) {
			*out = i;
			return 0;
		}
		if (n < sizeof(all))
			n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s", i ? ", " : "",
					      o->choices[i]);
	}
	return err_set(e, -EINVAL, "--%s takes one of: %s; not '%s'", o->name, all, text);
}

static int set_percent(const struct option *o, double *out, const char *text, struct err *e)
{
	struct str s = str_from(text);
	double value;

	if (s.n && s.p[s.n - 1] == '%')
		s.n--;
	if (str_to_double(s, &value) || !isfinite(value) || value < 0 || value > 100)
		return err_set(e, -EINVAL, "--%s takes a percentage from 0 to 100, not '%s'",
			       o->name, text);
	*out = value;
	return 0;
}

static int set_value(const struct option *o, char *values, const char *text, struct err *e)
{
	void *at = values + o->offset;
	struct option_list *list = at;

	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)at = text;
		return 0;
	case OPTION_COUNT:
		return str_to_u64(str_from(text), 10, at)
			       ? err_set(e, -EINVAL, "--%s takes a whole number, not '%s'", o->name,
					 text)
			       : 0;
	case OPTION_SIZE:
		return options_parse_size(str_from(text), at)
			       ? err_set(e, -EINVAL,
					 "--%s takes a number of bytes like 500M or 2G, not '%s'",
					 o->name, text)
			       : 0;
	case OPTION_PERCENT:
		return set_percent(o, at, text, e);
	case OPTION_CHOICE:
		return set_choice(o, at, text, e);
	case OPTION_LIST:
		if (list->n == OPTION_LIST_MAX)
			return err_set(e, -EINVAL, "--%s: given more than %d times", o->name,
				       OPTION_LIST_MAX);
		list->at[list->n++] = text;
		return 0;
	}
	return -EINVAL;
}

/* ---- parsing ---- */

struct found_option {
	const struct option *option;
	size_t offset; /* of the struct of its group */
};

static struct found_option find_option(const struct option_group *groups, struct str name,
				       char letter)
{
	for (; groups->options; groups++)
		for (const struct option *o = groups->options; o->name; o++)
			if (letter ? o->letter == letter : str_eq(str_from(o->name), name))
				return (struct found_option){o, groups->offset};
	return (struct found_option){0};
}

static int unknown_option(const struct option_group *groups, const char *typed, struct err *e)
{
	const char *names[OPTIONS_MAX];
	char word[NEAREST_MAX + 1];
	size_t n = 0;
	struct str name = str_from(typed + strspn(typed, "-"));

	for (; groups->options; groups++)
		for (const struct option *o = groups->options; o->name && n < OPTIONS_MAX; o++)
			names[n++] = o->name;
	name = str_head(str_cut(&name, '='), NEAREST_MAX);
	snprintf(word, sizeof(word), "%.*s", STR_ARG(name));

	const char *nearest = options_nearest(word, names, n);

	if (nearest)
		return err_set(e, -EINVAL, "no option %.60s; did you mean --%s?", typed, nearest);
	return err_set(e, -EINVAL, "no option %.60s; see --help", typed);
}

/* Parse "--name=value" or "--name value". Advance *i past a separate value. */
static int parse_long(const struct option_group *groups, char *values, int argc, char **argv,
		      int *i, struct err *e)
{
	struct str value = str_from(argv[*i] + 2);
	struct str name = str_cut(&value, '=');
	struct found_option f = find_option(groups, name, 0);

	if (!f.option)
		return unknown_option(groups, argv[*i], e);
	if (f.option->type == OPTION_FLAG)
		return value.p ? err_set(e, -EINVAL, "--%s takes no value", f.option->name)
			       : set_value(f.option, values + f.offset, NULL, e);
	if (value.p)
		return set_value(f.option, values + f.offset, value.p, e);
	if (*i + 1 >= argc)
		return err_set(e, -EINVAL, "--%s needs a value: --%s %s", f.option->name,
			       f.option->name, f.option->value);
	return set_value(f.option, values + f.offset, argv[++*i], e);
}

/* Parse "-x", "-xy", "-x value" or "-xvalue". */
static int parse_short(const struct option_group *groups, char *values, int argc, char **argv,
		       int *i, struct err *e)
{
	for (const char *p = argv[*i] + 1; *p; p++) {
		struct found_option f = find_option(groups, (struct str){0}, *p);
		int rc;

		if (!f.option)
			return unknown_option(groups, argv[*i], e);
		if (f.option->type == OPTION_FLAG) {
			rc = set_value(f.option, values + f.offset, NULL, e);
			if (rc)
				return rc;
			continue;
		}
		if (p[1])
			return set_value(f.option, values + f.offset, p + 1 + (p[1] == '='), e);
		if (*i + 1 >= argc)
			return err_set(e, -EINVAL, "-%c needs a value: -%c %s", *p, *p,
				       f.option->value);
		return set_value(f.option, values + f.offset, argv[++*i], e);
	}
	return 0;
}

static int set_defaults(const struct option_group *groups, char *values, struct err *e)
{
	for (; groups->options; groups++) {
		for (const struct option *o = groups->options; o->name; o++) {
			int rc = o->initial ? set_value(o, values + groups->offset, o->initial, e)
					    : 0;

			if (rc)
				return rc;
		}
	}
	return 0;
}

int options_parse(const struct option_group *groups, void *values, int argc, char **argv,
		  struct arguments *rest, struct err *e)
{
	int rc = set_defaults(groups, values, e);
	bool options = true;

	*rest = (struct arguments){.at = argv};
	for (int i = 0; i < argc && !rc; i++) {
		char *word = argv[i];

		if (!options || word[0] != '-' || !word[1])
			rest->at[rest->n++] = word;
		else if (strcmp(word, "--") == 0)
			options = false;
		else if (word[1] == '-')
			rc = parse_long(groups, values, argc, argv, &i, e);
		else
			rc = parse_short(groups, values, argc, argv, &i, e);
	}
	return rc;
}

/* ---- help ---- */

/* Append the text in lines of at most `columns`; all but the first are indented. */
static void put_wrapped(struct buf *out, struct str text, size_t indent, size_t columns)
{
	size_t room = columns > indent + 20 ? columns - indent : 20, used = 0;

	while (text.n) {
		struct str word = str_cut(&text, ' ');

		if (used && used + 1 + word.n > room) {
			buf_printf(out, "\n%*s", (int)indent, "");
			used = 0;
		}
		if (used)
			buf_put_char(out, ' ');
		buf_put_str(out, word);
		used += word.n + (used ? 1 : 0);
	}
	buf_put_char(out, '\n');
}

static void put_option(struct buf *out, const struct option *o, unsigned columns)
{
	size_t start = out->n;
	struct buf help = {0};

	if (o->letter)
		buf_printf(out, "  -%c, --%s", o->letter, o->name);
	else
		buf_printf(out, "      --%s", o->name);
	if (o->value)
		buf_printf(out, " %s", o->value);
	if (out->n - start + 2 > HELP_COLUMN)
		buf_printf(out, "\n%*s", HELP_COLUMN, "");
	else
		buf_printf(out, "%*s", (int)(HELP_COLUMN - (out->n - start)), "");
	buf_put_str(&help, str_from(o->help));
	for (unsigned i = 0; o->choices && o->choices[i]; i++)
		buf_printf(&help, "%s%s", i ? ", " : ": ", o->choices[i]);
	if (o->initial)
		buf_printf(&help, " (default: %s)", o->initial);
	put_wrapped(out, buf_str(&help), HELP_COLUMN, columns);
	buf_fini(&help);
}

void options_help(struct buf *out, const struct option_group *groups, unsigned columns)
{
	for (; groups->options; groups++) {
		buf_printf(out, "\n%s:\n", groups->title);
		for (const struct option *o = groups->options; o->name; o++)
			put_option(out, o, columns);
	}
}
