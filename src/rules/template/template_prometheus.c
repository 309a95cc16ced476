/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that Prometheus adds to templates: numbers, texts and addresses. */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/regex.h"
#include "query/promql/syntax/promql_literal.h"
#include "rules/template/template_functions.h"
#include "rules/template/template_text.h"

enum { GROUPS_MAX = 100, HOST_MAX = 256 };

/* ---- numbers ---- */

/* Append as "%.4g" of Go. */
static void put_short(struct buf *b, double v)
{
	if (isnan(v))
		buf_put_str(b, STR("NaN"));
	else if (isinf(v))
		buf_put_str(b, v < 0 ? STR("-Inf") : STR("+Inf"));
	else
		buf_printf(b, "%.4g", v);
}

/* Append with a prefix for what is smaller than 1: milli, micro, ... */
static void put_small(struct buf *b, double v)
{
	static const char prefixes[] = "munpfazy";
	size_t i = 0;

	for (; prefixes[i] && fabs(v) < 1; i++)
		v *= 1000;
	put_short(b, v);
	if (i)
		buf_put_char(b, prefixes[i - 1]);
}

static void put_large(struct buf *b, double v, double step, const char *suffix)
{
	static const char prefixes[] = "kMGTPEZY";
	size_t i = 0;

	for (; prefixes[i] && fabs(v) >= step; i++)
		v /= step;
	put_short(b, v);
	if (i)
		buf_printf(b, "%c%s", prefixes[i - 1], suffix);
}

static int call_humanize(struct template_call *c)
{
	double v;
	int rc = template_number_arg(c, 0, &v);

	if (rc)
		return rc;
	if (v == 0 || !isfinite(v))
		put_short(template_scratch(c), v);
	else if (fabs(v) >= 1)
		put_large(template_scratch(c), v, 1000, "");
	else
		put_small(template_scratch(c), v);
	return template_return_text(c);
}

static int call_humanize_1024(struct template_call *c)
{
	double v;
	int rc = template_number_arg(c, 0, &v);

	if (rc)
		return rc;
	if (fabs(v) <= 1 || !isfinite(v))
		put_short(template_scratch(c), v);
	else
		put_large(template_scratch(c), v, 1024, "i");
	return template_return_text(c);
}

/* Append days to minutes, with whole seconds. Return false for less than a minute. */
static bool put_long_duration(struct buf *b, double v)
{
	uint64_t n = v < 0x1p63 ? (uint64_t)v : (uint64_t)1 << 63;
	unsigned long long days = n / 86400, hours = n / 3600 % 24, minutes = n / 60 % 60;

	if (days)
		buf_printf(b, "%llud %lluh %llum %llus", days, hours, minutes,
			   (unsigned long long)(n % 60));
	else if (hours)
		buf_printf(b, "%lluh %llum %llus", hours, minutes, (unsigned long long)(n % 60));
	else if (minutes)
		buf_printf(b, "%llum %llus", minutes, (unsigned long long)(n % 60));
	return days || hours || minutes;
}

static int call_humanize_duration(struct template_call *c)
{
	struct buf *b = template_scratch(c);
	double v;
	int rc = template_number_arg(c, 0, &v);

	if (rc)
		return rc;
	if (!isfinite(v)) {
		put_short(b, v);
		return template_return_text(c);
	}
	if (fabs(v) >= 1) {
		if (v < 0)
			buf_put_char(b, '-');
		if (put_long_duration(b, fabs(v)))
			return template_return_text(c);
		put_short(b, fabs(v));
	} else if (v == 0) {
		put_short(b, v);
	} else {
		put_small(b, v);
	}
	buf_put_char(b, 's');
	return template_return_text(c);
}

static int call_humanize_percentage(struct template_call *c)
{
	double v;
	int rc = template_number_arg(c, 0, &v);

	if (rc)
		return rc;
	put_short(template_scratch(c), v * 100);
	buf_put_char(&c->run->scratch, '%');
	return template_return_text(c);
}

