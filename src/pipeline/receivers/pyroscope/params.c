/* SPDX-License-Identifier: Apache-2.0 */
/* The query parameters and headers of /ingest. */
#include "pipeline/receivers/pyroscope/params.h"

#include <errno.h>

#include "base/clock.h"
#include "base/container/vec.h"
#include "base/time_text.h"
#include "net/http/header.h"
#include "net/http/http.h"
#include "net/http/uri.h"
#include "wire/text.h"

enum { DEFAULT_SAMPLE_RATE = 100 };

static bool is_label_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.';
}

static bool is_app_char(char c)
{
	return is_label_char(c) || c == '-' || c == '/' || c == ':';
}

/* Return the position of the first byte that is not allowed, or s.n. */
static size_t bad_char(struct str s, bool (*allowed)(char))
{
	size_t at = 0;

	while (at < s.n && allowed(s.p[at]))
		at++;
	return at;
}

static int add_name_label(struct ingest_params *p, struct arena *arena, struct str name,
			  struct str value, struct err *e)
{
	size_t bad = bad_char(name, is_label_char);

	if (!name.n)
		return err_set(e, -EINVAL, "name: label name is required");
	if (bad < name.n)
		return err_set(
			e, -EINVAL,
			"name: label name \"%.*s\" is invalid: character 0x%02x is not allowed",
			STR_ARG(str_head(name, 100)), (unsigned char)name.p[bad]);
	if (str_eq(name, STR("__name__")))
		return err_set(e, -EINVAL, "name: label name \"__name__\" is reserved");
	if (str_starts(name, STR("__")) && !str_eq(name, STR("__session_id__")))
		return 0;
	if (p->labels.n == INGEST_LABELS_MAX)
		return err_set(e, -EINVAL, "name: more than %d labels", INGEST_LABELS_MAX);
	return vec_push(arena, &p->labels, (struct keyvalue){name, VALUE_OF_STR(value)});
}

int ingest_name_parse(struct ingest_params *p, struct arena *arena, struct str name, struct err *e)
{
	size_t open = str_find(name, '{'), bad;
	struct str rest = str_from_at(name, open + 1);
	int rc = 0;

	p->app = str_trim(str_head(name, open));
	if (!p->app.n)
		return err_set(e, -EINVAL, "name: service name is required");
	bad = bad_char(p->app, is_app_char);
	if (bad < p->app.n)
		return err_set(
			e, -EINVAL,
			"name: service name \"%.*s\" is invalid: character 0x%02x is not allowed",
			STR_ARG(str_head(p->app, 100)), (unsigned char)p->app.p[bad]);
	if (open == name.n)
		return 0;
	rest = str_trim(rest);
	if (!rest.n || rest.p[rest.n - 1] != '}')
		return err_set(e, -EINVAL, "name: expected } at the end of the labels");
	rest = str_trim(str_head(rest, rest.n - 1));
	while (!rc && rest.n) {
		struct str pair = str_cut(&rest, ','), key = str_cut(&pair, '=');

		if (!str_trim(key).n && !pair.n && !rest.p)
			break; /* trailing comma */
		rc = add_name_label(p, arena, str_trim(key), str_trim(pair), e);
	}
	return rc;
}

/* Get the first parameter of that name, decoded; empty if absent. */
static int get_param(struct arena *arena, struct str query, struct str name, struct str *value,
		     struct err *e)
{
	int rc = http_form_value(arena, query, name, 0, value);

	if (rc == -ENOENT) {
		*value = (struct str){0};
		return 0;
	}
	if (rc == -EINVAL)
		return err_set(e, rc, "%.*s: bad percent-escape", STR_ARG(name));
	return rc;
}

/* Get a time; 0 if absent or invalid, as Pyroscope uses the current time for an invalid one. */
static int get_time(struct arena *arena, struct str query, struct str name, uint64_t now,
		    uint64_t *out, struct err *e)
{
	struct str text;
	int rc = get_param(arena, query, name, &text, e);

	*out = 0;
	if (!rc && text.n && time_parse(text, now, out, NULL))
		*out = 0;
	return rc;
}

