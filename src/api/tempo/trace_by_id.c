/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces by id. A trace is all that is stored of it, whatever the given time range: that only
 * selects the days to search.
 */
#include "api/tempo/profile_links.h"
#include "api/tempo/tempo.h"
#include "api/tempo/tempo_params.h"
#include "base/clock.h"
#include "format/otlp/traces.h"
#include "wire/proto.h"
#include "wire/text.h"

/* A span may start this long before or after the time that the client knows of the trace. */
#define TRACE_MARGIN_NS (3600 * NS_PER_SECOND)

/* Larger traces are answered in part (Tempo's limit is 5 MB). */
#define TRACE_BYTES_MAX (16 * MIB)

#define TOO_LARGE "the trace is larger than 16 MiB"

/* ---- the request ---- */

/* Read up to 32 hex digits; shorter ids have zeros in front. */
static int read_trace_id(struct str text, uint8_t id[TRACE_ID_SIZE], struct err *e)
{
	char digits[2 * TRACE_ID_SIZE];
	size_t n;

	memset(digits, '0', sizeof(digits));
	if (text.n && text.n <= sizeof(digits)) {
		memcpy(digits + sizeof(digits) - text.n, text.p, text.n);
		if (!hex_decode(str_of(digits, sizeof(digits)), id, TRACE_ID_SIZE, &n))
			return 0;
	}
	return err_set(e, -EINVAL, "expected a trace id of up to 32 hex digits in the path");
}

static int read_range(struct request *r, struct store_span_select *sel, struct err *e)
{
	uint64_t from = 0, to = 0;
	int rc = tempo_read_time(r, "start", &from, e);

	if (!rc)
		rc = tempo_read_time(r, "end", &to, e);
	if (!rc && to && from > to)
		rc = err_set(e, -EINVAL, "start is after end");
	sel->from = from > TRACE_MARGIN_NS ? from - TRACE_MARGIN_NS : 0;
	sel->to = to && to < UINT64_MAX - TRACE_MARGIN_NS ? to + TRACE_MARGIN_NS : UINT64_MAX;
	return rc;
}

/* ---- the answer ---- */

enum { STATUS_PARTIAL = 1 };

struct found_trace {
	struct buf message; /* TracesData */
	bool any, cut;
	uint64_t first, last;	     /* start of the first span, end of the last one */
	struct profile_links *links; /* NULL: none are added */
};

static int take_trace(void *ctx, const struct span_batch *trace)
{
	struct found_trace *f = ctx;
	struct span_batch linked;
	int rc;

	f->any = true;
	if (f->links) {
		rc = profile_links_add(f->links, trace, &linked);
		return rc ? rc : otlp_traces_encode(&f->message, &linked);
	}
	for (uint32_t i = 0; i < trace->spans.n; i++) {
		const struct span *s = &trace->spans.at[i];

		f->first = s->start < f->first ? s->start : f->first;
		f->last = s->end > f->last ? s->end : f->last;
	}
	return otlp_traces_encode(&f->message, trace);
}

/* If spans of the trace have samples, encode it again with links to them. */
static int link_profiles(struct request *r, const struct store_span_select *sel,
			 struct found_trace *f, struct err *e)
{
	struct profile_links links;
	int rc = profile_links_init(&links, r->limits.budget);

	if (!rc)
		rc = profile_links_find(&links, r, sel->traces[0], f->first, f->last, e);
	if (!rc && links.n) {
		f->links = &links;
		buf_clear(&f->message);
		rc = r->store->ops->traces(r->store, sel, take_trace, f, e);
		f->links = NULL;
	}
	profile_links_fini(&links);
	return rc;
}

static int find_trace(struct request *r, struct str text, struct found_trace *f, struct err *e)
{
	uint8_t id[1][TRACE_ID_SIZE];
	struct store_span_select sel = {.tenant = r->tenant,
					.traces = (const uint8_t(*)[TRACE_ID_SIZE])id,
					.trace_count = 1,
					.most_bytes = TRACE_BYTES_MAX,
					.cut = &f->cut,
					.limits = r->limits};
	int rc = read_trace_id(text, id[0], e);

	f->first = UINT64_MAX;
	if (!rc)
		rc = read_range(r, &sel, e);
	if (!rc && !r->store->ops->traces)
		rc = err_set(e, -EOPNOTSUPP, "this store has no traces");
	if (!rc)
		rc = r->store->ops->traces(r->store, &sel, take_trace, f, e);
	if (!rc && !f->any)
		rc = err_set(e, -ENOENT, "trace not found");
	return rc ? rc : link_profiles(r, &sel, f, e);
}

static int answer_trace(struct request *r, struct reply *out, const struct schema_message *schema,
			struct str message, struct err *e)
{
	if (!tempo_wants_protobuf(r)) {
		out->content_type = STR("application/json");
		return schema_to_json(&out->body, schema, message, e);
	}
	out->content_type = STR("application/protobuf");
	buf_put_str(&out->body, message);
	return buf_error(&out->body);
}

/* Return the rest of the path after the prefix. */
static struct str path_id(const struct request *r, struct str prefix)
{
	return r->sender ? str_from_at(r->sender->path, prefix.n) : STR("");
}

/* Answer as Tempo does to a trace that is too large, which version 1 cannot return in part. */
static int refuse_trace(struct reply *out)
{
	out->status = 422;
	out->content_type = STR("text/plain; charset=utf-8");
	buf_put_str(&out->body, STR(TOO_LARGE ": " TEMPO_TRACE_PATH_V2 " returns a part of it"));
	return buf_error(&out->body);
}

int tempo_trace_v1(struct request *r, struct reply *out, struct err *e)
{
	struct found_trace f = {0};
	int rc;

	buf_init(&f.message, r->limits.budget);
	rc = find_trace(r, path_id(r, STR(TEMPO_TRACE_PATH)), &f, e);
	if (!rc && f.cut)
		rc = refuse_trace(out);
	else if (!rc)
		rc = answer_trace(r, out, &tempo_trace, buf_str(&f.message), e);
	buf_fini(&f.message);
	return rc;
}

int tempo_trace_v2(struct request *r, struct reply *out, struct err *e)
{
	struct found_trace f = {0};
	struct proto_writer w;
	int rc;

	buf_init(&f.message, r->limits.budget);
	proto_writer_init(&w, r->limits.budget);
	rc = find_trace(r, path_id(r, STR(TEMPO_TRACE_PATH_V2)), &f, e);
	if (f.cut) {
		proto_put_entry(&w, 4, STR(TOO_LARGE ": some of its spans are missing"));
		proto_put_uint(&w, 3, STATUS_PARTIAL);
	}
	proto_put_entry(&w, 2, STR("")); /* metrics: none */
	proto_put_entry(&w, 1, buf_str(&f.message));
	if (!rc)
		rc = proto_writer_error(&w);
	if (!rc)
		rc = answer_trace(r, out, &tempo_trace_response, proto_writer_str(&w), e);
	proto_writer_fini(&w);
	buf_fini(&f.message);
	return rc;
}
