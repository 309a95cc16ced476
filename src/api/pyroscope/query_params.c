/* SPDX-License-Identifier: Apache-2.0 */
#include "api/pyroscope/query_params.h"

#include "wire/proto.h"

/* ---- reading ---- */

static struct texts *list_of(struct ask *a, enum ask_field field)
{
	switch (field) {
	case ASK_PROFILES:
		return &a->profiles;
	case ASK_TRACES:
		return &a->traces;
	case ASK_SPANS:
		return &a->spans;
	case ASK_GROUP_BY:
		return &a->group_by;
	case ASK_MATCHERS:
		return &a->matchers;
	case ASK_LABEL_NAMES:
		return &a->label_names;
	default:
		return NULL;
	}
}

/* One frame of a call site: {name}. */
static int read_call_site(struct ask *a, struct proto_reader site, struct request *r, struct err *e)
{
	struct str name = {0};

	while (proto_next(&site)) {
		if (site.tag == PROTO_TAG(1, PROTO_BYTES))
			name = proto_bytes(&site);
		else
			proto_skip(&site);
	}
	if (site.error)
		return proto_fail(&site, r->body, e);
	if (a->call_site.list.n == REQUEST_LIST_MAX)
		return err_set(e, -EINVAL, "a call site of more than %d frames", REQUEST_LIST_MAX);
	return vec_push(r->arena, &a->call_site.list, name);
}

/* GoPGO: {keep_locations, aggregate_callees}. An empty one asks for whole stacks. */
static int read_go_pgo(struct ask *a, struct proto_reader pgo, struct request *r, struct err *e)
{
	a->has_trim = true;
	while (proto_next(&pgo)) {
		if (pgo.tag == PROTO_TAG(1, PROTO_VARINT))
			a->trim.keep_locations = (uint32_t)proto_varint(&pgo);
		else if (pgo.tag == PROTO_TAG(2, PROTO_VARINT))
			a->trim.aggregate_callees = proto_varint(&pgo);
		else
			proto_skip(&pgo);
	}
	return pgo.error ? proto_fail(&pgo, r->body, e) : 0;
}

/* StackTraceSelector. */
static int read_stacks(struct ask *a, struct str message, struct request *r, struct err *e)
{
	struct proto_reader reader = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&reader)) {
		if (reader.tag == PROTO_TAG(1, PROTO_BYTES))
			rc = read_call_site(a, proto_message(&reader), r, e);
		else if (reader.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = read_go_pgo(a, proto_message(&reader), r, e);
		else
			proto_skip(&reader);
	}
	return !rc && reader.error ? proto_fail(&reader, r->body, e) : rc;
}

/* AsyncQueryRequest: {request_id, type}. */
static int read_async(struct ask *a, struct str message, struct request *r, struct err *e)
{
	struct proto_reader reader = proto_reader_of(message);

	while (proto_next(&reader)) {
		if (reader.tag == PROTO_TAG(1, PROTO_BYTES))
			a->async_id = proto_bytes(&reader);
		else if (reader.tag == PROTO_TAG(2, PROTO_VARINT))
			a->async = proto_varint(&reader);
		else
			proto_skip(&reader);
	}
	return reader.error ? proto_fail(&reader, r->body, e) : 0;
}

static int read_bytes(struct ask *a, enum ask_field field, struct str bytes, struct request *r,
		      struct err *e)
{
	struct texts *list = list_of(a, field);

	if (list && list->list.n == REQUEST_LIST_MAX)
		return err_set(e, -EINVAL, "a list of more than %d entries", REQUEST_LIST_MAX);
	if (list)
		return vec_push(r->arena, &list->list, bytes);
	if (field == ASK_STACKS)
		return read_stacks(a, bytes, r, e);
	if (field == ASK_ASYNC)
		return read_async(a, bytes, r, e);
	if (field == ASK_TYPE)
		a->type = bytes;
	else if (field == ASK_SELECTOR)
		a->selector = bytes;
	else if (field == ASK_NAME)
		a->name = bytes;
	return 0;
}

static void read_number(struct ask *a, enum ask_field field, uint64_t number)
{
	switch (field) {
	case ASK_START:
		a->start = (int64_t)number;
		break;
	case ASK_END:
		a->end = (int64_t)number;
		break;
	case ASK_MAX_NODES:
		a->max_nodes = (int64_t)number;
		break;
	case ASK_LIMIT:
		a->limit = (int64_t)number;
		break;
	case ASK_FORMAT:
		a->format = number;
		break;
	case ASK_AGGREGATION:
		a->aggregation = number;
		break;
	case ASK_EXEMPLARS:
		a->exemplars = number;
		break;
	case ASK_QUERY_TYPE:
		a->query_type = number;
		break;
	default:
		break;
	}
}

