/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Luhn's check digit alone accepts a tenth of all numbers; with the prefix and the length of an
 * issuer it is about one of sixty numbers of 16 digits, and none of the times in nanoseconds,
 * microseconds or milliseconds of this century, which begin with 1.
 */
#include "signal/sanitize/personal_data.h"

#include <arpa/inet.h>

#include "signal/sanitize/text_class.h"

/* ---- e-mail ---- */

enum { LOCAL_MAX = 64, DOMAIN_MAX = 253 };

static bool is_local_part(char c)
{
	return text_is_dotted_token(c) || c == '+' || c == '%' || c == '\'' || c == '!' ||
	       c == '#' || c == '&' || c == '*' || c == '~' || (unsigned char)c >= 0x80;
}

static bool is_domain_part(char c)
{
	return text_is_alnum(c) || c == '-' || c == '.';
}

/* Units of systemd and names of files: getty@tty1.service, icon@2x.png. */
static bool is_file_suffix(struct str suffix)
{
	static const struct str suffixes[] = {
		STR_INIT("service"), STR_INIT("socket"), STR_INIT("slice"),  STR_INIT("scope"),
		STR_INIT("timer"),   STR_INIT("mount"),	 STR_INIT("target"), STR_INIT("swap"),
		STR_INIT("path"),    STR_INIT("device"), STR_INIT("png"),    STR_INIT("jpg"),
		STR_INIT("jpeg"),    STR_INIT("gif"),	 STR_INIT("svg"),    STR_INIT("webp"),
		STR_INIT("html"),    STR_INIT("css"),	 STR_INIT("js"),     STR_INIT("mjs"),
		STR_INIT("ts"),	     STR_INIT("tsx"),	 STR_INIT("jsx"),    STR_INIT("json"),
		STR_INIT("xml"),     STR_INIT("txt"),	 STR_INIT("md"),     STR_INIT("py"),
		STR_INIT("pyc"),     STR_INIT("rb"),	 STR_INIT("go"),     STR_INIT("hpp"),
		STR_INIT("cpp"),     STR_INIT("so"),	 STR_INIT("dll"),    STR_INIT("exe"),
		STR_INIT("jar"),     STR_INIT("class"),	 STR_INIT("java"),   STR_INIT("log"),
		STR_INIT("conf"),    STR_INIT("yaml"),	 STR_INIT("yml"),    STR_INIT("toml"),
		STR_INIT("lock"),    STR_INIT("tar"),	 STR_INIT("gz"),     STR_INIT("zip"),
	};

	for (size_t i = 0; i < countof(suffixes); i++)
		if (text_eq_fold(suffix, suffixes[i]))
			return true;
	return false;
}

/* Return whether the domain begins as a version does: 1.2., v1.2. */
static bool is_version(struct str domain)
{
	size_t i = domain.n && domain.p[0] == 'v', digits = i;

	while (digits < domain.n && text_is_digit(domain.p[digits]))
		digits++;
	return digits > i && digits + 1 < domain.n && domain.p[digits] == '.' &&
	       text_is_digit(domain.p[digits + 1]);
}

static bool is_mail_domain(struct str domain)
{
	size_t dot = str_find_last(domain, '.');
	struct str top = str_from_at(domain, dot + 1);

	if (dot == domain.n || !dot || top.n < 2 || domain.p[0] == '.' || domain.p[0] == '-')
		return false;
	for (size_t i = 0; i < top.n; i++)
		if (!text_is_alnum(top.p[i]) || text_is_digit(top.p[i]))
			return false;
	return !is_file_suffix(top) && !is_version(domain) &&
	       str_find_str(domain, STR("..")) == domain.n;
}

bool match_email(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t from = at, to = end;

	while (from && at - from < LOCAL_MAX && is_local_part(text.p[from - 1]))
		from--;
	while (from < at && text.p[from] == '.')
		from++;
	while (to < text.n && to - end < DOMAIN_MAX && is_domain_part(text.p[to]))
		to++;
	while (to > end && !text_is_alnum(text.p[to - 1]))
		to--;
	*found = (struct sanitize_range){from, to};
	if (from == at || text.p[at - 1] == '.' ||
	    str_eq(str_of(text.p + from, at - from), STR("git")))
		return false; /* git@host:path is an address of a repository */
	return is_mail_domain(str_of(text.p + end, to - end));
}

/* ---- cards ---- */

enum { CARD_MIN = 13, CARD_MAX = 19 };

struct card_issuer {
	uint32_t first, last; /* of the leading digits */
	uint8_t prefix;	      /* their number */
	uint8_t min, max;     /* digits of a number */
};

static const struct card_issuer issuers[] = {
	{4, 4, 1, 13, 13},	 {4, 4, 1, 16, 16},	  {4, 4, 1, 19, 19},
	{51, 55, 2, 16, 16},	 {2221, 2720, 4, 16, 16}, {34, 34, 2, 15, 15},
	{37, 37, 2, 15, 15},	 {6011, 6011, 4, 16, 19}, {644, 659, 3, 16, 19},
	{3528, 3589, 4, 16, 19}, {300, 305, 3, 14, 19},	  {36, 36, 2, 14, 19},
	{38, 39, 2, 16, 19},	 {62, 62, 2, 16, 19},
};

static bool has_issuer(const char *digits, unsigned n)
{
	for (size_t i = 0; i < countof(issuers); i++) {
		uint32_t prefix = 0;

		for (unsigned k = 0; k < issuers[i].prefix; k++)
			prefix = 10 * prefix + (uint32_t)(digits[k] - '0');
		if (prefix >= issuers[i].first && prefix <= issuers[i].last &&
		    n >= issuers[i].min && n <= issuers[i].max)
			return true;
	}
	return false;
}

