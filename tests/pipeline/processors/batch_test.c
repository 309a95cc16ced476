/* SPDX-License-Identifier: Apache-2.0 */
/* The processor batch: sizes, timeouts, headers, acknowledgements; no item is lost or doubled. */
#include "pipeline/processors/batch/batch_processor.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/thread.h"
#include "net/http/http.h"
#include "pipeline/convert/profile_payload.h"
#include "signal/otlp/build.h"
#include "signal/random_batch.h"
#include "test/component.h"
#include "test/sink.h"

struct batch_fixture {
	struct host host;
	struct test_sink sink;
	struct test_component x;
	struct component_env env;
	struct arena arena;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct batch_fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	test_sink_init(&f->sink);
	arena_init(&f->arena, NULL);
	f->env = (struct component_env){.id = "batch", .pipeline = "logs", .host = &f->host};
	f->env.next[signal_index(SIGNAL_LOGS)] = &f->sink.consumer;
	return host_init(&f->host, 1, 64 * MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct batch_fixture *f = *state;

	test_component_free(&f->x);
	test_sink_fini(&f->sink);
	arena_fini(&f->arena);
	assert_int_equal(f->host.memory.used, 0);
	host_fini(&f->host);
	free(f);
	return 0;
}

static void begin(struct batch_fixture *f, const char *yaml)
{
	assert_ok_err(test_component_new(&f->x, &batch_processor, &f->env, yaml), &f->x.e);
	assert_ok(batch_processor.start(f->x.instance, &f->e));
}

static void end(struct batch_fixture *f)
{
	batch_processor.stop(f->x.instance);
}

/* Return logs with the times `first`, `first` + 1 ..., in resources of three. */
static struct payload *logs_from(uint64_t first, unsigned n)
{
	struct otlp_builder b;
	struct payload *p;

	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	for (unsigned i = 0; i < n; i++) {
		if (i % 3 == 0)
			otlp_begin_resource(&b, NULL, STR("https://schema/1"));
		otlp_add_log(&b, &(struct otlp_log){.time = first + i});
	}
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	return p;
}

/* A delivery of a test, and its result. */
struct sent {
	struct delivery delivery;
	struct payload *payload;
	_Atomic unsigned done;
	struct delivery_result result;
};

static void sent_done(struct delivery *d, const struct delivery_result *result)
{
	struct sent *s = d->owner;

	s->result = *result;
	atomic_fetch_add(&s->done, 1);
}

/* Pass on a payload and release it. */
static void send_payload(struct batch_fixture *f, struct sent *s, struct payload *p)
{
	s->payload = p;
	s->delivery.signal = p->signal;
	s->delivery.payload = s->payload;
	s->delivery.done = sent_done;
	s->delivery.owner = s;
	batch_processor.consume(f->x.instance, &s->delivery);
	payload_release(s->payload);
}

static void send_logs(struct batch_fixture *f, struct sent *s, uint64_t first, unsigned n)
{
	send_payload(f, s, logs_from(first, n));
}

static void a_batch_is_sent_when_it_is_full(void **state)
{
	struct batch_fixture *f = *state;
	struct sent sent[5] = {0};

	begin(f, "{send_batch_size: 10, timeout: 1h}");
	for (unsigned i = 0; i < 4; i++)
		send_logs(f, &sent[i], 1 + 4 * i, 4);
	assert_int_equal(f->sink.count, 1);
	assert_int_equal(f->sink.payloads[0]->items, 12);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sent[i].done, 1); /* at once */
	end(f);
	assert_int_equal(f->sink.count, 2);
	assert_int_equal(f->sink.payloads[1]->items, 4);
}

static void a_batch_is_sent_after_its_timeout(void **state)
{
	struct batch_fixture *f = *state;
	struct sent sent[3] = {0};

	begin(f, "{timeout: 5ms}");
	send_logs(f, &sent[0], 1, 2);
	test_sink_wait(&f->sink, 1);
	send_logs(f, &sent[1], 1, 3);
	test_sink_wait(&f->sink, 2);
	assert_int_equal(f->sink.items, 5);
	end(f);
}

static void without_size_or_timeout_all_is_sent_at_once(void **state)
{
	static const char *const yaml[] = {"{timeout: 0s}", "{send_batch_size: 0}",
					   "{timeout: 0s, send_batch_max_size: 10000}"};
	struct batch_fixture *f = *state;

	for (unsigned i = 0; i < countof(yaml); i++) {
		struct sent sent = {0};

		begin(f, yaml[i]);
		send_logs(f, &sent, 1, 2);
		assert_int_equal(f->sink.count, 1);
		end(f);
		test_component_free(&f->x);
		test_sink_clear(&f->sink);
	}
	f->x = (struct test_component){0};
}

