/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /debug/pprof as Go's net/http/pprof serves it, for C programs, and /debug/profiling, which
 * enables and disables profilers; /metrics is Prometheus text. `go tool pprof
 * http://host:port/debug/pprof/heap` and its other forms work; debug=1 and debug=2 are text.
 */
#include "sdk/debug/debug_pprof.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/pprof/pprof.h"
#include "sdk/collect/metrics.h"
#include "sdk/debug/debug_control.h"
#include "sdk/debug/debug_text.h"
#include "sdk/debug/take_profile.h"
#include "sdk/export/redact.h"
#include "sdk/sdk.h"

static const struct page {
	const char *name;
	enum varve_profile kind;
	const char *help;
} pages[] = {
	{"allocs", VARVE_HEAP, "all memory allocated since the start, sampled"},
	{"block", VARVE_BLOCK, "where threads waited for locks and conditions"},
	{"goroutine", VARVE_THREADS, "current stacks of all threads; debug=2: one by one"},
	{"heap", VARVE_HEAP, "memory in use, sampled"},
	{"mmap", VARVE_MMAP, "anonymous memory taken with mmap()"},
	{"mutex", VARVE_MUTEX, "holders of contended locks"},
	{"profile", VARVE_CPU, "CPU time; seconds= is the duration"},
	{"threadcreate", VARVE_THREADCREATE, "stacks that created threads"},
	{"threads", VARVE_THREADS, "the same as goroutine"},
	{"wall", VARVE_WALL,
	 "wall-clock time of all threads, running or not; seconds= is the duration"},
};

static void set_error(struct endpoint_answer *a, unsigned status, const char *text)
{
	a->status = status;
	buf_clear(&a->body);
	buf_printf(&a->body, "%s\n", text);
}

static void answer_index(struct endpoint_answer *a)
{
	a->content_type = "text/html; charset=utf-8";
	buf_printf(&a->body,
		   "<!doctype html><html><head><title>/debug/pprof/</title></head><body>\n"
		   "<h1>/debug/pprof/</h1>\n<table>\n");
	for (size_t i = 0; i < countof(pages); i++)
		buf_printf(&a->body, "<tr><td><a href=\"%s%s\">%s</a></td><td>%s</td></tr>\n",
			   pages[i].name,
			   pages[i].kind == VARVE_CPU || pages[i].kind == VARVE_WALL ? "?seconds=10"
										     : "?debug=1",
			   pages[i].name, pages[i].help);
	buf_printf(&a->body, "</table>\n<p><a href=\"cmdline\">cmdline</a></p>\n</body></html>\n");
}

/* Copy the arguments, separated by NUL as in /proc, without secrets. */
static void answer_cmdline(struct sdk *s, struct endpoint_answer *a)
{
	size_t before = a->body.n;
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char *at = buf_reserve(&a->body, 65536);
	ssize_t n = fd >= 0 && at ? read(fd, at, 65536) : 0;

	if (n > 0)
		a->body.n += (size_t)n - (at[n - 1] == 0);
	if (fd >= 0)
		close(fd);
	if (redact_text(s->sanitizer, &a->body, before))
		a->body.n = before;
}

/* Name the addresses in the body or query: 0x1+0x2. */
static void answer_symbol(struct sdk *s, const struct endpoint_request *r,
			  struct endpoint_answer *a)
{
	struct str rest = str_eq(r->method, STR("POST")) ? r->body : r->query;
	char name[1024];

	buf_printf(&a->body, "num_symbols: 1\n");
	while (rest.n) {
		struct str text = str_trim(str_cut(&rest, '+'));
		uint64_t address;

		if (str_to_u64(text, 16, &address))
			continue;
		collect_name(s->collector, address, name, sizeof(name));
		buf_printf(&a->body, "0x%" PRIx64 " %s\n", address, name);
	}
}

/* The parameters of a profile. */
struct profile_parameters {
	uint64_t seconds, debug;
};

/* Return whether the profile always covers a duration; for others seconds= is optional. */
static bool is_timed(const struct page *page)
{
	return page->kind == VARVE_CPU || page->kind == VARVE_WALL;
}

/* Return 0, or the status of an error with its reason in *why. */
static unsigned read_parameters(const struct page *page, struct str query,
				struct profile_parameters *w, const char **why)
{
	bool timed = is_timed(page);
	struct str text;

