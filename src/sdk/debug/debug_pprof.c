/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /debug/pprof as Go's net/http/pprof serves it, for C programs, and /debug/profiling, which
 * enables and disables profilers. `go tool pprof http://host:port/debug/pprof/heap` and its other
 * forms work; debug=1 and debug=2 are text.
 */
#include "sdk/debug/debug_pprof.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/pprof/pprof.h"
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
	rc = rc ? rc : sdk_take_batch(s, page->kind, (unsigned)wanted.seconds, &batch, &e);
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

/* GET reports; POST sets (a form or JSON: profiles, cpu_hz, enabled); DELETE disables. */
static void answer_control(struct sdk *s, const struct endpoint_request *r,
			   struct endpoint_answer *a)
{
	struct debug_control wanted = {.profiles = s->options.o.profiles};
	struct watch_state now;
	struct err e = {0};

	if (str_eq(r->method, STR("POST"))) {
		if (debug_control_read(&wanted, r->body.n ? r->body : r->query, &e)) {
			set_error(a, 400, e.text);
			return;
		}
		if (wanted.cpu_hz)
			sdk_set_cpu_hz(s, wanted.cpu_hz);
		sdk_set_profiles(s, wanted.profiles);
	} else if (str_eq(r->method, STR("DELETE"))) {
		sdk_set_profiles(s, 0);
	} else if (!str_eq(r->method, STR("GET"))) {
		set_error(a, 405, "GET, POST or DELETE");
		return;
	}
	watch_state(s->watch, &now);
	a->content_type = "application/json";
	buf_printf(&a->body, "{\"enabled\":%s,\"profiles\":\"", s->profiles ? "true" : "false");
	sdk_profile_names(&a->body, s->profiles);
	buf_printf(&a->body,
		   "\",\"cpu_hz\":%u,\"export_interval_ms\":%" PRIu64 ",\"refused\":%" PRIu64
		   ",\"shed\":%" PRIu64 "}\n",
		   now.cpu_hz, now.interval_ms, now.refused, now.shed);
}

void debug_pprof_answer(void *arg, const struct endpoint_request *r, struct endpoint_answer *a)
{
	static const struct str prefix = STR_INIT("/debug/pprof/");
	struct sdk *s = sdk_acquire();

	(void)arg;
	if (!s)
		set_error(a, 503, "the profilers are stopping");
	else if (str_eq(r->path, STR("/debug/profiling")))
		answer_control(s, r, a);
	else if (str_starts(r->path, prefix))
		answer_pprof(s, str_from_at(r->path, prefix.n), r, a);
	else if (str_eq(r->path, STR("/debug/pprof")))
		answer_index(a);
	else
		set_error(a, 404, "404 page not found; see /debug/pprof/");
	sdk_release(s);
}
