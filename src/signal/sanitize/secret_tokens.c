/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and tokens that have a fixed prefix: a table of shapes, and functions for those that need
 * more. A prefix counts only at the edge of a word, and with the exact number of characters that
 * the issuer uses; random texts do not have them. Where an issuer's tokens have no checksum, a floor
 * of the entropy (Shannon, bits per character) refuses placeholders such as AKIAXXXXXXXXXXXXXXXX.
 */
#include "signal/sanitize/secret_tokens.h"

#include <libdeflate.h>

#include "signal/sanitize/text_class.h"

/* ---- shapes ---- */

struct token_shape {
	const char *prefix;
	bool (*is_part)(char c);
	uint16_t min, max; /* characters after the prefix */
	double entropy;
};

static const struct token_shape shapes[] = {
	{"AKIA", text_is_base32, 16, 16, 3},	 {"ASIA", text_is_base32, 16, 16, 3},
	{"ABIA", text_is_base32, 16, 16, 3},	 {"ACCA", text_is_base32, 16, 16, 3},
	{"A3T", text_is_base32, 17, 17, 3},	 {"github_pat_", text_is_word, 82, 82, 3},
	{"AIza", text_is_token, 35, 35, 4},	 {"GOCSPX-", text_is_token, 28, 28, 3},
	{"ya29.", text_is_token, 20, 2048, 3.5}, {"glpat-", text_is_token, 20, 64, 3},
	{"gldt-", text_is_token, 20, 64, 3},	 {"glrt-", text_is_token, 20, 64, 3},
	{"xoxb-", text_is_token, 20, 200, 2.5},	 {"xoxp-", text_is_token, 20, 200, 2.5},
	{"xoxa-", text_is_token, 20, 200, 2.5},	 {"xoxe-", text_is_token, 20, 400, 2.5},
	{"xoxr-", text_is_token, 20, 200, 2.5},	 {"xoxs-", text_is_token, 20, 200, 2.5},
	{"xapp-", text_is_token, 20, 200, 2.5},	 {"glsa_", text_is_word, 41, 41, 3},
	{"glc_", text_is_base64, 32, 400, 3},	 {"npm_", text_is_alnum, 36, 36, 3},
	{"sk_live_", text_is_alnum, 10, 99, 2},	 {"sk_test_", text_is_alnum, 10, 99, 2},
	{"sk_prod_", text_is_alnum, 10, 99, 2},	 {"rk_live_", text_is_alnum, 10, 99, 2},
	{"rk_test_", text_is_alnum, 10, 99, 2},	 {"rk_prod_", text_is_alnum, 10, 99, 2},
	{"whsec_", text_is_base64, 24, 99, 3},	 {"sk-ant-", text_is_token, 80, 128, 3},
	{"sk-proj-", text_is_token, 40, 200, 3}, {"hvs.", text_is_token, 24, 128, 3},
	{"hvb.", text_is_token, 24, 300, 3},	 {"SG.", text_is_dotted_token, 60, 72, 3.5},
	{"dop_v1_", text_is_hex, 64, 64, 3},	 {"shpat_", text_is_hex, 32, 32, 3},
	{"hf_", text_is_alnum, 34, 40, 3},	 {"pypi-AgEIcHlwaS", text_is_token, 50, 1000, 3},
	{"dckr_pat_", text_is_token, 27, 32, 3}, {"AGE-SECRET-KEY-1", text_is_alnum, 58, 58, 3},
};

/* Return the number of characters of a kind from `at` on, at most `max` + 1. */
static size_t run_length(struct str text, size_t at, bool (*is_part)(char c), size_t max)
{
	size_t n = 0;

	while (n <= max && at + n < text.n && is_part(text.p[at + n]))
		n++;
	return n;
}

static bool fits_shape(const struct token_shape *s, struct str text, size_t at, size_t end,
		       struct sanitize_range *found)
{
	size_t n = run_length(text, end, s->is_part, s->max);

	if (n < s->min || n > s->max || memcmp(text.p + at, s->prefix, end - at) != 0)
		return false;
	if (end + n < text.n && text_is_alnum(text.p[end + n]))
		return false;
	if (text_entropy(str_of(text.p + end, n)) < s->entropy)
		return false;
	*found = (struct sanitize_range){at, end + n};
	return true;
}

