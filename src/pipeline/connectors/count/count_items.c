/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers are those of opentelemetry.proto. */
#include "pipeline/connectors/count/count_items.h"

enum {
	SPAN_START = 7,
	SPAN_END = 8,
	SPAN_EVENTS = 11,
	EVENT_TIME = 1,
	DATA_POINTS = 1,
	POINT_START = 2,
	POINT_TIME = 3,
	LOG_TIME = 1,
	LOG_OBSERVED = 11,
	PROFILE_TIME = 3,
	PROFILE_DURATION = 4,
	PROFILE_ATTRIBUTES = 11,
	DICTIONARY = 2, /* of the request of profiles */
	DICTIONARY_STRINGS = 5,
	DICTIONARY_ATTRIBUTES = 6,
	ATTRIBUTE_KEY = 1,
	ATTRIBUTE_VALUE = 2,
};

/* ---- profiles ---- */

static int read_dictionary_part(struct count_dictionary *d, struct proto_reader r,
				struct arena *arena)
{
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(DICTIONARY_STRINGS, PROTO_BYTES))
			rc = vec_push(arena, &d->strings, proto_bytes(&r));
		else if (r.tag == PROTO_TAG(DICTIONARY_ATTRIBUTES, PROTO_BYTES))
			rc = vec_push(arena, &d->attributes, proto_bytes(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

int count_dictionary_read(struct count_dictionary *d, const struct otlp_tree *tree,
			  struct arena *arena)
{
	struct proto_reader r = proto_reader_of(tree->unknown);
	int rc = 0;

	*d = (struct count_dictionary){0};
	while (!rc && tree->signal == SIGNAL_PROFILES && proto_next(&r)) {
		if (r.tag == PROTO_TAG(DICTIONARY, PROTO_BYTES))
			rc = read_dictionary_part(d, proto_message(&r), arena);
		else
			proto_skip(&r);
	}
	return rc;
}

/* Return whether row `index` of the dictionary is an attribute of that key, with its value. */
static bool is_dictionary_attribute(const struct count_dictionary *d, uint64_t index,
				    struct str key, struct value *out)
{
	struct proto_reader r;
	struct str value = {0};
	uint64_t name = 0;

	if (index >= d->attributes.n)
		return false;
	r = proto_reader_of(d->attributes.at[index]);
	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(ATTRIBUTE_KEY, PROTO_VARINT))
			name = proto_varint(&r);
		else if (r.tag == PROTO_TAG(ATTRIBUTE_VALUE, PROTO_BYTES))
			value = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return name < d->strings.n && str_eq(d->strings.at[name], key) &&
	       otlp_value_read(value, out);
}

/* Find an attribute of a profile by its indices, which are packed or not. */
static bool find_profile_attribute(const struct counted_item *item, struct str key,
				   struct value *out)
{
	struct proto_reader r = proto_reader_of(item->message);

	while (proto_next(&r)) {
		struct proto_reader packed;

		if (r.tag == PROTO_TAG(PROFILE_ATTRIBUTES, PROTO_VARINT)) {
			if (is_dictionary_attribute(item->dictionary, proto_varint(&r), key, out))
				return true;
			continue;
		}
		if (r.tag != PROTO_TAG(PROFILE_ATTRIBUTES, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		packed = proto_message(&r);
		while (packed.at < packed.end && !packed.error)
			if (is_dictionary_attribute(item->dictionary, proto_varint(&packed), key,
						    out))
				return true;
	}
	return false;
}

/* ---- attributes ---- */

static uint32_t attributes_field(const struct counted_item *item)
{
	switch (item->kind) {
	case COUNTED_SPANS:
		return OTLP_SPAN_ATTRIBUTES;
	case COUNTED_SPAN_EVENTS:
		return OTLP_SPAN_EVENT_ATTRIBUTES;
	case COUNTED_LOGS:
		return OTLP_LOG_ATTRIBUTES;
	default:
		return item->data == OTLP_HISTOGRAM	? OTLP_HISTOGRAM_POINT_ATTRIBUTES
		       : item->data == OTLP_EXPONENTIAL ? OTLP_EXPONENTIAL_POINT_ATTRIBUTES
							: OTLP_NUMBER_POINT_ATTRIBUTES;
	}
}

bool counted_item_attribute(const struct counted_item *item, struct str key, struct value *out)
{
	bool found = false;

	if (item->kind == COUNTED_PROFILES)
		found = find_profile_attribute(item, key, out);
	else if (item->kind != COUNTED_METRICS)
		found = otlp_attribute_find(item->message, attributes_field(item), key, out);
	return found || otlp_attribute_find(item->scope, OTLP_SCOPE_ATTRIBUTES, key, out) ||
	       otlp_attribute_find(item->resource, OTLP_RESOURCE_ATTRIBUTES, key, out);
}

/* ---- times ---- */

/* Read up to two numbers of a message: fixed64 or varint. */
static void read_two_fields(struct str message, uint32_t first, uint32_t second, uint64_t out[2])
{
	struct proto_reader r = proto_reader_of(message);

	out[0] = out[1] = 0;
	while (proto_next(&r)) {
		uint32_t field = proto_field(&r);
		bool wanted = field == first || field == second;
		unsigned i = field == first ? 0 : 1;

		if (wanted && r.tag == PROTO_TAG(field, PROTO_FIXED64))
			out[i] = proto_fixed64(&r);
		else if (wanted && r.tag == PROTO_TAG(field, PROTO_VARINT))
			out[i] = proto_varint(&r);
		else
			proto_skip(&r);
	}
}

static struct count_span_of_time between(struct str message, uint32_t begin, uint32_t end)
{
	uint64_t at[2];

	read_two_fields(message, begin, end, at);
	return (struct count_span_of_time){at[0] ? at[0] : at[1], at[1] > at[0] ? at[1] : at[0]};
}

/* Of all data points. */
static struct count_span_of_time metric_time(struct str metric)
{
	struct count_span_of_time all = {0};
	struct proto_reader r;
	struct str data, point;

	if (!otlp_metric_data(metric, &data))
		return all;
	r = proto_reader_of(data);
	while (count_next_part(&r, COUNTED_DATA_POINTS, &point)) {
		struct count_span_of_time t = between(point, POINT_START, POINT_TIME);

		if (t.begin && (!all.begin || t.begin < all.begin))
			all.begin = t.begin;
		all.end = t.end > all.end ? t.end : all.end;
	}
	return all;
}

struct count_span_of_time counted_item_time(const struct counted_item *item)
{
	uint64_t at[2];

	switch (item->kind) {
	case COUNTED_SPANS:
		return between(item->message, SPAN_START, SPAN_END);
	case COUNTED_SPAN_EVENTS:
		return between(item->message, EVENT_TIME, EVENT_TIME);
	case COUNTED_METRICS:
		return metric_time(item->message);
	case COUNTED_DATA_POINTS:
		return between(item->message, POINT_START, POINT_TIME);
	case COUNTED_LOGS:
		read_two_fields(item->message, LOG_TIME, LOG_OBSERVED, at);
		at[0] = at[0] ? at[0] : at[1];
		return (struct count_span_of_time){at[0], at[0]};
	default:
		read_two_fields(item->message, PROFILE_TIME, PROFILE_DURATION, at);
		return (struct count_span_of_time){at[0], at[0] + at[1]};
	}
}

bool count_next_part(struct proto_reader *r, enum count_kind kind, struct str *part)
{
	uint32_t field = kind == COUNTED_SPAN_EVENTS ? SPAN_EVENTS : DATA_POINTS;

	while (proto_next(r)) {
		if (r->tag == PROTO_TAG(field, PROTO_BYTES)) {
			*part = proto_bytes(r);
			return !r->error;
		}
		proto_skip(r);
	}
	return false;
}