static void large_batches_are_cut(void **state)
{
	static const unsigned expected[] = {12, 12, 12, 3};
	struct batch_fixture *f = *state;
	struct sent sent[2] = {0};

	begin(f, "{send_batch_size: 10, send_batch_max_size: 12, timeout: 1h}");
	send_logs(f, &sent[0], 1, 25);
	assert_int_equal(f->sink.count, 2); /* the one left waits for more */
	send_logs(f, &sent[1], 26, 14);
	assert_int_equal(f->sink.count, 3);
	end(f);
	assert_int_equal(f->sink.count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(f->sink.payloads[i]->items, expected[i]);
}

static void deliveries_of_durable_pipelines_wait_for_their_items(void **state)
{
	struct batch_fixture *f = *state;
	const struct delivery_result good = {0}, bad = {.rc = -EIO, .reason = "disk"};
	struct sent sent[4] = {0};

	f->env.durable = true;
	f->sink.hold = true;
	begin(f, "{send_batch_size: 10, send_batch_max_size: 10, timeout: 1h}");
	send_logs(f, &sent[0], 1, 4);
	send_logs(f, &sent[1], 5, 12); /* 10 are sent, 6 stay */
	assert_int_equal(f->sink.held_count, 1);
	send_logs(f, &sent[2], 17, 4);
	assert_int_equal(f->sink.held_count, 2);
	send_logs(f, &sent[3], 21, 1);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sent[i].done, 0);
	delivery_done(f->sink.held[0], &bad);
	assert_int_equal(sent[0].done, 1);
	assert_int_equal(sent[0].result.rc, -EIO);
	assert_int_equal(sent[1].done, 0);
	delivery_done(f->sink.held[1], &good);
	assert_int_equal(sent[1].done, 1);
	assert_int_equal(sent[1].result.rc, -EIO); /* a part of it was lost */
	assert_int_equal(sent[2].done, 1);
	assert_ok(sent[2].result.rc);
	f->sink.hold = false;
	end(f);
	assert_int_equal(sent[3].done, 1);
	assert_ok(sent[3].result.rc);
}

static unsigned count_done(const struct sent *sent, unsigned n)
{
	unsigned done = 0;

	for (unsigned i = 0; i < n; i++)
		done += atomic_load(&sent[i].done);
	return done;
}

static void senders_wait_while_exporters_do_not_take_batches(void **state)
{
	enum { ON_WAY = 4, SENT = ON_WAY + 3 };
	struct batch_fixture *f = *state;
	const struct delivery_result good = {0};
	struct sent sent[SENT] = {0};

	f->sink.hold = true;
	begin(f, "{send_batch_size: 1, timeout: 1h}");
	for (unsigned i = 0; i < ON_WAY; i++)
		send_logs(f, &sent[i], 1 + i, 1);
	assert_int_equal(count_done(sent, SENT), ON_WAY);
	send_logs(f, &sent[ON_WAY], 100, 1);
	assert_int_equal(f->sink.held_count, ON_WAY + 1);
	assert_int_equal(sent[ON_WAY].done, 0);
	delivery_done(f->sink.held[0], &good);
	assert_int_equal(sent[ON_WAY].done, 0);
	delivery_done(f->sink.held[1], &good);
	assert_int_equal(sent[ON_WAY].done, 1);
	/* one that waits long is acknowledged, lest its sender repeats it; and all at the end */
	send_logs(f, &sent[ON_WAY + 1], 101, 1);
	assert_int_equal(sent[ON_WAY + 1].done, 1);
	send_logs(f, &sent[ON_WAY + 2], 102, 1);
	for (unsigned tries = 0; !atomic_load(&sent[ON_WAY + 2].done) && tries < 6000; tries++)
		usleep(10000);
	assert_int_equal(count_done(sent, SENT), SENT);
	send_logs(f, &sent[0], 103, 1);
	assert_int_equal(count_done(sent, SENT), SENT);
	end(f);
	assert_int_equal(count_done(sent, SENT), SENT + 1);
	for (unsigned i = 2; i < f->sink.held_count; i++)
		delivery_done(f->sink.held[i], &good);
}

