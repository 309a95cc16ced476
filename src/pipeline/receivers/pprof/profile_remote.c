/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of the URL determines the kind of its profiles: .../debug/pprof/heap has sums since the
 * start of the process. A URL with seconds= has differences already, and takes so much longer.
 */
#include "pipeline/receivers/pprof/profile_remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/client/http_client.h"
#include "net/client/http_redirect.h"
#include "net/http/header.h"
#include "pipeline/receivers/pprof/profile_delivery.h"

enum { REMOTE_REDIRECTS_MAX = 10, REMOTE_URL_MAX = 8192, REMOTE_LABELS_MAX = 4 };
#define REMOTE_SECONDS_MAX 86400

struct profile_remote {
	const struct pprof_remote_settings *settings;
	struct client_access access;
	struct http_client *client;
	struct arena arena;
	char url[REMOTE_URL_MAX];
	uint64_t seconds; /* of the URL */
	struct keyvalue labels[REMOTE_LABELS_MAX];
	struct profile_source source;
	struct profile_delta delta;
};

/* ---- runs ---- */

static int request_remote(struct profile_remote *r, const char *url, bool same_origin,
			  const struct scrape_run *run, struct http_client_answer *answer,
			  struct err *e)
{
	struct client_headers h = {0};
	struct http_client_request request = {.url = url,
					      .timeout_ms = scrape_time_left(run) / NS_PER_MS + 1,
					      .max_response = PROFILE_BODY_MAX,
					      .want = STR("location"),
					      .cancelled = run->cancelled};
	int rc = client_headers_make(&h, &r->access, e);

	if (!rc) {
		request.headers = h.at;
		request.header_count = same_origin ? h.n : 0;
		rc = http_client_request(r->client, &request, answer, e);
	}
	client_headers_fini(&h);
	return rc;
}

/* Send requests until one is not redirected. Credentials are sent to the configured origin only. */
static int request_redirected(struct profile_remote *r, const struct scrape_run *run,
			      struct http_client_answer *answer, struct err *e)
{
	char url[REMOTE_URL_MAX], next[REMOTE_URL_MAX];
	struct str origin = http_url_origin(str_from(r->url));

	memcpy(url, r->url, sizeof(url));
	for (unsigned i = 0; i <= REMOTE_REDIRECTS_MAX; i++) {
		bool same = str_eq(http_url_origin(str_from(url)), origin);
		int rc = request_remote(r, url, same, run, answer, e);

		if (rc || !http_is_redirect(answer->status) ||
		    !http_redirect_url(url, buf_str(&answer->wanted), next, sizeof(next)))
			return rc;
		memcpy(url, next, sizeof(url));
		http_client_answer_fini(answer);
		*answer = (struct http_client_answer){0};
	}
	return err_set(e, -EPROTO, "too many redirects");
}

static void run_remote_scrape(void *owner, const struct scrape_run *run)
{
	struct profile_remote *r = owner;
	struct fetched_profile p = {.time = run->time};
	struct http_client_answer answer = {0};
	struct err e = {0};
	int rc = request_redirected(r, run, &answer, &e);

	if (!rc && answer.status / 100 != 2)
		rc = err_set(&e, -EPROTO, "server returned HTTP status %u %s", answer.status,
			     http_status_text(answer.status));
	if (!rc) {
		p.body = answer.body;
		answer.body = (struct buf){0};
		rc = profile_deliver(&r->source, &p, run, &e);
	}
	http_client_answer_fini(&answer);
	profile_source_report(&r->source, run, rc, &e);
}

/* ---- begin and end ---- */

void profile_remote_free(struct profile_remote *r)
{
	if (!r)
		return;
	http_client_free(r->client);
	client_access_fini(&r->access);
	profile_delta_fini(&r->delta);
	arena_fini(&r->arena);
	free(r);
}

/* Return the number of seconds= in a URL, 0 without one. */
static uint64_t url_seconds(struct str url)
{
	struct str query = str_from_at(url, str_find(url, '?')), parameter;
	uint64_t seconds = 0;

	if (query.n)
		query = str_from_at(query, 1);
	while (query.n) {
		parameter = str_cut(&query, '&');
		if (str_starts(parameter, STR("seconds=")) &&
		    !str_to_u64(str_from_at(parameter, 8), 10, &seconds))
			return min_size(seconds, REMOTE_SECONDS_MAX);
	}
	return 0;
}

static void add_remote_label(struct profile_remote *r, struct str key, struct str value)
{
	r->labels[r->source.label_count++] = (struct keyvalue){key, VALUE_OF_STR(value)};
}

static int init_remote_source(struct profile_remote *r, const struct component_env *env)
{
	struct str url = r->settings->client.endpoint, address = http_url_origin(url);
	const struct profile_kind *kind = profile_kind_of_url(url);
	struct str instance, shown;
	char text[256];
	int rc;

	address = str_from_at(address, str_find_str(address, STR("://")) + 3);
	if (str_find_last(address, '@') < address.n)
		address = str_from_at(address, str_find_last(address, '@') + 1);
	rc = arena_copy_str(&r->arena, address, &instance);
	url_without_credentials(r->url, text, sizeof(text));
	if (!rc)
		rc = arena_copy_str(&r->arena, str_from(text), &shown);
	if (rc)
		return rc;
	r->seconds = url_seconds(url);
	if (!r->seconds && kind && kind->delta)
		r->seconds = 30; /* what servers do */
	r->source = (struct profile_source){.env = env,
					    .transport = "http",
					    .what = "target",
					    .name = str_head(shown, str_find(shown, '?'))};
	r->source.labels = r->labels;
	add_remote_label(r, STR("service_name"), str_from(env->id));
	add_remote_label(r, STR("job"), str_from(env->id));
	add_remote_label(r, STR("instance"), instance);
	if (kind)
		add_remote_label(r, STR("__name__"), kind->name);
	if (kind && kind->cumulative && !r->seconds)
		r->source.delta = &r->delta;
	profile_source_counters(&r->source);
	return 0;
}

int profile_remote_new(struct profile_remote **out, const struct component_env *env,
		       const struct pprof_remote_settings *settings, struct err *e)
{
	struct profile_remote *r = calloc(1, sizeof(*r));
	int rc = 0;

	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	r->settings = settings;
	arena_init(&r->arena, NULL);
	profile_delta_init(&r->delta, 0);
	if ((size_t)snprintf(r->url, sizeof(r->url), "%.*s", STR_ARG(settings->client.endpoint)) >=
	    sizeof(r->url))
		rc = err_set(e, -EINVAL, "remote: the URL is longer than %d bytes", REMOTE_URL_MAX);
	if (!rc)
		rc = client_access_init(&r->access, env, &settings->client, e);
	if (!rc)
		rc = http_client_new(&r->client, &r->access.options, e);
	if (!rc)
		rc = init_remote_source(r, env);
	if (rc) {
		profile_remote_free(r);
		return err_errno(e, rc, "remote");
	}
	*out = r;
	return 0;
}

int profile_remote_start(struct profile_remote *r, struct scrape_scheduler *scheduler,
			 struct err *e)
{
	const struct pprof_remote_settings *s = r->settings;
	uint64_t timeout = s->timeout_ns ? s->timeout_ns : s->interval_ns;
	int rc = scrape_add(scheduler,
			    &(struct scrape_spec){.interval = s->interval_ns,
						  .delay = s->initial_delay_ns,
						  .timeout = timeout + r->seconds * NS_PER_SECOND,
						  .run = run_remote_scrape,
						  .owner = r},
			    NULL);

	return rc ? err_set(e, rc, "cannot start to scrape") : 0;
}
