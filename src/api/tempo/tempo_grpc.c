/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tempopb.StreamingQuerier: the calls of the HTTP API by gRPC. Each call is a server stream of one
 * message, which is on the wire what the reply of a unary call is. The fields of a request become the
 * parameters of the HTTP call, whose answer is converted to protobuf.
 */
#include "api/tempo/tempo_grpc.h"

#include "api/tempo/tempo.h"
#include "wire/proto.h"

#define SERVICE "/tempopb.StreamingQuerier/"

/* How a field becomes a parameter. */
enum param_form {
	PARAM_TEXT,
	PARAM_NUMBER,
	PARAM_MS,   /* a duration in milliseconds */
	PARAM_NS,   /* a duration in nanoseconds */
	PARAM_TAGS, /* a map, as key="value" key="value" */
};

struct rpc_param {
	uint32_t field;
	enum param_form form;
	const char *name;
};

enum { PARAMS_MAX = 8 };

struct rpc_form {
	struct rpc_param params[PARAMS_MAX];
	api_answer *answer;
	const struct schema_message *response;
};

/* ---- parameters ---- */

static void put_escaped(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		buf_printf(out, "%%%02X", (unsigned)(uint8_t)text.p[i]);
}

/* Append an entry of a map: key="value", with quotes escaped. */
static void put_tag(struct buf *out, struct str entry)
{
	struct proto_reader r = proto_reader_of(entry);
	struct str key = STR(""), value = STR("");

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			value = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	buf_put_str(out, out->n ? STR(" ") : STR(""));
	buf_put_str(out, key);
	buf_put_str(out, STR("=\""));
	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] == '"' || value.p[i] == '\\')
			buf_put_char(out, '\\');
		buf_put_char(out, value.p[i]);
	}
	buf_put_char(out, '"');
}

static void put_param(struct buf *out, const struct rpc_param *p, struct proto_reader *r,
		      struct buf *tags)
{
	static const char *const units[] = {
		[PARAM_NUMBER] = "", [PARAM_MS] = "ms", [PARAM_NS] = "ns"};
	bool text = p->form == PARAM_TEXT || p->form == PARAM_TAGS;
	uint64_t number;

	if (text != ((r->tag & 7) == PROTO_BYTES) || (!text && (r->tag & 7) != PROTO_VARINT)) {
		proto_skip(r);
		return;
	}
	if (p->form == PARAM_TAGS) {
		put_tag(tags, proto_bytes(r));
		return;
	}
	if (p->form == PARAM_TEXT) {
		buf_printf(out, "&%s=", p->name);
		put_escaped(out, proto_bytes(r));
		return;
	}
	number = proto_varint(r);
	if (number) /* 0: as if it were absent */
		buf_printf(out, "&%s=%llu%s", p->name, (unsigned long long)number, units[p->form]);
}

/* Write the parameters of a request message. Return 0, -EBADMSG or -ENOMEM. */
static int params_of(struct str message, const struct rpc_form *form, struct arena *a,
		     struct str *query, struct err *e)
{
	struct proto_reader r = proto_reader_of(message);
	struct buf text, tags;
	int rc;

	buf_init(&text, a->budget);
	buf_init(&tags, a->budget);
	while (proto_next(&r)) {
		const struct rpc_param *p = form->params;

		while (p < form->params + PARAMS_MAX && p->field != proto_field(&r))
			p++;
		if (p == form->params + PARAMS_MAX)
			proto_skip(&r);
		else
			put_param(&text, p, &r, &tags);
	}
	if (tags.n) {
		buf_put_str(&text, STR("&tags="));
		put_escaped(&text, buf_str(&tags));
	}
	rc = r.error ? proto_fail(&r, message, e) : buf_error(&text);
	if (!rc)
		rc = arena_copy_str(a, str_from_at(buf_str(&text), text.n ? 1 : 0), query);
	buf_fini(&tags);
	buf_fini(&text);
	return rc;
}

/* ---- calls ---- */

static int tag_values_of(struct request *r, bool typed, struct reply *out, struct err *e)
{
	struct str tag;
	int rc = request_param(r, "tag", &tag, e);

	return rc ? rc : tempo_put_tag_values(r, tag, typed, out, e);
}

static int plain_values(struct request *r, struct reply *out, struct err *e)
{
	return tag_values_of(r, false, out, e);
}

static int typed_values(struct request *r, struct reply *out, struct err *e)
{
	return tag_values_of(r, true, out, e);
}

