/* SPDX-License-Identifier: Apache-2.0 */
/* Checks conditions on single records. Pages check most conditions for many records at once. */
#include "store/sqlite/logs/log_match.h"

#include "base/regex.h"
#include "signal/otlp/attributes.h"
#include "store/sqlite/logs/log_details.h"
#include "store/sqlite/logs/log_template.h"
#include "store/sqlite/logs/log_text.h"

/* ---- preparing ---- */

/*
 * Add the tokens of a text that must occur as whole words. The first and the last one may be parts
 * of longer words unless the ends are `whole`.
 */
static int need_tokens(struct log_matcher *m, struct str text, bool whole)
{
	struct str rest = text, token;
	int rc = 0;

	while (!rc && log_next_token(&rest, &token)) {
		bool first = token.p == text.p, last = token.p + token.n == text.p + text.n;

		if (whole || (!first && !last))
			rc = vec_push(m->arena, &m->needed, log_token_hash(token));
	}
	return rc;
}

/*
 * Filters have attributes of records, not of resources, and nothing for a missing one. So only an
 * equal, non-empty value of the record itself is needed.
 */
static int need_attributes(struct log_matcher *m)
{
	const struct store_log_select *s = m->select;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < s->match_count; i++) {
		const struct store_log_match *x = &s->matches[i];

		if (x->scope == STORE_LOG_RECORD && !x->regex && !x->negated && x->value.n &&
		    x->value.n <= LOG_FILTER_VALUE_MAX)
			rc = vec_push(m->arena, &m->needed, log_attribute_hash(x->key, x->value));
	}
	return rc;
}

/* Find a text that all matches of the regular expression have. */
static int need_literal(struct log_matcher *m)
{
	struct str pattern = regex_pattern(m->select->regex);
	char *room = arena_alloc(m->arena, pattern.n + 1, 1);

	if (!room)
		return -ENOMEM;
	m->literal = log_regex_literal(pattern, room, pattern.n + 1);
	return need_tokens(m, m->literal, false);
}

int log_matcher_init(struct log_matcher *m, const struct store_log_select *select,
		     struct arena *arena)
{
	int rc = 0;

	*m = (struct log_matcher){.select = select, .arena = arena};
	buf_init(&m->text, select->limits.budget);
	m->phrases = arena_alloc(arena, select->phrase_count + 1, sizeof(*m->phrases));
	if (!m->phrases)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < select->phrase_count; i++) {
		rc = log_lower(str_trim(select->phrases[i]), arena, &m->phrases[i]);
		if (!rc)
			rc = need_tokens(m, m->phrases[i], true);
	}
	for (uint32_t i = 0; !rc && i < select->part_count; i++)
		rc = need_tokens(m, select->parts[i], false);
	if (!rc && select->regex)
		rc = need_literal(m);
	if (!rc && select->trace_count == 1)
		rc = vec_push(arena, &m->needed, log_id_hash(select->traces[0], TRACE_ID_SIZE));
	if (!rc && select->span_count == 1)
		rc = vec_push(arena, &m->needed, log_id_hash(select->spans[0], SPAN_ID_SIZE));
	return rc ? rc : need_attributes(m);
}

void log_matcher_fini(struct log_matcher *m)
{
	buf_fini(&m->text);
}

/* ---- values ---- */

static struct str value_text(struct log_matcher *m, const struct value *v)
{
	if (v->kind == VALUE_STRING)
		return v->s;
	buf_clear(&m->text);
	if (otlp_value_text(&m->text, v))
		buf_clear(&m->text);
	return buf_str(&m->text);
}

/* Return 1, 0 or -errno. */
static int match_value(struct log_matcher *m, const struct store_log_match *x, struct str value)
{
	int yes = x->regex ? regex_match(x->regex, value, &m->error) : str_eq(value, x->value);

	return yes < 0 ? yes : (yes == 1) != x->negated;
}

static bool find_attribute(struct str message, uint32_t field, struct str key, struct value *v)
{
	return message.p && otlp_attribute_find(message, field, key, v);
}

/* ---- streams ---- */