static void batches_are_separate_by_headers_and_tenants(void **state)
{
	static const struct http_header headers[] = {
		{STR_INIT("x-org"), STR_INIT("a")},
		{STR_INIT("x-org"), STR_INIT("b")},
		{STR_INIT("other"), STR_INIT("c")},
	};
	struct batch_fixture *f = *state;
	struct sent sent[7] = {0};

	begin(f, "{timeout: 1h, metadata_keys: [X-Org], metadata_cardinality_limit: 3}");
	for (unsigned i = 0; i < 3; i++) {
		sent[i].delivery.metadata = &headers[i];
		sent[i].delivery.metadata_count = 1;
		send_logs(f, &sent[i], i, 1);
	}
	send_logs(f, &sent[3], 3, 1); /* as with the header "other" */
	sent[4].delivery.tenant = STR("t");
	send_logs(f, &sent[4], 4, 1);
	sent[5].delivery.metadata = &(struct http_header){STR("x-org"), STR("z")};
	sent[5].delivery.metadata_count = 1;
	send_logs(f, &sent[5], 5, 1);
	assert_int_equal(sent[5].result.rc, -EINVAL);
	assert_string_equal(sent[5].result.reason, "too many batcher metadata-value combinations");
	end(f);
	assert_int_equal(f->sink.count, 4);
	assert_int_equal(f->sink.payloads[2]->items, 2);
	assert_string_equal(f->sink.last_tenant, "t");
	assert_string_equal(f->sink.last_header, "");
}

static void sizes_and_triggers_are_counted(void **state)
{
	struct batch_fixture *f = *state;
	struct sent sent[2] = {0};
	struct buf text = {0};

	begin(f, "{send_batch_size: 10, timeout: 1h}");
	send_logs(f, &sent[0], 1, 12);
	send_logs(f, &sent[1], 13, 30);
	end(f);
	telemetry_write(&f->host.telemetry, &text);
	buf_put_char(&text, 0);
	assert_non_null(strstr(text.p, "otelcol_processor_batch_batch_size_trigger_send{"
				       "processor=\"batch\"} 2\n"));
	assert_non_null(strstr(text.p, "otelcol_processor_batch_batch_send_size_sum{"
				       "processor=\"batch\"} 42\n"));
	assert_non_null(strstr(text.p, "otelcol_processor_batch_timeout_trigger_send{"
				       "processor=\"batch\"} 0\n"));
	buf_fini(&text);
}

static void bad_settings_are_refused(void **state)
{
	struct batch_fixture *f = *state;

	test_component_refused(&batch_processor, &f->env, "{send_batch_max_size: 5}",
			       "send_batch_max_size must be greater or equal to send_batch_size");
	test_component_refused(&batch_processor, &f->env, "{metadata_keys: [a, B, A]}",
			       "duplicate entry in metadata_keys: \"A\" (case-insensitive)");
	f->x = (struct test_component){0};
}

/* ---- profiles ---- */

static struct payload *profiles_of_seed(uint64_t seed)
{
	struct profile_builder builder;
	struct profile_batch b;
	struct payload *p = NULL;

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(random_batch(&builder, seed, 3, 60));
	assert_ok(profile_payload_encode(&p, &b, NULL));
	profile_batch_fini(&b);
	return p;
}

/* Send five payloads of profiles; return the number of their samples. */
static uint64_t send_profiles(struct batch_fixture *f, struct sent sent[5])
{
	uint64_t samples = 0;

	for (unsigned i = 0; i < 5; i++) {
		struct payload *p = profiles_of_seed(i + 1);

		samples += p->items;
		sent[i] = (struct sent){0};
		send_payload(f, &sent[i], p);
	}
	return samples;
}

static void profiles_become_one_message_or_several(void **state)
{
	struct batch_fixture *f = *state;
	struct sent sent[5];
	uint64_t samples;

	f->env.durable = true;
	f->env.next[signal_index(SIGNAL_LOGS)] = NULL;
	f->env.next[signal_index(SIGNAL_PROFILES)] = &f->sink.consumer;
	begin(f, "{send_batch_size: 1000000, timeout: 1h}");
	samples = send_profiles(f, sent);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(sent[i].done, 0);
	end(f);
	assert_int_equal(f->sink.count, 1);
	assert_int_equal(f->sink.items, samples);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(sent[i].done, 1);
	test_component_free(&f->x);
	test_sink_clear(&f->sink);
	begin(f, "{send_batch_size: 20, send_batch_max_size: 20, timeout: 1h}");
	assert_int_equal(send_profiles(f, sent), samples);
	end(f);
	assert_int_equal(f->sink.items, samples);
	for (unsigned i = 0; i < f->sink.count; i++)
		assert_in_range(f->sink.payloads[i]->items, 1, 20);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(sent[i].done, 1);
		assert_ok(sent[i].result.rc);
	}
}

static void what_cannot_be_merged_is_passed_on(void **state)
{
	struct batch_fixture *f = *state;
	struct sent sent[2] = {0};

	f->env.next[signal_index(SIGNAL_PROFILES)] = &f->sink.consumer;
	begin(f, "{send_batch_size: 1000000, timeout: 1h}");
	send_payload(f, &sent[0], profiles_of_seed(1));
	send_payload(f, &sent[1], payload_copy(SIGNAL_PROFILES, 1, STR("damaged"), NULL));
	end(f);
	assert_int_equal(f->sink.count, 2);
	assert_int_equal(f->sink.payloads[1]->bytes, 7);
}