	*w = (struct profile_parameters){0};
	if (endpoint_parameter(query, STR("debug"), &text) && str_to_u64(text, 10, &w->debug))
		w->debug = 0;
	if (endpoint_parameter(query, STR("seconds"), &text) &&
	    (str_to_u64(text, 10, &w->seconds) || w->seconds > UINT32_MAX)) {
		*why = "invalid value for \"seconds\" - must be a positive integer";
		if (!timed)
			return 400;
		w->seconds = 0;
	}
	if (timed && !w->seconds)
		w->seconds = 30;
	if (w->seconds && w->debug && !timed) {
		*why = "seconds and debug params are incompatible";
		return 400;
	}
	return 0;
}

static void answer_profile(struct sdk *s, const struct page *page, const struct endpoint_request *r,
			   struct endpoint_answer *a)
{
	struct encode_options options = {0};
	struct profile_batch batch;
	struct err e = {0};
	struct profile_parameters wanted;
	const char *why;
	unsigned status = read_parameters(page, r->query, &wanted, &why);
	int rc;

	if (status) {
		set_error(a, status, why);
		return;
	}
	rc = profile_batch_init(&batch, &s->budget);
	rc = rc ? rc : sdk_take_batch(s, page->kind, (unsigned)wanted.seconds, NULL, &batch, &e);
	if (!rc && wanted.debug) {
		debug_text(&a->body, page->name, &batch, wanted.debug > 1);
	} else if (!rc) {
		rc = pprof_encode(&a->body, &batch, &options, &e);
		a->content_type = "application/octet-stream";
		a->file_name = page->name;
		a->delta = wanted.seconds && !is_timed(page);
	}
	if (rc) {
		a->content_type = "text/plain; charset=utf-8";
		a->file_name = NULL;
		set_error(a, rc == -EBUSY ? 429 : 500, e.text);
	}
	profile_batch_fini(&batch);
}

static void answer_pprof(struct sdk *s, struct str name, const struct endpoint_request *r,
			 struct endpoint_answer *a)
{
	if (!name.n) {
		answer_index(a);
	} else if (str_eq(name, STR("cmdline"))) {
		answer_cmdline(s, a);
	} else if (str_eq(name, STR("symbol"))) {
		answer_symbol(s, r, a);
	} else {
		for (size_t i = 0; i < countof(pages); i++) {
			if (str_eq(name, str_from(pages[i].name))) {
				answer_profile(s, &pages[i], r, a);
				return;
			}
		}
		set_error(a, 404, "Unknown profile");
	}
}

/* ---- /debug/profiling ---- */

/* Compare without revealing by the time where two texts differ. */
static bool is_same_secret(struct str a, struct str b)
{
	unsigned char differs = a.n != b.n;

	for (size_t i = 0; i < a.n && i < b.n; i++)
		differs |= (unsigned char)(a.p[i] ^ b.p[i]);
	return !differs;
}

/* Return whether the request has the token of the endpoint, if there is one. */
static bool has_token(const struct sdk *s, const struct endpoint_request *r)
{
	struct str given = endpoint_header(r, STR("authorization"));
	const char *token = s->options.o.listen_token;

	if (!token)
		return true;
	if (given.n < 7 || strncasecmp(given.p, "Bearer ", 7) != 0)
		return false;
	return is_same_secret(str_trim(str_from_at(given, 7)), str_from(token));
}

/* Return why the request may not change anything, or NULL. */
static const char *change_refusal(const struct sdk *s, const struct endpoint_request *r)
{
	if (s->options.o.listen_token || r->from_loopback)
		return NULL;
	return "without a token only this machine may change what is profiled: set "
	       "endpoints.token (VARVE_LISTEN_TOKEN)";
}

/* Apply what a POST asks for. An empty one enables what the process was started with. */
static void apply_control(struct sdk *s, const struct debug_control *c, bool empty)
{
	struct sdk_rates own = sdk_settings_own(s);
	struct varve_options o = s->options.o;

	o.guards = watch_guards(s->watch);
	o.cpu_hz = own.cpu_hz;
	o.wall_hz = own.wall_hz;
	o.heap_interval = own.heap_interval;
	o.block_interval_ns = own.block_interval_ns;
	if (!empty && own.profiles)
		o.profiles = own.profiles; /* else those of the start */
	debug_control_copy(c, &o);
	if (c->enabled == DEBUG_DISABLE)
		o.profiles = 0;
	watch_set_guards(s->watch, &o.guards);
	if (debug_control_gives(c, "profiling.conditional.slow_request_threshold") ||
	    debug_control_gives(c, "profiling.conditional.cpu_threshold_percent"))
		collect_set_thresholds(s->collector, o.slow_span_ms * NS_PER_MS, o.busy_span_share);
	own = (struct sdk_rates){o.profiles, o.cpu_hz, o.wall_hz, o.heap_interval,
				 o.block_interval_ns};
	sdk_settings_change(s, &own);
}

