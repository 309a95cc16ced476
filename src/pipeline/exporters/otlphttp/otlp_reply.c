/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The responses of OTLP. Only the statuses that the specification names are repeated over HTTP:
 * 429, 502, 503 and 504.
 */
#include "pipeline/exporters/otlphttp/otlp_reply.h"

#include <stdarg.h>
#include <stdio.h>

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
	result->class = SEND_OK;
	if (!rejected && !text.n)
		return;
	otlp_result_set(result, SEND_PARTIAL, "%.*s", STR_ARG(text));
	result->rejected = (int64_t)rejected > 0 ? rejected : 0;
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

	if (is_protobuf_type(f->type))
		text = otlp_status_message(f->body);
	else if (str_starts(f->type, STR("text/plain")) ||
		 str_starts(f->type, STR("application/json")))
		text = str_trim(f->body);
	otlp_result_set(result, retry ? SEND_RETRY : SEND_PERMANENT,
			"request to %s responded with HTTP Status Code %u%s%.*s", f->url, f->status,
			text.n ? ", Message=" : "", STR_ARG(str_head(text, TEXT_MAX)));
	if (retry)
		result->retry_after_ms = (uint32_t)min_size(
			min_size(f->retry_after_s, UINT32_MAX) * 1000, UINT32_MAX);
}
