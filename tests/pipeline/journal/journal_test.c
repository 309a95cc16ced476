/* SPDX-License-Identifier: Apache-2.0 */
/* Journals before a stage that holds deliveries, and whose results each test decides. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http/http.h"
#include "pipeline/journal/journal.h"
#include "test/test.h"

enum { HELD_MAX = 100, WAIT_SECONDS = 30 };

/* ---- the next stage ---- */

static struct {
	pthread_mutex_t mu;
	pthread_cond_t changed;
	bool copies;
	struct delivery *held[HELD_MAX];
	unsigned count, finished;
	char letters[HELD_MAX + 1]; /* first bytes, in the order of arrival */
	char tenant[16];
	uint64_t received;
} next;

static void reset_next(void)
{
	memset(&next, 0, sizeof(next));
	pthread_mutex_init(&next.mu, NULL);
	pthread_cond_init(&next.changed, NULL);
}

static bool hold(void *state, struct delivery *d)
{
	(void)state;
	pthread_mutex_lock(&next.mu);
	assert_true(next.count < HELD_MAX);
	next.letters[next.count] = d->payload->slices[0].bytes.p[0];
	next.held[next.count++] = d;
	snprintf(next.tenant, sizeof(next.tenant), "%.*s", STR_ARG(d->tenant));
	next.received = d->received;
	pthread_cond_broadcast(&next.changed);
	pthread_mutex_unlock(&next.mu);
	return next.copies;
}

static void wait_until_held(unsigned n)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_SECONDS;
	pthread_mutex_lock(&next.mu);
	while (!rc && next.count < n)
		rc = pthread_cond_timedwait(&next.changed, &next.mu, &until);
	pthread_mutex_unlock(&next.mu);
	assert_int_equal(rc, 0);
}

/* Finish the oldest held deliveries up to the `n`th. */
static void finish_held(unsigned n, int rc)
{
	while (next.finished < n) {
		struct delivery_result result = {.rc = rc, .reason = "as the test says"};

		delivery_done(next.held[next.finished++], &result);
	}
}

/* ---- fixture ---- */

