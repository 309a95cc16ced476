/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting consumers. Receivers and exporters are counted with the result of the delivery, by a
 * watch in the delivery itself: a wrapped delivery would cost an allocation each.
 */
#include "pipeline/service/item_counters.h"

#include <stdio.h>

#include "base/clock.h"

enum { NAME_MAX_BYTES = 80 };

static void watch(struct delivery *d, enum delivery_watcher watcher, void *arg,
		  void (*count)(void *arg, const struct delivery *d, uint64_t items,
				const struct delivery_result *result))
{
	d->watches[watcher] = (struct delivery_watch){d, count, arg, delivery_items(d)};
}

/*
 * The items that a result with success refused. Profiles are counted in samples, but refused as
 * whole profiles.
 */
static uint64_t rejected_items(enum signal_kind signal, uint64_t items,
			       const struct delivery_result *result)
{
	if (signal == SIGNAL_PROFILES)
		return 0;
	return result->rejected < items ? result->rejected : items;
}

/* ---- receivers ---- */

static struct telemetry_value *receiver_value(const struct receiver_counter *c, const char *what,
					      const char *transport)
{
	const struct telemetry_label labels[] = {{"receiver", c->id}, {"transport", transport}};
	const char *items = signal_items[signal_index(c->signal)];
	char name[NAME_MAX_BYTES], help[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "otelcol_receiver_%s_%s", what, items);
	snprintf(help, sizeof(help), "Number of %s %s by the receiver.", items, what);
	return telemetry_get(&c->host->telemetry, TELEMETRY_COUNTER, name, help, labels,
			     countof(labels));
}

static struct receiver_counts *find_counts(struct receiver_counter *c, unsigned n,
					   const char *transport)
{
	for (unsigned i = 0; i < n; i++)
		if (c->counts[i].transport == transport ||
		    !strcmp(c->counts[i].transport, transport))
			return &c->counts[i];
	return NULL;
}

/* Return the counts of a transport; beyond RECEIVER_TRANSPORTS those of the last one. */
static struct receiver_counts *receiver_counts_of(struct receiver_counter *c, const char *transport)
{
	struct receiver_counts *found =
		find_counts(c, atomic_load_explicit(&c->count, memory_order_acquire), transport);
	unsigned n;

	if (found)
		return found;
	pthread_mutex_lock(&c->mu);
	n = atomic_load(&c->count);
	found = find_counts(c, n, transport);
	if (!found && n == RECEIVER_TRANSPORTS) {
		found = &c->counts[n - 1];
	} else if (!found) {
		found = &c->counts[n];
		*found = (struct receiver_counts){c, transport,
						  receiver_value(c, "accepted", transport),
						  receiver_value(c, "refused", transport)};
		atomic_store_explicit(&c->count, n + 1, memory_order_release);
	}
	pthread_mutex_unlock(&c->mu);
	return found;
}

/* Record the time from the arrival of the data to its result. */
static void trace_received(const struct receiver_counts *counts, const struct delivery *d,
			   uint64_t items, const struct delivery_result *result)
{
	const struct receiver_counter *c = counts->of;
	uint64_t now = clock_realtime_ns();
	struct traced_name name = {"receiver", c->id, counts->transport, c->signal};
	struct traced_delivery t = {now, now > d->received ? now - d->received : 0, items,
				    result->rc, ""};

	snprintf(t.reason, sizeof(t.reason), "%.*s", TRACED_REASON_MAX - 1, result->reason);
	delivery_traces_add(&c->host->traces, &name, &t);
}

static void receiver_done(void *arg, const struct delivery *d, uint64_t items,
			  const struct delivery_result *result)
{
	struct receiver_counts *counts = arg;
	uint64_t refused = result->rc ? items : rejected_items(d->signal, items, result);

	telemetry_add(counts->accepted, (int64_t)(items - refused));
	telemetry_add(counts->refused, (int64_t)refused);
	if (delivery_traces_watched(&counts->of->host->traces))
		trace_received(counts, d, items, result);
}

