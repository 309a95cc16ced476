/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The notifier against HTTP servers that accept, refuse, fail, are slow or away: what they get,
 * and what is counted.
 */
#include "rules/notify/notify.h"

#include <errno.h>
#include <fcntl.h>

#include "base/clock.h"
#include "rules/notify/notify_queue.h"
#include "test/http_sink.h"

#define OK HTTP_SINK_OK
#define STATUS(text) "HTTP/1.1 " text "\r\nContent-Length: 5\r\n\r\nsorry"

struct settings_of_test {
	struct notify_settings notify;
};

static const struct setting table[] = {NOTIFY_SETTINGS(struct settings_of_test, notify), SET_END};

struct fixture {
	struct config config;
	struct settings_of_test settings;
	struct notifier *notifier;
	struct http_sink sink;
	struct log log;
	int log_file;
	struct err e;
};

static void make(struct fixture *f, const char *format, ...) PRINTF_LIKE(2, 3);

/* Create the notifier of a configuration. */
static void make(struct fixture *f, const char *format, ...)
{
	struct buf yaml = {0};
	va_list args;
	char *text;

	va_start(args, format);
	assert_true(vasprintf(&text, format, args) > 0);
	va_end(args);
	buf_put_str(&yaml, str_from(text));
	free(text);
	assert_ok(config_init(&f->config, NULL));
	assert_ok_err(config_parse(&f->config, buf_str(&yaml), "c.yaml", NULL, NULL, &f->e), &f->e);
	assert_ok_err(settings_read(table, f->config.root, "rules", &f->settings, &f->config.arena,
				    &f->e),
		      &f->e);
	assert_ok_err(notifier_new(&f->notifier, &f->settings.notify, STR("http://varve:4040"),
				   &f->log, &f->e),
		      &f->e);
	buf_fini(&yaml);
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char name[] = "/tmp/varve-notify-XXXXXX";

	assert_non_null(f);
	f->log_file = mkstemp(name);
	assert_true(f->log_file >= 0);
	unlink(name);
	f->log.fd = f->log_file;
	http_sink_bind(&f->sink);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	notifier_free(f->notifier);
	config_fini(&f->config);
	if (f->sink.thread)
		http_sink_stop(&f->sink);
	else
		close(f->sink.listener);
	close(f->log_file);
	free(f);
	return 0;
}

/* ---- helpers ---- */

enum { STARTED_S = 1763199420 };

/* Send one alert: its name, the second of its start, and whether it is resolved. */
static void notify(struct fixture *f, const char *name, const char *instance, int64_t start_s,
		   bool resolved)
{
	const struct label labels[] = {{STR("alertname"), str_from(name)},
				       {STR("instance"), str_from(instance)}};
	const struct label annotations[] = {{STR("summary"), STR("It is \"down\"")}};
	const struct notify_alert alert = {
		.labels = labels,
		.label_count = 2,
		.annotations = annotations,
		.annotation_count = 1,
		.starts_ms = (STARTED_S + start_s) * 1000,
		.ends_ms = (STARTED_S + 240 + start_s) * 1000,
		.generator_url = STR("http://varve:4040/graph?g0.expr=up"),
		.resolved = resolved,
	};

	notifier_send(f->notifier, &alert, 1);
}

static void wait_for(struct http_sink *s, unsigned count)
{
	for (unsigned i = 0; i < 1000 && http_sink_count(s) < count; i++)
		usleep(10000);
	assert_int_equal(http_sink_count(s), count);
}

/* Wait until the metrics contain a line (`there`), or no longer contain it. */
static void wait_for_line(struct fixture *f, const char *line, bool there)
{
	struct buf text = {0};
	bool found = false;

	for (unsigned i = 0; i < 1000 && !found; i++) {
		buf_clear(&text);
		notifier_metrics(f->notifier, &text);
		found = (str_find_str(buf_str(&text), str_from(line)) < text.n) == there;
		if (!found)
			usleep(10000);
	}
	if (!found)
		fail_msg("%s %s in\n%.*s", there ? "no" : "still", line, STR_ARG(buf_str(&text)));
	buf_fini(&text);
}

static void wait_for_metric(struct fixture *f, const char *line)
{
	wait_for_line(f, line, true);
}

static struct str body(const struct http_sink *s, unsigned i)
{
	return buf_str(&s->requests[i].body);
}

