/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that adds the payload which fills a batch sends it, without a lock. So senders are
 * slowed down by what follows, and several batches are sent at the same time. One thread sends the
 * batches whose timeout has passed. A batch exists from its first payload until it is sent; all
 * have the same timeout, so that the oldest is the first that is due.
 *
 * If an exporter that follows is durable, a delivery is done when its items are delivered
 * (delivery_ticket.h), otherwise at once, unless many batches wait for an exporter (batch_flow.h).
 */
#include "pipeline/processors/batch/batch_processor.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"
#include "base/container/map.h"
#include "base/thread.h"
#include "pipeline/processors/batch/batch_send.h"
#include "pipeline/processors/processor.h"

struct batch_settings {
	int64_t send_batch_size, send_batch_max_size;
	uint64_t timeout_ns;
	struct setting_list metadata_keys;
	int64_t metadata_cardinality_limit;
};

enum {
	BUCKETS = 256,
	HEADERS_MAX = 64,	   /* in the key of a batch */
	COMBINATIONS_MAX = 100000, /* if there is no limit */
};

struct batch_state {
	struct batch_sender sender;
	struct batch_flow flow;
	uint64_t size, timeout_ns;
	bool durable;
	struct str *metadata_keys; /* lower case */
	uint32_t metadata_key_count;
	uint64_t combinations_max;
	struct telemetry_value *size_sends, *timeout_sends, *cardinality;
	struct arena arena;

	pthread_mutex_t mu; /* guards what follows, and all open batches */
	pthread_cond_t changed;
	struct open_batch *buckets[BUCKETS];
	struct open_batch *oldest, *newest;
	struct map combinations; /* of headers, by their hash; only with metadata_keys */
	uint64_t wakes_ns;	 /* when the thread has something to do */
	bool stopping;
	struct thread thread;
};

/* ---- open batches; the caller holds the lock ---- */

static struct open_batch **batch_place(struct batch_state *b, const struct batch_key *key)
{
	struct open_batch **at = &b->buckets[key->hash % BUCKETS];

	while (*at && !batch_key_eq(&(*at)->key, key))
		at = &(*at)->same_hash;
	return at;
}

/* Let the thread wake up at that time. */
static void wake_at(struct batch_state *b, uint64_t due_ns)
{
	if (due_ns < b->wakes_ns)
		pthread_cond_signal(&b->changed);
	b->wakes_ns = min_size(b->wakes_ns, due_ns);
}

static void insert_batch(struct batch_state *b, struct open_batch *o)
{
	*batch_place(b, &o->key) = o;
	o->due_ns = clock_monotonic_ns() + b->timeout_ns;
	o->older = b->newest;
	*(o->older ? &o->older->newer : &b->oldest) = o;
	b->newest = o;
	wake_at(b, o->due_ns);
}

static void remove_batch(struct batch_state *b, struct open_batch *o)
{
	*batch_place(b, &o->key) = o->same_hash;
	*(o->older ? &o->older->newer : &b->oldest) = o->newer;
	*(o->newer ? &o->newer->older : &b->newest) = o->older;
	o->older = o->newer = o->same_hash = NULL;
}

/* Return whether the batch may be opened: it counts combinations of headers. */
static int admit_combination(struct batch_state *b, const struct batch_key *key)
{
	uint64_t ignored;
	int rc;

	if (!b->metadata_key_count || map_get(&b->combinations, key->combination, &ignored))
		return 0;
	if (map_count(&b->combinations) >= b->combinations_max)
		return -EINVAL;
	rc = map_set(&b->combinations, key->combination, 1);
	telemetry_set(b->cardinality, (int64_t)map_count(&b->combinations));
	return rc;
}

/* Find the batch of a key, or open one. */
static int open_batch_of(struct batch_state *b, const struct batch_key *key,
			 struct open_batch **out)
{
	struct open_batch *o = *batch_place(b, key);
	int rc = o ? 0 : admit_combination(b, key);

	if (rc)
		return rc;
	if (!o) {
		o = open_batch_new(key);
		if (!o)
			return -ENOMEM;
		insert_batch(b, o);
	}
	*out = o;
	return 0;
}

/* Return whether a batch is sent when it has `items` items. */
static bool is_batch_full(const struct batch_state *b, uint64_t items)
{
	return !b->timeout_ns || items >= b->size;
}

/* Remove the batch and return it if it is full; else return NULL. */
static struct open_batch *take_full(struct batch_state *b, struct open_batch *o)
{
	if (!is_batch_full(b, o->items))
		return NULL;
	remove_batch(b, o);
	return o;
}