/* ---- random deliveries from several threads ---- */

enum { FEEDERS = 3, DELIVERIES = 200 };

struct feeder {
	struct batch_fixture *f;
	struct thread thread;
	unsigned seed;
	uint64_t first;
	uint64_t items;
	struct sent sent[DELIVERIES];
};

static void feed(void *arg)
{
	struct feeder *feeder = arg;

	for (unsigned i = 0; i < DELIVERIES; i++) {
		unsigned n = 1 + (unsigned)rand_r(&feeder->seed) % 40;

		send_logs(feeder->f, &feeder->sent[i], feeder->first + feeder->items, n);
		feeder->items += n;
	}
}

/* Mark the times of all logs that have arrived; each one arrives once. */
static void mark_logs(const struct batch_fixture *f, struct arena *arena, char *seen, size_t room,
		      uint64_t max_items)
{
	for (unsigned i = 0; i < f->sink.count; i++) {
		struct otlp_tree tree = test_sink_tree(&f->sink, i, arena);

		assert_in_range(tree.items, 1, max_items);
		for (uint32_t r = 0; r < tree.resource_count; r++) {
			const struct otlp_scope *scope = &tree.resources[r].scopes[0];

			assert_str_equal(tree.resources[r].schema_url, STR("https://schema/1"));
			for (uint32_t k = 0; k < scope->item_count; k++) {
				struct proto_reader log = proto_reader_of(scope->items[k].bytes);
				uint64_t time;

				assert_true(proto_next(&log));
				time = proto_fixed64(&log);
				assert_true(time < room);
				assert_false(seen[time]);
				seen[time] = 1;
			}
		}
	}
}

static void run_feeders(struct batch_fixture *f, const char *yaml, uint64_t max_items)
{
	enum { SPAN = 40 * DELIVERIES };
	static struct feeder feeders[FEEDERS];
	static char seen[FEEDERS * SPAN + 1];
	uint64_t items = 0;

	memset(feeders, 0, sizeof(feeders));
	memset(seen, 0, sizeof(seen));
	begin(f, yaml);
	for (unsigned i = 0; i < FEEDERS; i++) {
		feeders[i] =
			(struct feeder){.f = f, .seed = i + 1, .first = 1 + (uint64_t)i * SPAN};
		assert_ok(thread_start(&feeders[i].thread, "feeder", feed, &feeders[i], &f->e));
	}
	for (unsigned i = 0; i < FEEDERS; i++)
		thread_join(&feeders[i].thread);
	end(f);
	mark_logs(f, &f->arena, seen, sizeof(seen), max_items);
	for (unsigned i = 0; i < FEEDERS; i++) {
		items += feeders[i].items;
		for (unsigned k = 0; k < DELIVERIES; k++) {
			assert_int_equal(feeders[i].sent[k].done, 1);
			assert_ok(feeders[i].sent[k].result.rc);
		}
		for (uint64_t k = 0; k < feeders[i].items; k++)
			assert_true(seen[1 + (uint64_t)i * SPAN + k]);
	}
	assert_int_equal(f->sink.items, items);
	test_component_free(&f->x);
	f->x = (struct test_component){0};
	test_sink_clear(&f->sink);
	arena_reset(&f->arena);
}

static void no_item_is_lost_or_doubled(void **state)
{
	struct batch_fixture *f = *state;

	for (unsigned durable = 0; durable < 2; durable++) {
		f->env.durable = durable;
		run_feeders(f, "{send_batch_size: 100, timeout: 1ms}", UINT32_MAX);
		run_feeders(f, "{send_batch_size: 50, send_batch_max_size: 70, timeout: 1ms}", 70);
		run_feeders(f, "{send_batch_size: 7, send_batch_max_size: 7, timeout: 1h}", 7);
		run_feeders(f, "{timeout: 0s, send_batch_max_size: 9000}", 9000);
	}
}

TEST_MAIN(test_with(fixture, a_batch_is_sent_when_it_is_full),
	  test_with(fixture, a_batch_is_sent_after_its_timeout),
	  test_with(fixture, without_size_or_timeout_all_is_sent_at_once),
	  test_with(fixture, large_batches_are_cut),
	  test_with(fixture, deliveries_of_durable_pipelines_wait_for_their_items),
	  test_with(fixture, senders_wait_while_exporters_do_not_take_batches),
	  test_with(fixture, batches_are_separate_by_headers_and_tenants),
	  test_with(fixture, sizes_and_triggers_are_counted),
	  test_with(fixture, bad_settings_are_refused),
	  test_with(fixture, profiles_become_one_message_or_several),
	  test_with(fixture, what_cannot_be_merged_is_passed_on),
	  test_with(fixture, no_item_is_lost_or_doubled))
