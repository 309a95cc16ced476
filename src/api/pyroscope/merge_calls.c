/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that merge stacks: flame graphs, trees, pprof, differences. */
#include "api/pyroscope/querier.h"
#include "api/pyroscope/responses.h"
#include "wire/text.h"

static const ask_layout select_merge_layout = {
	[1] = ASK_TYPE,	     [2] = ASK_SELECTOR, [3] = ASK_START,  [4] = ASK_END,
	[5] = ASK_MAX_NODES, [6] = ASK_FORMAT,	 [7] = ASK_STACKS, [8] = ASK_PROFILES,
	[9] = ASK_ASYNC,     [10] = ASK_TRACES,	 [11] = ASK_SPANS,
};
static const ask_layout span_profile_layout = {
	[1] = ASK_TYPE, [2] = ASK_SELECTOR,  [3] = ASK_SPANS,  [4] = ASK_START,
	[5] = ASK_END,	[6] = ASK_MAX_NODES, [7] = ASK_FORMAT,
};
static const ask_layout merge_profile_layout = {
	[1] = ASK_TYPE,	     [2] = ASK_SELECTOR, [3] = ASK_START,    [4] = ASK_END,
	[5] = ASK_MAX_NODES, [6] = ASK_STACKS,	 [7] = ASK_PROFILES, [8] = ASK_TRACES,
};

/* FlameGraph, or FlameGraphDiff where there are two columns, as field `field`. */
static void put_levels(struct proto_writer *w, uint32_t field, const struct levels *l)
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
	struct levels levels;
	struct cut cut;
	int rc = cut_of_tree(&cut, t, &(struct cut_options){.max_nodes = max_nodes}, e);

	if (!rc)
		rc = levels_of_tree(&levels, t, &cut, both);
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
		rc = levels_tree_bytes(&bytes, t, &cut);
	return put_bytes_field(w, 2, &bytes, rc);
}

static int put_pprof(struct proto_writer *w, struct selection *s, const struct ask *ask,
		     struct request *r, struct err *e)
{
	struct buf bytes;
	size_t end = proto_mark(w);
	int rc;

	buf_init(&bytes, r->limits.budget);
	rc = answer_pprof(&bytes, s, ask, r, e);
	rc = put_bytes_field(w, 1, &bytes, rc);
	if (!rc)
		proto_put_header(w, 5, end);
	return rc;
}

/* The answer in the format that was asked for. */
static int put_merge(struct proto_writer *w, const struct ask *ask, struct selection *s,
		     uint64_t max_nodes, struct request *r, struct err *e)
{
	struct buf dot;
	struct tree t;
	int rc;

	if (ask->format == FORMAT_PPROF)
		return put_pprof(w, s, ask, r, e);
	selection_take_largest(s, ask->format == FORMAT_DOT ? 0 : max_nodes);
	rc = answer_tree(&t, s, e);
	if (!rc && ask->format == FORMAT_TREE) {
		rc = put_tree_bytes(w, &t, max_nodes, r, e);
	} else if (!rc && ask->format == FORMAT_DOT) {
		buf_init(&dot, r->limits.budget);
		rc = answer_dot(&dot, &t, ask->max_nodes ? max_nodes : 0);
		rc = put_bytes_field(w, 3, &dot, rc);
	} else if (!rc) {
		rc = put_flame_graph(w, &t, max_nodes, false, e);
	}
	tree_fini(&t);
	return rc;
}

/*
 * Async queries. Nothing runs or waits in between: the id that is given out is the request itself, and whoever comes
 * back with it gets the answer then.
 */
enum { ASYNC_IN_PROGRESS = 1, ASYNC_SUCCESS = 2 };

static void put_async(struct proto_writer *w, struct str id, uint64_t status)
{
	size_t end = proto_mark(w);

	proto_put_uint(w, 2, status);
	proto_put_bytes(w, 1, id);
	proto_put_header(w, 4, end);
}

static int put_promise(struct proto_writer *w, struct str question, struct request *r)
{
	struct buf id;
	int rc;

	buf_init(&id, r->limits.budget);
	base64_encode(&id, question);
	rc = buf_error(&id);
	if (!rc)
		put_async(w, buf_str(&id), ASYNC_IN_PROGRESS);
	buf_fini(&id);
	return rc;
}