/* Add a payload, and `ticket` unless it is NULL. On success both are taken over. */
static int add_payload(struct batch_state *b, const struct batch_key *key, struct payload *p,
		       struct delivery_ticket *ticket, struct open_batch **full)
{
	struct open_batch *o;
	int rc = open_batch_of(b, key, &o);

	if (!rc)
		rc = open_batch_reserve(o, ticket != NULL);
	if (rc)
		return rc;
	open_batch_add(o, p);
	if (ticket)
		open_batch_add_share(o, (struct batch_share){ticket, p->items});
	*full = take_full(b, o);
	return 0;
}

/*
 * Put what is left of a batch that was cut into the open batch of its key. Return a batch that has
 * to be sent, or NULL.
 */
static struct open_batch *put_back_batch(struct batch_state *b, struct open_batch *left)
{
	struct open_batch *o = *batch_place(b, &left->key);

	if (!o) {
		insert_batch(b, left);
		return NULL;
	}
	if (open_batch_reserve(o, left->share_count))
		return left;
	open_batch_add(o, left->parts.at[0]);
	left->parts.n = 0;
	for (uint32_t i = 0; i < left->share_count; i++)
		open_batch_add_share(o, left->shares[i]);
	open_batch_free(left);
	return take_full(b, o);
}

/* ---- sending; without the lock ---- */

static void send_full(struct batch_state *b, struct open_batch *o)
{
	while (o) {
		struct open_batch *left;

		telemetry_add(b->size_sends, 1);
		left = batch_send(&b->sender, o, b->timeout_ns ? b->size : 0);
		if (!left)
			return;
		pthread_mutex_lock(&b->mu);
		o = put_back_batch(b, left);
		pthread_mutex_unlock(&b->mu);
	}
}

/* Send the batches that were due at `until`. Called and returns with the lock held. */
static void send_due(struct batch_state *b, uint64_t until)
{
	while (b->oldest && b->oldest->due_ns <= until) {
		struct open_batch *o = b->oldest;

		remove_batch(b, o);
		pthread_mutex_unlock(&b->mu);
		telemetry_add(b->timeout_sends, 1);
		(void)batch_send(&b->sender, o, 0);
		pthread_mutex_lock(&b->mu);
	}
}

/* Wait until there is something to do. Hold the lock. */
static void wait_for_work(struct batch_state *b)
{
	const struct timespec until = {.tv_sec = (time_t)(b->wakes_ns / NS_PER_SECOND),
				       .tv_nsec = (long)(b->wakes_ns % NS_PER_SECOND)};

	if (b->wakes_ns == UINT64_MAX)
		pthread_cond_wait(&b->changed, &b->mu);
	else
		pthread_cond_timedwait(&b->changed, &b->mu, &until);
}

static void timer_run(void *arg)
{
	struct batch_state *b = arg;

	pthread_mutex_lock(&b->mu);
	while (!b->stopping) {
		uint64_t now = clock_monotonic_ns(), next;

		b->wakes_ns = UINT64_MAX;
		send_due(b, now);
		pthread_mutex_unlock(&b->mu);
		next = batch_flow_release(&b->flow, now);
		pthread_mutex_lock(&b->mu);
		wake_at(b, b->oldest ? min_size(next, b->oldest->due_ns) : next);
		if (!b->stopping && b->wakes_ns > clock_monotonic_ns())
			wait_for_work(b);
	}
	pthread_mutex_unlock(&b->mu);
}

/* ---- consuming ---- */

/* Fill `out` with the headers of the delivery that are part of the key, in the order of the keys. */
static int chosen_headers(const struct batch_state *b, const struct delivery *d,
			  struct http_header out[HEADERS_MAX], uint32_t *count)
{
	*count = 0;
	for (uint32_t k = 0; k < b->metadata_key_count; k++) {
		for (uint32_t i = 0; i < d->metadata_count; i++) {
			if (!str_eq(d->metadata[i].name, b->metadata_keys[k]))
				continue;
			if (*count == HEADERS_MAX)
				return -EINVAL;
			out[(*count)++] = d->metadata[i];
		}
	}
	return 0;
}

/* Refuse a delivery that was not added. */
static bool refuse_delivery(struct delivery *d, int rc)
{
	if (rc == -EINVAL)
		delivery_fail(d, rc, 0, "too many batcher metadata-value combinations");
	else
		delivery_fail(d, -ENOMEM, 1000, "out of memory for batches");
	return false;
}

