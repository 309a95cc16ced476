/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the requests of querier.v1 and turns them into selections. */
#include "api/pyroscope/query_params.h"

#include "wire/proto.h"

/* ---- parsing ---- */

static struct texts *param_list(struct query_params *p, enum param_field field)
{
	switch (field) {
	case PARAM_PROFILES:
		return &p->profiles;
	case PARAM_TRACES:
		return &p->traces;
	case PARAM_SPANS:
		return &p->spans;
	case PARAM_GROUP_BY:
		return &p->group_by;
	case PARAM_MATCHERS:
		return &p->matchers;
	case PARAM_LABEL_NAMES:
		return &p->label_names;
	default:
		return NULL;
	}
}

/* Read a frame of a call site: {name}. */
static int read_call_site(struct query_params *p, struct proto_reader site, struct request *r,
			  struct err *e)
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
	if (p->call_site.list.n == REQUEST_LIST_MAX)
		return err_set(e, -EINVAL, "call site has more than %d frames", REQUEST_LIST_MAX);
	return vec_push(r->arena, &p->call_site.list, name);
}

/* Read GoPGO: {keep_locations, aggregate_callees}. An empty message means whole stacks. */
static int read_go_pgo(struct query_params *p, struct proto_reader pgo, struct request *r,
		       struct err *e)
{
	p->has_trim = true;
	while (proto_next(&pgo)) {
		if (pgo.tag == PROTO_TAG(1, PROTO_VARINT))
			p->trim.keep_locations = (uint32_t)proto_varint(&pgo);
		else if (pgo.tag == PROTO_TAG(2, PROTO_VARINT))
			p->trim.aggregate_callees = proto_varint(&pgo);
		else
			proto_skip(&pgo);
	}
	return pgo.error ? proto_fail(&pgo, r->body, e) : 0;
}

/* Read StackTraceSelector. */
static int read_stacks(struct query_params *p, struct str message, struct request *r, struct err *e)
{
	struct proto_reader reader = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&reader)) {
		if (reader.tag == PROTO_TAG(1, PROTO_BYTES))
			rc = read_call_site(p, proto_message(&reader), r, e);
		else if (reader.tag == PROTO_TAG(2, PROTO_BYTES))
			rc = read_go_pgo(p, proto_message(&reader), r, e);
		else
			proto_skip(&reader);
	}
	return !rc && reader.error ? proto_fail(&reader, r->body, e) : rc;
}

/* Read AsyncQueryRequest: {request_id, type}. */
static int read_async(struct query_params *p, struct str message, struct request *r, struct err *e)
{
	struct proto_reader reader = proto_reader_of(message);

	while (proto_next(&reader)) {
		if (reader.tag == PROTO_TAG(1, PROTO_BYTES))
			p->async_id = proto_bytes(&reader);
		else if (reader.tag == PROTO_TAG(2, PROTO_VARINT))
			p->async = proto_varint(&reader);
		else
			proto_skip(&reader);
	}
	return reader.error ? proto_fail(&reader, r->body, e) : 0;
}

static int read_bytes(struct query_params *p, enum param_field field, struct str bytes,
		      struct request *r, struct err *e)
{
	struct texts *list = param_list(p, field);

	if (list && list->list.n == REQUEST_LIST_MAX)
		return err_set(e, -EINVAL, "list has more than %d entries", REQUEST_LIST_MAX);
	if (list)
		return vec_push(r->arena, &list->list, bytes);
	if (field == PARAM_STACKS)
		return read_stacks(p, bytes, r, e);
	if (field == PARAM_ASYNC)
		return read_async(p, bytes, r, e);
	if (field == PARAM_TYPE)
		p->type = bytes;
	else if (field == PARAM_SELECTOR)
		p->selector = bytes;
	else if (field == PARAM_NAME)
		p->name = bytes;
	return 0;
}

