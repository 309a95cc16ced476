/* SPDX-License-Identifier: Apache-2.0 */
#include "query/drift/drift_name.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool all_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]))
			return false;
	return s.n > 0;
}

static bool all_hex(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]) && !(s.p[i] >= 'a' && s.p[i] <= 'f'))
			return false;
	return s.n > 0;
}

/* Return the name without ".word" or ".word.N" of a compiler at its end, or the whole name. */
static struct str without_clone(struct str name)
{
	static const struct str words[] = {STR_INIT(".cold"),	   STR_INIT(".part"),
					   STR_INIT(".isra"),	   STR_INIT(".constprop"),
					   STR_INIT(".lto_priv"),  STR_INIT(".llvm"),
					   STR_INIT(".localalias")};
	size_t dot = str_find_last(name, '.');
	struct str head = name;

	if (str_ends(name, STR("]"))) {
		size_t at = str_find_last(name, '[');

		if (str_starts(str_from_at(name, at), STR("[clone ")))
			return str_trim(str_head(name, at));
	}
	if (dot < name.n && all_digits(str_from_at(name, dot + 1)))
		head = str_head(name, dot);
	for (size_t i = 0; i < countof(words); i++)
		if (str_ends(head, words[i]))
			return str_head(head, head.n - words[i].n);
	return name;
}

static struct str without_rust_hash(struct str name)
{
	enum { HASH = 16 };
	static const struct str mark = STR_INIT("::h");

	if (name.n > HASH + mark.n && all_hex(str_from_at(name, name.n - HASH)) &&
	    str_ends(str_head(name, name.n - HASH), mark))
		return str_head(name, name.n - HASH - mark.n);
	return name;
}

/* Append the name with # for the numbers that follow the marks of lambdas and closures. */
static void put_without_numbers(struct buf *out, struct str name)
{
	static const struct str marks[] = {STR_INIT(".func"), STR_INIT("$_"), STR_INIT("#"),
					   STR_INIT("'lambda"), STR_INIT(".gowrap")};

	for (size_t i = 0; i < name.n;) {
		bool marked = false;

		for (size_t m = 0; m < countof(marks) && is_digit(name.p[i]); m++)
			marked |= str_ends(str_head(name, i), marks[m]);
		/* a closure within a closure of Go: main.run.func2.1 */
		marked |= is_digit(name.p[i]) && out->n > 1 && out->p[out->n - 1] == '.' &&
			  out->p[out->n - 2] == '#';
		if (!marked) {
			buf_put_char(out, name.p[i++]);
			continue;
		}
		if (!out->n || out->p[out->n - 1] != '#')
			buf_put_char(out, '#');
		while (i < name.n && is_digit(name.p[i]))
			i++;
	}
}

void drift_name_key(struct buf *out, struct str name)
{
	struct str before;

	name = str_head(name, DRIFT_NAME_MAX);
	do {
		before = name;
		name = without_clone(name);
	} while (name.n < before.n && name.n);
	buf_rewind(out);
	put_without_numbers(out, without_rust_hash(name.n ? name : before));
}

void drift_name_plain(struct buf *out, struct str name)
{
	size_t kept = 0, depth = 0;

	drift_name_key(out, name);
	for (size_t i = 0; i < out->n; i++) {
		char c = out->p[i];

		if (c == '<' || c == '(') {
			depth++;
		} else if ((c == '>' || c == ')') && depth) {
			depth--;
		} else if (!depth) {
			out->p[kept++] = c;
		}
	}
	if (kept) /* "operator<" and "(anonymous)" stay as they are */
		out->n = kept;
}
