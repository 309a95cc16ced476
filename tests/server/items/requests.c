/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes requests of recognizable items, and reads their times back. The times are written as a mark
 * first, whose places are searched in the finished message.
 */
#include "items/requests.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "format/format.h"
#include "signal/otlp/tree.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "wire/proto.h"

/* A value that does not occur by chance. */
static const uint64_t time_mark = 0x1123456789abcdefu;

/* Field numbers of the time of an item, by signal_index(). */
static const uint32_t time_fields[SIGNALS] = {3, 7, 3, 1};

static void die(const char *what)
{
	fprintf(stderr, "items: %s\n", what);
	exit(2);
}

static void put_text_attribute(struct proto_writer *w, uint32_t field, const char *key,
			       const char *value)
{
	size_t mark = proto_mark(w);

	proto_put_bytes(w, 1, str_from(value));
	proto_put_header(w, 2, mark);
	proto_put_bytes(w, 1, str_from(key));
	proto_put_header(w, field, mark);
}

static void put_request_attributes(struct proto_writer *w, uint32_t field)
{
	put_text_attribute(w, field, "http.request.method", "GET");
	put_text_attribute(w, field, "url.path", "/api/orders/1234567/items");
	put_text_attribute(w, field, "server.address", "orders.shop.svc.cluster.local");
	put_text_attribute(w, field, "user_agent.original", "Mozilla/5.0 (X11; Linux x86_64)");
	put_text_attribute(w, field, "thread.name", "http-nio-8080-exec-12");
	put_text_attribute(w, field, "network.protocol.version", "1.1");
}

/* Ids from the index: different for each item, equal in all requests. */
static void put_id(struct proto_writer *w, uint32_t field, uint32_t index, size_t n)
{
	uint8_t id[16] = {0x5a, 0x17};

	memcpy(id + n - sizeof(index), &index, sizeof(index));
	proto_put_bytes(w, field, str_of((const char *)id, n));
}

static void put_item_span(struct proto_writer *w, uint32_t index)
{
	proto_put_uint(w, 15, 0);
	put_request_attributes(w, 9);
	proto_put_fixed64(w, 8, UINT64_C(1790000000000000000));
	proto_put_fixed64(w, 7, time_mark);
	proto_put_uint(w, 6, 2);
	proto_put_bytes(w, 5, STR("GET /api/orders/{id}/items"));
	put_id(w, 2, index, 8);
	put_id(w, 1, index / 5, 16);
}

/* A Metric with one data point. */
static void put_item_metric(struct proto_writer *w, uint32_t index)
{
	size_t data = proto_mark(w), point;
	char name[64];

	proto_put_uint(w, 3, 1); /* monotonic */
	proto_put_uint(w, 2, 2); /* cumulative */
	point = proto_mark(w);
	put_text_attribute(w, 7, "http.request.method", "GET");
	put_text_attribute(w, 7, "http.route", "/api/orders/{id}/items");
	put_text_attribute(w, 7, "http.response.status_code", "200");
	proto_put_fixed64_raw(w, index);
	proto_put_varint(w, PROTO_TAG(6, PROTO_FIXED64));
	proto_put_fixed64(w, 3, time_mark);
	proto_put_fixed64(w, 2, UINT64_C(1790000000000000000));
	proto_put_header(w, 1, point);
	proto_put_header(w, 7, data);
	snprintf(name, sizeof(name), "http.server.requests.%u", index % 100);
	proto_put_bytes(w, 1, str_from(name));
}

static void put_item_log(struct proto_writer *w, uint32_t index)
{
	size_t body;

	put_id(w, 10, index, 8);
	put_id(w, 9, index / 5, 16);
	put_text_attribute(w, 6, "thread.name", "http-nio-8080-exec-12");
	put_text_attribute(w, 6, "logger", "com.shop.orders.OrderController");
	body = proto_mark(w);
	proto_put_bytes(w, 1, STR("order 1234567 was accepted for customer 4711 in 12 ms"));
	proto_put_header(w, 5, body);
	proto_put_bytes(w, 3, STR("INFO"));
	proto_put_uint(w, 2, 9);
	proto_put_fixed64(w, 1, time_mark);
}

static void put_item(struct proto_writer *w, enum signal_kind signal, uint32_t index)
{
	size_t mark = proto_mark(w);

	if (signal == SIGNAL_TRACES)
		put_item_span(w, index);
	else if (signal == SIGNAL_METRICS)
		put_item_metric(w, index);
	else
		put_item_log(w, index);
	proto_put_header(w, 2, mark);
}

/* A request with one resource and one scope. */
static void make_plain_request(struct buf *out, enum signal_kind signal, uint32_t items)
{
	struct proto_writer w;
	size_t mark;

	proto_writer_init(&w, NULL);
	for (uint32_t i = items; i-- > 0;)
		put_item(&w, signal, i);
	mark = proto_mark(&w);
	proto_put_bytes(&w, 2, STR("1.2.3"));
	proto_put_bytes(&w, 1, STR("io.opentelemetry.http"));
	proto_put_header(&w, 1, mark);
	proto_put_header(&w, 2, 0);
	mark = proto_mark(&w);
	put_text_attribute(&w, 1, "service.name", "items");
	put_text_attribute(&w, 1, "service.version", "1.2.3");
	put_text_attribute(&w, 1, "host.name", "orders-7d4f9c-x2x9p");
	proto_put_header(&w, 1, mark);
	proto_put_header(&w, 1, 0);
	if (proto_writer_error(&w))
		die("out of memory");
	buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
}

enum { ITEM_FUNCTIONS = 400, ITEM_DEPTH = 24 };

