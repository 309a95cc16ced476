/* SPDX-License-Identifier: Apache-2.0 */
/* Health, build information and debugging endpoints; the table of Pyroscope's render endpoints. */
#include "api/endpoint.h"
#include "api/metrics.h"
#include "api/pyroscope/render.h"
#include "wire/json_write.h"

static int put_plain_text(struct reply *out, struct str text)
{
	out->content_type = STR("text/plain; charset=utf-8");
	buf_put_str(&out->body, text);
	return buf_error(&out->body);
}

static int answer_ready(struct request *r, struct reply *out, struct err *e)
{
	(void)r;
	(void)e;
	return put_plain_text(out, STR("ready\n"));
}

static int answer_healthy(struct request *r, struct reply *out, struct err *e)
{
	(void)r;
	(void)e;
	return put_plain_text(out, STR("ok\n"));
}

/* Build information in the format of Prometheus and Pyroscope. */
static int answer_build_info(struct request *r, struct reply *out, struct err *e)
{
	static const struct str empty[] = {STR_INIT("revision"), STR_INIT("branch"),
					   STR_INIT("buildUser"), STR_INIT("buildDate"),
					   STR_INIT("goVersion")};
	struct json_writer w = json_writer_to(&out->body, 0);

	(void)e;
	out->content_type = STR("application/json");
	json_open_object(&w);
	json_put_key(&w, STR("status"));
	json_put_string(&w, STR("success"));
	json_put_key(&w, STR("data"));
	json_open_object(&w);
	json_put_key(&w, STR("application"));
	json_put_string(&w, STR("varve"));
	json_put_key(&w, STR("version"));
	json_put_string(&w, str_from(r->api->options.version));
	for (size_t i = 0; i < countof(empty); i++) {
		json_put_key(&w, empty[i]);
		json_put_string(&w, STR(""));
	}
	json_close_object(&w);
	json_close_object(&w);
	return buf_error(&out->body);
}

/* Profiles of this process for `go tool pprof`; a request takes seconds=. */
static int answer_debug_pprof(struct request *r, struct reply *out, struct err *e)
{
	return r->api->options.debug_pprof
		       ? r->api->options.debug_pprof(r, out, e)
		       : err_set(e, -EAGAIN, "this server does not profile itself");
}

const struct endpoint status_endpoints[] = {
	{METHOD_GET, STR_INIT("/ready"), answer_ready, ERRORS_OURS, ENDPOINT_INLINE, HTTP_OPEN},
	{METHOD_GET, STR_INIT("/healthz"), answer_healthy, ERRORS_OURS, ENDPOINT_INLINE, HTTP_OPEN},
	{METHOD_GET, STR_INIT("/api/v1/status/buildinfo"), answer_build_info, ERRORS_CONNECT,
	 ENDPOINT_INLINE, HTTP_OPERATOR | HTTP_BY_SERVICE},
	{METHOD_GET, STR_INIT("/metrics"), metrics_answer, ERRORS_OURS, ENDPOINT_MONITORING,
	 HTTP_OPERATOR},
	{METHOD_GET, STR_INIT("/debug/pprof"), answer_debug_pprof, ERRORS_OURS, ENDPOINT_DEBUG,
	 HTTP_OPERATOR | HTTP_ADMIN},
	{METHOD_GET | METHOD_POST, STR_INIT("/debug/pprof/"), answer_debug_pprof, ERRORS_OURS,
	 ENDPOINT_DEBUG, HTTP_OPERATOR | HTTP_ADMIN | HTTP_PREFIX},
};
const size_t status_endpoint_count = countof(status_endpoints);

const struct endpoint render_endpoints[] = {
	{METHOD_GET, STR_INIT("/pyroscope/render"), render_profile, ERRORS_CONNECT, 0,
	 HTTP_BY_SERVICE},
	{METHOD_GET, STR_INIT("/pyroscope/render-diff"), render_diff, ERRORS_CONNECT, 0,
	 HTTP_BY_SERVICE},
	{METHOD_GET, STR_INIT("/pyroscope/label-values"), render_label_values, ERRORS_CONNECT, 0,
	 HTTP_BY_SERVICE},
	{METHOD_GET, STR_INIT("/render"), render_profile, ERRORS_CONNECT, 0, HTTP_BY_SERVICE},
	{METHOD_GET, STR_INIT("/render-diff"), render_diff, ERRORS_CONNECT, 0, HTTP_BY_SERVICE},
	{METHOD_GET, STR_INIT("/label-values"), render_label_values, ERRORS_CONNECT, 0,
	 HTTP_BY_SERVICE},
};
const size_t render_endpoint_count = countof(render_endpoints);
