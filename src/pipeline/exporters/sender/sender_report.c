/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the counters of all senders from one table, as Prometheus text and as JSON. */
#include "pipeline/exporters/sender/sender_report.h"

#include <stddef.h>
#include <stdlib.h>

enum { REPORTED_MAX = 256 };

static const struct {
	const char *name, *metric, *type, *help;
	size_t offset; /* in struct sender_stats, of a uint64_t */
} rows[] = {
	{"accepted", "varve_exporter_accepted_items_total", "counter",
	 "Items that were taken over into the queue.", offsetof(struct sender_stats, accepted)},
	{"sent", "varve_exporter_sent_items_total", "counter",
	 "Items in all attempts to send, including repeated ones.",
	 offsetof(struct sender_stats, sent)},
	{"confirmed", "varve_exporter_confirmed_items_total", "counter",
	 "Items that the destination has acknowledged.", offsetof(struct sender_stats, confirmed)},
	{"failed", "varve_exporter_failed_items_total", "counter",
	 "Items that the destination has refused for good.", offsetof(struct sender_stats, failed)},
	{"dropped", "varve_exporter_dropped_items_total", "counter",
	 "Items that were given up: out of time, or at the end.",
	 offsetof(struct sender_stats, dropped)},
	{"pending", "varve_exporter_pending_items", "gauge", "Items queued and in flight.",
	 offsetof(struct sender_stats, pending)},
	{"duplicates", "varve_exporter_duplicate_items_total", "counter",
	 "Items sent again after a restart although they may have arrived.",
	 offsetof(struct sender_stats, duplicates)},
};

static uint64_t row_value(const struct sender_stats *s, size_t row)
{
	uint64_t value;

	memcpy(&value, (const char *)s + rows[row].offset, sizeof(value));
	return value;
}

/* Copy the statistics; free() the result. NULL without memory. */
static struct sender_stats *copy_stats(struct sender_list *l, unsigned *count)
{
	struct sender_stats *at = calloc(REPORTED_MAX, sizeof(*at));

	*count = at ? sender_list_copy(l, at, REPORTED_MAX) : 0;
	if (*count > REPORTED_MAX)
		*count = REPORTED_MAX;
	return at;
}

/* The text of a label: what may end it is escaped. */
static void put_label(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_put_char(out, '\\');
		buf_put_char(out, *text == '\n' ? ' ' : *text);
	}
}

static void put_value(struct buf *out, const char *metric, const struct sender_stats *s,
		      uint64_t value)
{
	buf_printf(out, "%s{exporter=\"", metric);
	put_label(out, s->id);
	buf_printf(out, "\"} %llu\n", (unsigned long long)value);
}

void sender_report_metrics(struct sender_list *l, struct buf *out)
{
	unsigned count;
	struct sender_stats *at = copy_stats(l, &count);

	for (size_t i = 0; i < countof(rows) && count; i++) {
		buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", rows[i].metric, rows[i].help,
			   rows[i].metric, rows[i].type);
		for (unsigned k = 0; k < count; k++)
			put_value(out, rows[i].metric, &at[k], row_value(&at[k], i));
	}
	if (count)
		buf_printf(out, "# HELP varve_exporter_reachable The last attempt got a response.\n"
				"# TYPE varve_exporter_reachable gauge\n");
	for (unsigned k = 0; k < count; k++)
		put_value(out, "varve_exporter_reachable", &at[k], at[k].reachable);
	free(at);
}

static void put_text(struct json_writer *w, const char *key, const char *text)
{
	json_put_key(w, str_from(key));
	json_put_string(w, str_from(text));
}

static void put_stats(struct json_writer *w, const struct sender_stats *s)
{
	json_open_object(w);
	put_text(w, "id", s->id);
	put_text(w, "destination", s->destination);
	json_put_key(w, STR("reachable"));
	json_put_bool(w, s->reachable);
	for (size_t i = 0; i < countof(rows); i++) {
		json_put_key(w, str_from(rows[i].name));
		json_put_u64(w, row_value(s, i));
	}
	json_put_key(w, STR("last_success_ms"));
	json_put_u64(w, s->last_success / 1000000);
	json_put_key(w, STR("last_failure_ms"));
	json_put_u64(w, s->last_failure / 1000000);
	put_text(w, "last_error", s->last_error);
	json_close_object(w);
}

void sender_report_json(struct sender_list *l, struct json_writer *w)
{
	unsigned count;
	struct sender_stats *at = copy_stats(l, &count);

	json_open_array(w);
	for (unsigned k = 0; k < count; k++)
		put_stats(w, &at[k]);
	json_close_array(w);
	free(at);
}
