/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the conditions of a query of log records. */
#include "api/varve/log_params.h"

#include "api/varve/view_query.h"
#include "base/clock.h"
#include "base/regex.h"
#include "pipeline/caller.h"

/* The part of the time limit after which a search returns what it has found. */
enum { STOP_TENTHS = 8, CONDITIONS_MAX = 64, LOGS_DEFAULT = 100, LOGS_MAX = 10000 };

int log_match_parse(struct store_log_match *out, struct str text, struct err *e)
{
	size_t at = 0;
	bool negated, regex;

	*out = (struct store_log_match){0};
	while (at < text.n && text.p[at] != '=' &&
	       !(text.p[at] == '!' && at + 1 < text.n && strchr("=~", text.p[at + 1])))
		at++;
	if (!at || at == text.n)
		return err_set(e, -EINVAL,
			       "match: expected KEY=VALUE, KEY!=VALUE, KEY=~REGEX or KEY!~REGEX, "
			       "found \"%.*s\"",
			       STR_ARG(str_head(text, 100)));
	out->key = str_head(text, at);
	negated = text.p[at] == '!';
	text = str_from_at(text, at + 1);
	regex = text.n && text.p[0] == '~';
	if (regex || negated)
		text = str_from_at(text, 1);
	if (str_starts(out->key, STR("resource."))) {
		out->scope = STORE_LOG_RESOURCE;
		out->key = str_from_at(out->key, strlen("resource."));
	} else if (str_starts(out->key, STR("log."))) {
		out->scope = STORE_LOG_RECORD;
		out->key = str_from_at(out->key, strlen("log."));
	}
	out->value = text;
	out->negated = negated;
	return regex ? regex_new(&out->regex, text, REGEX_WHOLE, e) : 0;
}

static bool is_listed(struct str services, struct str service)
{
	while (services.n)
		if (str_eq(str_cut(&services, ','), service))
			return true;
	return false;
}

/* Restrict the services to those of the token. Without one that is permitted nothing matches. */
static int permit_services(struct texts *t, struct request *r)
{
	struct str permitted =
		r->sender && r->sender->caller ? r->sender->caller->services : (struct str){0};
	uint32_t n = 0;
	bool all = !t->list.n;
	int rc = 0;

	if (!permitted.n)
		return 0;
	for (uint32_t i = 0; i < t->list.n; i++)
		if (is_listed(permitted, t->list.at[i]))
			t->list.at[n++] = t->list.at[i];
	t->list.n = n;
	while (all && !rc && permitted.n)
		rc = vec_push(r->arena, &t->list, str_cut(&permitted, ','));
	if (!rc && !t->list.n)
		rc = vec_push(r->arena, &t->list, STR(""));
	return rc;
}

static int read_texts(struct texts *out, struct request *r, const char *name, struct err *e)
{
	int rc = request_params(r, name, out, e);

	if (!rc && out->list.n > CONDITIONS_MAX)
		rc = err_set(e, -EINVAL, "%s: more than %d", name, CONDITIONS_MAX);
	return rc;
}

static int read_matches(struct log_params *p, struct request *r, struct err *e)
{
	struct texts texts;
	int rc = read_texts(&texts, r, "match", e);

	if (!rc)
		p->matches = arena_zalloc(r->arena, texts.list.n + 1, sizeof(*p->matches));
	if (!rc && !p->matches)
		rc = -ENOMEM;
	for (uint32_t i = 0; !rc && i < texts.list.n; i++) {
		rc = log_match_parse(&p->matches[i], texts.list.at[i], e);
		p->select.match_count += !rc;
	}
	return rc;
}

static int read_severity(struct log_params *p, struct request *r, struct err *e)
{
	struct str text;
	int rc = request_param(r, "severity", &text, e);

	if (!rc && text.n && log_severity_parse(text, &p->select.severity))
		rc = err_set(e, -EINVAL,
			     "severity: expected trace, debug, info, warn, error, fatal or a "
			     "number of 1 to 24, found \"%.*s\"",
			     STR_ARG(str_head(text, 40)));
	return rc;
}