int ask_read(struct ask *a, struct str message, const ask_layout layout, struct request *r,
	     struct err *e)
{
	struct proto_reader reader = proto_reader_of(message);
	int rc = 0;

	*a = (struct ask){0};
	while (!rc && proto_next(&reader)) {
		uint32_t number = proto_field(&reader);
		enum ask_field field = number < ASK_FIELDS ? layout[number] : ASK_NONE;

		switch (field == ASK_NONE ? PROTO_GROUP : (enum proto_wire)(reader.tag & 7)) {
		case PROTO_BYTES:
			rc = read_bytes(a, field, proto_bytes(&reader), r, e);
			break;
		case PROTO_VARINT:
			read_number(a, field, proto_varint(&reader));
			break;
		case PROTO_FIXED64:
			a->step = proto_double(&reader);
			break;
		default:
			proto_skip(&reader);
		}
	}
	return !rc && reader.error ? proto_fail(&reader, message, e) : rc;
}

/* ---- checking ---- */

int ask_max_nodes(const struct ask *a, uint64_t *out, struct err *e)
{
	if (a->max_nodes < 0)
		return err_set(e, -EINVAL, "max nodes must be above 0, not %lld",
			       (long long)a->max_nodes);
	if (a->max_nodes > MAX_NODES_MAX)
		return err_set(e, -EINVAL, "max nodes limit %d is less than the requested %lld",
			       MAX_NODES_MAX, (long long)a->max_nodes);
	*out = a->max_nodes ? (uint64_t)a->max_nodes : MAX_NODES_DEFAULT;
	return 0;
}

static bool is_metric_name(struct str name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:0123456789";

	for (size_t i = 0; i < name.n; i++)
		if (!name.p[i] || !strchr(allowed, name.p[i]))
			return false;
	return name.n && !(name.p[0] >= '0' && name.p[0] <= '9');
}

/*
 * {name="value", ...}. As with Prometheus a word before the braces is __name__, unless it is a whole profile
 * type: these Grafana writes there when it fills the variables of a dashboard.
 */
static int parse_selector(struct selection *s, struct str text, struct err *e)
{
	struct str trimmed = str_trim(text);
	size_t brace = str_find(trimmed, '{');
	struct str head = str_trim(str_head(trimmed, brace));
	struct profile_type type;
	bool is_type = profile_type_parse(&type, head);
	int rc = 0;

	if (brace == trimmed.n || (head.n && !is_type && !is_metric_name(head)))
		return err_set(e, -EINVAL,
			       "label selector: expected {name=\"value\", ...}, found \"%.*s\"",
			       STR_ARG(str_head(text, 100)));
	if (is_type) /* series are kept under five parts, without :delta */
		head = str_head(head, (size_t)(type.period_unit.p - head.p) + type.period_unit.n);
	if (head.n)
		rc = selector_add(&s->selector, MATCH_EQUAL,
				  is_type ? STR("__profile_type__") : STR("__name__"), head, e);
	return rc ? rc : selector_parse(&s->selector, str_from_at(trimmed, brace), e);
}

int ask_select(struct selection *s, const struct ask *a, struct request *r, struct err *e)
{
	int rc;

	selection_init(s, r);
	rc = selection_set_range(s, a->start, a->end, e);
	if (!rc)
		rc = selection_set_type(s, a->type, r, e);
	if (!rc)
		rc = parse_selector(s, a->selector, e);
	if (!rc && a->spans.list.n && a->traces.list.n)
		rc = err_set(e, -EINVAL, "select by span or by trace, not by both");
	if (!rc)
		rc = selection_set_spans(s, &a->spans, r, e);
	if (!rc)
		rc = selection_set_traces(s, &a->traces, r, e);
	if (!rc)
		rc = selection_set_profiles(s, &a->profiles, r, e);
	s->filter.call_site = a->call_site.list.at;
	s->filter.call_site_n = a->call_site.list.n;
	return rc;
}

int ask_select_labels(struct selection *s, const struct ask *a, bool any_time, struct request *r,
		      struct err *e)
{
	bool all = any_time && !a->start && !a->end;
	int rc = 0;

	selection_init(s, r);
	if (!all)
		rc = selection_set_range(s, a->start, a->end, e);
	for (uint32_t i = 0; i < a->matchers.list.n && !rc; i++)
		rc = parse_selector(s, a->matchers.list.at[i], e);
	return rc;
}
