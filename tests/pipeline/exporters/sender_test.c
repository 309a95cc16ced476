/* SPDX-License-Identifier: Apache-2.0 */
/* The sending half of exporters, with a destination whose responses each test decides. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http/http.h"
#include "pipeline/exporters/sender/send_attempt.h"
#include "pipeline/exporters/sender/sender.h"
#include "test/component.h"

enum { WAIT_SECONDS = 60, SENT_MAX = 2000 };

/* ---- the destination ---- */

struct destination {
	pthread_mutex_t mu;
	pthread_cond_t changed;
	bool closed; /* attempts wait for it to open */
	/* The first responses; SEND_OK afterwards. */
	struct send_result script[8];
	unsigned script_length;
	struct send_result after; /* the script */
	unsigned attempts, waiting, busiest, inside;
	/* What was accepted, in order: the first byte of each payload, and its tenant. */
	char accepted[SENT_MAX];
	unsigned accepted_count;
	uint64_t items;
	char tenant[16], header[16];
	uint64_t timeout_ms;
	unsigned workers, workers_freed;
	unsigned worker_failures; /* to come */
};

static struct destination to;

static void destination_reset(void)
{
	to = (struct destination){0};
	pthread_mutex_init(&to.mu, NULL);
	pthread_cond_init(&to.changed, NULL);
}

static void destination_set_closed(bool closed)
{
	pthread_mutex_lock(&to.mu);
	to.closed = closed;
	pthread_cond_broadcast(&to.changed);
	pthread_mutex_unlock(&to.mu);
}

/* Wait until *counter is at least `n`. */
static void wait_for(const unsigned *counter, unsigned n)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_SECONDS;
	pthread_mutex_lock(&to.mu);
	while (!rc && *counter < n)
		rc = pthread_cond_timedwait(&to.changed, &to.mu, &until);
	pthread_mutex_unlock(&to.mu);
	assert_int_equal(rc, 0);
}

static void note_accepted(const struct send_request *r, const struct send_result *result)
{
	if (result->class != SEND_OK && result->class != SEND_PARTIAL)
		return;
	if (to.accepted_count < SENT_MAX)
		to.accepted[to.accepted_count++] = r->payload->slices[0].bytes.p[0];
	to.items += r->payload->items;
	snprintf(to.tenant, sizeof(to.tenant), "%.*s", STR_ARG(r->tenant));
	if (r->metadata_count)
		snprintf(to.header, sizeof(to.header), "%.*s", STR_ARG(r->metadata[0].value));
}

static void destination_send(void *worker, const struct send_request *r, struct send_result *result)
{
	assert_non_null(worker);
	pthread_mutex_lock(&to.mu);
	to.waiting++;
	to.inside++;
	if (to.inside > to.busiest)
		to.busiest = to.inside;
	pthread_cond_broadcast(&to.changed);
	while (to.closed)
		pthread_cond_wait(&to.changed, &to.mu);
	*result = to.attempts < to.script_length ? to.script[to.attempts] : to.after;
	to.attempts++;
	to.waiting--;
	to.inside--;
	to.timeout_ms = r->timeout_ms;
	note_accepted(r, result);
	pthread_cond_broadcast(&to.changed);
	pthread_mutex_unlock(&to.mu);
}

static int worker_new(void *exporter, void **worker, struct err *e)
{
	int rc = 0;

	pthread_mutex_lock(&to.mu);
	if (to.worker_failures) {
		to.worker_failures--;
		rc = err_set(e, -ENOMEM, "out of memory");
	} else {
		to.workers++;
		*worker = exporter;
	}
	pthread_mutex_unlock(&to.mu);
	return rc;
}

static void worker_free(void *worker)
{
	assert_non_null(worker);
	pthread_mutex_lock(&to.mu);
	to.workers_freed++;
	pthread_mutex_unlock(&to.mu);
}

/* ---- an exporter ---- */

struct test_settings {
	struct sender_settings sender;
};

static int exporter_check(const void *settings, struct err *e)
{
	const struct test_settings *s = settings;

	return sender_settings_check(&s->sender, e);
}

static int exporter_create(void **instance, const struct component_env *env, const void *settings,
			   struct err *e)
{
	static const struct sender_ops ops = {worker_new, worker_free, destination_send};
	const struct test_settings *s = settings;
	struct sender *sender;
	int rc = sender_new(&sender,
			    &(struct sender_options){env, &ops, &to, &s->sender, "sink:4317"}, e);

	if (!rc)
		*instance = sender;
	return rc;
}

static void exporter_destroy(void *instance)
{
	sender_free(instance);
}

static const struct setting settings[] = {
	SENDER_SETTINGS(struct test_settings, sender, "5s"),
	SET_END,
};

