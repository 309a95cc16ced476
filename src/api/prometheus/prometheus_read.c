/* SPDX-License-Identifier: Apache-2.0 */
/* Remote read: samples of selected series, as one compressed message or as frames of chunks. */
#include <errno.h>

#include "api/prometheus/prometheus_request.h"
#include "format/prometheus/remote_read.h"
#include "net/http/header.h"
#include "wire/compress/compress.h"

enum { SAMPLES_MAX = 50000000, BODY_MAX = 32 << 20 };

struct reading {
	struct request *request;
	const struct store_metric_ops *ops;
	struct remote_read_request in;
	struct proto_writer scratch;
	struct buf result; /* of one query */
	struct buf *out;
	uint64_t samples;
	VEC(struct regex *) regexes;
};

/* The network has decompressed the body if the sender said how it is compressed. */
static int read_body(struct reading *x, struct err *e)
{
	static const struct decompress_limits limits = {.output = BODY_MAX};
	struct request *r = x->request;
	struct str message = r->body;
	struct str encoding = r->sender ? http_header(r->sender, STR("content-encoding")) : STR("");
	int rc = 0;

	if (!encoding.n)
		rc = decompress_bytes(COMPRESS_SNAPPY, r->body, r->arena, &limits, &message, e);
	return rc ? rc : remote_read_decode(&x->in, message, r->arena, e);
}

static int compile(struct reading *x, struct matcher *m, struct err *e)
{
	int rc;

	if (m->op != MATCH_REGEX && m->op != MATCH_NOT_REGEX)
		return 0;
	rc = regex_new(&m->regex, m->value, REGEX_WHOLE | REGEX_DOT_ALL, e);
	if (rc)
		return rc == -ENOMEM ? rc : -EINVAL;
	rc = vec_push(x->request->arena, &x->regexes, m->regex);
	if (rc)
		regex_free(m->regex);
	return rc;
}

static int put_series(struct reading *x, uint32_t query, const struct store_metric_series *in,
		      struct err *e)
{
	const struct remote_read_series s = {.labels = in->labels,
					     .label_count = in->label_count,
					     .count = in->count,
					     .histogram_count = in->histogram_count,
					     .times = in->times,
					     .values = in->values,
					     .histogram_times = in->histogram_times,
					     .histograms = in->histograms};

	if (!s.count && !s.histogram_count)
		return 0;
	x->samples += s.count + s.histogram_count;
	if (x->samples > SAMPLES_MAX)
		return err_set(e, -EINVAL, "exceeded sample limit (%d): select less", SAMPLES_MAX);
	return x->in.chunks ? remote_read_put_frames(x->out, &s, query, &x->scratch)
			    : remote_read_put_series(&x->result, &s, &x->scratch);
}

static int read_query(struct reading *x, uint32_t query, struct err *e)
{
	struct remote_read_query *q = &x->in.queries.at[query];
	const struct store_matchers set = {q->matchers.at, q->matchers.n};
	const struct store_metric_select select = {.tenant = x->request->tenant,
						   .sets = &set,
						   .set_count = 1,
						   .from = q->from,
						   .to = q->to,
						   .limits = x->request->limits};
	struct store_metric_cursor *c = NULL;
	struct store_metric_series s;
	int rc = 0;

	for (uint32_t i = 0; i < q->matchers.n && !rc; i++)
		rc = compile(x, &q->matchers.at[i], e);
	if (!rc && q->to >= q->from)
		rc = x->ops->open(x->request->store, &select, &c, e);
	while (!rc && c) {
		rc = x->ops->next(c, &s, e);
		if (rc <= 0)
			break;
		rc = put_series(x, query, &s, e);
	}
	x->ops->close(c);
	return rc;
}

static int put_results(struct reading *x, struct err *e)
{
	struct buf all;
	int rc = 0;

	buf_init(&all, x->request->limits.budget);
	for (uint32_t i = 0; i < x->in.queries.n && !rc; i++) {
		buf_clear(&x->result);
		rc = read_query(x, i, e);
		if (!rc && !x->in.chunks)
			rc = remote_read_put_result(&all, buf_str(&x->result));
	}
	if (!rc && !x->in.chunks)
		rc = compress_bytes(x->out, COMPRESS_SNAPPY, 0, buf_str(&all), e);
	buf_fini(&all);
	return rc;
}

static void set_headers(const struct reading *x, struct reply *out)
{
	if (x->in.chunks) {
		out->content_type = STR("application/x-streamed-protobuf; "
					"proto=prometheus.ChunkedReadResponse");
		return;
	}
	out->content_type = STR("application/x-protobuf");
	out->header = (struct http_header){STR("content-encoding"), STR("snappy")};
}

int prometheus_read(struct request *r, struct reply *out, struct err *e)
{
	struct reading x = {.request = r, .ops = prometheus_store(r, e), .out = &out->body};
	int rc = x.ops ? read_body(&x, e) : -EOPNOTSUPP;

	if (rc == -EBADMSG || rc == -EFBIG || rc == -ENOTSUP)
		rc = -EINVAL;
	if (!rc && x.in.unknown)
		rc = err_set(e, -EINVAL,
			     "server does not support any of the requested response types: "
			     "expected SAMPLES or STREAMED_XOR_CHUNKS");
	buf_init(&out->body, r->limits.budget);
	buf_init(&x.result, r->limits.budget);
	proto_writer_init(&x.scratch, r->limits.budget);
	if (!rc)
		rc = put_results(&x, e);
	set_headers(&x, out);
	for (uint32_t i = 0; i < x.regexes.n; i++)
		regex_free(x.regexes.at[i]);
	proto_writer_fini(&x.scratch);
	buf_fini(&x.result);
	return rc ? rc : buf_error(&out->body);
}
