/* SPDX-License-Identifier: Apache-2.0 */
/* Reads routing keys from the bytes of items and resources. */
#include "pipeline/exporters/loadbalancing/route_keys.h"

#include <stdlib.h>

#include "signal/otlp/attributes.h"
#include "signal/otlp/build.h"

enum {
	SPAN_TRACE_ID = 1,
	SPAN_NAME = 5,
	SPAN_KIND = 6,
	LOG_TRACE_ID = 9,
	METRIC_NAME = 1,
	METRIC_UNIT = 3
};

enum route_by route_by_name(struct str name)
{
	static const char *const names[ROUTE_BY_COUNT] = {
		[ROUTE_DEFAULT] = "",	     [ROUTE_TRACE_ID] = "traceID",
		[ROUTE_SERVICE] = "service", [ROUTE_RESOURCE] = "resource",
		[ROUTE_METRIC] = "metric",   [ROUTE_ATTRIBUTES] = "attributes",
		[ROUTE_STREAM] = "streamID",
	};
	unsigned i = 0;

	while (i < ROUTE_BY_COUNT && !str_eq(name, str_from(names[i])))
		i++;
	return (enum route_by)i;
}

enum route_by route_by_of(enum route_by configured, enum signal_kind signal)
{
	static const unsigned signals[ROUTE_BY_COUNT] = {
		[ROUTE_DEFAULT] = SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
		[ROUTE_TRACE_ID] = SIGNAL_TRACES | SIGNAL_LOGS,
		[ROUTE_SERVICE] = SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
		[ROUTE_RESOURCE] = SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
		[ROUTE_METRIC] = SIGNAL_METRICS,
		[ROUTE_ATTRIBUTES] = SIGNAL_TRACES,
		[ROUTE_STREAM] = SIGNAL_METRICS,
	};

	if (!(signals[configured] & signal))
		return ROUTE_BY_COUNT;
	if (configured != ROUTE_DEFAULT)
		return configured;
	return signal == SIGNAL_TRACES ? ROUTE_TRACE_ID : ROUTE_SERVICE;
}

/* Return a field of bytes of a message; empty if there is none. */
static struct str find_field_bytes(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	struct str found = {0};

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			found = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return found;
}

static uint64_t find_varint(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t found = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_VARINT))
			found = proto_varint(&r);
		else
			proto_skip(&r);
	}
	return found;
}

static struct str route_trace_key(const struct route_item *at)
{
	bool log = at->signal == SIGNAL_LOGS;
	struct str id = find_field_bytes(at->item->bytes, log ? LOG_TRACE_ID : SPAN_TRACE_ID);

	return log && !id.n ? at->item->bytes : id;
}

static struct str route_service_key(const struct route_item *at, struct buf *scratch)
{
	struct value v;

	if (!otlp_attribute_find(at->resource->resource, OTLP_RESOURCE_ATTRIBUTES,
				 STR("service.name"), &v))
		return (struct str){0};
	if (v.kind == VALUE_STRING)
		return v.s;
	if (otlp_value_text(scratch, &v))
		return (struct str){0};
	return buf_str(scratch);
}

/* ---- resources ---- */

static int attribute_cmp(const void *a, const void *b)
{
	const struct otlp_attribute *one = a, *two = b;

	return str_cmp(one->key, two->key);
}

/* Put the attributes in the order of their keys: their order in the message has no meaning. */
static void put_sorted_attributes(struct buf *out, struct str message, uint32_t field)
{
	struct attributes list = {0};
	struct arena arena;
	int rc;

	arena_init(&arena, NULL);
	rc = otlp_attributes_read(&list, message, field, &arena);
	if (!rc && list.list.n)
		qsort(list.list.at, list.list.n, sizeof(*list.list.at), attribute_cmp);
	for (uint32_t i = 0; i < list.list.n && !rc; i++) {
		buf_put_str(out, list.list.at[i].key);
		buf_put_char(out, '=');
		rc = otlp_value_text(out, &list.list.at[i].value);
		buf_put_char(out, '\n');
	}
	if (rc)
		buf_put_str(out, message); /* damaged: any key will do */
	arena_fini(&arena);
}