static bool contains(struct str text, const char *part)
{
	return str_find_str(text, str_from(part)) < text.n;
}

static void nothing_more(struct http_sink *s, unsigned count)
{
	usleep(200000);
	assert_int_equal(http_sink_count(s), count);
}

/* ---- Alertmanager ---- */

static void alertmanager_gets_alerts(void **state)
{
	struct fixture *f = *state;

	http_sink_listen(&f->sink);
	make(f,
	     "alertmanagers:\n- url: %s/prefix/\n  basic_auth: {username: u, password: p}\n"
	     "  headers: {X-Team: infra}\nexternal_labels: {cluster: west, instance: other}\n",
	     f->sink.url);
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 1);
	assert_str_equal(
		body(&f->sink, 0),
		STR("[{\"labels\":{\"alertname\":\"Down\",\"cluster\":\"west\",\"instance\":\"a\"},"
		    "\"annotations\":{\"summary\":\"It is \\\"down\\\"\"},"
		    "\"startsAt\":\"2025-11-15T09:37:00.000Z\",\"endsAt\":\"2025-11-15T09:41:00."
		    "000Z\","
		    "\"generatorURL\":\"http://varve:4040/graph?g0.expr=up\"}]"));
	assert_non_null(strstr(f->sink.requests[0].head, "POST /prefix/api/v2/alerts HTTP/1.1"));
	assert_non_null(strcasestr(f->sink.requests[0].head, "content-type: application/json"));
	assert_non_null(strcasestr(f->sink.requests[0].head, "authorization: Basic dTpw"));
	assert_non_null(strcasestr(f->sink.requests[0].head, "x-team: infra"));
	/* a resend is sent again: the engine decides when */
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 2);
	wait_for_metric(f, "/prefix\"} 2\n");
	assert_true(str_ends(notifier_alertmanager_url(f->notifier, 0), STR("/prefix")));
	assert_int_equal(notifier_alertmanager_url(f->notifier, 1).n, 0);
}

/* While a receiver is away the newest state of each alert waits; it arrives once. */
static void newest_state_arrives_after_an_outage(void **state)
{
	struct fixture *f = *state;
	char line[256];

	make(f, "alertmanagers: ['%s']\n", f->sink.url);
	notify(f, "Down", "a", 0, false);
	snprintf(line, sizeof(line),
		 "prometheus_notifications_errors_total{alertmanager=\"%s\"} 0\n", f->sink.url);
	wait_for_line(f, line, false);
	notify(f, "Down", "a", 60, false);
	notify(f, "Other", "a", 0, false);
	notify(f, "Down", "a", 120, true);
	http_sink_listen(&f->sink);
	for (unsigned i = 0; i < 1000 && !http_sink_count(&f->sink); i++)
		usleep(10000);
	wait_for_metric(f, "\"} 2\n# HELP prometheus_notifications_errors_total");
	assert_true(contains(body(&f->sink, 0), "\"startsAt\":\"2025-11-15T09:39:00.000Z\""));
	assert_true(contains(body(&f->sink, 0), "\"alertname\":\"Other\""));
	assert_false(contains(body(&f->sink, 0),
			      "09:37:00.000Z\",\"endsAt\":\"2025-11-15T09:41:00.000Z\","
			      "\"generatorURL\":\"http://varve:4040/graph?g0.expr=up\"},"
			      "{\"labels\":{\"alertname\":\"Down\""));
	nothing_more(&f->sink, 1);
}

static void failures_are_repeated_and_refusals_dropped(void **state)
{
	struct fixture *f = *state;

	f->sink.answers[0] = STATUS("500 Internal Server Error");
	f->sink.answers[1] = NULL;
	f->sink.answers[2] = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: "
			     "0\r\n\r\n";
	f->sink.answers[3] = STATUS("400 Bad Request");
	f->sink.answers[4] = OK;
	f->sink.answer_count = 5;
	http_sink_listen(&f->sink);
	make(f, "alertmanagers: ['%s']\n", f->sink.url);
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 4);
	wait_for_metric(f, "prometheus_notifications_dropped_total{alertmanager=\"");
	/* libcurl repeats the request whose kept connection was closed itself */
	wait_for_metric(f, "\"} 3\n# HELP prometheus_notifications_dropped_total");
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 5);
	wait_for_metric(f, "\"} 1\n# HELP prometheus_notifications_queue_length");
}

