/* SPDX-License-Identifier: Apache-2.0 */
#include "format/jfr/names.h"

/* Take `word` off the front of *s if it stands there. */
static bool take(struct str *s, struct str word)
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

/* Take all digits, or lower-case hex digits, off the front of *s. How many? */
static size_t take_digits(struct str *s, bool hex)
{
	size_t n = 0;

	while (n < s->n &&
	       ((s->p[n] >= '0' && s->p[n] <= '9') || (hex && s->p[n] >= 'a' && s->p[n] <= 'f')))
		n++;
	*s = str_from_at(*s, n);
	return n;
}

/* Where the last `part` ends in `s`, if something stands before it; else 0. */
static size_t end_of_last(struct str s, struct str part)
{
	for (size_t at = s.n; at > part.n; at--)
		if (str_ends(str_head(s, at), part))
			return at;
	return 0;
}

/* ".so", perhaps deleted since, and nothing else. */
static bool is_library_end(struct str s)
{
	if (!take(&s, STR(".so")))
		return false;
	(void)take(&s, STR(" (deleted)"));
	return !s.n;
}

/* What follows "$$Lambda": $75.0x0800c22a28, .0x7ffa600c4da0, /0x1, $14/1234, 42. */
static bool is_lambda_end(struct str s)
{
	struct str rest = s;

	if (take_digits(&rest, false) && !rest.n)
		return true;
	rest = s;
	(void)take(&rest, STR("$"));
	(void)take_digits(&rest, false);
	if (!take(&rest, STR(".")) && !take(&rest, STR("/")))
		return false;
	(void)take(&rest, STR("0x"));
	return take_digits(&rest, true) && !rest.n;
}

/* libzstd-jni-1.5.1-16931311898282279136.so */
static bool is_zstd(struct str s)
{
	return take(&s, STR("libzstd-jni-")) && take_digits(&s, false) && take(&s, STR(".")) &&
	       take_digits(&s, false) && take(&s, STR(".")) && take_digits(&s, false) &&
	       take(&s, STR("-")) && take_digits(&s, false) && is_library_end(s);
}

/* libamazonCorrettoCryptoProvider109b39cf33c563eb.so, or below a folder of such a name */
static bool is_corretto(struct str s)
{
	(void)take(&s, STR("lib"));
	if (!take(&s, STR("amazonCorrettoCryptoProvider")))
		return false;
	(void)take(&s, STR("NativeLibraries."));

	struct str hash = str_head(s, 16);

	if (take_digits(&hash, true) != 16)
		return false;
	s = str_from_at(s, 16);
	if (!take(&s, STR("/libcrypto")))
		(void)take(&s, STR("/libamazonCorrettoCryptoProvider"));
	return is_library_end(s);
}

/* The async-profiler that Pyroscope's Java agent brings along. */
static bool is_bundled_profiler(struct str s)
{
	static const struct str platforms[] = {STR_INIT("linux-arm64"), STR_INIT("linux-musl-x64"),
					       STR_INIT("linux-x64"), STR_INIT("macos")};
	bool known = false;

	if (!take(&s, STR("libasyncProfiler-")))
		return false;
	for (size_t i = 0; i < countof(platforms) && !known; i++)
		known = take(&s, platforms[i]);
	return known && take(&s, STR("-17b9a1d8156277a98ccc871afa9a8f69215f92")) &&
	       is_library_end(s);
}

static struct jfr_name stable_library(struct str name)
{
	struct str rest = name;

	if (!take(&rest, STR("./tmp/")))
		(void)take(&rest, STR("/tmp/"));
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

	if (take(&rest, accessor) && take_digits(&rest, false) && !rest.n)
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
