/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/live_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

void live_pair_fini(struct live_pair *p)
{
	buf_fini(&p->before);
	buf_fini(&p->after);
	*p = (struct live_pair){0};
}

/* ---- a server ---- */

/* What the thread works on: a copy, so that requests do not hold the lock. */
struct live_request {
	char selector[512], type[256];
};

/* Query the profile of a range. No data is no error: *out stays empty. */
static int fetch_range(struct live_source *s, const struct live_request *request, uint64_t from,
		       uint64_t to, struct buf *out, struct err *e)
{
	char from_text[32], to_text[32];
	struct remote_profiles profiles = {&s->remote, request->type, from_text, to_text, NULL};
	int rc;

	snprintf(from_text, sizeof(from_text), "%llu", (unsigned long long)from);
	snprintf(to_text, sizeof(to_text), "%llu", (unsigned long long)to);
	rc = remote_fetch(&profiles, out, request->selector, e);
	if (rc == -ENOENT) {
		*e = (struct err){0};
		buf_clear(out);
		rc = 0;
	}
	return rc;
}

static int fetch_server(struct live_source *s, const struct live_request *request,
			struct live_pair *pair)
{
	uint64_t window = s->options->window_s * NS_PER_SECOND;
	int rc;

	pair->time_ns = clock_realtime_ns();
	rc = fetch_range(s, request, pair->time_ns - window, pair->time_ns, &pair->after,
			 &pair->error);
	return rc ? rc
		  : fetch_range(s, request, pair->time_ns - 2 * window, pair->time_ns - window,
				&pair->before, &pair->error);
}

/* ---- a URL ---- */

/* Build the URL: the profile of CPU time if it names none, and how long to record. */
static void put_url(const struct live_source *s, struct buf *url)
{
	struct str text = str_from(s->options->target);
	struct str host = str_from_at(text, str_find_str(text, STR("://")) + 3);
	size_t slash = str_find(host, '/');

	buf_put_str(url, text);
	if (slash >= host.n)
		buf_put_char(url, '/');
	if (slash + 1 >= host.n)
		buf_put_str(url, STR("debug/pprof/profile"));
	if (str_find_str(text, STR("seconds=")) == text.n)
		buf_printf(url, "%cseconds=%llu", str_find(text, '?') < text.n ? '&' : '?',
			   (unsigned long long)s->options->window_s);
	buf_put_char(url, 0);
}

static int fetch_url(struct live_source *s, struct live_pair *pair)
{
	struct http_client_request request = {
		.timeout_ms = (s->options->window_s + s->options->remote->timeout) * 1000,
		.cancelled = &s->cancelled,
	};
	struct http_client_answer answer = {0};
	struct buf url = {0};
	int rc;

	put_url(s, &url);
	rc = buf_error(&url);
	request.url = url.p;
	if (!rc)
		rc = http_client_request(s->remote.client, &request, &answer, &pair->error);
	if (!rc && answer.status != 200)
		rc = err_set(&pair->error, -EPROTO, "%s: status %u: %.*s", url.p, answer.status,
			     STR_ARG(str_head(str_trim(buf_str(&answer.body)), 200)));
	if (!rc) {
		buf_put_str(&pair->before, buf_str(&s->last));
		buf_put_str(&pair->after, buf_str(&answer.body));
		buf_clear(&s->last);
		buf_put_str(&s->last, buf_str(&answer.body));
		rc = buf_error(&pair->after);
	}
	pair->time_ns = clock_realtime_ns();
	http_client_answer_fini(&answer);
	buf_fini(&url);
	return rc;
}

/* ---- lists ---- */

static void put_line(struct buf *out, struct str text)
{
	if (!text.n)
		return;
	buf_put_str(out, text);
	buf_put_char(out, '\n');
}

/* Append services, or types of the selected service, as lines. */
static int fetch_list(struct live_source *s, enum live_list list,
		      const struct live_request *request, struct buf *out, struct err *e)
{
	bool services = list == LIVE_SERVICES;
	struct buf path = {0};
	struct arena arena;
	struct json doc;
	int rc;

	arena_init(&arena, &s->remote.cli->budget);
	remote_path(&path, services ? "/api/v1/services" : "/api/v1/types");
	if (!services)
		remote_param(&path, "query", request->selector);
	rc = remote_json(&s->remote, NULL, &path, &doc, &arena, e);
	if (!rc)
		json_each(row, json_get(json_root(&doc), services ? STR("services") : STR("types")))
			put_line(out, json_str(json_get(row, services ? STR("name") : STR("id"))));
	arena_fini(&arena);
	buf_fini(&path);
	return rc;
}

/* ---- the thread ---- */

/* Wait until `due` or until something is requested. The lock is held. */
static void wait_until(struct live_source *s, uint64_t due)
{
	struct timespec t = {(time_t)(due / NS_PER_SECOND), (long)(due % NS_PER_SECOND)};

	while (!s->stop && !s->wants[0] && !s->wants[1]) {
		bool nothing = s->paused || !s->selector[0];

		if (!nothing && (s->again || clock_monotonic_ns() >= due))
			break;
		if (nothing)
			pthread_cond_wait(&s->changed, &s->lock);
		else
			pthread_cond_timedwait(&s->changed, &s->lock, &t);
	}
}

