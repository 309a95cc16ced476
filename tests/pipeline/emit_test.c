/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries of payloads that components made: what they carry, and when they are released. */
#include "pipeline/emit.h"

#include <errno.h>

#include "net/http/http.h"
#include "test/test.h"

static struct delivery *held;
static unsigned results;
static int last;

static bool hold(void *state, struct delivery *d)
{
	held = d;
	return *(bool *)state;
}

static void count_done(void *owner, const struct delivery_result *result)
{
	(void)owner;
	results++;
	last = result->rc;
}

static struct payload *payload_of(uint32_t items)
{
	return payload_copy(SIGNAL_LOGS, items, STR("bytes"), NULL);
}

static void a_delivery_has_copies_of_the_options(void **state)
{
	bool copied = false;
	struct consumer next = {.state = &copied, .consume = hold};
	char tenant[] = "acme", name[] = "x-team";
	struct http_header header = {str_from(name), STR("blue")};
	struct emit_options o = {.tenant = str_from(tenant),
				 .transport = "tcp",
				 .metadata = &header,
				 .metadata_count = 1,
				 .done = count_done};

	(void)state;
	results = 0;
	emit_payload(&next, payload_of(2), &o);
	tenant[0] = name[0] = '!';
	assert_str_equal(held->tenant, STR("acme"));
	assert_str_equal(held->metadata[0].name, STR("x-team"));
	assert_str_equal(held->metadata[0].value, STR("blue"));
	assert_string_equal(held->transport, "tcp");
	assert_int_equal(held->payload->items, 2);
	assert_int_equal(held->signal, SIGNAL_LOGS);
	assert_int_equal(results, 0);
	delivery_done(held, &(struct delivery_result){.rc = -EAGAIN});
	assert_int_equal(results, 1);
	assert_int_equal(last, -EAGAIN);
	copied = true;
	emit_payload(&next, payload_of(2), NULL);
	delivery_done(held, &(struct delivery_result){0});
}

static void nothing_is_done_at_once(void **state)
{
	struct emit_options o = {.done = count_done};

	(void)state;
	results = 0;
	emit_payload(NULL, payload_of(0), &o);
	assert_int_equal(results, 1);
	assert_int_equal(last, 0);
	emit_payload(NULL, NULL, &o);
	assert_int_equal(results, 2);
	assert_int_equal(last, -ENOMEM);
}

TEST_MAIN(test(a_delivery_has_copies_of_the_options), test(nothing_is_done_at_once))