static bool has_check_digit(const char *digits, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned d = (unsigned)(digits[n - 1 - i] - '0');

		if (i % 2)
			d = d > 4 ? 2 * d - 9 : 2 * d;
		sum += d;
	}
	return sum % 10 == 0;
}

/* Groups of digits, as printed: one group, 4-4-4-4, 4-4-4-4-3 or 4-6-5. */
struct digit_groups {
	char digits[CARD_MAX];
	unsigned count; /* of digits */
	uint8_t sizes[5];
	unsigned groups;
	size_t end;
};

static bool is_card_layout(const struct digit_groups *g)
{
	static const uint8_t layouts[][5] = {
		{4, 4, 4, 4, 0}, {4, 4, 4, 4, 3}, {4, 6, 5, 0, 0}, {4, 6, 4, 0, 0}};

	if (g->groups == 1)
		return g->count >= CARD_MIN;
	for (size_t i = 0; i < countof(layouts); i++)
		if (!memcmp(g->sizes, layouts[i], sizeof(g->sizes)))
			return true;
	return false;
}

/* Read groups of digits with one separator between them. Return false if there are too many. */
static bool read_groups(struct str text, size_t at, struct digit_groups *g)
{
	char separator = 0;

	*g = (struct digit_groups){.groups = 1};
	for (; at < text.n; at++) {
		char c = text.p[at];

		if (text_is_digit(c)) {
			if (g->count == CARD_MAX)
				return false;
			g->digits[g->count++] = c;
			g->sizes[g->groups - 1]++;
			continue;
		}
		if ((c != ' ' && c != '-') || (separator && c != separator) || at + 1 == text.n ||
		    !text_is_digit(text.p[at + 1]))
			break;
		separator = c;
		if (g->groups++ == countof(g->sizes))
			return false;
	}
	g->end = at;
	return true;
}

static bool is_card_edge(char c)
{
	return !text_is_word(c) && c != '.' && c != '-';
}

bool find_card(struct str text, size_t at, struct sanitize_range *found)
{
	struct digit_groups g;

	while (at + CARD_MIN <= text.n) {
		size_t last = at + CARD_MIN - 1, start;

		/* A card has no two separators side by side, so none contains both places. */
		if (!text_is_digit(text.p[last]) && !text_is_digit(text.p[last - 1])) {
			at = last + 1;
			continue;
		}
		start = at++;
		if (!text_is_digit(text.p[start]))
			continue;
		while (at < text.n && text_is_digit(text.p[at]))
			at++;
		if (start && !is_card_edge(text.p[start - 1]))
			continue;
		if (!read_groups(text, start, &g) || !is_card_layout(&g))
			continue;
		if (g.end < text.n && text_is_word(text.p[g.end]))
			continue;
		if (!has_issuer(g.digits, g.count) || !has_check_digit(g.digits, g.count))
			continue;
		*found = (struct sanitize_range){start, g.end};
		return true;
	}
	return false;
}

/* ---- IP ---- */

/* Read the characters of an address at `at` into `out`, with a NUL. Return their number, or 0. */
static size_t address_text(struct str text, size_t at, bool six, char out[INET6_ADDRSTRLEN])
{
	size_t n = 0;

	while (at + n < text.n && n < INET6_ADDRSTRLEN - 1) {
		char c = text.p[at + n];

		if (!text_is_digit(c) && c != '.' && !(six && (text_is_hex(c) || c == ':')))
			break;
		out[n++] = c;
	}
	if (at + n < text.n && (text_is_word(text.p[at + n]) || n == INET6_ADDRSTRLEN - 1))
		return 0;
	while (n && (out[n - 1] == '.' || (out[n - 1] == ':' && (n < 2 || out[n - 2] != ':'))))
		n--;
	out[n] = 0;
	return n;
}

static bool is_public_ipv4(const char *p)
{
	struct in_addr a;

	return inet_pton(AF_INET, p, &a) == 1 && a.s_addr && (ntohl(a.s_addr) >> 24) != 127;
}

static bool is_public_ipv6(const char *p, size_t n)
{
	struct in6_addr a;
	unsigned colons = 0, digits = 0;

	for (size_t i = 0; i < n; i++) {
		colons += p[i] == ':';
		digits += text_is_digit(p[i]);
	}
	return colons >= 2 && digits && inet_pton(AF_INET6, p, &a) == 1 &&
	       !IN6_IS_ADDR_LOOPBACK(&a) && !IN6_IS_ADDR_UNSPECIFIED(&a);
}

bool find_ip(struct str text, size_t at, struct sanitize_range *found)
{
	char address[INET6_ADDRSTRLEN];

	for (; at + 3 < text.n; at++) {
		char c = text.p[at];
		size_t n;

		if (!text_is_hex(c) && c != ':')
			continue;
		if (at && (text_is_word(text.p[at - 1]) || text.p[at - 1] == '.' ||
			   text.p[at - 1] == ':'))
			if (!(text.p[at - 1] == ':' && text_is_digit(c)))
				continue;
		n = text_is_digit(c) ? address_text(text, at, false, address) : 0;
		if (!n || !is_public_ipv4(address)) {
			n = address_text(text, at, true, address);
			if (!n || !is_public_ipv6(address, n))
				continue;
		}
		*found = (struct sanitize_range){at, at + n};
		return true;
	}
	return false;
}
