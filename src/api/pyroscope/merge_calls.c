/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that merge stacks: flame graphs, trees, pprof, differences. */
#include "api/pyroscope/dot.h"
#include "api/pyroscope/querier.h"
#include "api/pyroscope/responses.h"
#include "wire/text.h"

static const param_layout select_merge_layout = {
	[1] = PARAM_TYPE,      [2] = PARAM_SELECTOR, [3] = PARAM_START,	 [4] = PARAM_END,
	[5] = PARAM_MAX_NODES, [6] = PARAM_FORMAT,   [7] = PARAM_STACKS, [8] = PARAM_PROFILES,
	[9] = PARAM_ASYNC,     [10] = PARAM_TRACES,  [11] = PARAM_SPANS,
};
static const param_layout span_profile_layout = {
	[1] = PARAM_TYPE, [2] = PARAM_SELECTOR,	 [3] = PARAM_SPANS,  [4] = PARAM_START,
	[5] = PARAM_END,  [6] = PARAM_MAX_NODES, [7] = PARAM_FORMAT,
};
static const param_layout merge_profile_layout = {
	[1] = PARAM_TYPE,      [2] = PARAM_SELECTOR, [3] = PARAM_START,	   [4] = PARAM_END,
	[5] = PARAM_MAX_NODES, [6] = PARAM_STACKS,   [7] = PARAM_PROFILES, [8] = PARAM_TRACES,
};

/* Write a FlameGraph, or FlameGraphDiff if there are two columns, as field `field`. */
static void put_levels(struct proto_writer *w, uint32_t field, const struct flamebearer *l)
{
	size_t end = proto_mark(w);

	if (l->width == 7) {
		proto_put_int(w, 6, l->ticks[TREE_AFTER]);
		proto_put_int(w, 5, l->ticks[TREE_BEFORE]);
	}
	proto_put_int(w, 4, l->max_self);
	proto_put_int(w, 3, l->total);
	for (uint32_t i = l->rows.n; i-- > 0;) {
		size_t level = proto_mark(w), values = proto_mark(w);

		for (uint32_t k = l->rows.at[i].values.n; k-- > 0;)
			proto_put_varint(w, (uint64_t)l->rows.at[i].values.at[k]);
		proto_put_header(w, 1, values);
		proto_put_header(w, 2, level);
	}
	for (uint32_t i = l->names.n; i-- > 0;)
		proto_put_entry(w, 1, l->names.at[i]);
	proto_put_header(w, field, end);
}

static int put_flame_graph(struct proto_writer *w, struct tree *t, uint64_t max_nodes, bool both,
			   struct err *e)
{
	struct flamebearer levels;
	struct cut cut;
	int rc = cut_of_tree(&cut, t, &(struct cut_options){.max_nodes = max_nodes}, e);

	if (!rc)
		rc = flamebearer_of_tree(&levels, t, &cut, both);
	if (!rc)
		put_levels(w, 1, &levels);
	return rc;
}

static int put_bytes_field(struct proto_writer *w, uint32_t field, struct buf *bytes, int rc)
{
	if (!rc)
		rc = buf_error(bytes);
	if (!rc)
		proto_put_bytes(w, field, buf_str(bytes));
	buf_fini(bytes);
	return rc;
}

static int put_tree_bytes(struct proto_writer *w, struct tree *t, uint64_t max_nodes,
			  struct request *r, struct err *e)
{
	struct buf bytes;
	struct cut cut;
	int rc;

	buf_init(&bytes, r->limits.budget);
	rc = cut_of_tree(&cut, t, &(struct cut_options){.max_nodes = max_nodes}, e);
	if (!rc)
		rc = flamebearer_tree_bytes(&bytes, t, &cut);
	return put_bytes_field(w, 2, &bytes, rc);
}

static int put_pprof(struct proto_writer *w, struct selection *s, const struct query_params *params,
		     struct request *r, struct err *e)
{
	struct buf bytes;
	size_t end = proto_mark(w);
	int rc;

	buf_init(&bytes, r->limits.budget);
	rc = response_put_pprof(&bytes, s, params, r, e);
	rc = put_bytes_field(w, 1, &bytes, rc);
	if (!rc)
		proto_put_header(w, 5, end);
	return rc;
}

/* Write the response in the requested format. */
static int put_merge(struct proto_writer *w, const struct query_params *params, struct selection *s,
		     uint64_t max_nodes, struct request *r, struct err *e)
{
	struct buf dot;
	struct tree t;
	int rc;

	if (params->format == FORMAT_PPROF)
		return put_pprof(w, s, params, r, e);
	selection_allow_largest(s, params->format == FORMAT_DOT ? 0 : max_nodes);
	rc = response_tree(&t, s, e);
	if (!rc && params->format == FORMAT_TREE) {
		rc = put_tree_bytes(w, &t, max_nodes, r, e);
	} else if (!rc && params->format == FORMAT_DOT) {
		buf_init(&dot, r->limits.budget);
		rc = dot_of_tree(&dot, &t, params->max_nodes ? max_nodes : 0);
		rc = put_bytes_field(w, 3, &dot, rc);
	} else if (!rc) {
		rc = put_flame_graph(w, &t, max_nodes, false, e);
	}
	tree_fini(&t);
	return rc;
}

/*
 * Async queries. Nothing runs in the background: the returned id is the request itself, in base64,
 * and the query runs when the client fetches the result.
 */
enum { ASYNC_IN_PROGRESS = 1, ASYNC_SUCCESS = 2 };

