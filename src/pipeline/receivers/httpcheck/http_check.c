/* SPDX-License-Identifier: Apache-2.0 */
/* Sends one request, follows redirects, times its phases, and writes metrics of the result. */
#include "pipeline/receivers/httpcheck/http_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/client/http_client.h"
#include "net/client/http_redirect.h"
#include "signal/otlp/build.h"

enum { CHECK_URL_MAX = 2048, CHECK_REDIRECTS_MAX = 10, CHECK_RESPONSE_MAX = 16 * MIB };

struct http_check {
	const struct httpcheck_target *target;
	const struct httpcheck_metrics *metrics;
	const struct component_env *env;
	struct client_settings settings; /* of the target, with this endpoint */
	struct client_access access;
	struct http_client *client;
	const char *url, *method; /* in the arena */
	uint64_t started;	  /* nanoseconds since 1970: the start time of the sums */
	struct response_matcher matcher;
	struct arena arena;
};

/* What came of a request. */
struct check_result {
	unsigned status; /* 0: no response */
	uint64_t duration_ns;
	size_t size; /* of the body */
	struct response_counts counts;
	struct err e;
};

int http_check_new(struct http_check **out, const struct component_env *env,
		   const struct httpcheck_target *target, struct str endpoint,
		   const struct httpcheck_metrics *metrics, struct err *e)
{
	struct http_check *c = calloc(1, sizeof(*c));
	struct str url, method;
	int rc;

	if (!c)
		return err_errno(e, -ENOMEM, "httpcheck");
	*c = (struct http_check){.target = target,
				 .metrics = metrics,
				 .env = env,
				 .settings = target->client,
				 .started = clock_realtime_ns()};
	arena_init(&c->arena, NULL);
	c->settings.endpoint = endpoint;
	rc = client_access_init(&c->access, env, &c->settings, e);
	if (!rc)
		rc = arena_copy_str(&c->arena, endpoint, &url);
	if (!rc)
		rc = arena_copy_str(&c->arena, target->method, &method);
	if (!rc)
		rc = response_matcher_init(&c->matcher, &target->checks, e);
	if (!rc)
		rc = http_client_new(&c->client, &c->access.options, e);
	if (rc) {
		http_check_free(c);
		return err_errno(e, rc, "httpcheck");
	}
	c->url = url.p;
	c->method = method.p;
	*out = c;
	return 0;
}

void http_check_free(struct http_check *c)
{
	if (!c)
		return;
	http_client_free(c->client);
	response_matcher_fini(&c->matcher);
	client_access_fini(&c->access);
	arena_fini(&c->arena);
	free(c);
}

/* ---- requests ---- */

static void add_content_type(const struct http_check *c, struct client_headers *h)
{
	struct str body = str_trim(c->target->body);

	if (!c->target->auto_content_type || !body.n)
		return;
	h->at[h->n++] = (struct http_header){
		STR("content-type"),
		body.p[0] == '{' || body.p[0] == '[' ? STR("application/json") : STR("text/plain")};
}

static int request_once(struct http_check *c, const char *url, const char *method, bool same_origin,
			uint64_t timeout_ns, struct http_client_answer *answer, struct err *e)
{
	struct client_headers h = {0};
	struct http_client_request r = {.method = method,
					.url = url,
					.timeout_ms = timeout_ns / NS_PER_MS + 1,
					.max_response = CHECK_RESPONSE_MAX,
					.want = STR("location")};
	int rc = client_headers_make(&h, &c->access, e);

	if (!rc) {
		add_content_type(c, &h);
		r.headers = h.at;
		r.header_count = same_origin ? h.n : 0;
		if (method == c->method)
			r.body = c->target->body;
		rc = http_client_request(c->client, &r, answer, e);
	}
	client_headers_fini(&h);
	return rc;
}

static void check_body(const struct http_check *c, struct str body, struct check_result *out)
{
	out->size = body.n;
	if (c->target->checks.n)
		response_matcher_run(&c->matcher, body, &out->counts);
}

/* Send requests until one is not redirected. */
static void request_following(struct http_check *c, uint64_t timeout_ns, struct check_result *out)
{
	uint64_t now = clock_monotonic_ns(), deadline = now + timeout_ns;
	char url[CHECK_URL_MAX], next[CHECK_URL_MAX];
	const char *method = c->method;
	struct http_client_answer answer = {0};
	bool more = true;

	snprintf(url, sizeof(url), "%s", c->url);
	for (unsigned i = 0; more && i <= CHECK_REDIRECTS_MAX && now < deadline; i++) {
		bool same =
			str_eq(http_url_origin(str_from(url)), http_url_origin(str_from(c->url)));
		int rc = request_once(c, url, method, same, deadline - now, &answer, &out->e);

		out->status = rc ? 0 : answer.status;
		more = !rc && http_is_redirect(answer.status) &&
		       http_redirect_url(url, buf_str(&answer.wanted), next, sizeof(next));
		if (more && answer.status < 307)
			method = "GET";
		if (more)
			memcpy(url, next, sizeof(url));
		else if (!rc)
			check_body(c, buf_str(&answer.body), out);
		http_client_answer_fini(&answer);
		answer = (struct http_client_answer){0};
		now = clock_monotonic_ns();
	}
}

/* ---- metrics ---- */

struct check_metrics {
	struct otlp_builder builder;
	struct arena arena; /* attributes */
	const struct http_check *check;
	const struct check_result *result;
	uint64_t time;
	bool failed; /* out of memory */
};