/* A receiver that does not answer delays no other, and the end of the notifier only shortly. */
static void a_silent_receiver_delays_no_other(void **state)
{
	struct fixture *f = *state;
	struct http_sink silent;
	uint64_t began;

	http_sink_start(&silent);
	silent.answers[0] = "";
	http_sink_listen(&f->sink);
	make(f, "alertmanagers: ['%s', '%s']\n", silent.url, f->sink.url);
	notify(f, "Down", "a", 0, false);
	wait_for(&silent, 1);
	wait_for(&f->sink, 1);
	notify(f, "Down", "b", 0, false);
	wait_for(&f->sink, 2);
	began = clock_monotonic_ns();
	notifier_free(take_ptr(&f->notifier));
	assert_true(clock_monotonic_ns() - began < 8 * NS_PER_SECOND);
	http_sink_stop(&silent);
}

static void what_waits_is_sent_at_the_end(void **state)
{
	struct fixture *f = *state;

	http_sink_listen(&f->sink);
	make(f, "alertmanagers: ['%s']\n", f->sink.url);
	notify(f, "Down", "a", 0, false);
	notifier_free(take_ptr(&f->notifier));
	assert_int_equal(http_sink_count(&f->sink), 1);
}

static void a_request_timeout_is_a_failure(void **state)
{
	struct fixture *f = *state;

	f->sink.answers[0] = "";
	f->sink.answers[1] = OK;
	f->sink.answer_count = 2;
	http_sink_listen(&f->sink);
	make(f, "alertmanagers: [{url: '%s', timeout: 200ms}]\n", f->sink.url);
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 2);
	wait_for_metric(f, "\"} 1\n# HELP prometheus_notifications_errors_total");
}

static void rules_change_and_drop_alerts(void **state)
{
	struct fixture *f = *state;

	http_sink_listen(&f->sink);
	make(f,
	     "alertmanagers:\n- url: '%s'\n  alert_relabel_configs:\n"
	     "  - {source_labels: [alertname], regex: Quiet, action: drop}\n"
	     "alert_relabel_configs:\n- {regex: instance, action: labeldrop}\n",
	     f->sink.url);
	notify(f, "Quiet", "a", 0, false);
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 1);
	assert_true(contains(body(&f->sink, 0), "[{\"labels\":{\"alertname\":\"Down\"},"));
	assert_false(contains(body(&f->sink, 0), "Quiet"));
}

/* ---- webhooks ---- */

static void a_webhook_gets_changes_of_state(void **state)
{
	struct fixture *f = *state;
	struct str b;

	http_sink_listen(&f->sink);
	make(f, "webhooks: ['%s/hook']\n", f->sink.url);
	notify(f, "Down", "a", 0, true); /* never known to fire */
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 1);
	b = body(&f->sink, 0);
	assert_str_equal(
		b,
		STR("{\"receiver\":\"varve\",\"status\":\"firing\",\"alerts\":[{\"status\":"
		    "\"firing\","
		    "\"labels\":{\"alertname\":\"Down\",\"instance\":\"a\"},\"annotations\":{"
		    "\"summary\":"
		    "\"It is \\\"down\\\"\"},\"startsAt\":\"2025-11-15T09:37:00.000Z\",\"endsAt\":"
		    "\"0001-01-01T00:00:00Z\",\"generatorURL\":\"http://varve:4040/"
		    "graph?g0.expr=up\","
		    "\"fingerprint\":\"b095cbba435360b4\"}],\"groupLabels\":{\"alertname\":"
		    "\"Down\"},"
		    "\"commonLabels\":{\"alertname\":\"Down\",\"instance\":\"a\"},"
		    "\"commonAnnotations\":{"
		    "\"summary\":\"It is \\\"down\\\"\"},\"externalURL\":\"http://varve:4040\","
		    "\"version\":\"4\",\"groupKey\":\"{}:{alertname=\\\"Down\\\"}\","
		    "\"truncatedAlerts\":0}"));
	notify(f, "Down", "a", 0, false);
	nothing_more(&f->sink, 1);
	notify(f, "Down", "a", 0, true);
	wait_for(&f->sink, 2);
	assert_true(contains(body(&f->sink, 1), "\"status\":\"resolved\",\"alerts\":[{"));
	assert_true(contains(body(&f->sink, 1), "\"endsAt\":\"2025-11-15T09:41:00.000Z\""));
	notify(f, "Down", "a", 0, true);
	nothing_more(&f->sink, 2);
	notify(f, "Down", "a", 600, false);
	wait_for(&f->sink, 3);
}

