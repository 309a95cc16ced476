/* SPDX-License-Identifier: Apache-2.0 */
/* GET /api/v1/drift, and what other answers have of drift. */
#include "api/drift/drift_answers.h"

#include <errno.h>

#include "api/access/token_file.h"
#include "api/endpoint.h"
#include "api/varve/json_fields.h"
#include "api/varve/varve.h"
#include "base/clock.h"
#include "base/time_text.h"
#include "pipeline/caller.h"

#define DEFAULT_RANGE (7 * 86400 * NS_PER_SECOND)

enum { LIMIT_DEFAULT = 500 };

static bool is_wanted(const struct drift_filter *f, const struct drift_event *at)
{
	return str_eq(f->tenant, at->tenant) && token_serves(f->services, at->service) &&
	       (!f->service.n || str_eq(f->service, at->service)) &&
	       (!f->type.n || str_eq(f->type, at->type)) && at->found >= f->from &&
	       at->found < f->to && (!f->kinds || f->kinds & 1u << at->kind);
}

/* ---- GET /api/v1/drift ---- */

struct listing {
	const struct drift_filter *filter;
	struct json_writer *w;
	uint64_t skip, matches; /* the newest ones are listed */
};

static void count_match(void *ctx, const struct drift_event *at)
{
	struct listing *l = ctx;

	l->matches += is_wanted(l->filter, at);
}

static void put_event(void *ctx, const struct drift_event *at)
{
	struct listing *l = ctx;

	if (!is_wanted(l->filter, at))
		return;
	if (l->skip)
		l->skip--;
	else
		drift_event_put(l->w, at, false);
}

static int read_time(struct request *r, const char *name, uint64_t fallback, uint64_t *ns,
		     struct err *e)
{
	struct str text;
	int rc = request_param(r, name, &text, e);

	*ns = fallback;
	if (!rc && text.n)
		rc = time_parse(text, r->now_ns, ns, e);
	if (rc == -EINVAL)
		err_prefix(e, "%s", name);
	return rc;
}

static int read_kinds(struct request *r, unsigned *kinds, struct err *e)
{
	struct texts names;
	int rc = request_params(r, "kind", &names, e);

	for (uint32_t i = 0; !rc && i < names.list.n; i++) {
		enum drift_kind kind;

		if (!drift_kind_parse(names.list.at[i], &kind))
			return err_set(e, -EINVAL,
				       "kind: expected regression, improvement, new or ended, "
				       "found \"%.*s\"",
				       STR_ARG(str_head(names.list.at[i], 40)));
		*kinds |= 1u << kind;
	}
	return rc;
}

static int read_filter(struct drift_filter *f, struct request *r, struct err *e)
{
	int rc;

	*f = (struct drift_filter){.tenant = r->tenant};
	if (r->sender && r->sender->caller)
		f->services = r->sender->caller->services;
	rc = request_param(r, "service", &f->service, e);
	rc = rc ? rc : request_param(r, "type", &f->type, e);
	rc = rc ? rc : read_time(r, "to", r->now_ns + 1, &f->to, e);
	rc = rc ? rc
		: read_time(r, "from", f->to > DEFAULT_RANGE ? f->to - DEFAULT_RANGE : 0, &f->from,
			    e);
	if (!rc && f->from > f->to)
		rc = err_set(e, -EINVAL, "from is after to");
	return rc ? rc : read_kinds(r, &f->kinds, e);
}

int varve_drift(struct request *r, struct reply *out, struct err *e)
{
	struct drift_monitor *m = r->api ? r->api->options.drift : NULL;
	struct drift_filter filter;
	struct json_writer w;
	struct listing l = {.filter = &filter, .w = &w};
	uint64_t limit;
	int rc = read_filter(&filter, r, e);

	rc = rc ? rc : request_u64(r, "limit", LIMIT_DEFAULT, &limit, e);
	if (rc)
		return rc;
	w = answer_open(out, NULL);
	put_flag(&w, "enabled", m != NULL);
	if (m)
		drift_log_each(drift_monitor_log(m), count_match, &l);
	l.skip = limit && l.matches > limit ? l.matches - limit : 0;
	put_u64(&w, "count", l.matches);
	json_put_key(&w, STR("events"));
	json_open_array(&w);
	if (m)
		drift_log_each(drift_monitor_log(m), put_event, &l);
	json_close_array(&w);
	return view_close(&w);
}

/* ---- marks of the timeline ---- */

static void put_mark(void *ctx, const struct drift_event *at)
{
	struct listing *l = ctx;
	struct buf text = {0};

	if (at->since < l->filter->from || at->since >= l->filter->to)
		return;
	buf_put_str(&text, STR("drift."));
	buf_put_str(&text, drift_kind_name(at->kind));
	json_open_object(l->w);
	put_ms(l->w, "time", at->since);
	put_text(l->w, "service", at->service);
	put_text(l->w, "action", buf_str(&text));
	put_text(l->w, "actor", STR("drift"));
	buf_rewind(&text);
	drift_event_text(&text, at);
	put_text(l->w, "detail", buf_str(&text));
	buf_rewind(&text);
	drift_event_page(&text, at);
	put_text(l->w, "page", buf_str(&text));
	json_close_object(l->w);
	buf_fini(&text);
}