static int read_regex(struct log_params *p, struct request *r, struct err *e)
{
	struct str text;
	int rc = request_param(r, "regex", &text, e);

	return rc || !text.n ? rc : regex_new(&p->select.regex, text, REGEX_COMPILED, e);
}

static int read_ids(struct log_params *p, struct request *r, struct err *e)
{
	struct texts traces, spans;
	int rc = read_texts(&traces, r, "trace", e);

	if (!rc)
		rc = selection_set_traces(&p->s, &traces, r, e);
	if (!rc)
		rc = read_texts(&spans, r, "span", e);
	return rc ? rc : selection_set_spans(&p->s, &spans, r, e);
}

static void fill_select(struct log_params *p, const struct request *r)
{
	struct store_log_select *s = &p->select;
	uint64_t now = clock_monotonic_ns(), deadline = r->limits.deadline_ns;

	s->tenant = r->tenant;
	s->from = p->s.select.from;
	s->to = p->s.select.to;
	s->services = p->services.list.at;
	s->service_count = p->services.list.n;
	s->traces = p->s.traces;
	s->trace_count = p->s.trace_n;
	s->spans = p->s.select.spans;
	s->span_count = p->s.select.span_count;
	s->phrases = p->phrases.list.at;
	s->phrase_count = p->phrases.list.n;
	s->parts = p->parts.list.at;
	s->part_count = p->parts.list.n;
	s->matches = p->matches;
	s->limits = r->limits;
	if (deadline > now)
		s->stop_ns = now + (deadline - now) / 10 * STOP_TENTHS;
}

int log_params_read(struct log_params *p, struct request *r, struct err *e)
{
	int rc;

	*p = (struct log_params){0};
	rc = label_query_read(&p->s, r, e);
	if (!rc)
		rc = read_texts(&p->services, r, "service", e);
	if (!rc)
		rc = permit_services(&p->services, r);
	if (!rc)
		rc = read_texts(&p->phrases, r, "text", e);
	if (!rc)
		rc = read_texts(&p->parts, r, "contains", e);
	if (!rc)
		rc = read_ids(p, r, e);
	if (!rc)
		rc = read_matches(p, r, e);
	if (!rc)
		rc = read_severity(p, r, e);
	if (!rc)
		rc = read_regex(p, r, e);
	if (!rc)
		fill_select(p, r);
	return rc;
}

/* The cursor has the end of the next range in hex, and how many records of its last time to skip. */
static int read_cursor(struct request *r, struct store_log_select *s, struct err *e)
{
	struct str text, hex;
	uint64_t to, skip;
	int rc = request_param(r, "cursor", &text, e);

	if (rc || !text.n)
		return rc;
	hex = str_cut(&text, '-');
	if (str_to_u64(hex, 16, &to) || str_to_u64(text, 10, &skip) || skip > UINT32_MAX / 2)
		return err_set(e, -EINVAL, "cursor: expected \"next\" of an answer");
	s->to = to < s->to ? to : s->to;
	s->skip = (uint32_t)skip;
	return 0;
}

int log_params_read_page(struct log_params *p, struct request *r, struct err *e)
{
	uint64_t limit;
	int rc = request_u64(r, "limit", LOGS_DEFAULT, &limit, e);

	if (!rc && (!limit || limit > LOGS_MAX))
		rc = err_set(e, -EINVAL, "limit: expected 1 to %d", LOGS_MAX);
	if (rc)
		return rc;
	p->select.limit = (uint32_t)limit;
	return read_cursor(r, &p->select, e);
}

void log_params_fini(struct log_params *p)
{
	for (uint32_t i = 0; i < p->select.match_count; i++)
		regex_free(p->matches[i].regex);
	regex_free(p->select.regex);
	selection_fini(&p->s);
}
