/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_SINK_H
#define VARVE_TEST_SINK_H

/* The end of a pipeline, which keeps what arrives, for tests of processors. */

#include <pthread.h>
#include <time.h>

#include "base/arena.h"
#include "pipeline/delivery.h"
#include "signal/otlp/tree.h"
#include "test/test.h"

enum { TEST_SINK_MAX = 20000 };

struct test_sink {
	struct consumer consumer;
	pthread_mutex_t mu;
	pthread_cond_t arrived;
	struct payload *payloads[TEST_SINK_MAX];
	struct delivery *held[TEST_SINK_MAX]; /* with `hold`: not done yet */
	unsigned count, held_count;
	uint64_t items;
	bool hold;
	struct delivery_result result; /* of all deliveries */
	char last_tenant[64], last_header[64];
};

static inline bool test_sink_consume(void *state, struct delivery *d)
{
	struct test_sink *s = state;
	struct payload *p = payload_keep(d->payload, NULL);
	bool hold;

	assert_non_null(p);
	pthread_mutex_lock(&s->mu);
	assert_true(s->count < TEST_SINK_MAX);
	s->payloads[s->count++] = p;
	s->items += d->payload->items;
	snprintf(s->last_tenant, sizeof(s->last_tenant), "%.*s", STR_ARG(d->tenant));
	snprintf(s->last_header, sizeof(s->last_header), "%.*s",
		 d->metadata_count ? (int)d->metadata[0].value.n : 0,
		 d->metadata_count ? d->metadata[0].value.p : "");
	hold = s->hold;
	if (hold)
		s->held[s->held_count++] = d;
	pthread_cond_signal(&s->arrived);
	pthread_mutex_unlock(&s->mu);
	if (!hold)
		delivery_done(d, &s->result);
	return !hold;
}

static inline void test_sink_init(struct test_sink *s)
{
	*s = (struct test_sink){.consumer = {s, test_sink_consume, NULL, NULL}};
	pthread_mutex_init(&s->mu, NULL);
	pthread_cond_init(&s->arrived, NULL);
}

/* Forget what has arrived. */
static inline void test_sink_clear(struct test_sink *s)
{
	for (unsigned i = 0; i < s->count; i++)
		payload_release(s->payloads[i]);
	s->count = 0;
	s->items = 0;
}

static inline void test_sink_fini(struct test_sink *s)
{
	test_sink_clear(s);
	pthread_cond_destroy(&s->arrived);
	pthread_mutex_destroy(&s->mu);
}

/* Wait until this many payloads have arrived. */
static inline void test_sink_wait(struct test_sink *s, unsigned count)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	pthread_mutex_lock(&s->mu);
	while (s->count < count)
		assert_ok(pthread_cond_timedwait(&s->arrived, &s->mu, &until));
	pthread_mutex_unlock(&s->mu);
}

/* Read a payload that has arrived; check its number of items. */
static inline struct otlp_tree test_sink_tree(const struct test_sink *s, unsigned i,
					      struct arena *arena)
{
	struct otlp_tree tree;
	struct err e = {0};

	assert_true(i < s->count);
	assert_ok_err(otlp_tree_read(&tree, s->payloads[i], arena, &e), &e);
	assert_int_equal(tree.items, s->payloads[i]->items);
	return tree;
}

#endif