static void put_wanted_mark(void *ctx, const struct drift_event *at)
{
	struct listing *l = ctx;
	struct drift_filter any_time = *l->filter;

	any_time.from = 0;
	any_time.to = UINT64_MAX;
	if (is_wanted(&any_time, at))
		put_mark(ctx, at);
}

void drift_put_marks(struct drift_monitor *m, const struct drift_filter *filter,
		     struct json_writer *w)
{
	struct listing l = {.filter = filter, .w = w};

	if (m)
		drift_log_each(drift_monitor_log(m), put_wanted_mark, &l);
}

/* ---- metrics and status ---- */

static void put_head(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_number(struct buf *out, const char *name, const char *type, const char *help,
		       uint64_t value)
{
	put_head(out, name, type, help);
	buf_printf(out, "%s %llu\n", name, (unsigned long long)value);
}

/* Append a label value, escaped. */
static void put_label(struct buf *out, const char *name, struct str value)
{
	buf_printf(out, "%s=\"", name);
	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] == '\n') {
			buf_put_str(out, STR("\\n"));
			continue;
		}
		if (value.p[i] == '"' || value.p[i] == '\\')
			buf_put_char(out, '\\');
		buf_put_char(out, value.p[i]);
	}
	buf_put_char(out, '"');
}

struct active_list {
	struct buf *out;
	uint64_t now;
};

static void put_active(void *ctx, const struct drift_event *at)
{
	const struct active_list *l = ctx;

	if (!drift_event_active(at, l->now))
		return;
	for (uint32_t i = 0; i < at->function_n; i++) {
		buf_put_str(l->out, STR("varve_drift_active{"));
		if (at->tenant.n) {
			put_label(l->out, "tenant", at->tenant);
			buf_put_char(l->out, ',');
		}
		put_label(l->out, "service", at->service);
		buf_put_char(l->out, ',');
		put_label(l->out, "type", at->type);
		buf_put_char(l->out, ',');
		put_label(l->out, "function", at->functions[i].name);
		buf_printf(l->out, ",kind=\"%.*s\"} ", STR_ARG(drift_kind_name(at->kind)));
		if (at->kind == DRIFT_NEW)
			buf_put_str(l->out, STR("+Inf\n"));
		else
			buf_printf(l->out, "%.4g\n", drift_event_ratio(at, i));
	}
}

void drift_metrics(struct drift_monitor *m, uint64_t now, struct buf *out)
{
	struct active_list active = {out, now};
	struct drift_monitor_stats s;

	if (!m)
		return;
	drift_monitor_stats(m, &s);
	put_head(out, "varve_drift_services", "gauge",
		 "Services and profile types that are watched for drift, by state.");
	buf_printf(out,
		   "varve_drift_services{state=\"watching\"} %llu\n"
		   "varve_drift_services{state=\"learning\"} %llu\n"
		   "varve_drift_services{state=\"refused\"} %llu\n",
		   (unsigned long long)(s.watching - s.learning), (unsigned long long)s.learning,
		   (unsigned long long)s.refused);
	put_number(out, "varve_drift_behind", "gauge",
		   "Services and profile types with slots that are still to be read.", s.reading);
	put_number(out, "varve_drift_functions", "gauge", "Functions that are compared.",
		   s.functions);
	put_number(out, "varve_drift_memory_bytes", "gauge", "Memory used by detectors of drift.",
		   s.memory);
	put_number(out, "varve_drift_memory_limit_bytes", "gauge",
		   "Memory limit of detectors of drift.", s.memory_limit);
	put_number(out, "varve_drift_slots_total", "counter",
		   "Slots of ten minutes that were read.", s.slots);
	put_number(out, "varve_drift_failures_total", "counter", "Slots that could not be read.",
		   s.failures);
	put_number(out, "varve_drift_moved_total", "counter",
		   "Findings that were not reported, because the cost moved to related functions.",
		   s.moved);
	put_head(out, "varve_drift_events_total", "counter", "Events of drift, by kind.");
	for (unsigned i = 0; i < countof(s.events); i++)
		buf_printf(out, "varve_drift_events_total{kind=\"%.*s\"} %llu\n",
			   STR_ARG(drift_kind_name((enum drift_kind)i)),
			   (unsigned long long)s.events[i]);
	put_head(out, "varve_drift_cpu_seconds_total", "counter", "CPU time of the monitor.");
	buf_printf(out, "varve_drift_cpu_seconds_total %.3f\n", (double)s.cpu_ns / 1e9);
	put_head(out, "varve_drift_active", "gauge",
		 "Cost of functions that changed in the last week, divided by the cost before.");
	drift_log_each(drift_monitor_log(m), put_active, &active);
}

void drift_put_status(struct drift_monitor *m, struct json_writer *w)
{
	struct drift_monitor_stats s = {0};

	if (m)
		drift_monitor_stats(m, &s);
	json_put_key(w, STR("drift"));
	json_open_object(w);
	put_flag(w, "enabled", m != NULL);
	put_u64(w, "watching", s.watching);
	put_u64(w, "learning", s.learning);
	put_u64(w, "behind", s.reading);
	put_u64(w, "refused", s.refused);
	put_u64(w, "functions", s.functions);
	put_u64(w, "memory", s.memory);
	put_u64(w, "memory_limit", s.memory_limit);
	json_close_object(w);
}
