/* SPDX-License-Identifier: Apache-2.0 */
#include "api/drift/drift_event.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "signal/profile/profile_type.h"

static const struct str kind_names[] = {
	[DRIFT_REGRESSION] = STR_INIT("regression"),
	[DRIFT_IMPROVEMENT] = STR_INIT("improvement"),
	[DRIFT_NEW] = STR_INIT("new"),
	[DRIFT_ENDED] = STR_INIT("ended"),
};

struct str drift_kind_name(enum drift_kind kind)
{
	return kind_names[kind];
}

bool drift_kind_parse(struct str name, enum drift_kind *kind)
{
	for (size_t i = 0; i < countof(kind_names); i++)
		if (str_eq(name, kind_names[i])) {
			*kind = (enum drift_kind)i;
			return true;
		}
	return false;
}

#define ACTIVE_NS (7 * 86400 * NS_PER_SECOND)

bool drift_event_active(const struct drift_event *at, uint64_t now)
{
	return at->kind != DRIFT_ENDED && !at->ended && at->found + ACTIVE_NS >= now;
}

double drift_event_ratio(const struct drift_event *at, uint32_t function)
{
	return at->kind == DRIFT_NEW ? INFINITY : at->functions[function].ratio;
}

/* ---- copies ---- */

/* Return the i-th string of an event, or NULL. */
static struct str *event_string(struct drift_event *at, uint32_t i)
{
	struct str *heads[] = {&at->tenant, &at->service, &at->type, &at->versions_before,
			       &at->versions_after};

	if (i < countof(heads))
		return heads[i];
	i -= (uint32_t)countof(heads);
	if (i >= 2 * at->function_n)
		return NULL;
	return i % 2 ? &at->functions[i / 2].file : &at->functions[i / 2].name;
}

struct drift_event *drift_event_dup(const struct drift_event *from)
{
	struct drift_event copy = *from, *out;
	size_t bytes = sizeof(copy);
	struct str *s;
	char *p;

	for (uint32_t i = 0; (s = event_string(&copy, i)); i++) {
		*s = i < 3 ? *s
			   : str_head(*s,
				      DRIFT_EVENT_TEXT); /* a cut service would be another one */
		bytes += s->n;
	}
	out = malloc(bytes);
	if (!out)
		return NULL;
	*out = copy;
	p = (char *)(out + 1);
	for (uint32_t i = 0; (s = event_string(out, i)); i++) {
		if (s->n)
			memcpy(p, s->p, s->n);
		s->p = p;
		p += s->n;
	}
	return out;
}

/* ---- links and texts ---- */

static void put_escaped(struct buf *out, struct str s)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = (uint8_t)s.p[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    c == '-' || c == '_' || c == '.' || c == ':') {
			buf_put_char(out, (char)c);
		} else {
			buf_put_char(out, '%');
			buf_put_char(out, hex[c >> 4]);
			buf_put_char(out, hex[c & 15]);
		}
	}
}

static bool is_word(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!(s.p[i] >= '0' && s.p[i] <= '9') && !(s.p[i] >= 'a' && s.p[i] <= 'z') &&
		    !(s.p[i] >= 'A' && s.p[i] <= 'Z') && s.p[i] != '-' && s.p[i] != '_' &&
		    s.p[i] != '.')
			return false;
	return s.n > 0;
}

/* Append a selector of the service, its name or {service_name="..."}, escaped for an address. */
static void put_selector(struct buf *out, struct str service)
{
	struct buf text = {0};

	if (is_word(service)) {
		buf_put_str(out, service);
		return;
	}
	buf_put_str(&text, STR("{service_name=\""));
	for (size_t i = 0; i < service.n; i++) {
		if (service.p[i] == '"' || service.p[i] == '\\')
			buf_put_char(&text, '\\');
		buf_put_char(&text, service.p[i]);
	}
	buf_put_str(&text, STR("\"}"));
	put_escaped(out, buf_str(&text));
	buf_fini(&text);
}

static void put_time(struct buf *out, const char *name, uint64_t ns)
{
	buf_printf(out, "&%s=%llu", name, (unsigned long long)(ns / NS_PER_MS));
}

void drift_event_page(struct buf *out, const struct drift_event *at)
{
	buf_put_str(out, STR("/compare?query="));
	put_selector(out, at->service);
	buf_put_str(out, STR("&type="));
	put_escaped(out, at->type);
	put_time(out, "from", at->after_from);
	put_time(out, "to", at->after_to);
	put_time(out, "before_from", at->before_from);
	put_time(out, "before_to", at->before_to);
	buf_put_str(out, STR("&normalise=1"));
}

void drift_event_diff(struct buf *out, const struct drift_event *at)
{
	buf_put_str(out, STR("/api/v1/diff?before="));
	put_selector(out, at->service);
	buf_put_str(out, STR("&after="));
	put_selector(out, at->service);
	buf_put_str(out, STR("&type="));
	put_escaped(out, at->type);
	put_time(out, "before_from", at->before_from);
	put_time(out, "before_to", at->before_to);
	put_time(out, "after_from", at->after_from);
	put_time(out, "after_to", at->after_to);
}

static bool is_cpu(const struct drift_event *at)
{
	struct profile_type t;

	return profile_type_parse(&t, at->type) && str_eq(t.sample_unit, STR("nanoseconds"));
}

static void put_extra(struct buf *out, const struct drift_event *at)
{
	double extra = fabs(at->extra);

	if (is_cpu(at))
		buf_printf(out, ", %.3g cores", extra / 1e9);
	else
		buf_printf(out, ", %.3g MB/s", extra / 1e6);
}

void drift_event_text(struct buf *out, const struct drift_event *at)
{
	const struct drift_event_function *f = &at->functions[0];

	if (!at->function_n)
		return;
	buf_put_str(out, f->name);
	if (at->kind == DRIFT_NEW)
		buf_printf(out, " is new and has %.2g %%", f->after * 100);
	else if (at->kind == DRIFT_ENDED)
		buf_printf(out, " is back at %.2g %%", f->after * 100);
	else
		buf_printf(out, " costs %.0f %% %s (%.2g %% to %.2g %%", fabs(f->ratio - 1) * 100,
			   f->ratio < 1 ? "less" : "more", f->before * 100, f->after * 100);
	if (at->kind == DRIFT_REGRESSION || at->kind == DRIFT_IMPROVEMENT) {
		put_extra(out, at);
		buf_put_char(out, ')');
	}
	if (at->function_n + at->more > 1)
		buf_printf(out, " and %u more", at->function_n + at->more - 1);
	if (at->versions_after.n && !str_eq(at->versions_before, at->versions_after))
		buf_printf(out, ", version %.*s after %.*s", STR_ARG(at->versions_after),
			   STR_ARG(at->versions_before.n ? at->versions_before : STR("unknown")));
}