static void a_webhook_repeats_after_its_interval(void **state)
{
	struct fixture *f = *state;

	http_sink_listen(&f->sink);
	make(f, "webhooks: [{url: '%s', repeat_interval: 500ms, send_resolved: false}]\n",
	     f->sink.url);
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 1);
	notify(f, "Down", "a", 0, false);
	nothing_more(&f->sink, 1);
	usleep(400000);
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 2);
	notify(f, "Down", "a", 0, true);
	nothing_more(&f->sink, 2);
}

/* A reload of the settings: what a webhook knows, and what waits, belongs to the next notifier. */
static void a_new_notifier_continues(void **state)
{
	struct fixture *f = *state;
	struct notifier *old;

	http_sink_listen(&f->sink);
	f->sink.answers[1] = STATUS("500 Internal Server Error");
	f->sink.answers[2] = STATUS("500 Internal Server Error");
	f->sink.answers[3] = OK;
	f->sink.answer_count = 4;
	make(f, "webhooks: ['%s']\n", f->sink.url);
	notify(f, "Down", "a", 0, false);
	wait_for(&f->sink, 1);
	notify(f, "Down", "b", 0, false);
	wait_for(&f->sink, 2);
	old = f->notifier;
	assert_ok(notifier_new(&f->notifier, &f->settings.notify, STR(""), &f->log, &f->e));
	notifier_replace(f->notifier, old);
	wait_for(&f->sink, 4);
	notify(f, "Down", "a", 0, false);
	assert_true(contains(body(&f->sink, 3), "\"instance\":\"b\""));
	wait_for_metric(f, "\"} 2\n# HELP prometheus_notifications_errors_total");
	notify(f, "Down", "a", 0, true);
	wait_for(&f->sink, 5);
}

static void webhook_messages_are_grouped(void **state)
{
	struct fixture *f = *state;
	const struct label labels[4][2] = {
		{{STR("alertname"), STR("Down")}, {STR("instance"), STR("a")}},
		{{STR("alertname"), STR("Slow")}, {STR("instance"), STR("a")}},
		{{STR("alertname"), STR("Down")}, {STR("instance"), STR("b")}},
		{{STR("alertname"), STR("Down")}, {STR("instance"), STR("c")}},
	};
	struct notify_alert alerts[4];

	for (unsigned i = 0; i < 4; i++)
		alerts[i] = (struct notify_alert){
			.labels = labels[i], .label_count = 2, .starts_ms = 1000, .ends_ms = 2000};
	http_sink_listen(&f->sink);
	make(f, "webhooks: [{url: '%s', max_alerts: 2}]\n", f->sink.url);
	notifier_send(f->notifier, alerts, 4);
	wait_for(&f->sink, 2);
	assert_true(contains(body(&f->sink, 0), "\"instance\":\"b\""));
	assert_false(contains(body(&f->sink, 0), "\"instance\":\"c\""));
	assert_true(contains(body(&f->sink, 0), "\"commonLabels\":{\"alertname\":\"Down\"}"));
	assert_true(contains(body(&f->sink, 0), "\"truncatedAlerts\":1"));
	assert_true(contains(body(&f->sink, 1), "\"groupKey\":\"{}:{alertname=\\\"Slow\\\"}\""));
	notifier_send(f->notifier, alerts, 4);
	nothing_more(&f->sink, 2);
}

/* What identifies a sender in a webhook's URL is in no log line and no metric. */
static void secrets_are_not_logged(void **state)
{
	struct fixture *f = *state;
	struct buf metrics = {0};
	char text[8192] = "";

	make(f,
	     "webhooks: [{url: '%s/services/T0SECRET', bearer_token: TOKENSECRET}]\n"
	     "alertmanagers: ['http://user:PASSSECRET@%s/x']\n",
	     f->sink.url, f->sink.url + strlen("http://"));
	notify(f, "Down", "a", 0, false);
	wait_for_metric(f, "errors_total{webhook=\"http://127.0.0.1:");
	for (unsigned i = 0; i < 500 && !strstr(text, "webhook"); i++) {
		ssize_t n = pread(f->log_file, text, sizeof(text) - 1, 0);

		text[n > 0 ? n : 0] = 0;
		if (strstr(text, "/x") && strstr(text, "receiver=http://127.0.0.1"))
			break;
		usleep(10000);
	}
	assert_non_null(strstr(text, "notifications are not delivered"));
	notifier_metrics(f->notifier, &metrics);
	assert_null(strstr(text, "SECRET"));
	assert_false(contains(buf_str(&metrics), "SECRET"));
	buf_fini(&metrics);
}