/* Query the lists that are wanted. The lock is held, but not during the requests. */
static void update_lists(struct live_source *s, const struct live_request *request)
{
	for (int i = 0; i < 2; i++) {
		struct buf lines = {0};
		struct err e = {0};

		if (!s->wants[i])
			continue;
		s->wants[i] = false;
		s->cancelled = s->stop;
		pthread_mutex_unlock(&s->lock);
		if (!s->is_url && fetch_list(s, (enum live_list)i, request, &lines, &e))
			buf_clear(&lines);
		pthread_mutex_lock(&s->lock);
		buf_fini(&s->lists[i]);
		s->lists[i] = lines;
		s->has_list[i] = true;
	}
}

/* Query a pair and publish it, unless something else was selected. The lock is held outside. */
static void update_pair(struct live_source *s, const struct live_request *request)
{
	struct live_pair pair = {0};
	int rc;

	s->again = false;
	s->cancelled = s->stop;
	pthread_mutex_unlock(&s->lock);
	rc = s->is_url ? fetch_url(s, &pair) : fetch_server(s, request, &pair);
	pthread_mutex_lock(&s->lock);
	if (rc && !pair.error.text[0])
		err_set(&pair.error, rc, "out of memory");
	if (s->again || s->stop) {
		live_pair_fini(&pair);
		return;
	}
	live_pair_fini(&s->pair);
	s->pair = pair;
	s->has_pair = true;
}

static void source_thread(void *arg)
{
	struct live_source *s = arg;
	uint64_t due = 0;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct live_request request;

		wait_until(s, due);
		if (s->stop)
			break;
		memcpy(request.selector, s->selector, sizeof(request.selector));
		memcpy(request.type, s->type, sizeof(request.type));
		update_lists(s, &request);
		if (s->stop || s->paused || !s->selector[0] ||
		    (!s->again && clock_monotonic_ns() < due))
			continue;
		update_pair(s, &request);
		/* a URL records all the time; after an error wait */
		due = clock_monotonic_ns() + (s->is_url && !s->pair.error.text[0]
						      ? 0
						      : s->options->interval_s * NS_PER_SECOND);
	}
	pthread_mutex_unlock(&s->lock);
}

int live_source_init(struct live_source *s, const struct live_options *o, struct cli *cli,
		     struct err *e)
{
	const char *target = o->target ? o->target : "";
	pthread_condattr_t attributes;
	int rc;

	*s = (struct live_source){.options = o, .is_url = strstr(target, "://") != NULL};
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (strlen(target) >= sizeof(s->selector))
		return err_set(e, -EINVAL, "the selector or URL is longer than %zu bytes",
			       sizeof(s->selector) - 1);
	snprintf(s->selector, sizeof(s->selector), "%s", target);
	snprintf(s->type, sizeof(s->type), "%s", o->type ? o->type : "");
	rc = remote_open(&s->remote, o->remote, cli, e);
	s->remote.quiet = true;
	s->remote.cancelled = &s->cancelled;
	return rc ? rc : thread_start(&s->thread, "live", source_thread, s, e);
}

void live_source_fini(struct live_source *s)
{
	pthread_mutex_lock(&s->lock);
	s->stop = s->cancelled = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	thread_join(&s->thread);
	remote_close(&s->remote);
	live_pair_fini(&s->pair);
	buf_fini(&s->lists[0]);
	buf_fini(&s->lists[1]);
	buf_fini(&s->last);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
}

/* ---- requests and results ---- */

void live_source_select(struct live_source *s, const char *selector, const char *type)
{
	pthread_mutex_lock(&s->lock);
	if (selector)
		snprintf(s->selector, sizeof(s->selector), "%s", selector);
	if (type)
		snprintf(s->type, sizeof(s->type), "%s", type);
	live_pair_fini(&s->pair);
	s->has_pair = false;
	s->again = true;
	s->cancelled = true; /* what is being queried */
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

void live_source_pause(struct live_source *s, bool paused)
{
	pthread_mutex_lock(&s->lock);
	s->paused = paused;
	s->again |= !paused;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

void live_source_list(struct live_source *s, enum live_list list)
{
	pthread_mutex_lock(&s->lock);
	s->wants[list] = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

bool live_source_take(struct live_source *s, struct live_pair *out)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = s->has_pair && !s->paused;
	if (has) {
		*out = s->pair;
		s->pair = (struct live_pair){0};
		s->has_pair = false;
	}
	pthread_mutex_unlock(&s->lock);
	return has;
}

bool live_source_take_list(struct live_source *s, enum live_list list, struct buf *out)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = s->has_list[list];
	if (has) {
		buf_fini(out);
		*out = s->lists[list];
		s->lists[list] = (struct buf){0};
		s->has_list[list] = false;
	}
	pthread_mutex_unlock(&s->lock);
	return has;
}