struct fixture {
	char directory[64];
	struct host host;
	struct consumer consumer;
	struct component_env env;
	struct journal_settings settings;
	void *journal;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	reset_next();
	snprintf(f->directory, sizeof(f->directory), "/tmp/journal_test.XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	f->consumer = (struct consumer){.consume = hold};
	f->env = (struct component_env){.id = "traces", .host = &f->host};
	f->env.next[signal_index(SIGNAL_TRACES)] = &f->consumer;
	f->settings = (struct journal_settings){.directory = f->directory, .name = "traces/2"};
	return host_init(&f->host, 1, 64 * MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", f->directory);
	assert_ok(system(command));
	host_fini(&f->host);
	free(f);
	return 0;
}

static void start_journal(struct fixture *f)
{
	assert_ok_err(journal_processor.create(&f->journal, &f->env, &f->settings, &f->e), &f->e);
	assert_ok_err(journal_processor.start(f->journal, &f->e), &f->e);
}

/* Stop the journal, then complete what the next stage still holds, as the service does. */
static void end_journal(struct fixture *f, int rc)
{
	journal_processor.stop(f->journal);
	finish_held(next.count, rc);
	journal_processor.destroy(f->journal);
	assert_int_equal(atomic_load(&f->host.memory.used), 0);
}

struct journal_put {
	struct delivery d;
	struct payload payload;
	struct payload_slice slice;
	char message[100];
	unsigned done;
	int rc;
};

static void journal_put_done(struct delivery *d, const struct delivery_result *result)
{
	struct journal_put *p = d->owner;

	pthread_mutex_lock(&next.mu);
	p->rc = result->rc;
	p->done++;
	memset(p->message, '?', sizeof(p->message));
	pthread_cond_broadcast(&next.changed);
	pthread_mutex_unlock(&next.mu);
}

/* Deliver a message, and wait until it is acknowledged. */
static int put(struct fixture *f, char letter)
{
	struct journal_put p = {.d = {.signal = SIGNAL_TRACES,
				      .tenant = STR("shop"),
				      .received = 12345,
				      .payload = &p.payload,
				      .done = journal_put_done,
				      .owner = &p}};

	memset(p.message, letter, sizeof(p.message));
	payload_borrow(&p.payload, &p.slice, SIGNAL_TRACES, 4, str_of(p.message, 100));
	journal_processor.consume(f->journal, &p.d);
	pthread_mutex_lock(&next.mu);
	while (!p.done)
		pthread_cond_wait(&next.changed, &next.mu);
	pthread_mutex_unlock(&next.mu);
	return p.rc;
}

static void assert_metric(struct fixture *f, const char *line)
{
	struct buf text = {0};
	bool found = false;

	for (int i = 0; !found && i < WAIT_SECONDS * 1000; i++) {
		usleep(i ? 1000 : 0); /* the journal may still be in consume() */
		buf_clear(&text);
		telemetry_write(&f->host.telemetry, &text);
		buf_put_char(&text, '\0');
		found = strstr(text.p, line);
	}
	if (!found)
		fail_msg("no \"%s\" in:\n%s", line, text.p);
	buf_fini(&text);
}

/* ---- tests ---- */

static void data_is_acknowledged_before_it_is_delivered(void **state)
{
	struct fixture *f = *state;

	start_journal(f);
	assert_int_equal(put(f, 'a'), 0);
	assert_int_equal(put(f, 'b'), 0);
	wait_until_held(2);
	assert_string_equal(next.letters, "ab");
	assert_string_equal(next.tenant, "shop");
	assert_int_equal(next.received, 12345);
	assert_metric(f, "otelcol_journal_items{pipeline=\"traces/2\"} 8");
	finish_held(2, 0);
	assert_metric(f, "otelcol_journal_items{pipeline=\"traces/2\"} 0");
	end_journal(f, 0);
	start_journal(f);
	end_journal(f, 0);
	assert_int_equal(next.count, 2);
}

static void stages_may_copy_the_data(void **state)
{
	struct fixture *f = *state;

	next.copies = true;
	start_journal(f);
	assert_int_equal(put(f, 'a'), 0);
	wait_until_held(1);
	end_journal(f, 0);
}

static void what_was_not_delivered_is_delivered_after_a_restart(void **state)
{
	struct fixture *f = *state;

	start_journal(f);
	assert_int_equal(put(f, 'a'), 0);
	assert_int_equal(put(f, 'b'), 0);
	assert_int_equal(put(f, 'c'), 0);
	wait_until_held(3);
	finish_held(1, 0);
	end_journal(f, -EAGAIN); /* the others: not stored */
	start_journal(f);
	wait_until_held(5);
	end_journal(f, 0);
	assert_string_equal(next.letters, "abcbc");
	assert_metric(f, "otelcol_journal_sent_again_items{pipeline=\"traces/2\"} 0");
}

static void errors_that_may_be_retried_are(void **state)
{
	struct fixture *f = *state;

	start_journal(f);
	assert_int_equal(put(f, 'a'), 0);
	wait_until_held(1);
	finish_held(1, -ENOSPC);
	assert_int_equal(put(f, 'b'), 0);
	wait_until_held(3);
	end_journal(f, 0);
	assert_string_equal(next.letters, "aab");
}

static void other_errors_end_the_data(void **state)
{
	struct fixture *f = *state;

	start_journal(f);
	assert_int_equal(put(f, 'a'), 0);
	wait_until_held(1);
	finish_held(1, -EINVAL);
	assert_int_equal(put(f, 'b'), 0);
	wait_until_held(2);
	end_journal(f, 0);
	assert_string_equal(next.letters, "ab");
	assert_metric(f, "otelcol_journal_failed_items{pipeline=\"traces/2\"} 4");
}

static void data_in_flight_is_bounded(void **state)
{
	struct fixture *f = *state;

	f->settings.max_in_flight = 250; /* messages of 100 bytes and a tenant */
	start_journal(f);
	for (int i = 0; i < 5; i++)
		assert_int_equal(put(f, (char)('a' + i)), 0);
	wait_until_held(2);
	usleep(20000);
	assert_int_equal(next.count, 2);
	finish_held(1, 0);
	wait_until_held(3);
	end_journal(f, -EAGAIN);
	f->settings.max_in_flight = 0;
	start_journal(f);
	wait_until_held(7);
	end_journal(f, 0);
	assert_string_equal(next.letters, "abcbcde");
}

static void a_full_journal_refuses(void **state)
{
	struct fixture *f = *state;

	f->settings.max_bytes = 250;
	start_journal(f);
	assert_int_equal(put(f, 'a'), 0);
	assert_int_equal(put(f, 'b'), 0);
	assert_int_equal(put(f, 'c'), -EAGAIN);
	wait_until_held(2);
	finish_held(1, 0);
	assert_int_equal(put(f, 'c'), 0);
	wait_until_held(3);
	end_journal(f, 0);
}

static void after_a_kill_everything_is_delivered(void **state)
{
	struct fixture *f = *state;
	pid_t pid;
	int status;

	f->settings.max_in_flight = 250;
	pid = fork();
	if (!pid) {
		start_journal(f);
		for (int i = 0; i < 5; i++)
			assert_int_equal(put(f, (char)('a' + i)), 0);
		wait_until_held(2);
		finish_held(1, 0);
		wait_until_held(3);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	f->settings.max_in_flight = 0;
	start_journal(f);
	wait_until_held(4);
	end_journal(f, 0);
	assert_string_equal(next.letters, "bcde");
	assert_metric(f, "otelcol_journal_sent_again_items{pipeline=\"traces/2\"} 8");
}

static void the_next_configuration_takes_over(void **state)
{
	struct fixture *f = *state;
	void *old;

	start_journal(f);
	assert_int_equal(put(f, 'a'), 0);
	wait_until_held(1);
	old = f->journal;
	assert_ok_err(journal_processor.create(&f->journal, &f->env, &f->settings, &f->e), &f->e);
	journal_processor.stop(old);
	finish_held(1, -EAGAIN);
	assert_ok_err(journal_processor.start(f->journal, &f->e), &f->e);
	journal_processor.destroy(old);
	wait_until_held(2);
	end_journal(f, 0);
	assert_string_equal(next.letters, "aa");
}

TEST_MAIN(test_with(fixture, data_is_acknowledged_before_it_is_delivered),
	  test_with(fixture, stages_may_copy_the_data),
	  test_with(fixture, what_was_not_delivered_is_delivered_after_a_restart),
	  test_with(fixture, errors_that_may_be_retried_are),
	  test_with(fixture, other_errors_end_the_data),
	  test_with(fixture, data_in_flight_is_bounded), test_with(fixture, a_full_journal_refuses),
	  test_with(fixture, after_a_kill_everything_is_delivered),
	  test_with(fixture, the_next_configuration_takes_over))