/* Return a reference to the payload. If memory is short, all open batches are sent first. */
static struct payload *keep_payload(struct batch_state *b, const struct payload *p)
{
	struct payload *kept = payload_keep(p, &b->sender.host->memory);

	if (kept)
		return kept;
	pthread_mutex_lock(&b->mu);
	send_due(b, UINT64_MAX);
	pthread_mutex_unlock(&b->mu);
	return payload_keep(p, &b->sender.host->memory);
}

/* Acknowledge a delivery whose payload was added. */
static void acknowledge(struct batch_state *b, struct delivery *d)
{
	uint64_t due = batch_flow_acknowledge(&b->flow, d);

	if (!due)
		return;
	pthread_mutex_lock(&b->mu);
	wake_at(b, due);
	pthread_mutex_unlock(&b->mu);
}

static bool batch_consume(void *instance, struct delivery *d)
{
	struct batch_state *b = instance;
	struct http_header headers[HEADERS_MAX];
	struct batch_key key = {.tenant = d->tenant, .metadata = headers};
	int rc = chosen_headers(b, d, headers, &key.metadata_count);
	struct payload *p = rc ? NULL : keep_payload(b, d->payload);
	struct delivery_ticket *ticket = b->durable && p ? delivery_ticket_new(d) : NULL;
	struct open_batch *full = NULL;

	if (!rc && (!p || (b->durable && !ticket)))
		rc = -ENOMEM;
	if (!rc) {
		d->copied = true;
		batch_key_finish(&key);
		pthread_mutex_lock(&b->mu);
		rc = add_payload(b, &key, p, ticket, &full);
		pthread_mutex_unlock(&b->mu);
	}
	if (rc) {
		d->copied = false;
		payload_release(p);
		delivery_ticket_free(ticket);
		return refuse_delivery(d, rc);
	}
	if (!ticket)
		acknowledge(b, d);
	send_full(b, full);
	return true;
}

/* ---- life cycle ---- */