static const struct component exporter = {
	.name = "test",
	.kind = COMPONENT_EXPORTER,
	.settings = settings,
	.settings_size = sizeof(struct test_settings),
	.check = exporter_check,
	.create = exporter_create,
	.destroy = exporter_destroy,
};

/* ---- a storage extension ---- */

static const char *storage_directory(const void *instance)
{
	return instance;
}

static const struct component storage = {
	.name = "file_storage", .kind = COMPONENT_EXTENSION, .directory = storage_directory};
static const struct component no_storage = {.name = "zpages", .kind = COMPONENT_EXTENSION};

/* ---- fixture ---- */

struct fixture {
	struct host host;
	struct log log;
	FILE *log_file;
	struct test_component x;
	struct sender *sender;
	struct err e;
	char directory[64];
	struct extension extensions[2];
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	destination_reset();
	snprintf(f->directory, sizeof(f->directory), "/tmp/sender_test.XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	f->extensions[0] = (struct extension){"file_storage", &storage, f->directory};
	f->extensions[1] = (struct extension){"zpages", &no_storage, NULL};
	f->log_file = tmpfile();
	f->log = (struct log){.fd = fileno(f->log_file), .level = LOG_INFO};
	return host_init(&f->host, 1, MIB, &f->log, &f->e);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", f->directory);
	assert_ok(system(command));
	host_fini(&f->host);
	fclose(f->log_file);
	free(f);
	return 0;
}

static struct component_env environment(struct fixture *f)
{
	return (struct component_env){.id = "test",
				      .host = &f->host,
				      .log = &f->log,
				      .extensions = f->extensions,
				      .extension_count = countof(f->extensions)};
}

static void make(struct fixture *f, const char *yaml)
{
	struct component_env env = environment(f);

	assert_ok_err(test_component_new(&f->x, &exporter, &env, yaml), &f->x.e);
	f->sender = f->x.instance;
	assert_ok_err(sender_start(f->sender, &f->e), &f->e);
}

static void end(struct fixture *f)
{
	sender_stop(f->sender);
	test_component_free(&f->x);
	assert_int_equal(to.workers, to.workers_freed);
	assert_int_equal(atomic_load(&f->host.memory.used), 0);
}

static void assert_log(struct fixture *f, const char *part, bool there)
{
	char text[1 << 16];
	ssize_t n = pread(fileno(f->log_file), text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = 0;
	if (!strstr(text, part) == there)
		fail_msg("log: expected %s\"%s\" in:\n%s", there ? "" : "no ", part, text);
}

static void assert_metric(struct fixture *f, const char *line)
{
	struct buf text = {0};

	telemetry_write(&f->host.telemetry, &text);
	buf_put_char(&text, '\0');
	if (!strstr(text.p, line))
		fail_msg("no \"%s\" in:\n%s", line, text.p);
	buf_fini(&text);
}

static struct sender_stats stats_of(struct fixture *f)
{
	struct sender_stats s;

	assert_int_equal(sender_list_copy(&f->host.exporters, &s, 1), 1);
	return s;
}

/* ---- deliveries ---- */

struct put {
	struct delivery d;
	struct payload payload;
	struct payload_slice slice;
	char message[64];
	struct delivery_result result;
	unsigned done;
};

static void put_done(struct delivery *d, const struct delivery_result *result)
{
	struct put *p = d->owner;

	pthread_mutex_lock(&to.mu);
	p->result = *result;
	p->done++;
	memset(p->message, '?', sizeof(p->message)); /* the data is not borrowed any more */
	pthread_cond_broadcast(&to.changed);
	pthread_mutex_unlock(&to.mu);
}

/* Deliver a message of 64 bytes that begins with `name`. */
static bool put(struct fixture *f, struct put *p, char name, uint32_t items)
{
	static const struct http_header header = {STR_INIT("x-a"), STR_INIT("b")};

	*p = (struct put){.d = {.signal = SIGNAL_LOGS,
				.tenant = STR("shop"),
				.metadata = &header,
				.metadata_count = 1,
				.payload = &p->payload,
				.done = put_done,
				.owner = p}};
	memset(p->message, name, sizeof(p->message));
	payload_borrow(&p->payload, &p->slice, SIGNAL_LOGS, items,
		       str_of(p->message, sizeof(p->message)));
	return sender_consume(f->sender, &p->d);
}

static void put_ok(struct fixture *f, struct put *p, char name, uint32_t items)
{
	assert_true(put(f, p, name, items));
	assert_int_equal(p->done, 1);
	assert_int_equal(p->result.rc, 0);
}

static void put_refused(struct fixture *f, struct put *p, int rc, const char *part)
{
	assert_int_equal(p->done, 1);
	assert_int_equal(p->result.rc, rc);
	if (!strstr(p->result.reason, part))
		fail_msg("\"%s\" does not contain \"%s\"", p->result.reason, part);
	(void)f;
}

#define FAST "retry_on_failure: {initial_interval: 1ms, max_interval: 1ms}"

static struct send_result response(enum send_class class, const char *reason)
{
	struct send_result r = {.class = class};

	snprintf(r.reason, sizeof(r.reason), "%s", reason);
	return r;
}

/* ---- tests ---- */

static void queued_requests_are_acknowledged_and_sent_in_order(void **state)
{
	struct fixture *f = *state;
	struct put p[26];

	make(f, "{sending_queue: {num_consumers: 1}, " FAST "}");
	to.closed = true;
	for (int i = 0; i < 26; i++)
		put_ok(f, &p[i], (char)('a' + i), 2);
	assert_int_equal(stats_of(f).pending, 52);
	destination_set_closed(false);
	wait_for(&to.accepted_count, 26);
	end(f);
	assert_memory_equal(to.accepted, "abcdefghijklmnopqrstuvwxyz", 26);
	assert_string_equal(to.tenant, "shop");
	assert_string_equal(to.header, "b");
	assert_true(to.timeout_ms > 0 && to.timeout_ms <= 5000);
	assert_metric(f, "otelcol_exporter_sent_log_records{exporter=\"test\"} 52");
}

static void consumers_are_started_up_to_the_limit(void **state)
{
	struct fixture *f = *state;
	struct put p[8];

	make(f, "{sending_queue: {num_consumers: 3}}");
	to.closed = true;
	for (int i = 0; i < 8; i++)
		put_ok(f, &p[i], 'a', 1);
	wait_for(&to.waiting, 3);
	assert_metric(f, "otelcol_exporter_in_flight_requests{exporter=\"test\",data_type=\"logs\"}"
			 " 3");
	assert_metric(f, "otelcol_exporter_queue_size{exporter=\"test\",data_type=\"logs\"} 8");
	assert_metric(f, "otelcol_exporter_queue_capacity{exporter=\"test\",data_type=\"logs\"} "
			 "1000");
	destination_set_closed(false);
	wait_for(&to.accepted_count, 8);
	end(f);
	assert_int_equal(to.busiest, 3);
	assert_int_equal(to.workers, 3);
}

/*
 * Fill the queue with `fit` requests of 5 items and 64 bytes, of which one is being sent and counts,
 * too; the next one is refused.
 */
static void check_capacity(struct fixture *f, const char *yaml, unsigned fit)
{
	struct put p[20];

	make(f, yaml);
	to.closed = true;
	put_ok(f, &p[0], 'a', 5);
	wait_for(&to.waiting, 1); /* it is being sent */
	for (unsigned i = 1; i < fit; i++)
		put_ok(f, &p[i], 'b', 5);
	assert_false(put(f, &p[fit], 'c', 5));
	put_refused(f, &p[fit], -EAGAIN, "sending queue is full");
	assert_true(p[fit].result.retry_after_ms > 0);
	destination_set_closed(false);
	wait_for(&to.accepted_count, fit);
	end(f);
	assert_int_equal(to.accepted_count, fit);
}

static void a_full_queue_refuses_requests(void **state)
{
	check_capacity(*state, "{sending_queue: {num_consumers: 1, queue_size: 3}}", 3);
	assert_metric(*state, "otelcol_exporter_enqueue_failed_log_records{exporter=\"test\"} 5");
}

static void a_queue_can_be_limited_by_items(void **state)
{
	check_capacity(*state, "{sending_queue: {num_consumers: 1, queue_size: 14, sizer: items}}",
		       2);
}

static void a_queue_can_be_limited_by_bytes(void **state)
{
	check_capacity(*state, "{sending_queue: {num_consumers: 1, queue_size: 256, sizer: bytes}}",
		       4);
}

static void a_request_larger_than_the_queue_is_refused_for_good(void **state)
{
	struct fixture *f = *state;
	struct put p;

	make(f, "{sending_queue: {queue_size: 63, sizer: bytes}}");
	assert_false(put(f, &p, 'a', 1));
	put_refused(f, &p, -EINVAL, "larger than sending_queue.queue_size");
	end(f);
}

static void memory_for_queued_copies_is_limited(void **state)
{
	struct fixture *f = *state;
	struct put p;

	f->host.memory.limit = 50;
	make(f, "{}");
	assert_false(put(f, &p, 'a', 1));
	put_refused(f, &p, -ENOMEM, "out of memory");
	end(f);
}

static void requests_wait_for_room_if_configured(void **state)
{
	struct fixture *f = *state;
	struct put p[5];

	make(f, "{sending_queue: {num_consumers: 1, queue_size: 2, block_on_overflow: true}}");
	to.closed = true;
	put_ok(f, &p[0], 'a', 1);
	wait_for(&to.waiting, 1);
	put_ok(f, &p[1], 'b', 1);
	for (int i = 2; i < 5; i++) {
		assert_false(put(f, &p[i], (char)('a' + i), 1));
		assert_int_equal(p[i].done, 0);
	}
	destination_set_closed(false);
	for (int i = 2; i < 5; i++)
		wait_for(&p[i].done, 1);
	wait_for(&to.accepted_count, 5);
	assert_memory_equal(to.accepted, "abcde", 5);
	end(f);
	assert_int_equal(p[4].result.rc, 0);
}

/* Deliver one request that has to wait for its result. */
static void put_waiting(struct fixture *f, struct put *p, const char *yaml)
{
	make(f, yaml);
	destination_set_closed(true);
	assert_false(put(f, p, 'a', 9));
	wait_for(&to.waiting, 1);
	assert_int_equal(p->done, 0);
	destination_set_closed(false);
	wait_for(&p->done, 1);
	end(f);
	assert_int_equal(p->done, 1);
}

static void the_result_can_be_waited_for(void **state)
{
	struct fixture *f = *state;
	struct put p;

	to.after = response(SEND_PARTIAL, "too old");
	to.after.rejected = 4;
	put_waiting(f, &p, "{sending_queue: {wait_for_result: true}}");
	assert_int_equal(p.result.rc, 0);
	assert_int_equal(p.result.rejected, 4);
	assert_string_equal(p.result.reason, "too old");
	assert_metric(f, "otelcol_exporter_sent_log_records{exporter=\"test\"} 5");
	assert_metric(f, "otelcol_exporter_send_failed_log_records{exporter=\"test\"} 4");
	assert_log(f, "Partial success response", true);
}

static void without_a_queue_the_result_is_waited_for(void **state)
{
	struct fixture *f = *state;
	struct put p;

	to.after = response(SEND_PERMANENT, "bad data");
	put_waiting(f, &p, "{sending_queue: {enabled: false}}");
	put_refused(f, &p, -EINVAL, "not retryable error: bad data");
	assert_log(f, "Exporting failed. Rejecting data.", true);
	assert_log(f, "rejected_items=9", true);

	to.attempts = 0;
	to.after = response(SEND_RETRY, "busy");
	to.after.retry_after_ms = 7000;
	put_waiting(f, &p, "{sending_queue: {enabled: false}, retry_on_failure: {enabled: false}}");
	put_refused(f, &p, -EAGAIN, "busy");
	assert_int_equal(p.result.retry_after_ms, 7000);
}

static void failed_requests_are_repeated(void **state)
{
	struct fixture *f = *state;
	struct sender_stats s;
	struct put p;

	to.script[0] = to.script[1] = to.script[2] = response(SEND_RETRY, "unavailable");
	to.script[1].unreachable = true;
	to.script_length = 3;
	to.worker_failures = 2;
	make(f, "{" FAST "}");
	put_ok(f, &p, 'x', 10);
	wait_for(&to.accepted_count, 1);
	end(f);
	assert_int_equal(to.attempts, 4);
	assert_log(f, "Exporting failed. Will retry the request after interval.", true);
	assert_log(f, "Dropping", false);
	make(f, "{}");
	s = stats_of(f);
	assert_true(s.reachable);
	end(f);
}

static void permanent_errors_drop_the_request(void **state)
{
	struct fixture *f = *state;
	struct sender_stats s;
	struct put p;

	to.after = response(SEND_PERMANENT, "HTTP 400");
	make(f, "{" FAST "}");
	put_ok(f, &p, 'x', 10);
	wait_for(&to.attempts, 1);
	while (stats_of(f).pending)
		usleep(1000);
	s = stats_of(f);
	assert_int_equal(s.accepted, 10);
	assert_int_equal(s.sent, 10);
	assert_int_equal(s.failed, 10);
	assert_int_equal(s.confirmed, 0);
	assert_string_equal(s.last_error, "HTTP 400");
	assert_string_equal(s.destination, "sink:4317");
	assert_true(s.last_failure > 0 && !s.last_success);
	end(f);
	assert_int_equal(to.attempts, 1);
	assert_log(f, "Exporting failed. Dropping data.", true);
	assert_log(f, "dropped_items=10", true);
	assert_metric(f, "otelcol_exporter_send_failed_log_records{exporter=\"test\"} 10");
}

static void requests_are_given_up_after_the_elapsed_time(void **state)
{
	struct fixture *f = *state;
	struct put p;

	to.after = response(SEND_RETRY, "unavailable");
	make(f, "{retry_on_failure: {initial_interval: 1ms, max_interval: 5ms, max_elapsed_time: "
		"20ms}}");
	put_ok(f, &p, 'x', 10);
	while (stats_of(f).pending)
		usleep(1000);
	assert_int_equal(stats_of(f).dropped, 10);
	end(f);
	assert_true(to.attempts > 1);
	assert_log(f, "no more retries left: unavailable", true);
}

static void pauses_grow_and_respect_the_destination(void **state)
{
	struct sender_retry_settings r = {.initial_interval_ns = 5 * NS_PER_SECOND,
					  .max_interval_ns = 30 * NS_PER_SECOND};
	double interval = 5e9;

	(void)state;
	assert_int_equal(send_retry_pause(&r, &interval, 0, 0), 2500000000);
	assert_true(interval == 7.5e9);
	assert_int_equal(send_retry_pause(&r, &interval, 0, 0.5), 7500000000);
	assert_int_equal(send_retry_pause(&r, &interval, 60000, 0.5), 60 * NS_PER_SECOND);
	for (int i = 0; i < 10; i++)
		(void)send_retry_pause(&r, &interval, 0, 0.5);
	assert_true(interval == 30e9);
	r.randomization_factor = (struct sender_number){true, 0};
	assert_int_equal(send_retry_pause(&r, &interval, 0, 0.99), 30 * NS_PER_SECOND);
	r.multiplier = (struct sender_number){true, 0};
	assert_int_equal(send_retry_pause(&r, &interval, 0, 0.99), 30 * NS_PER_SECOND);
	assert_int_equal(send_retry_pause(&r, &interval, 0, 0.99), NS_PER_MS);
}

static void a_stop_sends_what_is_queued(void **state)
{
	struct fixture *f = *state;
	struct put p[50];

	to.script[0] = to.script[1] = response(SEND_RETRY, "unavailable");
	to.script_length = 2;
	make(f, "{sending_queue: {num_consumers: 2}, retry_on_failure: {initial_interval: 30s}}");
	for (int i = 0; i < 50; i++)
		put_ok(f, &p[i], 'a', 3);
	wait_for(&to.attempts, 2); /* both consumers pause for 15 s at least */
	end(f);
	assert_int_equal(to.items, 150);
	assert_log(f, "Dropping", false);
}

static void a_stop_reports_what_it_could_not_send(void **state)
{
	struct fixture *f = *state;
	struct put p[50];

	to.after = response(SEND_RETRY, "overloaded");
	to.after.retry_after_ms = 60000; /* longer than the drain */
	make(f, "{sending_queue: {num_consumers: 1}}");
	for (int i = 0; i < 50; i++)
		put_ok(f, &p[i], 'a', 3);
	wait_for(&to.attempts, 1);
	end(f);
	assert_int_equal(to.items, 0);
	assert_log(f, "interrupted due to shutdown", true);
	assert_metric(f, "otelcol_exporter_send_failed_log_records{exporter=\"test\"} 150");
}

static void the_next_sender_of_the_id_gets_the_queue(void **state)
{
	struct fixture *f = *state;
	struct component_env env = environment(f);
	struct test_component next;
	struct put p[50];

	to.script[0] = to.script[1] = response(SEND_RETRY, "unavailable");
	to.script_length = 2;
	make(f, "{sending_queue: {num_consumers: 2}, retry_on_failure: {initial_interval: 30s}}");
	for (int i = 0; i < 50; i++)
		put_ok(f, &p[i], 'a', 3);
	wait_for(&to.attempts, 2);
	assert_ok_err(test_component_new(&next, &exporter, &env,
					 "{sending_queue: {num_consumers: 1, queue_size: 1}}"),
		      &next.e);
	assert_ok_err(sender_start(next.instance, &f->e), &f->e);
	sender_stop(f->sender);
	test_component_free(&f->x);
	wait_for(&to.accepted_count, 50);
	f->x = next;
	f->sender = next.instance;
	assert_int_equal(stats_of(f).accepted, 150);
	end(f);
	assert_int_equal(to.items, 150);
	assert_log(f, "Dropping", false);
}

static void a_stopped_sender_refuses_requests(void **state)
{
	struct fixture *f = *state;
	struct put p;

	make(f, "{sending_queue: {block_on_overflow: true}}");
	sender_stop(f->sender);
	assert_false(put(f, &p, 'a', 1));
	put_refused(f, &p, -EAGAIN, "shutting down");
	end(f);
}

static void *put_many(void *arg)
{
	struct fixture *f = arg;

	for (int i = 0; i < 200; i++) {
		struct put p;

		while (put(f, &p, 'a', 1), p.result.rc == -EAGAIN)
			usleep(100);
	}
	return NULL;
}

static void many_threads_deliver_at_once(void **state)
{
	struct fixture *f = *state;
	pthread_t threads[4];

	make(f, "{sending_queue: {queue_size: 20}, " FAST "}");
	for (unsigned i = 0; i < countof(threads); i++)
		assert_ok(pthread_create(&threads[i], NULL, put_many, f));
	for (unsigned i = 0; i < countof(threads); i++)
		pthread_join(threads[i], NULL);
	end(f);
	assert_int_equal(to.items, 800);
}

/* ---- the queue on disk ---- */

#define ON_DISK "sending_queue: {storage: file_storage, num_consumers: 1}, " FAST

/* Deliver, and wait until the delivery is acknowledged. */
static void put_durable(struct fixture *f, struct put *p, char name, uint32_t items)
{
	assert_false(put(f, p, name, items));
	wait_for(&p->done, 1);
	assert_int_equal(p->result.rc, 0);
}

static void a_queue_on_disk_is_sent_and_emptied(void **state)
{
	struct fixture *f = *state;
	struct put p[26];

	make(f, "{" ON_DISK "}");
	for (int i = 0; i < 26; i++)
		put_durable(f, &p[i], (char)('a' + i), 2);
	wait_for(&to.accepted_count, 26);
	while (stats_of(f).pending)
		usleep(1000);
	assert_int_equal(stats_of(f).confirmed, 52);
	assert_int_equal(stats_of(f).accepted, 52);
	end(f);
	assert_memory_equal(to.accepted, "abcdefghijklmnopqrstuvwxyz", 26);
	assert_string_equal(to.tenant, "shop");
	assert_string_equal(to.header, "b");
	assert_metric(f, "otelcol_exporter_sent_log_records{exporter=\"test\"} 52");
	make(f, "{" ON_DISK "}");
	assert_int_equal(stats_of(f).pending, 0);
	end(f);
	assert_int_equal(to.items, 52);
}

static void a_queue_on_disk_remains_for_the_next_sender(void **state)
{
	struct fixture *f = *state;
	struct put p[30];

	to.after = response(SEND_RETRY, "unavailable");
	make(f, "{sending_queue: {storage: file_storage, num_consumers: 3}, " FAST "}");
	for (int i = 0; i < 30; i++)
		put_durable(f, &p[i], (char)('a' + i), 3);
	wait_for(&to.attempts, 3);
	assert_int_equal(stats_of(f).pending, 90);
	assert_metric(f, "otelcol_exporter_queue_size{exporter=\"test\",data_type=\"logs\"} 30");
	end(f);
	assert_int_equal(to.items, 0);
	assert_log(f, "Dropping", false);

	to.after = response(SEND_OK, "");
	make(f, "{" ON_DISK "}");
	wait_for(&to.accepted_count, 30);
	while (stats_of(f).pending)
		usleep(1000);
	assert_int_equal(stats_of(f).confirmed, 90);
	assert_int_equal(stats_of(f).duplicates, 0);
	end(f);
	assert_int_equal(to.items, 90);
	assert_log(f, "data of an earlier process is queued on disk", true);
	for (int i = 0; i < 30; i++)
		assert_int_equal(to.accepted[i], 'a' + i);
}

/* Queue three requests and send one, which does not get a response; then the process is killed. */
static void send_until_killed(struct fixture *f)
{
	struct put p[3];

	destination_set_closed(true);
	make(f, "{" ON_DISK "}");
	for (int i = 0; i < 3; i++)
		put_durable(f, &p[i], (char)('a' + i), 5);
	wait_for(&to.waiting, 1);
	kill(getpid(), SIGKILL);
}

static void after_a_kill_repeated_requests_are_counted(void **state)
{
	struct fixture *f = *state;
	pid_t pid = fork();
	int status;

	if (!pid)
		send_until_killed(f);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	make(f, "{" ON_DISK "}");
	wait_for(&to.accepted_count, 3);
	assert_int_equal(stats_of(f).duplicates, 5);
	assert_metric(f, "otelcol_exporter_sent_again_log_records{exporter=\"test\"} 5");
	end(f);
	assert_memory_equal(to.accepted, "abc", 3);
}

static void a_queue_on_disk_has_the_limits_of_the_settings(void **state)
{
	struct fixture *f = *state;
	struct put p[3];

	to.after = response(SEND_RETRY, "unavailable");
	make(f, "{sending_queue: {storage: file_storage, queue_size: 2}}");
	put_durable(f, &p[0], 'a', 1);
	put_durable(f, &p[1], 'b', 1);
	assert_false(put(f, &p[2], 'c', 7));
	wait_for(&p[2].done, 1);
	put_refused(f, &p[2], -EAGAIN, "exporter test, logs: the queue is full");
	assert_metric(f, "otelcol_exporter_enqueue_failed_log_records{exporter=\"test\"} 7");
	end(f);

	make(f, "{sending_queue: {storage: file_storage, queue_size: 150, sizer: bytes, "
		"block_on_overflow: true}, " FAST "}");
	assert_false(put(f, &p[0], 'c', 1));
	usleep(10000);
	assert_int_equal(p[0].done, 0);
	to.after = response(SEND_OK, "");
	wait_for(&p[0].done, 1);
	assert_int_equal(p[0].result.rc, 0);
	wait_for(&to.accepted_count, 3);
	end(f);
}

static void refused_requests_leave_the_disk(void **state)
{
	struct fixture *f = *state;
	struct put p;

	to.after = response(SEND_PERMANENT, "HTTP 400");
	make(f, "{" ON_DISK "}");
	put_durable(f, &p, 'x', 10);
	while (stats_of(f).failed < 10 || stats_of(f).pending)
		usleep(1000);
	end(f);
	assert_int_equal(to.attempts, 1);
	assert_metric(f, "otelcol_exporter_send_failed_log_records{exporter=\"test\"} 10");
}

static void storage_has_to_be_an_extension_that_stores(void **state)
{
	struct fixture *f = *state;
	struct component_env env = environment(f);

	test_component_refused(&exporter, &env, "{sending_queue: {storage: nothing}}", "nothing");
	test_component_refused(&exporter, &env, "{sending_queue: {storage: zpages}}",
			       "stores no data");
	test_component_refused(&exporter, &env,
			       "{sending_queue: {storage: file_storage, wait_for_result: true}}",
			       "`wait_for_result` is not supported with a persistent queue");
}

/* ---- batches ---- */

/* Deliver a message of so many log records. */
static void put_logs(struct fixture *f, struct put *p, const char *tenant, unsigned records)
{
	struct buf message = {0};

	/* ResourceLogs, ScopeLogs, and log records with nothing in them */
	buf_put_char(&message, 0x0a);
	buf_put_char(&message, (char)(2 + 2 * records));
	buf_put_char(&message, 0x12);
	buf_put_char(&message, (char)(2 * records));
	for (unsigned i = 0; i < records; i++)
		buf_put(&message, "\x12\0", 2);
	*p = (struct put){.d = {.signal = SIGNAL_LOGS,
				.tenant = str_from(tenant),
				.payload = &p->payload,
				.done = put_done,
				.owner = p}};
	assert_true(message.n <= sizeof(p->message));
	memcpy(p->message, message.p, message.n);
	payload_borrow(&p->payload, &p->slice, SIGNAL_LOGS, records, str_of(p->message, message.n));
	buf_fini(&message);
	sender_consume(f->sender, &p->d);
}

/* Put requests of `records` records each, and wait until all records have arrived. */
static void put_batches(struct fixture *f, const char *yaml, unsigned requests, unsigned records)
{
	struct put p[50];

	make(f, yaml);
	for (unsigned i = 0; i < requests; i++)
		put_logs(f, &p[i], "shop", records);
	for (unsigned i = 0; i < requests; i++) {
		wait_for(&p[i].done, 1);
		assert_int_equal(p[i].result.rc, 0);
	}
	while (stats_of(f).confirmed < (uint64_t)requests * records)
		usleep(1000);
	while (stats_of(f).pending)
		usleep(1000);
	end(f);
	assert_int_equal(to.items, requests * records);
}

static void queued_requests_are_merged(void **state)
{
	put_batches(*state,
		    "{sending_queue: {batch: {min_size: 100, flush_timeout: 60s}, queue_size: 500, "
		    "sizer: items}}",
		    40, 10);
	assert_int_equal(to.attempts, 4);
}

static void batches_are_sent_after_a_time(void **state)
{
	put_batches(*state, "{sending_queue: {batch: {flush_timeout: 30ms}}}", 3, 10);
	assert_true(to.attempts <= 3);
}

static void batches_are_cut(void **state)
{
	put_batches(*state,
		    "{sending_queue: {batch: {min_size: 15, max_size: 15, flush_timeout: 60s}, "
		    "num_consumers: 1}}",
		    2, 20);
	assert_int_equal(to.attempts, 4); /* 15, 5, 15, 5 */
}

static void batches_on_disk_are_merged(void **state)
{
	put_batches(*state,
		    "{sending_queue: {storage: file_storage, batch: {min_size: 100, flush_timeout: "
		    "60s}}}",
		    40, 10);
	assert_int_equal(to.attempts, 4);
	make(*state, "{" ON_DISK "}");
	assert_int_equal(stats_of(*state).pending, 0);
	end(*state);
}

static void tenants_are_not_merged(void **state)
{
	struct fixture *f = *state;
	struct put p[6];

	make(f, "{sending_queue: {batch: {min_size: 60, flush_timeout: 60s}, queue_size: 500, "
		"sizer: items}}");
	for (unsigned i = 0; i < 6; i++)
		put_logs(f, &p[i], i % 2 ? "shop" : "mill", 10);
	wait_for(&to.accepted_count, 2);
	end(f);
	assert_int_equal(to.attempts, 2);
	assert_int_equal(to.items, 60);
}

static void all_that_wait_get_the_result_of_the_batch(void **state)
{
	struct fixture *f = *state;
	struct put p[4];

	to.after = response(SEND_PERMANENT, "bad data");
	make(f,
	     "{sending_queue: {wait_for_result: true, batch: {min_size: 40, flush_timeout: 60s}, "
	     "queue_size: 500, sizer: items}}");
	for (unsigned i = 0; i < 4; i++)
		put_logs(f, &p[i], "shop", 10);
	for (unsigned i = 0; i < 4; i++) {
		wait_for(&p[i].done, 1);
		put_refused(f, &p[i], -EINVAL, "bad data");
	}
	end(f);
	to.attempts = 0;
	to.after = response(SEND_PARTIAL, "some");
	to.after.rejected = 13;
	make(f,
	     "{sending_queue: {wait_for_result: true, batch: {min_size: 40, flush_timeout: 60s}, "
	     "queue_size: 500, sizer: items}}");
	for (unsigned i = 0; i < 4; i++)
		put_logs(f, &p[i], "shop", 10);
	for (unsigned i = 0; i < 4; i++)
		wait_for(&p[i].done, 1);
	assert_int_equal(p[0].result.rejected + p[1].result.rejected + p[2].result.rejected +
				 p[3].result.rejected,
			 13);
	end(f);
	assert_int_equal(to.attempts, 1);
}

static void a_batch_that_is_not_sent_returns_to_the_queue(void **state)
{
	struct fixture *f = *state;
	struct put p[10];

	to.after = response(SEND_RETRY, "unavailable");
	make(f,
	     "{sending_queue: {storage: file_storage, batch: {min_size: 50, flush_timeout: 60s}}, "
	     "retry_on_failure: {initial_interval: 30s}}");
	for (unsigned i = 0; i < 10; i++) {
		put_logs(f, &p[i], "shop", 10);
		wait_for(&p[i].done, 1);
	}
	wait_for(&to.attempts, 2);
	end(f);
	to.after = response(SEND_OK, "");
	make(f, "{" ON_DISK "}");
	wait_for(&to.accepted_count, 10);
	assert_int_equal(stats_of(f).duplicates, 0);
	end(f);
	assert_int_equal(to.items, 100);
}

static void a_stop_sends_an_incomplete_batch(void **state)
{
	struct fixture *f = *state;
	struct put p[3];

	make(f, "{sending_queue: {batch: {flush_timeout: 60s}, queue_size: 9000, sizer: items}}");
	for (unsigned i = 0; i < 3; i++)
		put_logs(f, &p[i], "shop", 10);
	end(f);
	assert_int_equal(to.attempts, 1);
	assert_int_equal(to.items, 30);
}

TEST_MAIN(test_with(fixture, queued_requests_are_acknowledged_and_sent_in_order),
	  test_with(fixture, consumers_are_started_up_to_the_limit),
	  test_with(fixture, a_full_queue_refuses_requests),
	  test_with(fixture, a_queue_can_be_limited_by_items),
	  test_with(fixture, a_queue_can_be_limited_by_bytes),
	  test_with(fixture, a_request_larger_than_the_queue_is_refused_for_good),
	  test_with(fixture, memory_for_queued_copies_is_limited),
	  test_with(fixture, requests_wait_for_room_if_configured),
	  test_with(fixture, the_result_can_be_waited_for),
	  test_with(fixture, without_a_queue_the_result_is_waited_for),
	  test_with(fixture, failed_requests_are_repeated),
	  test_with(fixture, permanent_errors_drop_the_request),
	  test_with(fixture, requests_are_given_up_after_the_elapsed_time),
	  test(pauses_grow_and_respect_the_destination),
	  test_with(fixture, a_stop_sends_what_is_queued),
	  test_with(fixture, a_stop_reports_what_it_could_not_send),
	  test_with(fixture, the_next_sender_of_the_id_gets_the_queue),
	  test_with(fixture, a_stopped_sender_refuses_requests),
	  test_with(fixture, many_threads_deliver_at_once),
	  test_with(fixture, a_queue_on_disk_is_sent_and_emptied),
	  test_with(fixture, a_queue_on_disk_remains_for_the_next_sender),
	  test_with(fixture, after_a_kill_repeated_requests_are_counted),
	  test_with(fixture, a_queue_on_disk_has_the_limits_of_the_settings),
	  test_with(fixture, refused_requests_leave_the_disk),
	  test_with(fixture, storage_has_to_be_an_extension_that_stores),
	  test_with(fixture, queued_requests_are_merged),
	  test_with(fixture, batches_are_sent_after_a_time), test_with(fixture, batches_are_cut),
	  test_with(fixture, batches_on_disk_are_merged),
	  test_with(fixture, tenants_are_not_merged),
	  test_with(fixture, all_that_wait_get_the_result_of_the_batch),
	  test_with(fixture, a_batch_that_is_not_sent_returns_to_the_queue),
	  test_with(fixture, a_stop_sends_an_incomplete_batch))