/* Convert seconds since 1970 to nanoseconds. */
static int to_time(struct template_call *c, double v, int64_t *out)
{
	struct buf text = {0};
	struct template_value f = template_float(v);
	int rc;

	if (!isfinite(v))
		return template_call_fail(c, "value is NaN or Inf");
	if (fabs(v * 1e9) < 0x1p63) {
		*out = (int64_t)(v * 1e9);
		return 0;
	}
	template_put_value(&text, &f);
	rc = template_call_fail(c,
				"%.*s cannot be represented as a nanoseconds timestamp since it "
				"overflows int64",
				STR_ARG(buf_str(&text)));
	buf_fini(&text);
	return rc;
}

static int call_humanize_timestamp(struct template_call *c)
{
	int64_t ns = 0;
	double v;
	int rc = template_number_arg(c, 0, &v);

	if (!rc && isfinite(v))
		rc = to_time(c, v, &ns);
	if (rc)
		return rc;
	if (isfinite(v))
		template_put_time(template_scratch(c), ns);
	else
		put_short(template_scratch(c), v);
	return template_return_text(c);
}

static int call_to_time(struct template_call *c)
{
	double v;
	int rc = template_number_arg(c, 0, &v);

	*c->out = template_of(TEMPLATE_TIME, 0);
	return rc ? rc : to_time(c, v, &c->out->i);
}

static int call_to_duration(struct template_call *c)
{
	double v;
	int rc = template_number_arg(c, 0, &v);

	if (rc)
		return rc;
	if (!(fabs(v * 1e9) < 0x1p63))
		return template_call_fail(c, "the duration is out of range");
	*c->out = template_of(TEMPLATE_DURATION, (int64_t)(v * 1e9));
	return 0;
}

static int call_parse_duration(struct template_call *c)
{
	struct str text = {0}, positive;
	int64_t ns;
	int rc = template_string_arg(c, 0, &text);

	if (rc)
		return rc;
	positive = str_starts(text, STR("-")) ? str_from_at(text, 1) : text;
	if (str_eq(positive, STR("0")))
		ns = 0;
	else if (promql_parse_duration(positive, &ns))
		return template_call_fail(c, "not a valid duration string: \"%.*s\"",
					  STR_ARG(str_head(text, 80)));
	*c->out = template_float((positive.n < text.n ? -1 : 1) * (double)ns / 1e9);
	return 0;
}

static int call_now(struct template_call *c)
{
	*c->out = template_float((double)c->run->data->now_ms / 1000);
	return 0;
}

/* ---- text ---- */

static int change_case(struct template_call *c, enum template_case to)
{
	struct str text;
	int rc = template_string_arg(c, 0, &text);

	if (rc)
		return rc;
	template_put_case(template_scratch(c), text, to);
	return template_return_text(c);
}

static int call_title(struct template_call *c)
{
	return change_case(c, TEMPLATE_TITLE);
}

static int call_to_upper(struct template_call *c)
{
	return change_case(c, TEMPLATE_UPPER);
}

static int call_to_lower(struct template_call *c)
{
	return change_case(c, TEMPLATE_LOWER);
}

/* Compile the pattern of a call. Return 0 or -errno. */
static int compile(struct template_call *c, struct str pattern, struct regex **out)
{
	struct err e = {0};
	int rc = template_step(c->run, TEMPLATE_REGEX_STEPS);

	if (rc)
		return rc;
	rc = regex_new(out, pattern, REGEX_CAPTURE, &e);
	if (rc == -ENOMEM)
		return rc;
	if (rc)
		return template_call_fail(c, "%s", e.text);
	if (regex_group_count(*out) < GROUPS_MAX)
		return 0;
	regex_free(take_ptr(out));
	return template_call_fail(c, "the regular expression has more than %d groups",
				  GROUPS_MAX - 1);
}