static bool is_same_header(struct str a, struct str b)
{
	return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

static int batch_check(const void *settings, struct err *e)
{
	const struct batch_settings *s = settings;

	if (s->send_batch_max_size && s->send_batch_max_size < s->send_batch_size)
		return err_set(e, -EINVAL,
			       "send_batch_max_size must be greater or equal to send_batch_size");
	for (uint32_t i = 0; i < s->metadata_keys.n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (is_same_header(s->metadata_keys.at[i], s->metadata_keys.at[k]))
				return err_set(e, -EINVAL,
					       "duplicate entry in metadata_keys: \"%.*s\" "
					       "(case-insensitive)",
					       STR_ARG(s->metadata_keys.at[i]));
	return 0;
}

static int copy_keys(struct batch_state *b, const struct setting_list *keys)
{
	b->metadata_keys = arena_alloc(&b->arena, keys->n + 1, sizeof(*b->metadata_keys));
	if (!b->metadata_keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < keys->n; i++) {
		char *copy = arena_alloc(&b->arena, keys->at[i].n + 1, 1);

		if (!copy)
			return -ENOMEM;
		for (size_t k = 0; k < keys->at[i].n; k++)
			copy[k] = (char)tolower((unsigned char)keys->at[i].p[k]);
		b->metadata_keys[b->metadata_key_count++] = str_of(copy, keys->at[i].n);
	}
	return map_init(&b->combinations, &b->arena, 16);
}

static void init_batch_metrics(struct batch_state *b, struct telemetry *t, const char *id)
{
	static const double sizes[] = {10,   25,   50,	 75,   100,  250,  500,	 750,
				       1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000,
				       9000, 1e4,  2e4,	 3e4,  5e4,  1e5};
	static const double bytes[] = {10,   25,   50,	 75,   100,  250,  500,	 750, 1000, 2000,
				       3000, 4000, 5000, 6000, 7000, 8000, 9000, 1e4, 2e4,  3e4,
				       5e4,  1e5,  2e5,	 3e5,  4e5,  5e5,  6e5,	 7e5, 8e5,  9e5,
				       1e6,  2e6,  3e6,	 4e6,  5e6,  6e6,  7e6,	 8e6, 9e6};
	const struct telemetry_label label = {"processor", id};

	b->sender.send_size = telemetry_histogram(t, "otelcol_processor_batch_batch_send_size",
						  "Number of units in the batch", sizes,
						  countof(sizes), &label, 1);
	b->sender.send_bytes = telemetry_histogram(
		t, "otelcol_processor_batch_batch_send_size_bytes",
		"Number of bytes in batch that was sent", bytes, countof(bytes), &label, 1);
	b->size_sends = telemetry_get(
		t, TELEMETRY_COUNTER, "otelcol_processor_batch_batch_size_trigger_send",
		"Number of times the batch was sent due to a size trigger", &label, 1);
	b->timeout_sends = telemetry_get(
		t, TELEMETRY_COUNTER, "otelcol_processor_batch_timeout_trigger_send",
		"Number of times the batch was sent due to a timeout trigger", &label, 1);
	b->cardinality = telemetry_get(
		t, TELEMETRY_GAUGE, "otelcol_processor_batch_metadata_cardinality",
		"Number of distinct metadata value combinations being processed", &label, 1);
}

static void batch_destroy(void *instance)
{
	struct batch_state *b = instance;

	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->mu);
	batch_flow_fini(&b->flow);
	arena_fini(&b->arena);
	free(b);
}

static void init_batch_lock(struct batch_state *b)
{
	pthread_condattr_t clock;

	pthread_mutex_init(&b->mu, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&b->changed, &clock);
	pthread_condattr_destroy(&clock);
}

static int batch_create(void **instance, const struct component_env *env, const void *settings,
			struct err *e)
{
	const struct batch_settings *s = settings;
	struct batch_state *b = calloc(1, sizeof(*b));
	uint64_t limit = (uint64_t)s->metadata_cardinality_limit;

	if (!b)
		return err_errno(e, -ENOMEM, "batch");
	arena_init(&b->arena, NULL);
	init_batch_lock(b);
	batch_flow_init(&b->flow);
	b->sender = (struct batch_sender){.next = processor_next(env),
					  .host = env->host,
					  .log = env->log,
					  .id = env->id,
					  .flow = &b->flow,
					  .max_items = (uint64_t)s->send_batch_max_size};
	b->size = (uint64_t)s->send_batch_size;
	b->timeout_ns = b->size ? s->timeout_ns : 0;
	b->durable = env->durable;
	b->combinations_max = limit ? limit : COMBINATIONS_MAX;
	init_batch_metrics(b, &env->host->telemetry, env->id);
	if (copy_keys(b, &s->metadata_keys)) {
		batch_destroy(b);
		return err_errno(e, -ENOMEM, "batch");
	}
	*instance = b;
	return 0;
}

static int batch_start(void *instance, struct err *e)
{
	struct batch_state *b = instance;

	return thread_start(&b->thread, "batch", timer_run, b, e);
}

static void batch_stop(void *instance)
{
	struct batch_state *b = instance;

	pthread_mutex_lock(&b->mu);
	b->stopping = true;
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->mu);
	thread_join(&b->thread);
	pthread_mutex_lock(&b->mu);
	send_due(b, UINT64_MAX);
	pthread_mutex_unlock(&b->mu);
	(void)batch_flow_release(&b->flow, UINT64_MAX);
}

static const struct setting settings[] = {
	SET_INT(struct batch_settings, send_batch_size, "send_batch_size", "8192", 0, UINT32_MAX,
		"items",
		"Send a batch when it has this many spans, data points, log records or samples; "
		"0: send at once."),
	SET_INT(struct batch_settings, send_batch_max_size, "send_batch_max_size", "0", 0,
		UINT32_MAX, "items", "Cut batches that have more items; 0: no limit."),
	SET_DURATION(struct batch_settings, timeout_ns, "timeout", "200ms",
		     "Send a batch at this age, whatever its size; 0: send at once."),
	SET_LIST(
		struct batch_settings, metadata_keys, "metadata_keys", NULL,
		"Batches are separate for each combination of values of these request headers; the "
		"receiver needs include_metadata."),
	SET_INT(struct batch_settings, metadata_cardinality_limit, "metadata_cardinality_limit",
		"1000", 0, COMBINATIONS_MAX, "combinations",
		"Refuse data with further combinations; 0: 100000."),
	SET_END,
};

const struct component batch_processor = {
	.name = "batch",
	.kind = COMPONENT_PROCESSOR,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Joins small deliveries to batches, and cuts those that are too large.",
	.settings = settings,
	.settings_size = sizeof(struct batch_settings),
	.check = batch_check,
	.create = batch_create,
	.start = batch_start,
	.holds = true,
	.consume = batch_consume,
	.stop = batch_stop,
	.destroy = batch_destroy,
};
