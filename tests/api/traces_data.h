/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_API_TRACES_DATA_H
#define VARVE_TESTS_API_TRACES_DATA_H

/* An embedded store with profiles, and traces in OTLP's JSON to put into it. */

#include <stdio.h>
#include <unistd.h>

#include "api_test.h"
#include "format/otlp/schema.h"
#include "format/otlp/traces.h"
#include "store/sqlite/sqlite_store.h"

struct fixture {
	char directory[64];
	struct store *store;
};

static UNUSED int traces_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sqlite_store_options o = {.manual = true, .window_ms = 1};
	struct err e = {0};

	assert_non_null(f);
	strcpy(f->directory, "/tmp/varve-traces-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	o.directory = f->directory;
	assert_ok_err(sqlite_store_open(&f->store, &o, &e), &e);
	fill_shop(f->store);
	*state = f;
	return 0;
}

static UNUSED int traces_teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	f->store->ops->close(f->store);
	snprintf(command, sizeof(command), "rm -rf %s", f->directory);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static UNUSED void merge_blocks(struct fixture *f)
{
	struct err e = {0};

	assert_ok_err(sqlite_store_work(f->store, true, &e), &e);
}

/* ---- data ---- */

/* Two traces: attributes of all scopes and types, events, links, an array and a map. */
static UNUSED const char traces[] =
	"{\"resourceSpans\":[{\"resource\":{\"attributes\":["
	"{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}},"
	"{\"key\":\"host\",\"value\":{\"stringValue\":\"h1\"}}]},\"scopeSpans\":[{\"scope\":{"
	"\"name\":\"lib\",\"version\":\"1.2\",\"attributes\":[{\"key\":\"lang\",\"value\":{"
	"\"stringValue\":\"c\"}}]},\"spans\":["
	"{\"traceId\":\"00000000000000000000000000000011\",\"spanId\":\"0000000000000001\","
	"\"name\":\"GET /\",\"kind\":2,\"startTimeUnixNano\":\"1700000001000000000\","
	"\"endTimeUnixNano\":\"1700000002000000000\",\"status\":{\"code\":2,\"message\":\"bad\"},"
	"\"attributes\":[{\"key\":\"code\",\"value\":{\"intValue\":\"500\"}},"
	"{\"key\":\"flag\",\"value\":{\"boolValue\":true}},"
	"{\"key\":\"ratio\",\"value\":{\"doubleValue\":0.1}},"
	"{\"key\":\"list\",\"value\":{\"arrayValue\":{\"values\":[{\"stringValue\":\"x\"},"
	"{\"stringValue\":\"y\"}]}}},"
	"{\"key\":\"map\",\"value\":{\"kvlistValue\":{\"values\":[]}}}],"
	"\"events\":[{\"name\":\"retry\",\"timeUnixNano\":\"1700000001500000000\","
	"\"attributes\":[{\"key\":\"attempt\",\"value\":{\"intValue\":\"-2\"}}]}],"
	"\"links\":[{\"traceId\":\"00000000000000000000000000000012\","
	"\"spanId\":\"0000000000000002\",\"attributes\":[{\"key\":\"why\",\"value\":{"
	"\"stringValue\":\"batch\"}}]}]},"
	"{\"traceId\":\"00000000000000000000000000000011\",\"spanId\":\"0000000000000003\","
	"\"parentSpanId\":\"0000000000000001\",\"name\":\"SELECT\",\"kind\":3,"
	"\"startTimeUnixNano\":\"1700000001100000000\","
	"\"endTimeUnixNano\":\"1700000001200000000\","
	"\"attributes\":[{\"key\":\"code\",\"value\":{\"stringValue\":\"ok\"}}]}]}]},"
	"{\"resource\":{\"attributes\":["
	"{\"key\":\"code\",\"value\":{\"stringValue\":\"of a resource\"}}]},"
	"\"scopeSpans\":[{\"spans\":["
	"{\"traceId\":\"00000000000000000000000000000012\",\"spanId\":\"0000000000000002\","
	"\"name\":\"tick\",\"startTimeUnixNano\":\"1700000003000000000\","
	"\"endTimeUnixNano\":\"1700000003000000001\"}]}]}]}";

static UNUSED void put_json(struct fixture *f, const char *json, struct str tenant)
{
	struct span_batch b;
	struct store_write w = {.spans = &b, .tenant = tenant};
	struct buf message = {0};
	struct arena arena;
	struct err e = {0};

	arena_init(&arena, NULL);
	span_batch_init(&b, NULL);
	assert_ok_err(
		schema_json_to_proto(&message, &otlp_traces_request, str_from(json), &arena, &e),
		&e);
	assert_ok_err(otlp_traces_decode(&b, buf_str(&message), &e), &e);
	assert_ok(store_put_wait(f->store, &w));
	span_batch_fini(&b);
	arena_fini(&arena);
	buf_fini(&message);
}

#endif