static void put_async(struct proto_writer *w, struct str id, uint64_t status)
{
	size_t end = proto_mark(w);

	proto_put_uint(w, 2, status);
	proto_put_bytes(w, 1, id);
	proto_put_header(w, 4, end);
}

static int put_async_id(struct proto_writer *w, struct str message, struct request *r)
{
	struct buf id;
	int rc;

	buf_init(&id, r->limits.budget);
	base64_encode(&id, message);
	rc = buf_error(&id);
	if (!rc)
		put_async(w, buf_str(&id), ASYNC_IN_PROGRESS);
	buf_fini(&id);
	return rc;
}

/* Get the request that an id stands for. */
static int decode_async_id(struct str id, struct request *r, struct str *message, struct err *e)
{
	size_t n = 0, cap = BASE64_DECODED_MAX(id.n);
	char *bytes = arena_alloc(r->arena, cap, 1);

	if (!bytes)
		return -ENOMEM;
	if (base64_decode(id, bytes, cap, &n))
		return err_set(e, -EINVAL, "async: invalid request_id");
	*message = str_of(bytes, n);
	return 0;
}

/* The request of a merge call, and options of its response. */
struct merge_call {
	struct str message;
	const uint8_t *layout;
	bool needs_span;
	struct str async_id; /* the id by which the result is fetched, or empty */
};

static int answer_merge(struct request *r, struct reply *out, const struct merge_call *call,
			struct err *e)
{
	struct proto_writer w;
	struct selection s;
	struct query_params params;
	uint64_t max_nodes = 0;
	int rc = query_params_read(&params, call->message, call->layout, r, e);
	int rc2 = query_params_select(&s, &params, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = query_params_max_nodes(&params, &max_nodes, e);
	proto_writer_init(&w, r->limits.budget);
	/* an empty list of spans selects nothing, not everything */
	if (!rc && call->needs_span && !s.select.span_count)
		s.select.to = s.select.from;
	if (!rc && params.async && !call->async_id.n)
		rc = put_async_id(&w, call->message, r);
	else if (!rc)
		rc = put_merge(&w, &params, &s, max_nodes, r, e);
	if (call->async_id.n)
		put_async(&w, call->async_id, ASYNC_SUCCESS);
	selection_fini(&s);
	rc2 = response_finish(out, &w);
	return rc ? rc : rc2;
}

int querier_select_merge(struct request *r, struct reply *out, struct err *e)
{
	struct merge_call call = {.message = r->body, .layout = select_merge_layout};
	struct query_params params;
	int rc = query_params_read(&params, r->body, select_merge_layout, r, e);

	call.async_id = params.async_id;
	if (!rc && params.async_id.n)
		rc = decode_async_id(params.async_id, r, &call.message, e);
	return rc ? rc : answer_merge(r, out, &call, e);
}

int querier_span_profile(struct request *r, struct reply *out, struct err *e)
{
	return answer_merge(r, out,
			    &(struct merge_call){.message = r->body,
						 .layout = span_profile_layout,
						 .needs_span = true},
			    e);
}

int querier_merge_profile(struct request *r, struct reply *out, struct err *e)
{
	struct selection s;
	struct query_params params;
	int rc = query_params_read(&params, r->body, merge_profile_layout, r, e);
	int rc2 = query_params_select(&s, &params, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = response_put_pprof(&out->body, &s, &params, r, e);
	selection_fini(&s);
	return rc;
}

/* ---- differences ---- */

/* Read the required fields 1 and 2 of DiffRequest. */
static int read_sides(struct str sides[2], struct str message, struct err *e)
{
	struct proto_reader reader = proto_reader_of(message);
	bool found[2] = {false};

	while (proto_next(&reader)) {
		uint32_t side = proto_field(&reader) - 1;

		if ((reader.tag & 7) != PROTO_BYTES || side > 1) {
			proto_skip(&reader);
			continue;
		}
		sides[side] = proto_bytes(&reader);
		found[side] = true;
	}
	if (reader.error)
		return proto_fail(&reader, message, e);
	if (!found[0] || !found[1])
		return err_set(e, -EINVAL, "left and right are required");
	return 0;
}

int querier_diff(struct request *r, struct reply *out, struct err *e)
{
	struct proto_writer w;
	struct selection s[2];
	struct str sides[2] = {{0}, {0}};
	struct query_params params[2];
	struct tree t = {0};
	uint64_t max_nodes = 0;
	int rc = read_sides(sides, r->body, e);

	for (unsigned i = 0; i < 2; i++) {
		int rc2 = query_params_read(&params[i], sides[i], select_merge_layout, r,
					    rc ? NULL : e);

		rc = rc ? rc : rc2;
		rc2 = query_params_select(&s[i], &params[i], r, rc ? NULL : e);
		rc = rc ? rc : rc2;
	}
	if (!rc && !str_eq(s[0].type.id, s[1].type.id))
		rc = err_set(e, -EINVAL, "profile types must match");
	if (!rc)
		rc = query_params_max_nodes(&params[0], &max_nodes, e);
	if (!rc)
		rc = response_diff_tree(&t, &s[0], &s[1], e);
	proto_writer_init(&w, r->limits.budget);
	if (!rc)
		rc = put_flame_graph(&w, &t, max_nodes, true, e);
	tree_fini(&t);
	selection_fini(&s[0]);
	selection_fini(&s[1]);

	int rc2 = response_finish(out, &w);

	return rc ? rc : rc2;
}