static enum ingest_format find_format(struct str format, struct str content_type, bool multipart)
{
	static const struct {
		struct str name, content_type;
		enum ingest_format format;
	} table[] = {
		{STR_INIT("trie"), STR_INIT("binary/octet-stream+trie"), INGEST_TRIE},
		{STR_INIT("tree"), STR_INIT("binary/octet-stream+tree"), INGEST_TREE},
		{STR_INIT("lines"), {0}, INGEST_LINES},
		{STR_INIT("jfr"), {0}, INGEST_JFR},
		{STR_INIT("pprof"), {0}, INGEST_PPROF},
		{STR_INIT("speedscope"), {0}, INGEST_SPEEDSCOPE},
	};

	for (size_t i = 0; i < countof(table); i++)
		if (str_eq(format, table[i].name) ||
		    (table[i].content_type.n && str_eq(content_type, table[i].content_type)))
			return table[i].format;
	if (multipart)
		return INGEST_MULTIPART_PPROF;
	return format.n ? INGEST_FOLDED : INGEST_BY_CONTENT;
}

int ingest_params_parse(struct ingest_params *p, struct arena *arena, struct str query,
			struct str content_type, uint64_t now, struct err *e)
{
	struct str name, rate, format;
	bool multipart = str_find_str(content_type, STR("multipart/form-data")) < content_type.n;
	int rc;

	*p = (struct ingest_params){.sample_rate = DEFAULT_SAMPLE_RATE};
	rc = get_param(arena, query, STR("name"), &name, e);
	p->named = name.p;
	if (!rc && p->named)
		rc = ingest_name_parse(p, arena, name, e);
	if (!rc)
		rc = get_time(arena, query, STR("from"), now, &p->from, e);
	if (!rc)
		rc = get_time(arena, query, STR("until"), now, &p->until, e);
	if (!rc)
		rc = get_param(arena, query, STR("sampleRate"), &rate, e);
	if (!rc)
		rc = get_param(arena, query, STR("spyName"), &p->spy_name, e);
	if (!rc)
		rc = get_param(arena, query, STR("format"), &format, e);
	if (rc)
		return rc;
	if (str_to_i64(rate, &p->sample_rate) || p->sample_rate <= 0 ||
	    p->sample_rate > (int64_t)NS_PER_SECOND)
		p->sample_rate = DEFAULT_SAMPLE_RATE;
	if (!p->spy_name.n)
		p->spy_name = STR("unknown");
	p->format = find_format(
		format, str_trim(str_head(content_type, str_find(content_type, ';'))), multipart);
	if (multipart)
		p->boundary = http_header_param(content_type, STR("boundary"));
	return 0;
}

/* Parse 32 hex digits, with or without the dashes of a UUID; not all zero. */
static int read_trace(struct str text, struct link *link, struct err *e)
{
	static const uint8_t none[sizeof(link->trace_id)];
	char digits[2 * sizeof(link->trace_id) + 1];
	size_t n = 0, size = 0;

	for (size_t i = 0; i < text.n && n < sizeof(digits); i++)
		if (text.p[i] != '-')
			digits[n++] = text.p[i];
	if (hex_decode(str_of(digits, n), link->trace_id, sizeof(link->trace_id), &size) ||
	    size != sizeof(link->trace_id) || memcmp(link->trace_id, none, sizeof(none)) == 0)
		return err_set(e, -EINVAL,
			       "X-Trace-ID: expected 32 hex digits, not all zero, found \"%.*s\"",
			       STR_ARG(str_head(text, 60)));
	return 0;
}

int ingest_headers_parse(struct ingest_params *p, const struct ingest_headers *h, uint64_t now,
			 struct err *e)
{
	if (!p->named)
		p->app = str_trim(h->service);
	if (h->type.n && !metric_of_header(&p->metric, str_trim(h->type)))
		return err_set(
			e, -EINVAL,
			"X-Profile-Type: expected cpu, wall, heap, allocs, goroutine, mutex, "
			"block or another name of letters, digits and _, found \"%.*s\"",
			STR_ARG(str_head(h->type, 60)));
	if (h->time.n && time_parse(str_trim(h->time), now, &p->time, NULL))
		return err_set(e, -EINVAL,
			       "X-Profile-Timestamp: expected RFC 3339 (2026-11-15T09:37:00Z) or "
			       "seconds since 1970, found \"%.*s\"",
			       STR_ARG(str_head(h->time, 60)));
	if (p->time)
		p->from = p->until = p->time;
	return h->trace.n ? read_trace(str_trim(h->trace), &p->trace, e) : 0;
}