static void set_number_param(struct query_params *p, enum param_field field, uint64_t number)
{
	switch (field) {
	case PARAM_START:
		p->start = (int64_t)number;
		break;
	case PARAM_END:
		p->end = (int64_t)number;
		break;
	case PARAM_MAX_NODES:
		p->max_nodes = (int64_t)number;
		break;
	case PARAM_LIMIT:
		p->limit = (int64_t)number;
		break;
	case PARAM_FORMAT:
		p->format = number;
		break;
	case PARAM_AGGREGATION:
		p->aggregation = number;
		break;
	case PARAM_EXEMPLARS:
		p->exemplars = number;
		break;
	case PARAM_QUERY_TYPE:
		p->query_type = number;
		break;
	default:
		break;
	}
}

int query_params_read(struct query_params *p, struct str message, const param_layout layout,
		      struct request *r, struct err *e)
{
	struct proto_reader reader = proto_reader_of(message);
	int rc = 0;

	*p = (struct query_params){0};
	while (!rc && proto_next(&reader)) {
		uint32_t number = proto_field(&reader);
		enum param_field field = number < PARAM_FIELDS ? layout[number] : PARAM_NONE;

		switch (field == PARAM_NONE ? PROTO_GROUP : (enum proto_wire)(reader.tag & 7)) {
		case PROTO_BYTES:
			rc = read_bytes(p, field, proto_bytes(&reader), r, e);
			break;
		case PROTO_VARINT:
			set_number_param(p, field, proto_varint(&reader));
			break;
		case PROTO_FIXED64:
			p->step = proto_double(&reader);
			break;
		default:
			proto_skip(&reader);
		}
	}
	return !rc && reader.error ? proto_fail(&reader, message, e) : rc;
}

/* ---- selections ---- */

int query_params_max_nodes(const struct query_params *p, uint64_t *out, struct err *e)
{
	if (p->max_nodes < 0)
		return err_set(e, -EINVAL, "max nodes must be above 0, not %lld",
			       (long long)p->max_nodes);
	if (p->max_nodes > MAX_NODES_MAX)
		return err_set(e, -EINVAL, "max nodes limit %d is less than the requested %lld",
			       MAX_NODES_MAX, (long long)p->max_nodes);
	*out = p->max_nodes ? (uint64_t)p->max_nodes : MAX_NODES_DEFAULT;
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
 * Parse {name="value", ...}. As in Prometheus a word before the braces is __name__, unless it is a
 * complete profile type, which Grafana puts there for dashboard variables.
 */
static int parse_label_selector(struct selection *s, struct str text, struct err *e)
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
	if (is_type) /* series are stored with five parts, without :delta */
		head = str_head(head, (size_t)(type.period_unit.p - head.p) + type.period_unit.n);
	if (head.n)
		rc = selector_add(&s->selector, MATCH_EQUAL,
				  is_type ? STR("__profile_type__") : STR("__name__"), head, e);
	return rc ? rc : selector_parse(&s->selector, str_from_at(trimmed, brace), e);
}

int query_params_select(struct selection *s, const struct query_params *p, struct request *r,
			struct err *e)
{
	int rc = selection_init(s, r, e);

	rc = rc ? rc : selection_set_range(s, p->start, p->end, e);
	if (!rc)
		rc = selection_set_type(s, p->type, r, e);
	if (!rc)
		rc = parse_label_selector(s, p->selector, e);
	if (!rc && p->spans.list.n && p->traces.list.n)
		rc = err_set(e, -EINVAL, "span and trace selectors exclude each other");
	if (!rc)
		rc = selection_set_spans(s, &p->spans, r, e);
	if (!rc)
		rc = selection_set_traces(s, &p->traces, r, e);
	if (!rc)
		rc = selection_set_profiles(s, &p->profiles, r, e);
	s->filter.call_site = p->call_site.list.at;
	s->filter.call_site_n = p->call_site.list.n;
	return rc;
}

int query_params_select_labels(struct selection *s, const struct query_params *p, bool any_time,
			       struct request *r, struct err *e)
{
	bool all = any_time && !p->start && !p->end;
	int rc = selection_init(s, r, e);

	if (!rc && !all)
		rc = selection_set_range(s, p->start, p->end, e);
	for (uint32_t i = 0; i < p->matchers.list.n && !rc; i++)
		rc = parse_label_selector(s, p->matchers.list.at[i], e);
	return rc;
}
