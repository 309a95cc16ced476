/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_API_API_TEST_H
#define VARVE_TESTS_API_API_TEST_H

/* A small store with test data, and API requests without a socket. */

#include "api/pyroscope/querier.h"
#include "base/clock.h"
#include "test/memory_store.h"
#include "test/store_fill.h"

#define S NS_PER_SECOND
#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define HEAP "memory:inuse_space:bytes:space:bytes"
#define T0 1700000000 /* start of the data, in seconds */
#define T0_MS "1700000000000"
#define T1_MS "1700000060000"

static UNUSED void fill_shop(struct store *s)
{
	static const struct fill rows[] = {
		{.type = CPU,
		 .labels = "service_name=shop,env=prod,k8s.pod=p1",
		 .time = T0 * S,
		 .duration = 10 * S,
		 .id = "0123456789abcdef",
		 .samples = "main;a 10 #1a, main;b 20"},
		{.type = CPU,
		 .labels = "service_name=shop,env=dev",
		 .time = (T0 + 15) * S,
		 .duration = 10 * S,
		 .samples = "main;a 1, main;c;d 2"},
		{.type = CPU,
		 .labels = "service_name=cart,env=prod",
		 .time = (T0 + 30) * S,
		 .samples = "main;q 400 #2b"},
		{.type = HEAP,
		 .labels = "service_name=shop,env=prod",
		 .time = T0 * S,
		 .samples = "main;alloc 100"},
		{.type = HEAP,
		 .labels = "service_name=shop,env=prod",
		 .time = (T0 + 15) * S,
		 .samples = "main;alloc 300"},
	};

	for (size_t i = 0; i < countof(rows); i++)
		assert_ok(store_fill(s, &rows[i], NULL));
}

static UNUSED int empty_setup(void **state)
{
	return memory_store_open((struct store **)state);
}

static UNUSED int shop_setup(void **state)
{
	int rc = memory_store_open((struct store **)state);

	if (!rc)
		fill_shop(*state);
	return rc;
}

static UNUSED int shop_teardown(void **state)
{
	struct store *s = *state;

	s->ops->close(s);
	return 0;
}

/* Assert that the text contains `part`. */
#define assert_has(text, part)                                                                     \
	do {                                                                                       \
		struct str text_ = (text), part_ = str_from(part);                                 \
		if (str_find_str(text_, part_) == text_.n)                                         \
			fail_msg("\"%.*s\" has no %s", STR_ARG(text_), (part));                    \
	} while (0)

struct test_request {
	struct request request;
	struct arena arena;
	struct budget budget;
	struct reply reply;
	struct buf message, json;
	struct err e;
};

static UNUSED void test_request_init(struct test_request *q, struct store *s)
{
	*q = (struct test_request){.budget.limit = 64 * MIB};
	arena_init(&q->arena, &q->budget);
	q->request = (struct request){
		.store = s,
		.arena = &q->arena,
		.limits.budget = &q->budget,
		.now_ns = (T0 + 60) * S,
	};
}

static UNUSED void test_request_fini(struct test_request *q)
{
	buf_fini(&q->reply.body);
	buf_fini(&q->message);
	buf_fini(&q->json);
	arena_fini(&q->arena);
	assert_int_equal(q->budget.used, 0);
}

/* Call a method of the querier in JSON; the response is q->json. */
static UNUSED int request_rpc(struct test_request *q, const char *name, const char *json)
{
	const struct querier_rpc *rpc = querier_rpcs;
	int rc;

	while (!str_eq(rpc->name, str_from(name)))
		rpc++;
	rc = schema_json_to_proto(&q->message, rpc->request, str_from(json), &q->arena, &q->e);
	q->request.body = buf_str(&q->message);
	if (!rc)
		rc = rpc->answer(&q->request, &q->reply, &q->e);
	if (!rc)
		rc = schema_to_json(&q->json, rpc->response, buf_str(&q->reply.body), &q->e);
	return rc;
}

#define assert_rpc(store, name, body, expected)                                                    \
	do {                                                                                       \
		struct test_request q_;                                                            \
		test_request_init(&q_, (store));                                                   \
		assert_ok_err(request_rpc(&q_, (name), (body)), &q_.e);                            \
		assert_str_equal(buf_str(&q_.json), str_from(expected));                           \
		test_request_fini(&q_);                                                            \
	} while (0)

/* Assert that the call fails with this code and text. */
#define assert_rpc_fails(store, name, body, rc, says)                                              \
	do {                                                                                       \
		struct test_request q_;                                                            \
		test_request_init(&q_, (store));                                                   \
		assert_int_equal(request_rpc(&q_, (name), (body)), (rc));                          \
		assert_err_says(&q_.e, (says));                                                    \
		test_request_fini(&q_);                                                            \
	} while (0)

/* Call an endpoint with these parameters; the response is q->reply. */
static UNUSED int request_page(struct test_request *q, api_answer *answer, const char *query)
{
	q->request.query = str_from(query);
	return answer(&q->request, &q->reply, &q->e);
}

#define assert_page(store, answer, query, expected)                                                \
	do {                                                                                       \
		struct test_request q_;                                                            \
		test_request_init(&q_, (store));                                                   \
		assert_ok_err(request_page(&q_, (answer), (query)), &q_.e);                        \
		assert_str_equal(buf_str(&q_.reply.body), str_from(expected));                     \
		test_request_fini(&q_);                                                            \
	} while (0)

#define assert_page_fails(store, answer, query, rc, says)                                          \
	do {                                                                                       \
		struct test_request q_;                                                            \
		test_request_init(&q_, (store));                                                   \
		assert_int_equal(request_page(&q_, (answer), (query)), (rc));                      \
		assert_err_says(&q_.e, (says));                                                    \
		test_request_fini(&q_);                                                            \
	} while (0)

#endif