static bool receiver_consume(void *state, struct delivery *d)
{
	struct receiver_counter *c = state;

	watch(d, WATCH_RECEIVER, receiver_counts_of(c, d->transport ? d->transport : ""),
	      receiver_done);
	return consumer_consume(c->consumer.next, d);
}

void receiver_counter_refuse(struct consumer *c, const char *transport)
{
	if (c && c->consume == receiver_consume)
		telemetry_add(receiver_counts_of(c->state, transport)->refused, 1);
}

void receiver_counter_init(struct receiver_counter *c, struct host *host, const char *id,
			   enum signal_kind signal, struct consumer *next)
{
	*c = (struct receiver_counter){.consumer = {c, receiver_consume, NULL, next},
				       .host = host,
				       .id = id,
				       .signal = signal};
	pthread_mutex_init(&c->mu, NULL);
}

void receiver_counter_fini(struct receiver_counter *c)
{
	pthread_mutex_destroy(&c->mu);
}

/* ---- processors ---- */

static bool processor_counter_consume(void *state, struct delivery *d)
{
	const struct processor_counter *c = state;
	int64_t items = (int64_t)delivery_items(d);

	if (c->outgoing)
		telemetry_add(c->outgoing, items);
	if (c->incoming)
		telemetry_add(c->incoming, items);
	return consumer_consume(c->consumer.next, d);
}

void processor_counter_init(struct processor_counter *c, struct telemetry_value *outgoing,
			    struct telemetry_value *incoming, struct consumer *next)
{
	*c = (struct processor_counter){
		{c, processor_counter_consume, NULL, next}, outgoing, incoming};
}

struct telemetry_value *processor_counter_value(struct telemetry *t, const char *what,
						const char *id, enum signal_kind signal)
{
	const struct telemetry_label labels[] = {
		{"processor", id}, {"otel_signal", signal_names[signal_index(signal)]}};
	char name[NAME_MAX_BYTES], help[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "otelcol_processor_%s_items", what);
	snprintf(help, sizeof(help), "Number of %s items of the processor.", what);
	return telemetry_get(t, TELEMETRY_COUNTER, name, help, labels, countof(labels));
}

/* ---- exporters ---- */

static void exporter_done(void *arg, const struct delivery *d, uint64_t items,
			  const struct delivery_result *result)
{
	struct exporter_counter *c = arg;
	unsigned signal = signal_index(d->signal);
	uint64_t failed = result->rc ? items : rejected_items(d->signal, items, result);

	if (!c->sent[signal])
		return;
	telemetry_add(c->sent[signal], (int64_t)(items - failed));
	telemetry_add(c->failed[signal], (int64_t)failed);
}

static bool exporter_consume(void *state, struct delivery *d)
{
	struct exporter_counter *c = state;

	watch(d, WATCH_EXPORTER, c, exporter_done);
	return consumer_consume(c->consumer.next, d);
}

static struct telemetry_value *exporter_value(struct telemetry *t, const char *what, const char *id,
					      unsigned signal)
{
	const struct telemetry_label label = {"exporter", id};
	char name[NAME_MAX_BYTES], help[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "otelcol_exporter_%s_%s", what, signal_items[signal]);
	snprintf(help, sizeof(help), "Number of %s: %s.", signal_items[signal],
		 what[4] ? "failed to be sent" : "sent");
	return telemetry_get(t, TELEMETRY_COUNTER, name, help, &label, 1);
}

void exporter_counter_init(struct exporter_counter *c, struct telemetry *t, const char *id,
			   unsigned signals, struct consumer *next)
{
	*c = (struct exporter_counter){.consumer = {c, exporter_consume, NULL, next}};
	for (unsigned i = 0; i < SIGNALS; i++) {
		if (!(signals & 1u << i))
			continue;
		c->sent[i] = exporter_value(t, "sent", id, i);
		c->failed[i] = exporter_value(t, "send_failed", id, i);
	}
}
