/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signal of a message in JSON is in the name of its only key; in protobuf it is the one by whose
 * schema the message is valid and has items. Requests of profiles have a dictionary and are left to
 * the decoder of profiles.
 */
#include "cli/sanitize_request.h"

#include <errno.h>

#include "format/otlp/schema.h"
#include "signal/otlp/validate.h"
#include "signal/sanitize/sanitize_otlp.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"

static const enum signal_kind request_signals[] = {SIGNAL_TRACES, SIGNAL_METRICS, SIGNAL_LOGS};

/* Return the signal of a message in JSON, or 0. */
static unsigned signal_of_json(struct str message)
{
	static const struct {
		struct str camel, snake;
		enum signal_kind signal;
	} keys[] = {
		{STR_INIT("\"resourceSpans\""), STR_INIT("\"resource_spans\""), SIGNAL_TRACES},
		{STR_INIT("\"resourceMetrics\""), STR_INIT("\"resource_metrics\""), SIGNAL_METRICS},
		{STR_INIT("\"resourceLogs\""), STR_INIT("\"resource_logs\""), SIGNAL_LOGS},
	};
	struct str rest = str_trim(message);

	if (!rest.n || rest.p[0] != '{')
		return 0;
	rest = str_trim(str_from_at(rest, 1));
	for (size_t i = 0; i < countof(keys); i++)
		if (str_starts(rest, keys[i].camel) || str_starts(rest, keys[i].snake))
			return keys[i].signal;
	return 0;
}

static bool has_dictionary(struct str message)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(1, PROTO_BYTES))
			return true;
		proto_skip(&r);
	}
	return r.error;
}

/* Return the signal of a message in protobuf, or 0. */
static unsigned signal_of_proto(struct str message)
{
	uint32_t items;

	if (has_dictionary(message))
		return 0;
	for (size_t i = 0; i < countof(request_signals); i++)
		if (!otlp_validate(request_signals[i], message, &items, NULL) && items)
			return request_signals[i];
	return 0;
}

static int sanitize_proto(struct buf *out, struct sanitize_run *r, enum signal_kind signal,
			  struct str message, struct err *e)
{
	bool removed;
	struct str changed;
	int rc = sanitize_otlp(r, signal, message, &changed, &removed);

	if (rc < 0)
		return err_errno(e, rc, "sanitizing");
	buf_put_str(out, changed);
	return buf_error(out);
}

static int sanitize_json(struct buf *out, struct sanitize_run *r, enum signal_kind signal,
			 struct str message, struct err *e)
{
	const struct schema_message *schema = otlp_request_schema(signal);
	struct buf proto = {0}, changed = {0};
	struct arena scratch;
	int rc;

	arena_init(&scratch, out->budget);
	rc = schema_json_to_proto(&proto, schema, message, &scratch, e);
	if (!rc)
		rc = sanitize_proto(&changed, r, signal, buf_str(&proto), e);
	if (!rc)
		rc = schema_to_json(out, schema, buf_str(&changed), e);
	buf_put_char(out, '\n');
	arena_fini(&scratch);
	buf_fini(&proto);
	buf_fini(&changed);
	return rc ? rc : buf_error(out);
}

/* One message on each line, unless the first line alone is none. */
static int sanitize_json_lines(struct buf *out, struct sanitize_run *r, struct str text,
			       struct err *e)
{
	struct str rest = text, line;
	uint64_t number = 0;
	int rc = 0;

	(void)!str_next_line(&rest, &line);
	if (!str_ends(str_trim(line), STR("}")) || !str_trim(rest).n)
		return sanitize_json(out, r, signal_of_json(text), text, e);
	for (rest = text; !rc && str_next_line(&rest, &line);) {
		unsigned signal = signal_of_json(line);

		number++;
		if (!str_trim(line).n)
			continue;
		if (!signal)
			return err_set(e, -EBADMSG, "line %llu is no OTLP request",
				       (unsigned long long)number);
		rc = sanitize_json(out, r, signal, line, e);
		if (rc)
			err_prefix(e, "line %llu", (unsigned long long)number);
	}
	return rc;
}

/* The same for content that is not compressed. */
static int sanitize_plain_request(struct buf *out, struct sanitize_run *r, struct str content,
				  struct err *e)
{
	unsigned signal = signal_of_json(content);
	int rc;

	if (signal) {
		rc = sanitize_json_lines(out, r, content, e);
		return rc ? rc : 1;
	}
	signal = signal_of_proto(content);
	if (!signal)
		return 0;
	rc = sanitize_proto(out, r, signal, content, e);
	return rc ? rc : 1;
}

int sanitize_request(struct buf *out, struct sanitize_run *r, struct str content, struct err *e)
{
	enum compress_kind kind = compress_detect(content);
	struct arena scratch;
	int rc = 0;

	arena_init(&scratch, out->budget);
	if (kind && decompress_bytes(kind, content, &scratch, NULL, &content, NULL))
		content = (struct str){0}; /* the decoder of profiles reports it */
	if (content.n)
		rc = sanitize_plain_request(out, r, content, e);
	arena_fini(&scratch);
	return rc;
}
