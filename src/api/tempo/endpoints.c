/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of Tempo's API, the calls by which Grafana detects it, and the form of replies. */
#include "api/endpoint.h"
#include "api/tempo/tempo.h"
#include "net/http/header.h"
#include "wire/json_write.h"

bool tempo_wants_protobuf(const struct request *r)
{
	return r->sender && http_header_lists(http_header(r->sender, STR("accept")),
					      STR("application/protobuf"));
}

int tempo_reply_to_proto(struct request *r, struct reply *out, const struct schema_message *message,
			 struct err *e)
{
	struct buf json = out->body;
	int rc;

	buf_init(&out->body, r->limits.budget);
	rc = schema_json_to_proto(&out->body, message, buf_str(&json), r->arena, e);
	buf_fini(&json);
	out->content_type = STR("application/protobuf");
	return rc ? rc : buf_error(&out->body);
}

int tempo_reply_as_accepted(struct request *r, struct reply *out,
			    const struct schema_message *message, struct err *e)
{
	out->content_type = STR("application/json");
	return tempo_wants_protobuf(r) ? tempo_reply_to_proto(r, out, message, e) : 0;
}

/* ---- detection ---- */

static int tempo_echo(struct request *r, struct reply *out, struct err *e)
{
	(void)r;
	(void)e;
	out->content_type = STR("text/plain; charset=utf-8");
	buf_put_str(&out->body, STR("echo"));
	return buf_error(&out->body);
}

/* Build information as Tempo has it: without the envelope of Prometheus. */
static int tempo_build_info(struct request *r, struct reply *out, struct err *e)
{
	static const struct str empty[] = {STR_INIT("revision"), STR_INIT("branch"),
					   STR_INIT("buildUser"), STR_INIT("buildDate"),
					   STR_INIT("goVersion")};
	struct json_writer w = json_writer_to(&out->body, 0);

	(void)e;
	out->content_type = STR("application/json");
	json_open_object(&w);
	json_put_key(&w, STR("version"));
	json_put_string(&w, str_from(r->api->options.version));
	for (size_t i = 0; i < countof(empty); i++) {
		json_put_key(&w, empty[i]);
		json_put_string(&w, STR(""));
	}
	json_close_object(&w);
	return buf_error(&out->body);
}

const struct endpoint tempo_endpoints[] = {
	{METHOD_GET, STR_INIT("/api/echo"), tempo_echo, ERRORS_CONNECT, ENDPOINT_INLINE, 0},
	{METHOD_GET, STR_INIT("/api/status/buildinfo"), tempo_build_info, ERRORS_CONNECT,
	 ENDPOINT_INLINE, HTTP_OPERATOR},
	{METHOD_GET, STR_INIT("/api/search"), tempo_search_traces, ERRORS_CONNECT, 0, 0},
	{METHOD_GET, STR_INIT("/api/search/tags"), tempo_tag_names, ERRORS_CONNECT, 0, 0},
	{METHOD_GET, STR_INIT("/api/v2/search/tags"), tempo_tag_names_v2, ERRORS_CONNECT, 0, 0},
	{METHOD_GET, STR_INIT(TEMPO_TAG_PATH), tempo_tag_values, ERRORS_CONNECT, 0, HTTP_PREFIX},
	{METHOD_GET, STR_INIT(TEMPO_TAG_PATH_V2), tempo_tag_values_v2, ERRORS_CONNECT, 0,
	 HTTP_PREFIX},
	{METHOD_GET, STR_INIT("/api/metrics/query_range"), tempo_query_range, ERRORS_CONNECT, 0, 0},
	{METHOD_GET, STR_INIT("/api/metrics/query"), tempo_query_instant, ERRORS_CONNECT, 0, 0},
	{METHOD_GET, STR_INIT(TEMPO_TRACE_PATH), tempo_trace_v1, ERRORS_CONNECT, 0, HTTP_PREFIX},
	{METHOD_GET, STR_INIT(TEMPO_TRACE_PATH_V2), tempo_trace_v2, ERRORS_CONNECT, 0, HTTP_PREFIX},
};
const size_t tempo_endpoint_count = countof(tempo_endpoints);