#define TAG_PARAMS                                                                                 \
	{                                                                                          \
		{1, PARAM_TEXT, "scope"}, {2, PARAM_TEXT, "q"}, {3, PARAM_NUMBER, "start"},        \
			{4, PARAM_NUMBER, "end"}, {5, PARAM_NUMBER, "limit"},                      \
	}
#define VALUE_PARAMS                                                                               \
	{                                                                                          \
		{1, PARAM_TEXT, "tag"}, {2, PARAM_TEXT, "q"}, {4, PARAM_NUMBER, "start"},          \
			{5, PARAM_NUMBER, "end"}, {6, PARAM_NUMBER, "limit"},                      \
	}

static const struct rpc_form search_form = {
	{{1, PARAM_TAGS, "tags"},
	 {2, PARAM_MS, "minDuration"},
	 {3, PARAM_MS, "maxDuration"},
	 {4, PARAM_NUMBER, "limit"},
	 {5, PARAM_NUMBER, "start"},
	 {6, PARAM_NUMBER, "end"},
	 {8, PARAM_TEXT, "q"},
	 {9, PARAM_NUMBER, "spss"}},
	tempo_search_traces,
	&tempo_search_response,
};
static const struct rpc_form tags_form = {TAG_PARAMS, tempo_tag_names, &tempo_tags_response};
static const struct rpc_form tags_v2_form = {TAG_PARAMS, tempo_tag_names_v2,
					     &tempo_tags_v2_response};
static const struct rpc_form values_form = {VALUE_PARAMS, plain_values, &tempo_tag_values_response};
static const struct rpc_form values_v2_form = {VALUE_PARAMS, typed_values,
					       &tempo_tag_values_v2_response};
static const struct rpc_form range_form = {
	{{1, PARAM_TEXT, "q"},
	 {2, PARAM_NUMBER, "start"},
	 {3, PARAM_NUMBER, "end"},
	 {4, PARAM_NS, "step"},
	 {16, PARAM_NUMBER, "exemplars"}},
	tempo_query_range,
	&tempo_range_response,
};
static const struct rpc_form instant_form = {
	{{1, PARAM_TEXT, "q"}, {2, PARAM_NUMBER, "start"}, {3, PARAM_NUMBER, "end"}},
	tempo_query_instant,
	&tempo_instant_response,
};

static int answer_form(struct request *r, const struct rpc_form *form, struct reply *out,
		       struct err *e)
{
	int rc = params_of(r->body, form, r->arena, &r->query, e);

	if (!rc)
		rc = form->answer(r, out, e);
	/* JSON, unless the call has the header of the HTTP API */
	return rc || str_eq(out->content_type, STR("application/protobuf"))
		       ? rc
		       : tempo_reply_to_proto(r, out, form->response, e);
}

#define CALL(name, form)                                                                           \
	static int name(struct request *r, struct reply *out, struct err *e)                       \
	{                                                                                          \
		return answer_form(r, &(form), out, e);                                            \
	}

CALL(call_search, search_form)
CALL(call_tags, tags_form)
CALL(call_tags_v2, tags_v2_form)
CALL(call_values, values_form)
CALL(call_values_v2, values_v2_form)
CALL(call_range, range_form)
CALL(call_instant, instant_form)

const struct querier_rpc tempo_rpcs[] = {
	{STR_INIT(SERVICE "Search"), &tempo_search_request, &tempo_search_response, call_search,
	 .all_services = true},
	{STR_INIT(SERVICE "SearchTags"), &tempo_tags_request, &tempo_tags_response, call_tags,
	 .all_services = true},
	{STR_INIT(SERVICE "SearchTagsV2"), &tempo_tags_request, &tempo_tags_v2_response,
	 call_tags_v2, .all_services = true},
	{STR_INIT(SERVICE "SearchTagValues"), &tempo_tag_values_request, &tempo_tag_values_response,
	 call_values, .all_services = true},
	{STR_INIT(SERVICE "SearchTagValuesV2"), &tempo_tag_values_request,
	 &tempo_tag_values_v2_response, call_values_v2, .all_services = true},
	{STR_INIT(SERVICE "MetricsQueryRange"), &tempo_range_request, &tempo_range_response,
	 call_range, .all_services = true},
	{STR_INIT(SERVICE "MetricsQueryInstant"), &tempo_instant_request, &tempo_instant_response,
	 call_instant, .all_services = true},
};
const size_t tempo_rpc_count = countof(tempo_rpcs);
