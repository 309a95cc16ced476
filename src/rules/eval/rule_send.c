/* SPDX-License-Identifier: Apache-2.0 */
/* Which alerts are sent to the notifier, and when. */
#include <stdlib.h>

#include "rules/eval/rule_group.h"

/* Append text with all but unreserved characters escaped, as in the query of a URL. */
static void put_escaped(struct buf *b, struct str text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.~";

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == ' ')
			buf_put_char(b, '+');
		else if (text.p[i] && strchr(plain, text.p[i]))
			buf_put_char(b, text.p[i]);
		else
			buf_printf(b, "%%%02X", (unsigned char)text.p[i]);
}

/* The page that shows the expression. */
static void put_url(struct buf *b, const struct rule_group *g, const struct rule *rule)
{
	struct str base = g->settings->external_url;

	while (base.n && base.p[base.n - 1] == '/')
		base.n--;
	buf_put_str(b, base);
	buf_put_str(b, STR("/graph?g0.expr="));
	put_escaped(b, rule->printed);
	buf_put_str(b, STR("&g0.tab=1"));
}

static bool needs_sending(const struct alert *a, int64_t time_ms, int64_t resend_ms)
{
	if (a->state == ALERT_PENDING)
		return false;
	if (a->resolved_ms > a->sent_ms)
		return true;
	return a->sent_ms + resend_ms < time_ms;
}

void rule_send_alerts(struct rule_group *g, struct live_rule *rule, int64_t time_ms,
		      struct notifier *notifier)
{
	int64_t resend = g->settings->resend_ms;
	int64_t interval = rule_group_interval(g->def, g->settings->interval_ms);
	int64_t valid = 4 * (interval > resend ? interval : resend);
	struct rule_state *s = &rule->state;
	struct notify_alert *out;
	struct buf url = {0};
	uint32_t n = 0;

	if (!notifier || !s->alerts.n)
		return;
	out = calloc(s->alerts.n, sizeof(*out));
	if (!out)
		return;
	put_url(&url, g, rule->def);
	pthread_mutex_lock(&g->mu);
	for (uint32_t i = 0; i < s->alerts.n; i++) {
		struct alert *a = &s->alerts.at[i];

		if (!needs_sending(a, time_ms, resend))
			continue;
		a->sent_ms = time_ms;
		a->valid_until_ms = time_ms + valid;
		out[n++] = (struct notify_alert){.labels = a->labels,
						 .label_count = a->label_count,
						 .annotations = a->annotations,
						 .annotation_count = a->annotation_count,
						 .starts_ms = a->fired_ms,
						 .ends_ms = a->resolved_ms ? a->resolved_ms
									   : a->valid_until_ms,
						 .generator_url = buf_str(&url),
						 .resolved = a->resolved_ms != 0};
	}
	pthread_mutex_unlock(&g->mu);
	if (n)
		notifier_send(notifier, out, n);
	buf_fini(&url);
	free(out);
}