bool match_token_shape(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	if (!text_at_edge(text, at))
		return false;
	for (size_t i = 0; i < countof(shapes); i++)
		if (strlen(shapes[i].prefix) == end - at &&
		    fits_shape(&shapes[i], text, at, end, found))
			return true;
	return false;
}

/* ---- GitHub ---- */

enum { GITHUB_RANDOM = 30, GITHUB_CHECK = 6 };

/* The last six characters are the CRC-32 of the thirty before, in base 62. */
static bool has_github_checksum(const char *p)
{
	static const char digits[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	uint32_t crc = libdeflate_crc32(0, p, GITHUB_RANDOM);

	for (unsigned i = GITHUB_CHECK; i-- > 0; crc /= 62)
		if (p[GITHUB_RANDOM + i] != digits[crc % 62])
			return false;
	return true;
}

bool match_github_token(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t length = GITHUB_RANDOM + GITHUB_CHECK;
	size_t n = run_length(text, end, text_is_alnum, 2 * length);
	struct str body = str_of(text.p + end, min_size(n, length));

	if (n < length || memcmp(text.p + at, "gh", 2) != 0)
		return false;
	*found = (struct sanitize_range){at, end + length};
	if (has_github_checksum(body.p))
		return true;
	return n == length && text_at_edge(text, at) && text_entropy(body) >= 3;
}

/* ---- others ---- */

/* Extend a range in both directions over characters of tokens. */
static struct sanitize_range token_around(struct str text, size_t at, size_t end, size_t reach)
{
	struct sanitize_range r = {at, end};

	while (r.from && at - r.from < reach && text_is_token(text.p[r.from - 1]))
		r.from--;
	while (r.to < text.n && r.to - end < reach && text_is_token(text.p[r.to]))
		r.to++;
	return r;
}

bool match_openai_key(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	struct sanitize_range r = token_around(text, at, end, 200);

	*found = r;
	return r.to - r.from >= 40 &&
	       str_starts(str_of(text.p + r.from, r.to - r.from), STR("sk-"));
}

static bool is_azure_part(char c)
{
	return text_is_token(c) || c == '.' || c == '~';
}

bool match_azure_secret(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t n = run_length(text, end, is_azure_part, 34);

	if (at < 4 || n < 31 || n > 34 || text.p[at] != 'Q' || !text_is_digit(text.p[at - 1]))
		return false;
	for (size_t i = at - 4; i < at - 1; i++)
		if (!is_azure_part(text.p[i]))
			return false;
	if (!text_at_edge(text, at - 4) || text_entropy(str_of(text.p + end, n)) < 3)
		return false;
	*found = (struct sanitize_range){at - 4, end + n};
	return true;
}

static bool is_path_part(char c)
{
	return text_is_token(c) || c == '/';
}

bool match_slack_hook(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t n = run_length(text, end, is_path_part, 200);

	(void)at;
	*found = (struct sanitize_range){end, end + n};
	return n >= 20;
}

bool match_jwt(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t to = at;

	if (!text_at_edge(text, at) || memcmp(text.p + at, "ey", 2) != 0)
		return false;
	(void)end;
	for (unsigned part = 0; part < 3; part++) {
		size_t n = run_length(text, to, text_is_token, MATCH_REACH);

		if (part == 2 ? n < 17 : n < 10)
			return false;
		if (part == 1 && memcmp(text.p + to, "ey", 2) != 0)
			return false;
		to += n;
		if (part < 2 && (to == text.n || text.p[to++] != '.'))
			return false;
	}
	*found = (struct sanitize_range){at, to};
	return true;
}

/* ---- PEM ---- */

/*
 * From the header to the end of the trailer. A block without a trailer was cut off: all that
 * follows is the key.
 */
bool match_private_key(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	struct str rest = str_from_at(text, end);
	size_t header = str_find_str(str_head(rest, 60), STR("PRIVATE KEY"));
	size_t trailer, dashes;

	if (header == min_size(rest.n, 60))
		return false;
	*found = (struct sanitize_range){at, text.n};
	trailer = str_find_str(rest, STR("-----END"));
	if (trailer == rest.n)
		return true;
	rest = str_from_at(rest, trailer + 8);
	dashes = str_find_str(str_head(rest, 60), STR("-----"));
	found->to = text.n - rest.n;
	found->to += dashes == min_size(rest.n, 60) ? min_size(rest.n, 60) : dashes + 5;
	return true;
}
