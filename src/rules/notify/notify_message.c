/* SPDX-License-Identifier: Apache-2.0 */
/* Alerts as JSON: the API of Alertmanager, and what Alertmanager sends to webhooks. */
#include "rules/notify/notify_message.h"

#include <stdio.h>

#include "base/clock.h"
#include "wire/json_write.h"

/* What Alertmanager writes for no time. */
#define NO_TIME "0001-01-01T00:00:00Z"

static void put_time(struct json_writer *w, struct str key, int64_t ms)
{
	char text[CLOCK_TEXT_SIZE];

	json_put_key(w, key);
	if (ms <= 0)
		json_put_string(w, STR(NO_TIME));
	else
		json_put_string(w, str_from(clock_format((uint64_t)ms * NS_PER_MS, text)));
}

static void put_labels(struct json_writer *w, struct str key, const struct label *labels,
		       uint32_t n)
{
	json_put_key(w, key);
	json_open_object(w);
	for (uint32_t i = 0; i < n; i++) {
		json_put_key(w, labels[i].name);
		json_put_string(w, labels[i].value);
	}
	json_close_object(w);
}

static void put_texts(struct json_writer *w, const struct notify_alert *a)
{
	put_labels(w, STR("labels"), a->labels, a->label_count);
	put_labels(w, STR("annotations"), a->annotations, a->annotation_count);
}

void notify_put_alerts(struct buf *out, const struct notify_item *list)
{
	struct json_writer w = json_writer_to(out, 0);

	json_open_array(&w);
	for (; list; list = list->next) {
		const struct notify_alert *a = &list->alert;

		json_open_object(&w);
		put_texts(&w, a);
		if (a->starts_ms > 0)
			put_time(&w, STR("startsAt"), a->starts_ms);
		if (a->ends_ms > 0)
			put_time(&w, STR("endsAt"), a->ends_ms);
		if (a->generator_url.n) {
			json_put_key(&w, STR("generatorURL"));
			json_put_string(&w, a->generator_url);
		}
		json_close_object(&w);
	}
	json_close_array(&w);
}

/* ---- webhooks ---- */

static void put_text(struct json_writer *w, struct str key, struct str value)
{
	json_put_key(w, key);
	json_put_string(w, value);
}

static struct str status_of(bool resolved)
{
	return resolved ? STR("resolved") : STR("firing");
}

static void put_webhook_alert(struct json_writer *w, const struct notify_item *item)
{
	const struct notify_alert *a = &item->alert;
	char fingerprint[17];

	snprintf(fingerprint, sizeof(fingerprint), "%016llx",
		 (unsigned long long)item->fingerprint);
	json_open_object(w);
	put_text(w, STR("status"), status_of(a->resolved));
	put_texts(w, a);
	put_time(w, STR("startsAt"), a->starts_ms);
	/* The end of a firing alert is only when it would be over without news. */
	put_time(w, STR("endsAt"), a->resolved ? a->ends_ms : 0);
	put_text(w, STR("generatorURL"), a->generator_url);
	put_text(w, STR("fingerprint"), str_from(fingerprint));
	json_close_object(w);
}

static struct str find_label(const struct label *labels, uint32_t n, struct str name)
{
	for (uint32_t i = 0; i < n; i++)
		if (str_eq(labels[i].name, name))
			return labels[i].value;
	return (struct str){0};
}

/* Append the labels (or annotations) that all alerts of the list have with the same value. */
static void put_common(struct json_writer *w, struct str key, const struct notify_item *list,
		       bool annotations)
{
	const struct notify_alert *first = &list->alert;
	const struct label *labels = annotations ? first->annotations : first->labels;
	uint32_t n = annotations ? first->annotation_count : first->label_count;

	json_put_key(w, key);
	json_open_object(w);
	for (uint32_t i = 0; i < n; i++) {
		bool common = true;

		for (const struct notify_item *o = list->next; o && common; o = o->next) {
			const struct notify_alert *a = &o->alert;

			common = str_eq(
				labels[i].value,
				find_label(annotations ? a->annotations : a->labels,
					   annotations ? a->annotation_count : a->label_count,
					   labels[i].name));
		}
		if (common)
			put_text(w, labels[i].name, labels[i].value);
	}
	json_close_object(w);
}

/* {}:{alertname="..."}, with the escapes of labels */
static void put_group_key(struct json_writer *w, struct str alertname)
{
	struct buf key = {0};

	buf_put_str(&key, STR("{}:{alertname=\""));
	for (size_t i = 0; i < alertname.n; i++) {
		char c = alertname.p[i];

		if (c == '"' || c == '\\')
			buf_put_char(&key, '\\');
		if (c == '\n')
			buf_put_str(&key, STR("\\n"));
		else
			buf_put_char(&key, c);
	}
	buf_put_str(&key, STR("\"}"));
	put_text(w, STR("groupKey"), buf_str(&key));
	w->out->failed |= key.failed;
	buf_fini(&key);
}

static void put_groups(struct json_writer *w, const struct notify_item *list)
{
	const struct label group = {
		STR("alertname"),
		find_label(list->alert.labels, list->alert.label_count, STR("alertname"))};

	put_labels(w, STR("groupLabels"), &group, 1);
	put_common(w, STR("commonLabels"), list, false);
	put_common(w, STR("commonAnnotations"), list, true);
}

void notify_put_webhook(struct buf *out, const struct webhook_message *m,
			const struct notify_item *list)
{
	struct json_writer w = json_writer_to(out, 0);
	uint64_t n = 0, shown = 0;
	bool firing = false;

	if (!list)
		return;
	for (const struct notify_item *i = list; i; i = i->next) {
		firing |= !i->alert.resolved;
		n++;
	}
	json_open_object(&w);
	put_text(&w, STR("receiver"), m->receiver);
	put_text(&w, STR("status"), status_of(!firing));
	json_put_key(&w, STR("alerts"));
	json_open_array(&w);
	for (const struct notify_item *i = list; i && (!m->max_alerts || shown < m->max_alerts);
	     i = i->next, shown++)
		put_webhook_alert(&w, i);
	json_close_array(&w);
	put_groups(&w, list);
	put_text(&w, STR("externalURL"), m->external_url);
	put_text(&w, STR("version"), STR("4"));
	put_group_key(&w,
		      find_label(list->alert.labels, list->alert.label_count, STR("alertname")));
	json_put_key(&w, STR("truncatedAlerts"));
	json_put_u64(&w, n - shown);
	json_close_object(&w);
}