/* Append the settings in effect and the state of the guards. */
static void put_state(struct sdk *s, struct endpoint_answer *a)
{
	struct sdk_rates rates = sdk_settings_in_effect(s);
	struct control_report report = {0};
	struct watch_state now;
	struct lease lease;

	watch_state(s->watch, &now);
	sdk_settings_report(s, &report, &lease);
	a->content_type = "application/json";
	buf_printf(&a->body, "{\"enabled\":%s,\"profiles\":\"", rates.profiles ? "true" : "false");
	sdk_profile_names(&a->body, rates.profiles);
	buf_printf(&a->body,
		   "\",\"cpu_hz\":%u,\"wall_hz\":%u,\"heap_interval\":%" PRIu64
		   ",\"block_interval_ns\":%" PRIu64 ",\"export_interval_ms\":%" PRIu64
		   ",\"refused\":%" PRIu64 ",\"shed\":%" PRIu64 ",\"lease\":\"%s\"}\n",
		   now.cpu_hz, rates.wall_hz, rates.heap_interval, rates.block_interval_ns,
		   now.interval_ms, now.refused, now.shed, control_lease_states[lease.state]);
}

/* Return whether the answer should be JSON: Accept asks for it, or the request is JSON itself. */
static bool wants_json(const struct endpoint_request *r)
{
	static const struct str json = STR_INIT("application/json");
	struct str accept = endpoint_header(r, STR("accept"));
	struct str type = endpoint_header(r, STR("content-type"));
	struct str body = str_trim(r->body);

	return str_find_str(accept, json) < accept.n || str_starts(type, json) ||
	       (body.n && body.p[0] == '{');
}

static void answer_change(struct sdk *s, const struct endpoint_request *r,
			  struct endpoint_answer *a)
{
	if (wants_json(r))
		put_state(s, a);
	else
		buf_put_str(&a->body, sdk_settings_own(s).profiles ? STR("Profiling enabled\n")
								   : STR("Profiling disabled\n"));
}

/* GET reports; POST enables and sets kinds, rates and thresholds; DELETE disables. */
static void answer_control(struct sdk *s, const struct endpoint_request *r,
			   struct endpoint_answer *a)
{
	struct str settings = r->body.n ? r->body : r->query;
	struct debug_control wanted = {0};
	struct err e = {0};

	if (str_eq(r->method, STR("GET"))) {
		put_state(s, a);
	} else if (!str_eq(r->method, STR("POST")) && !str_eq(r->method, STR("DELETE"))) {
		set_error(a, 405, "GET, POST or DELETE");
	} else if (change_refusal(s, r)) {
		set_error(a, 403, change_refusal(s, r));
	} else if (str_eq(r->method, STR("DELETE"))) {
		sdk_set_profiles(s, 0);
		answer_change(s, r, a);
	} else {
		if (debug_control_read(&wanted, settings, &e)) {
			set_error(a, 400, e.text);
		} else {
			apply_control(s, &wanted, !str_trim(settings).n);
			answer_change(s, r, a);
		}
		debug_control_fini(&wanted);
	}
}

static void answer_metrics(struct sdk *s, const struct endpoint_request *r,
			   struct endpoint_answer *a)
{
	if (!str_eq(r->method, STR("GET"))) {
		set_error(a, 405, "GET");
		return;
	}
	a->content_type = "text/plain; version=0.0.4; charset=utf-8";
	if (metrics_text_of(s, &a->body))
		set_error(a, 500, "out of memory");
}

void debug_pprof_answer(void *arg, const struct endpoint_request *r, struct endpoint_answer *a)
{
	static const struct str prefix = STR_INIT("/debug/pprof/");
	struct sdk *s = sdk_acquire();

	(void)arg;
	if (!s)
		set_error(a, 503, "the profilers are stopping");
	else if (!has_token(s, r))
		set_error(a, 401,
			  "missing or wrong token: send Authorization: Bearer TOKEN "
			  "(endpoints.token)");
	else if (str_eq(r->path, STR("/debug/profiling")))
		answer_control(s, r, a);
	else if (str_eq(r->path, STR("/metrics")))
		answer_metrics(s, r, a);
	else if (str_starts(r->path, prefix))
		answer_pprof(s, str_from_at(r->path, prefix.n), r, a);
	else if (str_eq(r->path, STR("/debug/pprof")))
		answer_index(a);
	else
		set_error(a, 404, "404 page not found; see /debug/pprof/");
	sdk_release(s);
}