static void add_text(struct check_metrics *m, struct attributes *a, const char *key,
		     const char *text)
{
	struct value v = VALUE_OF_STR(str_from(text));

	m->failed |= attributes_set(a, &m->arena, str_from(key), &v) != 0;
}

/* Add a data point of the current metric. */
static void add_point(struct check_metrics *m, const struct attributes *a, bool sum, int64_t value)
{
	struct otlp_number n = {
		.point = {.attributes = a, .time = m->time}, .is_int = true, .i = value};

	if (sum)
		n.point.start = m->check->started;
	otlp_add_number(&m->builder, &n);
}

static void put_status(struct check_metrics *m)
{
	static const char *const classes[] = {"1xx", "2xx", "3xx", "4xx", "5xx"};
	unsigned status = m->result->status;

	otlp_begin_metric(&m->builder,
			  &(struct otlp_metric){.name = STR("httpcheck.status"),
						.description = STR("1 for the class of the "
								   "response's status, else 0."),
						.unit = STR("1"),
						.kind = OTLP_SUM,
						.temporality = OTLP_CUMULATIVE});
	for (unsigned i = 0; i < countof(classes); i++) {
		bool hit = status / 100 == i + 1;
		struct value code = VALUE_OF_INT(hit ? status : 0);
		struct attributes a = {0};

		add_text(m, &a, "http.url", m->check->url);
		m->failed |= attributes_set(&a, &m->arena, STR("http.status_code"), &code) != 0;
		add_text(m, &a, "http.method", m->check->method);
		add_text(m, &a, "http.status_class", classes[i]);
		add_point(m, &a, true, hit);
	}
}

static void put_duration(struct check_metrics *m)
{
	struct attributes a = {0};

	add_text(m, &a, "http.url", m->check->url);
	otlp_begin_metric(&m->builder,
			  &(struct otlp_metric){.name = STR("httpcheck.duration"),
						.description = STR("How long the request took."),
						.unit = STR("ms"),
						.kind = OTLP_GAUGE});
	add_point(m, &a, false, (int64_t)(m->result->duration_ns / NS_PER_MS));
}

static void put_size(struct check_metrics *m)
{
	struct attributes a = {0};

	add_text(m, &a, "http.url", m->check->url);
	otlp_begin_metric(&m->builder,
			  &(struct otlp_metric){.name = STR("httpcheck.response.size"),
						.description = STR("Size of the body."),
						.unit = STR("By"),
						.kind = OTLP_GAUGE});
	add_point(m, &a, false, (int64_t)m->result->size);
}

/* Write how many checks of each type passed or failed. */
static void put_checks(struct check_metrics *m, bool passed)
{
	const struct response_counts *counts = &m->result->counts;
	const uint32_t *of = passed ? counts->passed : counts->failed;

	otlp_begin_metric(&m->builder,
			  &(struct otlp_metric){
				  .name = passed ? STR("httpcheck.validation.passed")
						 : STR("httpcheck.validation.failed"),
				  .description = passed ? STR("Number of validations that passed.")
							: STR("Number of validations that failed."),
				  .unit = STR("{validation}"),
				  .kind = OTLP_SUM,
				  .temporality = OTLP_CUMULATIVE});
	for (unsigned i = 0; i < RESPONSE_CHECK_TYPES; i++) {
		struct attributes a = {0};

		if (!counts->passed[i] && !counts->failed[i])
			continue;
		add_text(m, &a, "http.url", m->check->url);
		add_text(m, &a, "validation.type", response_check_names[i]);
		add_point(m, &a, true, of[i]);
	}
}

static void put_error(struct check_metrics *m)
{
	struct attributes a = {0};

	add_text(m, &a, "http.url", m->check->url);
	add_text(m, &a, "error.message", m->result->e.text);
	otlp_begin_metric(&m->builder,
			  &(struct otlp_metric){.name = STR("httpcheck.error"),
						.description = STR("Why there was no response."),
						.unit = STR("{error}"),
						.kind = OTLP_SUM,
						.temporality = OTLP_CUMULATIVE});
	add_point(m, &a, true, 1);
}

static struct payload *write_metrics(const struct http_check *c, const struct check_result *r,
				     uint64_t time)
{
	struct check_metrics m = {.check = c, .result = r, .time = time};
	struct payload *p = NULL;

	arena_init(&m.arena, NULL);
	otlp_builder_init(&m.builder, SIGNAL_METRICS, &c->env->host->memory);
	otlp_begin_resource(&m.builder, NULL, STR(""));
	otlp_begin_scope(&m.builder, STR("httpcheckreceiver"), STR(""));
	if (c->metrics->duration.enabled)
		put_duration(&m);
	if (c->metrics->error.enabled && !r->status)
		put_error(&m);
	if (c->metrics->status.enabled)
		put_status(&m);
	if (c->metrics->size.enabled && r->status)
		put_size(&m);
	if (c->metrics->passed.enabled && c->target->checks.n && r->status)
		put_checks(&m, true);
	if (c->metrics->failed.enabled && c->target->checks.n && r->status)
		put_checks(&m, false);
	if (!m.failed)
		p = otlp_builder_finish(&m.builder);
	otlp_builder_fini(&m.builder);
	arena_fini(&m.arena);
	return p;
}

struct payload *http_check_run(struct http_check *c, uint64_t time, uint64_t timeout_ns)
{
	struct check_result r = {0};
	uint64_t began = clock_monotonic_ns();

	if (c->target->timeout && c->target->timeout < timeout_ns)
		timeout_ns = c->target->timeout;
	request_following(c, timeout_ns, &r);
	r.duration_ns = clock_monotonic_ns() - began;
	return write_metrics(c, &r, time);
}
