/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The responses of OTLP. Only the statuses that the specification names are repeated over HTTP:
 * 429, 502, 503 and 504.
 */
#include "pipeline/exporters/otlphttp/otlp_reply.h"

#include <stdarg.h>
#include <stdio.h>

#include "wire/json.h"
#include "wire/proto.h"

enum { TEXT_MAX = 200 };

void otlp_result_set(struct send_result *result, enum send_class class, const char *fmt, ...)
{
	va_list args;

	result->class = class;
	va_start(args, fmt);
	vsnprintf(result->reason, sizeof(result->reason), fmt, args);
	va_end(args);
	for (char *p = result->reason; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = ' ';
}

static void set_accepted(struct send_result *result, uint64_t rejected, struct str text)
{
	result->class = SEND_OK;
	if (!rejected && !text.n)
		return;
	otlp_result_set(result, SEND_PARTIAL, "%.*s", STR_ARG(text));
	result->rejected = (int64_t)rejected > 0 ? rejected : 0;
}

void otlp_reply_read(struct send_result *result, struct str message)
{
	struct proto_reader r = proto_reader_of(message), partial;
	struct str text = {0};
	uint64_t rejected = 0;

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(1, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		partial = proto_message(&r);
		while (proto_next(&partial)) {
			if (partial.tag == PROTO_TAG(1, PROTO_VARINT))
				rejected = proto_varint(&partial);
			else if (partial.tag == PROTO_TAG(2, PROTO_BYTES))
				text = proto_bytes(&partial);
			else
				proto_skip(&partial);
		}
	}
	set_accepted(result, rejected, text);
}

void otlp_reply_read_json(struct send_result *result, struct str text)
{
	static const struct str keys[] = {STR_INIT("rejectedSpans"), STR_INIT("rejectedDataPoints"),
					  STR_INIT("rejectedLogRecords"),
					  STR_INIT("rejectedProfiles")};
	const struct json_value *partial = NULL;
	uint64_t rejected = 0;
	struct arena arena;
	struct json doc;

	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	if (!json_parse(&doc, text, NULL))
		partial = json_get(json_root(&doc), STR("partialSuccess"));
	for (size_t i = 0; i < countof(keys) && !rejected; i++)
		if (json_u64(json_get(partial, keys[i]), &rejected))
			rejected = 0;
	set_accepted(result, rejected, json_str(json_get(partial, STR("errorMessage"))));
	arena_fini(&arena);
}

/* Return the message of a google.rpc.Status. */
static struct str otlp_status_message(struct str status)
{
	struct proto_reader r = proto_reader_of(status);
	struct str message = {0};

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			message = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return message;
}

/* Return the member "message" of a JSON object, in the arena or borrowed; else the text itself. */
static struct str json_message(struct str text, struct arena *arena)
{
	struct json doc;
	struct str message = {0};

	json_init(&doc, arena);
	if (!json_parse(&doc, text, NULL))
		message = json_str(json_get(json_root(&doc), STR("message")));
	return message.n ? message : text;
}

static bool is_protobuf_type(struct str type)
{
	return str_starts(type, STR("application/x-protobuf")) ||
	       str_starts(type, STR("application/protobuf"));
}

static bool may_repeat(const struct otlp_http_failure *f)
{
	if (f->any_server_error)
		return f->status == 408 || f->status == 429 ||
		       (f->status >= 500 && f->status != 501);
	return f->status == 429 || f->status == 502 || f->status == 503 || f->status == 504;
}

void otlp_http_failure_read(struct send_result *result, const struct otlp_http_failure *f)
{
	bool retry = may_repeat(f);
	struct str text = {0};
	struct arena arena;

	arena_init(&arena, NULL);
	if (is_protobuf_type(f->type))
		text = otlp_status_message(f->body);
	else if (str_starts(f->type, STR("text/plain")))
		text = str_trim(f->body);
	else if (str_starts(f->type, STR("application/json")))
		text = json_message(str_trim(f->body), &arena);
	otlp_result_set(result, retry ? SEND_RETRY : SEND_PERMANENT,
			"request to %s responded with HTTP Status Code %u%s%.*s", f->url, f->status,
			text.n ? ", Message=" : "", STR_ARG(str_head(text, TEXT_MAX)));
	arena_fini(&arena);
	if (retry)
		result->retry_after_ms = (uint32_t)min_size(
			min_size(f->retry_after_s, UINT32_MAX) * 1000, UINT32_MAX);
}