static int call_match(struct template_call *c)
{
	struct str pattern, text;
	struct regex *r = NULL;
	struct err e = {0};
	int rc = template_string_arg(c, 0, &pattern);

	if (!rc)
		rc = template_string_arg(c, 1, &text);
	if (!rc)
		rc = compile(c, pattern, &r);
	if (rc)
		return rc;
	rc = regex_match(r, text.p ? text : STR(""), &e);
	regex_free(r);
	if (rc < 0)
		return template_call_fail(c, "%s", e.text);
	*c->out = template_bool(rc > 0);
	return 0;
}

static struct str group_text(const struct regex *r, const struct str *groups, struct str name)
{
	uint64_t number;

	if (!str_to_u64(name, 10, &number))
		return number <= regex_group_count(r) ? groups[number] : (struct str){0};
	for (uint32_t i = 1; i <= regex_group_count(r); i++)
		if (str_eq(regex_group_name(r, i), name) && groups[i].p)
			return groups[i];
	return (struct str){0};
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

/* Append the replacement of one match: $1, ${1}, $name, $$. */
static void put_replacement(struct buf *b, struct str text, const struct regex *r,
			    const struct str *groups)
{
	while (text.n && b->n <= RULE_TEMPLATE_OUTPUT_MAX) {
		size_t dollar = str_find(text, '$'), n = 0;
		struct str rest = str_from_at(text, dollar + 1), name;
		bool brace = rest.n && rest.p[0] == '{';

		buf_put_str(b, str_head(text, dollar));
		if (dollar == text.n)
			return;
		name = brace ? str_from_at(rest, 1) : rest;
		while (n < name.n && is_word(name.p[n]))
			n++;
		text = rest;
		if (rest.n && rest.p[0] == '$') {
			buf_put_char(b, '$');
			text = str_from_at(rest, 1);
		} else if (!n || (brace && (n == name.n || name.p[n] != '}'))) {
			buf_put_char(b, '$');
		} else {
			buf_put_str(b, group_text(r, groups, str_head(name, n)));
			text = str_from_at(rest, n + 2 * (size_t)brace);
		}
	}
}

/* Return the length of the character at `at`, so that an empty match moves on. */
static size_t rune_length(struct str text, size_t at)
{
	struct str rest = str_from_at(text, at);

	if (!rest.n)
		return 1;
	template_rune(&rest);
	return text.n - at - rest.n;
}

static int replace_all(struct template_call *c, struct regex *r, struct str replacement,
		       struct str text)
{
	struct str groups[GROUPS_MAX];
	struct buf *b = template_scratch(c);
	struct err e = {0};
	size_t from = 0, search = 0;
	int rc = 0;