/* Build a profile of `items` samples, ten of each stack. */
static int build_item_profile(struct profile_batch *batch, uint32_t items)
{
	struct keyvalue attributes[] = {{STR("service.name"), VALUE_OF_STR(STR("items"))}};
	struct profile_builder b;
	uint32_t locations[ITEM_FUNCTIONS], frames[ITEM_DEPTH], stack = 0, type, unit;
	struct profile row = {.period = 10000000,
			      .duration_nano = 15 * NS_PER_SECOND,
			      .time_unix_nano = time_mark};
	int rc = profile_builder_init(&b, batch);

	if (!rc)
		rc = profile_add_resource(&b, attributes, countof(attributes));
	if (!rc)
		rc = profile_add_scope(&b, STR("items"), STR("1"), NULL, 0);
	if (!rc)
		rc = profile_add_string(&b, STR("cpu"), &type);
	if (!rc)
		rc = profile_add_string(&b, STR("nanoseconds"), &unit);
	for (uint32_t i = 0; !rc && i < ITEM_FUNCTIONS; i++) {
		char name[96];

		snprintf(name, sizeof(name), "shop.example/orders/package%u.(*Worker).step%u",
			 i % 23, i);
		rc = profile_add_frame(&b, str_from(name), STR("/src/orders/worker.go"), (int64_t)i,
				       &locations[i]);
	}
	if (rc)
		return rc;
	row.sample_type.type = row.period_type.type = type;
	row.sample_type.unit = row.period_type.unit = unit;
	rc = profile_add_profile(&b, &row, NULL, 0);
	for (uint32_t i = 0; !rc && i < items; i++) {
		for (uint32_t k = 0; k < ITEM_DEPTH; k++)
			frames[k] =
				locations[(i / 10 * 7 + k * (1 + i / 10 % 13)) % ITEM_FUNCTIONS];
		if (i % 10 == 0)
			rc = profile_add_stack(&b, frames, ITEM_DEPTH, &stack);
		if (!rc)
			rc = profile_add_sample(&b, stack, 0, NULL, 0, 10000000 + i % 10);
	}
	return rc;
}

static void make_profile_request(struct buf *out, uint32_t items)
{
	struct encode_options options = {0};
	struct profile_batch batch;
	struct err e = {0};
	int rc = profile_batch_init(&batch, NULL);

	if (!rc)
		rc = build_item_profile(&batch, items);
	if (!rc)
		rc = format_by_name(STR("otlp"))->encode(out, &batch, &options, &e);
	if (rc)
		die(e.text[0] ? e.text : "cannot make a profile");
	profile_batch_fini(&batch);
}

void item_request_make(struct item_request *r, enum signal_kind signal, uint32_t items)
{
	const char *at, *found;

	*r = (struct item_request){.items = items};
	if (!items || items > ITEMS_PER_REQUEST_MAX)
		die("too many items in a request");
	if (signal == SIGNAL_PROFILES)
		make_profile_request(&r->bytes, items);
	else
		make_plain_request(&r->bytes, signal, items);
	r->offsets = calloc(items, sizeof(*r->offsets));
	if (!r->offsets)
		die("out of memory");
	at = r->bytes.p;
	while ((found = memmem(at, (size_t)(r->bytes.p + r->bytes.n - at), &time_mark,
			       sizeof(time_mark))) &&
	       r->times < items) {
		r->offsets[r->times++] = (uint32_t)(found - r->bytes.p);
		at = found + sizeof(time_mark);
	}
	if (r->times != (signal == SIGNAL_PROFILES ? 1 : items))
		die("a request without its times");
}

void item_request_fini(struct item_request *r)
{
	buf_fini(&r->bytes);
	free(r->offsets);
}

void item_request_number(struct item_request *r, uint64_t base, uint64_t number)
{
	for (uint32_t i = 0; i < r->times; i++) {
		uint64_t time = base + number * ITEMS_PER_REQUEST_MAX + i;

		memcpy(r->bytes.p + r->offsets[i], &time, sizeof(time));
	}
}

static uint64_t time_of_item(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t time = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_FIXED64))
			time = proto_fixed64(&r);
		else
			proto_skip(&r);
	}
	return time;
}

/* The times of the data points of a metric. */
static void times_of_points(struct str metric,
			    void (*seen)(void *arg, uint64_t time, uint64_t items), void *arg)
{
	struct str data;
	struct proto_reader r;

	if (!otlp_metric_data(metric, &data))
		return;
	r = proto_reader_of(data);
	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			seen(arg, time_of_item(proto_bytes(&r), 3), 1);
		else
			proto_skip(&r);
	}
}

bool item_times(enum signal_kind signal, struct str message,
		void (*seen)(void *arg, uint64_t time, uint64_t items), void *arg)
{
	uint32_t field = time_fields[signal_index(signal)];
	struct payload_slice slice;
	struct payload p;
	struct otlp_tree tree;
	struct arena arena;
	struct err e = {0};
	int rc;

	arena_init(&arena, NULL);
	payload_borrow(&p, &slice, signal, 0, message);
	rc = otlp_tree_read(&tree, &p, &arena, &e);
	for (uint32_t i = 0; !rc && i < tree.resource_count; i++)
		for (uint32_t k = 0; k < tree.resources[i].scope_count; k++) {
			const struct otlp_scope *scope = &tree.resources[i].scopes[k];

			for (uint32_t m = 0; m < scope->item_count; m++) {
				const struct otlp_item *item = &scope->items[m];

				if (signal == SIGNAL_METRICS)
					times_of_points(item->bytes, seen, arg);
				else
					seen(arg, time_of_item(item->bytes, field), item->count);
			}
		}
	arena_fini(&arena);
	return !rc;
}
