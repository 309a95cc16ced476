/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: send_alerts SETTINGS
 * Sends alerts with the notifier of rules. SETTINGS is YAML, as below service.rules. Each line of
 * the standard input is an alert: "firing|resolved START_S NAME INSTANCE". After each line "ok" is
 * printed; at the end, when all is sent, the metrics.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "rules/notify/notify.h"

struct send_settings {
	struct notify_settings notify;
};

static const struct setting table[] = {NOTIFY_SETTINGS(struct send_settings, notify), SET_END};

static bool send_line(struct notifier *n, const char *line)
{
	char state[16], name[64], instance[64];
	int64_t start;

	if (sscanf(line, "%15s %" SCNd64 " %63s %63s", state, &start, name, instance) != 4)
		return false;

	bool resolved = state[0] == 'r';
	int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_MS);
	const struct label labels[] = {{STR("alertname"), str_from(name)},
				       {STR("instance"), str_from(instance)}};
	const struct label annotation = {STR("summary"), STR("Something is <wrong>")};
	const struct notify_alert alert = {.labels = labels,
					   .label_count = 2,
					   .annotations = &annotation,
					   .annotation_count = 1,
					   .starts_ms = start * 1000,
					   .ends_ms = now + (resolved ? 0 : 240000),
					   .generator_url = STR("http://varve/graph?g0.expr=up"),
					   .resolved = resolved};

	notifier_send(n, &alert, 1);
	return true;
}

int main(int argc, char **argv)
{
	struct send_settings settings = {0};
	struct notifier *notifier = NULL;
	struct log log = {.fd = 2};
	struct config config;
	struct err e = {0};
	struct buf metrics = {0};
	char line[256];
	int rc = config_init(&config, NULL);

	if (!rc)
		rc = config_parse(&config, argc == 2 ? str_from(argv[1]) : STR("-"), "settings",
				  NULL, NULL, &e);
	if (!rc)
		rc = settings_read(table, config.root, "rules", &settings, &config.arena, &e);
	if (!rc)
		rc = notifier_new(&notifier, &settings.notify, STR("http://varve:4040"), &log, &e);
	if (rc)
		fprintf(stderr, "send_alerts: %s\n", e.text);
	while (!rc && fgets(line, sizeof(line), stdin) && send_line(notifier, line)) {
		puts("ok");
		fflush(stdout);
	}
	notifier_metrics(notifier, &metrics);
	fwrite(metrics.p, 1, metrics.n, stdout);
	buf_fini(&metrics);
	notifier_free(notifier);
	config_fini(&config);
	return rc ? 2 : 0;
}
