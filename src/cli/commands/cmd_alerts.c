/* SPDX-License-Identifier: Apache-2.0 */
/* varve alerts: the active alerts of a server's rules. */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/time_text.h"
#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/terminal/text.h"
#include "cli/terminal/units.h"

enum { STATE_ALL, STATE_FIRING, STATE_PENDING };

static const char *const states[] = {"all", "firing", "pending", NULL};

struct alerts_options {
	struct common_options common;
	struct remote_options remote;
	bool json;
	unsigned state;
};

#define AT(field) offsetof(struct alerts_options, field)

static const struct option alerts_options[] = {
	{"json", 0, OPTION_FLAG, AT(json), NULL, NULL, NULL, "print the response of the server"},
	{"state", 0, OPTION_CHOICE, AT(state), "STATE", "all", states,
	 "only alerts of this state: firing, pending"},
	{0},
};

static const struct option_group alerts_groups[] = {
	{"Options", common_options, AT(common)},
	{"Alerts", alerts_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

/* ---- text ---- */

static bool is_firing(const struct json_value *alert)
{
	return str_eq(json_str(json_get(alert, STR("state"))), STR("firing"));
}

/* Append since when an alert is active: 5m 3s, 1h 5m or 2d 4h. */
static void put_since(struct buf *out, const struct json_value *alert)
{
	uint64_t at, now = clock_realtime_ns(), seconds;

	if (time_parse(json_str(json_get(alert, STR("activeAt"))), now, &at, NULL)) {
		buf_printf(out, "%-9s", "");
		return;
	}
	seconds = now > at ? (now - at) / NS_PER_SECOND : 0;
	if (seconds >= 86400)
		buf_printf(out, "%4llud%2lluh ", (unsigned long long)(seconds / 86400),
			   (unsigned long long)(seconds / 3600 % 24));
	else if (seconds >= 3600)
		buf_printf(out, "%4lluh%2llum ", (unsigned long long)(seconds / 3600),
			   (unsigned long long)(seconds / 60 % 60));
	else
		buf_printf(out, "%4llum%2llus ", (unsigned long long)(seconds / 60),
			   (unsigned long long)(seconds % 60));
}

/* Append the labels besides the name of the alert: {job="shop", team="base"} */
static void put_labels(struct cli *cli, struct buf *out, const struct json_value *labels)
{
	const char *before = "{";

	json_each_member(key, labels)
	{
		if (str_eq(json_str(key), STR("alertname")))
			continue;
		buf_put_str(out, str_from(before));
		text_put(out, json_str(key), cli->out.charset);
		buf_put_str(out, STR("=\""));
		text_put(out, json_str(json_member(key)), cli->out.charset);
		buf_put_char(out, '"');
		before = ", ";
	}
	if (before[0] == ',')
		buf_put_char(out, '}');
}

static void put_alert(struct cli *cli, struct buf *out, const struct json_value *alert)
{
	const struct json_value *labels = json_get(alert, STR("labels"));
	struct str value = json_str(json_get(alert, STR("value")));
	double number;

	buf_put_str(out, is_firing(alert) ? STR("firing  ") : STR("pending "));
	put_since(out, alert);
	if (!str_to_double(value, &number))
		buf_printf(out, "%12.6g  ", number);
	else
		buf_printf(out, "%12.*s  ", STR_ARG(str_head(value, 12)));
	terminal_bold(out, &cli->out);
	text_put(out, json_str(json_get(labels, STR("alertname"))), cli->out.charset);
	terminal_plain(out, &cli->out);
	put_labels(cli, out, labels);
	buf_put_char(out, '\n');
	json_each_member(key, json_get(alert, STR("annotations")))
	{
		buf_printf(out, "%31s", "");
		text_put(out, json_str(key), cli->out.charset);
		buf_put_str(out, STR(": "));
		text_put(out, json_str(json_member(key)), cli->out.charset);
		buf_put_char(out, '\n');
	}
}

/* Append the alerts, the firing ones first, and their number. */
static void put_alerts(struct cli *cli, struct buf *out, const struct json_value *root,
		       unsigned state)
{
	const struct json_value *list = json_get(json_get(root, STR("data")), STR("alerts"));
	uint32_t firing = 0, pending = 0;

	json_each(count, list)
	{
		firing += is_firing(count);
		pending += !is_firing(count);
	}
	if (firing + pending)
		buf_printf(out, "%-8s%-8s%12s   %s\n", "state", "since", "value", "alert");
	for (int pass = 0; pass < 2; pass++) {
		json_each(alert, list)
		{
			bool wanted =
				state == STATE_ALL || is_firing(alert) == (state == STATE_FIRING);

			if (is_firing(alert) == !pass && wanted)
				put_alert(cli, out, alert);
		}
	}
	buf_printf(out, "%u firing, %u pending\n", firing, pending);
}

/* ---- the command ---- */

static int list_alerts(struct cli *cli, const struct alerts_options *o, struct buf *out,
		       struct err *e)
{
	struct buf path = {0}, body = {0};
	struct arena arena;
	struct remote r = {0};
	struct json doc;
	int rc;

	arena_init(&arena, &cli->budget);
	json_init(&doc, &arena);
	remote_path(&path, "/prometheus/api/v1/alerts");
	rc = remote_open(&r, &o->remote, cli, e);
	if (!rc)
		rc = remote_request(&r, NULL, &path, (struct str){0}, &body, e);
	if (!rc && o->json)
		buf_put_str(out, buf_str(&body));
	if (!rc && !o->json)
		rc = json_parse(&doc, buf_str(&body), e);
	if (!rc && !o->json)
		put_alerts(cli, out, json_root(&doc), o->state);
	remote_close(&r);
	arena_fini(&arena);
	buf_fini(&path);
	buf_fini(&body);
	return rc;
}

static enum exit_code run_alerts(struct cli *cli, void *options, const struct arguments *args)
{
	const struct alerts_options *o = options;
	struct buf out = {0};
	struct err e = {0};
	enum exit_code status;

	if (args->n)
		return cli_usage(cli, &command_alerts, "takes no arguments");
	if (o->json && o->state != STATE_ALL)
		return cli_usage(cli, &command_alerts,
				 "--state is not for --json, which prints all alerts");
	status =
		list_alerts(cli, o, &out, &e) ? cli_fail(cli, &e) : cli_print(cli, &out, EXIT_DONE);
	buf_fini(&out);
	return status;
}

const struct command command_alerts = {
	.name = "alerts",
	.summary = "list the active alerts of a server",
	.arguments = "",
	.details = "Alerts of the server's rules (docs/rules.md): state, since when, the value of\n"
		   "the expression, name and labels, and the annotations below. Who is notified:\n"
		   "docs/alerts.md.\n",
	.examples = "varve alerts\n"
		    "varve alerts --state firing\n"
		    "varve alerts --json | jq '.data.alerts[].labels.alertname'\n",
	.groups = alerts_groups,
	.options_size = sizeof(struct alerts_options),
	.run = run_alerts,
};