/* The request that an id was given out for. */
static int question_of(struct str id, struct request *r, struct str *question, struct err *e)
{
	size_t n = 0, cap = BASE64_DECODED_MAX(id.n);
	char *bytes = arena_alloc(r->arena, cap, 1);

	if (!bytes)
		return -ENOMEM;
	if (base64_decode(id, bytes, cap, &n))
		return err_set(e, -EINVAL, "async: no such request_id");
	*question = str_of(bytes, n);
	return 0;
}

/* What a call asks, and how its answer is to be told. */
struct merge_call {
	struct str question;
	const uint8_t *layout;
	bool needs_span;
	struct str async_id; /* the answer was promised under this one */
};

static int answer_merge(struct request *r, struct reply *out, const struct merge_call *call,
			struct err *e)
{
	struct proto_writer w;
	struct selection s;
	struct ask ask;
	uint64_t max_nodes = 0;
	int rc = ask_read(&ask, call->question, call->layout, r, e);
	int rc2 = ask_select(&s, &ask, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = ask_max_nodes(&ask, &max_nodes, e);
	proto_writer_init(&w, r->limits.budget);
	/* Asked for the spans of an empty list: nothing, and not everything. */
	if (!rc && call->needs_span && !s.select.span_count)
		s.select.to = s.select.from;
	if (!rc && ask.async && !call->async_id.n)
		rc = put_promise(&w, call->question, r);
	else if (!rc)
		rc = put_merge(&w, &ask, &s, max_nodes, r, e);
	if (call->async_id.n)
		put_async(&w, call->async_id, ASYNC_SUCCESS);
	selection_fini(&s);
	rc2 = answer_take(out, &w);
	return rc ? rc : rc2;
}

int querier_select_merge(struct request *r, struct reply *out, struct err *e)
{
	struct merge_call call = {.question = r->body, .layout = select_merge_layout};
	struct ask ask;
	int rc = ask_read(&ask, r->body, select_merge_layout, r, e);

	call.async_id = ask.async_id;
	if (!rc && ask.async_id.n)
		rc = question_of(ask.async_id, r, &call.question, e);
	return rc ? rc : answer_merge(r, out, &call, e);
}

int querier_span_profile(struct request *r, struct reply *out, struct err *e)
{
	return answer_merge(r, out,
			    &(struct merge_call){.question = r->body,
						 .layout = span_profile_layout,
						 .needs_span = true},
			    e);
}

int querier_merge_profile(struct request *r, struct reply *out, struct err *e)
{
	struct selection s;
	struct ask ask;
	int rc = ask_read(&ask, r->body, merge_profile_layout, r, e);
	int rc2 = ask_select(&s, &ask, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = answer_pprof(&out->body, &s, &ask, r, e);
	selection_fini(&s);
	return rc;
}

/* ---- differences ---- */

/* Field 1 and 2 of DiffRequest; both must be there. */
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
		return err_set(e, -EINVAL, "a difference needs left and right");
	return 0;
}

int querier_diff(struct request *r, struct reply *out, struct err *e)
{
	struct proto_writer w;
	struct selection s[2];
	struct str sides[2] = {{0}, {0}};
	struct ask ask[2];
	struct tree t = {0};
	uint64_t max_nodes = 0;
	int rc = read_sides(sides, r->body, e);

	for (unsigned i = 0; i < 2; i++) {
		int rc2 = ask_read(&ask[i], sides[i], select_merge_layout, r, rc ? NULL : e);

		rc = rc ? rc : rc2;
		rc2 = ask_select(&s[i], &ask[i], r, rc ? NULL : e);
		rc = rc ? rc : rc2;
	}
	if (!rc && !str_eq(s[0].type.id, s[1].type.id))
		rc = err_set(e, -EINVAL, "profile types must match");
	if (!rc)
		rc = ask_max_nodes(&ask[0], &max_nodes, e);
	if (!rc)
		rc = answer_diff_tree(&t, &s[0], &s[1], e);
	proto_writer_init(&w, r->limits.budget);
	if (!rc)
		rc = put_flame_graph(&w, &t, max_nodes, true, e);
	tree_fini(&t);
	selection_fini(&s[0]);
	selection_fini(&s[1]);

	int rc2 = answer_take(out, &w);

	return rc ? rc : rc2;
}
