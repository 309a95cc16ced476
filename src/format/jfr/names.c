/* SPDX-License-Identifier: Apache-2.0 */
/* One function per kind of generated name. */
#include "format/jfr/names.h"

/* Skip `word` at the beginning of *s if it is there. */
static bool skip_prefix(struct str *s, struct str word)
{
	if (!str_starts(*s, word))
		return false;
	*s = str_from_at(*s, word.n);
	return true;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Skip all digits, or lower-case hex digits, at the beginning of *s. Return their number. */
static size_t skip_digits(struct str *s, bool hex)
{
	size_t n = 0;

	while (n < s->n &&
	       ((s->p[n] >= '0' && s->p[n] <= '9') || (hex && s->p[n] >= 'a' && s->p[n] <= 'f')))
		n++;
	*s = str_from_at(*s, n);
	return n;
}

/* Return where the last `part` ends in `s` if something precedes it, else 0. */
static size_t end_of_last(struct str s, struct str part)
{
	for (size_t at = s.n; at > part.n; at--)
		if (str_ends(str_head(s, at), part))
			return at;
	return 0;
}

/* Match ".so", optionally with " (deleted)", and nothing else. */
static bool is_library_end(struct str s)
{
	if (!skip_prefix(&s, STR(".so")))
		return false;
	(void)skip_prefix(&s, STR(" (deleted)"));
	return !s.n;
}

/* Match what follows "$$Lambda": $75.0x0800c22a28, .0x7ffa600c4da0, /0x1, $14/1234, 42. */
static bool is_lambda_end(struct str s)
{
	struct str rest = s;

	if (skip_digits(&rest, false) && !rest.n)
		return true;
	rest = s;
	(void)skip_prefix(&rest, STR("$"));
	(void)skip_digits(&rest, false);
	if (!skip_prefix(&rest, STR(".")) && !skip_prefix(&rest, STR("/")))
		return false;
	(void)skip_prefix(&rest, STR("0x"));
	return skip_digits(&rest, true) && !rest.n;
}

/* Match libzstd-jni-1.5.1-16931311898282279136.so. */
static bool is_zstd(struct str s)
{
	return skip_prefix(&s, STR("libzstd-jni-")) && skip_digits(&s, false) &&
	       skip_prefix(&s, STR(".")) && skip_digits(&s, false) && skip_prefix(&s, STR(".")) &&
	       skip_digits(&s, false) && skip_prefix(&s, STR("-")) && skip_digits(&s, false) &&
	       is_library_end(s);
}

/* Match libamazonCorrettoCryptoProvider109b39cf33c563eb.so, also inside a folder of such a name. */
static bool is_corretto(struct str s)
{
	(void)skip_prefix(&s, STR("lib"));
	if (!skip_prefix(&s, STR("amazonCorrettoCryptoProvider")))
		return false;
	(void)skip_prefix(&s, STR("NativeLibraries."));

	struct str hash = str_head(s, 16);

	if (skip_digits(&hash, true) != 16)
		return false;
	s = str_from_at(s, 16);
	if (!skip_prefix(&s, STR("/libcrypto")))
		(void)skip_prefix(&s, STR("/libamazonCorrettoCryptoProvider"));
	return is_library_end(s);
}

/* Match the async-profiler that Pyroscope's Java agent bundles. */
static bool is_bundled_profiler(struct str s)
{
	static const struct str platforms[] = {STR_INIT("linux-arm64"), STR_INIT("linux-musl-x64"),
					       STR_INIT("linux-x64"), STR_INIT("macos")};
	bool known = false;

	if (!skip_prefix(&s, STR("libasyncProfiler-")))
		return false;
	for (size_t i = 0; i < countof(platforms) && !known; i++)
		known = skip_prefix(&s, platforms[i]);
	return known && skip_prefix(&s, STR("-17b9a1d8156277a98ccc871afa9a8f69215f92")) &&
	       is_library_end(s);
}

static struct jfr_name stable_library(struct str name)
{
	struct str rest = name;

	if (!skip_prefix(&rest, STR("./tmp/")))
		(void)skip_prefix(&rest, STR("/tmp/"));
	if (is_zstd(rest))
		return (struct jfr_name){STR("libzstd-jni-_.so"), {0}};
	if (is_corretto(rest))
		return (struct jfr_name){STR("libamazonCorrettoCryptoProvider_.so"), {0}};
	if (is_bundled_profiler(rest))
		return (struct jfr_name){STR("libasyncProfiler-_.so"), {0}};
	return (struct jfr_name){name, {0}};
}

struct jfr_name jfr_stable_name(struct str name)
{
	static const struct str accessor = STR_INIT("jdk/internal/reflect/GeneratedMethodAccessor");
	struct str rest = name;
	size_t end;

	if (skip_prefix(&rest, accessor) && skip_digits(&rest, false) && !rest.n)
		return (struct jfr_name){accessor, STR("_")};
	if (str_ends(name, STR(".so")) || str_ends(name, STR(" (deleted)")))
		return stable_library(name);
	if (str_find(name, '$') == name.n)
		return (struct jfr_name){name, {0}};

	if (is_hex(name.p[name.n - 1])) {
		end = end_of_last(name, STR("$$Lambda"));
		if (end && is_lambda_end(str_from_at(name, end)))
			return (struct jfr_name){str_head(name, end), STR("_")};
	}
	if (str_find_str(name, STR("$$EnhancerBySpringCGLIB$$")) < name.n) {
		end = end_of_last(name, STR("$$EnhancerBySpringCGLIB$$"));
		if (end)
			return (struct jfr_name){str_head(name, end), STR("_")};
	}
	return (struct jfr_name){name, {0}};
}