/* ---- queue and settings ---- */

static void a_full_queue_drops_the_oldest(void **state)
{
	struct notify_queue q = {0};
	struct notify_item *list;
	int dropped = 0;

	(void)state;
	for (unsigned i = 0; i < NOTIFY_QUEUE_MAX + 3; i++) {
		char text[16];
		const struct label label = {
			STR("n"), str_of(text, (size_t)snprintf(text, sizeof(text), "%u", i))};
		const struct notify_alert a = {.labels = &label, .label_count = 1};

		dropped += notify_queue_put(&q, notify_item_new(&a));
		/* the same again takes its place */
		dropped += notify_queue_put(&q, notify_item_new(&a));
	}
	assert_int_equal(dropped, 3);
	assert_int_equal(q.n, NOTIFY_QUEUE_MAX);
	list = notify_queue_take(&q, 2);
	assert_str_equal(list->alert.labels[0].value, STR("3"));
	assert_str_equal(list->next->alert.labels[0].value, STR("4"));
	assert_int_equal(notify_queue_return(&q, list), 0);
	assert_str_equal(q.first->alert.labels[0].value, STR("3"));
	assert_str_equal(q.first->next->alert.labels[0].value, STR("4"));
	notify_queue_fini(&q);
}

static void expect_settings_error(const char *yaml, const char *error)
{
	struct settings_of_test s;
	struct config c;
	struct err e = {0};

	assert_ok(config_init(&c, NULL));
	assert_ok_err(config_parse(&c, str_from(yaml), "c.yaml", NULL, NULL, &e), &e);
	assert_int_equal(settings_read(table, c.root, "service rules", &s, &c.arena, &e), -EINVAL);
	assert_string_equal(e.text, error);
	config_fini(&c);
}

static void settings_are_checked(void **state)
{
	(void)state;
	expect_settings_error("alertmanagers: [localhost:9093]",
			      "c.yaml:1:17: service rules: the \"url\" of a receiver has to begin "
			      "with http:// or https://");
	expect_settings_error("alertmanagers: [{timeout: 1s}]",
			      "c.yaml:1:17: service rules: a receiver has no \"url\"");
	expect_settings_error("webhooks: [{url: 'http:///x'}]",
			      "c.yaml:1:12: service rules: the \"url\" of a receiver has no host");
	expect_settings_error(
		"webhooks: [{url: 'http://h', max_alert: 3}]",
		"c.yaml:1:30: service rules: unknown option \"max_alert\"; did you mean "
		"\"max_alerts\"?");
	expect_settings_error(
		"external_labels: {a-b: c}",
		"c.yaml:1:19: service rules: \"external_labels\": \"a-b\" has to be the "
		"name of a label with a text");
	expect_settings_error("alertmanagers: [{url: 'http://h', bearer_token: a, basic_auth: "
			      "{username: u}}]",
			      "c.yaml:1:17: service rules: job \"http://h\": at most one of "
			      "basic_auth, authorization & bearer_token must be configured");
}

TEST_MAIN(test_with(fixture, alertmanager_gets_alerts),
	  test_with(fixture, newest_state_arrives_after_an_outage),
	  test_with(fixture, failures_are_repeated_and_refusals_dropped),
	  test_with(fixture, a_silent_receiver_delays_no_other),
	  test_with(fixture, what_waits_is_sent_at_the_end),
	  test_with(fixture, a_request_timeout_is_a_failure),
	  test_with(fixture, rules_change_and_drop_alerts),
	  test_with(fixture, a_webhook_gets_changes_of_state),
	  test_with(fixture, a_webhook_repeats_after_its_interval),
	  test_with(fixture, a_new_notifier_continues),
	  test_with(fixture, webhook_messages_are_grouped),
	  test_with(fixture, secrets_are_not_logged), test(a_full_queue_drops_the_oldest),
	  test(settings_are_checked))