	while (search <= text.n && b->n <= RULE_TEMPLATE_OUTPUT_MAX) {
		size_t at, end;

		rc = template_step(c->run, 1);
		if (rc)
			return rc;
		rc = regex_capture(r, text, search, groups, &e);
		if (rc < 0)
			return template_call_fail(c, "%s", e.text);
		if (!rc)
			break;
		at = (size_t)(groups[0].p - text.p);
		end = at + groups[0].n;
		/* No empty match right after another match, as in Go. */
		if (groups[0].n || at > from || !from) {
			buf_put_str(b, str_of(text.p + from, at - from));
			put_replacement(b, replacement, r, groups);
			from = end;
		}
		search = groups[0].n ? end : end + rune_length(text, end);
	}
	buf_put_str(b, str_from_at(text, from));
	return template_return_text(c);
}

static int call_re_replace_all(struct template_call *c)
{
	struct str pattern, replacement, text;
	struct regex *r = NULL;
	int rc = template_string_arg(c, 0, &pattern);

	if (!rc)
		rc = template_string_arg(c, 1, &replacement);
	if (!rc)
		rc = template_string_arg(c, 2, &text);
	if (!rc)
		rc = compile(c, pattern, &r);
	if (!rc)
		rc = replace_all(c, r, replacement, text.p ? text : STR(""));
	regex_free(r);
	return rc;
}

static int call_safe_html(struct template_call *c)
{
	struct str text;
	int rc = template_string_arg(c, 0, &text);

	*c->out = c->args[0];
	return rc;
}

static int call_url_query_escape(struct template_call *c)
{
	struct str text;
	int rc = template_string_arg(c, 0, &text);

	if (rc)
		return rc;
	template_put_url(template_scratch(c), text);
	return template_return_text(c);
}

/* ---- addresses ---- */

static int call_strip_port(struct template_call *c)
{
	struct str address, port;
	int rc = template_string_arg(c, 0, &address);

	if (!rc)
		template_split_port(address, &address, &port);
	*c->out = template_string(address);
	return rc;
}

static bool is_ip(struct str host)
{
	unsigned char bytes[16];
	char text[HOST_MAX];

	if (host.n >= sizeof(text))
		return false;
	snprintf(text, sizeof(text), "%.*s", STR_ARG(host));
	return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

static int call_strip_domain(struct template_call *c)
{
	struct str address, host, port = {0};
	int rc = template_string_arg(c, 0, &address);

	if (rc)
		return rc;
	if (!template_split_port(address, &host, &port))
		host = address;
	*c->out = template_string(address);
	if (is_ip(host))
		return 0;
	host = str_head(host, str_find(host, '.'));
	*c->out = template_string(host);
	if (!port.n)
		return 0;
	buf_printf(template_scratch(c), "%s%.*s%s:%.*s", str_find(host, ':') < host.n ? "[" : "",
		   STR_ARG(host), str_find(host, ':') < host.n ? "]" : "", STR_ARG(port));
	return template_return_text(c);
}

static int put_link(struct template_call *c, char tab)
{
	struct str expr;
	int rc = template_string_arg(c, 0, &expr);
	struct buf *b = template_scratch(c);

	if (rc)
		return rc;
	buf_put_str(b, STR("/graph?g0.expr="));
	template_put_url(b, expr);
	buf_printf(b, "&g0.tab=%c", tab);
	return template_return_text(c);
}

static int call_graph_link(struct template_call *c)
{
	return put_link(c, '0');
}

static int call_table_link(struct template_call *c)
{
	return put_link(c, '1');
}

static int call_external_url(struct template_call *c)
{
	*c->out = template_string(c->run->data->external_url);
	return 0;
}

static int call_path_prefix(struct template_call *c)
{
	struct str url = c->run->data->external_url;
	size_t scheme = str_find_str(url, STR("://"));
	struct str rest = scheme < url.n ? str_from_at(url, scheme + 3) : url;

	rest = str_from_at(rest, str_find(rest, '/'));
	rest = str_head(rest, str_find(rest, '?'));
	*c->out = template_string(str_head(rest, str_find(rest, '#')));
	return 0;
}

const struct template_function template_prometheus_functions[] = {
	{"humanize", 1, 1, call_humanize},
	{"humanize1024", 1, 1, call_humanize_1024},
	{"humanizeDuration", 1, 1, call_humanize_duration},
	{"humanizePercentage", 1, 1, call_humanize_percentage},
	{"humanizeTimestamp", 1, 1, call_humanize_timestamp},
	{"toTime", 1, 1, call_to_time},
	{"toDuration", 1, 1, call_to_duration},
	{"parseDuration", 1, 1, call_parse_duration},
	{"now", 0, 0, call_now},
	{"title", 1, 1, call_title},
	{"toUpper", 1, 1, call_to_upper},
	{"toLower", 1, 1, call_to_lower},
	{"match", 2, 2, call_match},
	{"reReplaceAll", 3, 3, call_re_replace_all},
	{"safeHtml", 1, 1, call_safe_html},
	{"urlQueryEscape", 1, 1, call_url_query_escape},
	{"stripPort", 1, 1, call_strip_port},
	{"stripDomain", 1, 1, call_strip_domain},
	{"graphLink", 1, 1, call_graph_link},
	{"tableLink", 1, 1, call_table_link},
	{"externalURL", 0, 0, call_external_url},
	{"pathPrefix", 0, 0, call_path_prefix},
	{0},
};