static struct str route_resource_key(const struct route_item *at, struct buf *scratch)
{
	put_sorted_attributes(scratch, at->resource->resource, OTLP_RESOURCE_ATTRIBUTES);
	return buf_str(scratch);
}

/* ---- streams ---- */

static uint32_t stream_point_attributes(uint32_t kind)
{
	switch (kind) {
	case OTLP_HISTOGRAM:
		return OTLP_HISTOGRAM_POINT_ATTRIBUTES;
	case OTLP_EXPONENTIAL:
		return OTLP_EXPONENTIAL_POINT_ATTRIBUTES;
	case OTLP_SUMMARY:
		return OTLP_SUMMARY_POINT_ATTRIBUTES;
	default:
		return OTLP_NUMBER_POINT_ATTRIBUTES;
	}
}

struct str route_stream_key(const struct route_item *at, uint32_t kind, struct str point,
			    struct buf *scratch)
{
	buf_rewind(scratch);
	put_sorted_attributes(scratch, at->resource->resource, OTLP_RESOURCE_ATTRIBUTES);
	buf_put_str(scratch, at->scope->scope);
	buf_put_char(scratch, '\n');
	buf_put_str(scratch, find_field_bytes(at->item->bytes, METRIC_NAME));
	buf_put_char(scratch, '\n');
	buf_put_str(scratch, find_field_bytes(at->item->bytes, METRIC_UNIT));
	buf_put_char(scratch, '\n');
	buf_put_u64(scratch, kind);
	buf_put_char(scratch, '\n');
	put_sorted_attributes(scratch, point, stream_point_attributes(kind));
	return buf_str(scratch);
}

static struct str first_stream_key(const struct route_item *at, struct buf *scratch)
{
	struct str data = {0};
	uint32_t kind = otlp_metric_data(at->item->bytes, &data);
	struct proto_reader r = proto_reader_of(data);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			return route_stream_key(at, kind, proto_bytes(&r), scratch);
		proto_skip(&r);
	}
	return (struct str){0};
}

/* ---- routing_attributes ---- */

static bool find_route_attribute(const struct route_item *at, struct str name, struct value *out)
{
	return otlp_attribute_find(at->resource->resource, OTLP_RESOURCE_ATTRIBUTES, name, out) ||
	       otlp_attribute_find(at->scope->scope, OTLP_SCOPE_ATTRIBUTES, name, out) ||
	       otlp_attribute_find(at->item->bytes, OTLP_SPAN_ATTRIBUTES, name, out);
}

static void put_route_attribute(const struct route_item *at, struct str name, struct buf *out)
{
	struct value v;

	if (str_eq(name, STR("span.name")))
		buf_put_str(out, find_field_bytes(at->item->bytes, SPAN_NAME));
	else if (str_eq(name, STR("span.kind")))
		buf_put_u64(out, find_varint(at->item->bytes, SPAN_KIND));
	else if (find_route_attribute(at, name, &v) && otlp_value_text(out, &v))
		buf_put_char(out, '?'); /* damaged */
	buf_put_char(out, '\n');
}

struct str route_key(enum route_by by, const struct setting_list *attributes,
		     const struct route_item *at, struct buf *scratch)
{
	buf_rewind(scratch);
	switch (by) {
	case ROUTE_TRACE_ID:
		return route_trace_key(at);
	case ROUTE_SERVICE:
		return route_service_key(at, scratch);
	case ROUTE_RESOURCE:
		return route_resource_key(at, scratch);
	case ROUTE_METRIC:
		return find_field_bytes(at->item->bytes, METRIC_NAME);
	case ROUTE_STREAM:
		return first_stream_key(at, scratch);
	default:
		for (uint32_t i = 0; i < attributes->n; i++)
			put_route_attribute(at, attributes->at[i], scratch);
		return buf_str(scratch);
	}
}