static bool is_service(const struct store_log_select *s, struct str service)
{
	for (uint32_t i = 0; i < s->service_count; i++)
		if (str_eq(s->services[i], service))
			return true;
	return !s->service_count;
}

bool log_match_stream(struct log_matcher *m, const struct log_stream *s)
{
	const struct store_log_select *select = m->select;

	if (!str_eq(s->tenant, select->tenant) || !is_service(select, s->service))
		return false;
	for (uint32_t i = 0; i < select->match_count; i++) {
		const struct store_log_match *x = &select->matches[i];
		struct value v;
		bool any;

		if (x->scope != STORE_LOG_RESOURCE)
			continue;
		any = find_attribute(s->resource.message, OTLP_RESOURCE_ATTRIBUTES, x->key, &v);
		/* an expression that hit a limit is an error of the first record that is checked */
		if (!match_value(m, x, any ? value_text(m, &v) : STR("")))
			return false;
	}
	return true;
}

/* ---- records ---- */

bool log_match_needs_text(const struct log_matcher *m)
{
	return m->select->phrase_count || m->select->part_count || m->select->regex;
}

bool log_match_needs_more(const struct log_matcher *m)
{
	return log_match_needs_text(m) || m->select->match_count || m->select->trace_count ||
	       m->select->span_count;
}

bool log_match_severity(const struct log_matcher *m, uint32_t severity)
{
	return severity >= m->select->severity;
}

bool log_match_ids(const struct log_matcher *m, const uint8_t *trace_id, const uint8_t *span_id)
{
	const struct store_log_select *s = m->select;
	bool trace = !s->trace_count, span = !s->span_count;

	for (uint32_t i = 0; !trace && i < s->trace_count; i++)
		trace = memcmp(s->traces[i], trace_id, TRACE_ID_SIZE) == 0;
	for (uint32_t i = 0; !span && i < s->span_count; i++)
		span = memcmp(s->spans[i], span_id, SPAN_ID_SIZE) == 0;
	return trace && span;
}

int log_match_text(struct log_matcher *m, struct str text)
{
	const struct store_log_select *s = m->select;

	for (uint32_t i = 0; i < s->phrase_count; i++)
		if (!log_has_phrase(text, m->phrases[i]))
			return 0;
	for (uint32_t i = 0; i < s->part_count; i++)
		if (s->parts[i].n && (s->parts[i].n > text.n ||
				      !memmem(text.p, text.n, s->parts[i].p, s->parts[i].n)))
			return 0;
	return s->regex ? regex_match(s->regex, text, &m->error) : 1;
}

int log_match_attributes(struct log_matcher *m, const struct log_record *r,
			 const struct log_stream *s)
{
	const struct store_log_select *select = m->select;
	int yes = 1;

	for (uint32_t i = 0; yes > 0 && i < select->match_count; i++) {
		const struct store_log_match *x = &select->matches[i];
		struct value v;
		bool any = false;

		if (x->scope != STORE_LOG_RESOURCE)
			any = find_attribute(r->attributes, OTLP_LOG_ATTRIBUTES, x->key, &v);
		if (!any && x->scope != STORE_LOG_RECORD)
			any = find_attribute(s->resource.message, OTLP_RESOURCE_ATTRIBUTES, x->key,
					     &v);
		yes = match_value(m, x, any ? value_text(m, &v) : STR(""));
	}
	return yes;
}

struct str log_body_text(struct buf *scratch, struct str body)
{
	struct value v;

	if (!body.p || !otlp_value_read(body, &v))
		return STR("");
	if (v.kind == VALUE_STRING)
		return v.s;
	buf_clear(scratch);
	if (otlp_value_text(scratch, &v))
		buf_clear(scratch);
	return scratch->n ? buf_str(scratch) : STR("");
}

int log_match_record(struct log_matcher *m, const struct log_record *r, const struct log_stream *s)
{
	int yes;

	if (!log_match_severity(m, log_severity(r->severity, r->severity_text)) ||
	    !log_match_ids(m, r->trace_id, r->span_id))
		return 0;
	yes = log_match_needs_text(m) ? log_match_text(m, log_body_text(&m->text, r->body)) : 1;
	return yes > 0 && m->select->match_count ? log_match_attributes(m, r, s) : yes;
}
