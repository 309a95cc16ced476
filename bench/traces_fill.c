/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: traces_fill DIRECTORY SPANS [repeat]
 *        traces_fill -s COUNT SPANS
 *
 * Writes a day of spans into a store, merged as after the day: ten spans a trace, 20 services with
 * ten operations each, six attributes of which two are unique (16 hex and eight decimal digits), 366
 * bytes of OTLP a span. With `repeat` the two repeat themselves after 1,000 values, and so do ids
 * and durations. Prints spans, spans per CPU-second (writing and merging), and bytes of the files.
 *
 * With -s it prints, of COUNT random spans of such a day: trace id, second of the day, service, and
 * the unique attributes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/workers.h"
#include "signal/otlp/attributes.h"
#include "signal/span_batch.h"
#include "store/sqlite/sqlite_store.h"
#include "wire/text.h"

#define DAY_NS (86400 * NS_PER_SECOND)
#define FIRST_DAY ((uint64_t)20000 * DAY_NS)
enum { SPANS_IN_TRACE = 10, SPANS_IN_WRITE = 1000, SERVICES = 20, OPERATIONS = 10, REPEAT = 1000 };

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* A random number of span `n`; `which` of them. */
static uint64_t random_of(uint64_t n, uint64_t which)
{
	return mix(n * 16 + which + 0x9e3779b97f4a7c15u);
}

struct day {
	uint64_t spans;
	bool repeat;
	struct span_batch batch;
	struct store *store;
	struct store_write write;
	struct done {
		pthread_mutex_t mu;
		pthread_cond_t wake;
		bool is_done;
		int rc;
	} done;
};

static uint64_t identity(const struct day *d, uint64_t n)
{
	return d->repeat ? n % REPEAT : n;
}

static unsigned service_of(const struct day *d, uint64_t n)
{
	/* most spans of a trace are of one service */
	uint64_t of = random_of(n, 1) % 4 ? n / SPANS_IN_TRACE : n + d->spans;

	return (unsigned)(random_of(identity(d, of), 2) % SERVICES);
}

static void trace_id_of(const struct day *d, uint64_t n, uint8_t out[TRACE_ID_SIZE])
{
	uint64_t halves[2] = {random_of(n / SPANS_IN_TRACE, 3), random_of(n / SPANS_IN_TRACE, 4)};

	(void)d;
	memcpy(out, halves, TRACE_ID_SIZE);
}

static uint64_t start_of(const struct day *d, uint64_t n)
{
	uint64_t trace = n / SPANS_IN_TRACE, traces = d->spans / SPANS_IN_TRACE;

	return FIRST_DAY + (uint64_t)((double)trace / (double)traces * (double)DAY_NS) +
	       n % SPANS_IN_TRACE * 3000000 + random_of(identity(d, n), 5) % 1000000;
}

static void put_text(struct proto_writer *w, const char *key, const char *text)
{
	struct value v = {.kind = VALUE_STRING, .s = str_from(text)};

	otlp_attribute_write(w, OTLP_SPAN_ATTRIBUTES, str_from(key), &v);
}

static void request_id(char out[17], const struct day *d, uint64_t n)
{
	snprintf(out, 17, "%016llx", (unsigned long long)random_of(identity(d, n), 6));
}

static unsigned order_of(const struct day *d, uint64_t n)
{
	return (unsigned)(random_of(identity(d, n), 7) % 100000000);
}

static void put_details(const struct day *d, uint64_t n, struct proto_writer *w)
{
	static const char *const methods[] = {"GET", "GET", "GET", "POST", "PUT", "DELETE"};
	static const int codes[] = {200, 200, 200, 200, 200, 201, 204, 404, 500, 503};
	uint64_t random = random_of(identity(d, n), 8);
	struct value code = {.kind = VALUE_INT, .i = codes[random % countof(codes)]};
	char text[64], id[17];

	put_text(w, "http.request.method", methods[random / 16 % countof(methods)]);
	snprintf(text, sizeof(text), "/api/orders/%08u/items", order_of(d, n));
	put_text(w, "url.path", text);
	otlp_attribute_write(w, OTLP_SPAN_ATTRIBUTES, STR("http.response.status_code"), &code);
	request_id(id, d, n);
	put_text(w, "http.request.id", id);
	snprintf(text, sizeof(text), "http-nio-8080-exec-%02u", (unsigned)(random / 1024 % 37));
	put_text(w, "thread.name", text);
	put_text(w, "server.address", "orders.shop.svc.cluster.local");
}

/* 1 to 200 ms; one of 100 up to 2 s. */
static uint64_t duration_of(const struct day *d, uint64_t n)
{
	uint64_t random = random_of(identity(d, n), 9);
	uint64_t most = random % 100 ? 200 : 2000;

	return 1000000 + random / 100 % (most * 1000) * 1000;
}

static int add_span(struct day *d, uint64_t n)
{
	static const char *const names[] = {"GET /api/orders", "SELECT FROM orders",
					    "POST /api/payment", "redis HMGET basket",
					    "render page orders"};
	struct span_batch *b = &d->batch;
	struct proto_writer w = {0};
	unsigned service = service_of(d, n);
	uint64_t random = random_of(identity(d, n), 10), id = random_of(n, 11), parent;
	struct span s = {.kind = (uint8_t)(1 + random % 3),
			 .status = random / 8 % 50 ? SPAN_STATUS_UNSET : SPAN_STATUS_ERROR,
			 .start = start_of(d, n),
			 .service = STR("?"),
			 .resource = 1 + service};
	char text[64];
	int rc;

	s.end = s.start + duration_of(d, n);
	trace_id_of(d, n, s.trace_id);
	memcpy(s.span_id, &id, sizeof(id));
	if (n % SPANS_IN_TRACE) {
		parent = random_of(n - 1 - random % (n % SPANS_IN_TRACE), 11);
		memcpy(s.parent_id, &parent, sizeof(parent));
	}
	snprintf(text, sizeof(text), "%s %u", names[random / 512 % countof(names)],
		 (unsigned)(random / 4096 % 2));
	rc = arena_copy_str(&b->arena, str_from(text), &s.name);
	snprintf(text, sizeof(text), "service-%u", service);
	if (!rc)
		rc = arena_copy_str(&b->arena, str_from(text), &s.service);
	put_details(d, n, &w);
	if (!rc)
		rc = arena_copy_str(&b->arena, proto_writer_str(&w), &s.details);
	proto_writer_fini(&w);
	return rc ? rc : vec_push(&b->arena, &b->spans, s);
}

static int add_resources(struct span_batch *b)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < SERVICES; i++) {
		struct value v = {.kind = VALUE_STRING};
		struct proto_writer w = {0};
		struct span_origin o = {0};
		char text[32];

		snprintf(text, sizeof(text), "service-%u", i);
		v.s = str_from(text);
		otlp_attribute_write(&w, OTLP_RESOURCE_ATTRIBUTES, STR("service.name"), &v);
		rc = arena_copy_str(&b->arena, proto_writer_str(&w), &o.message);
		proto_writer_fini(&w);
		if (!rc)
			rc = vec_push(&b->arena, &b->resources, o);
	}
	return rc;
}

static void write_done(struct store_write *w, int rc, const struct err *e)
{
	struct done *done = w->owner;

	(void)e;
	pthread_mutex_lock(&done->mu);
	done->is_done = true;
	done->rc = rc;
	pthread_cond_signal(&done->wake);
	pthread_mutex_unlock(&done->mu);
}

/* Write the spans [first, end). */
static int write_spans(struct day *d, uint64_t first, uint64_t end, struct err *e)
{
	int rc;

	span_batch_reset(&d->batch);
	rc = add_resources(&d->batch);
	for (uint64_t n = first; !rc && n < end; n++)
		rc = add_span(d, n);
	if (rc)
		return rc;
	d->done.is_done = false;
	d->write = (struct store_write){
		.spans = &d->batch, .received = FIRST_DAY, .done = write_done, .owner = &d->done};
	rc = d->store->ops->put(d->store, &d->write, e);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&d->done.mu);
	while (!d->done.is_done)
		pthread_cond_wait(&d->done.wake, &d->done.mu);
	pthread_mutex_unlock(&d->done.mu);
	return d->done.rc;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int fill(struct day *d, const char *directory, struct err *e)
{
	struct sqlite_store_options o = {.directory = directory, .window_ms = 1, .manual = true};
	struct store_stats stats;
	double cpu = cpu_seconds();
	int rc = sqlite_store_open(&d->store, &o, e);

	if (rc)
		return rc;
	span_batch_init(&d->batch, NULL);
	for (uint64_t n = 0; !rc && n < d->spans; n += SPANS_IN_WRITE) {
		uint64_t end = n + SPANS_IN_WRITE < d->spans ? n + SPANS_IN_WRITE : d->spans;

		rc = write_spans(d, n, end, e);
		if (!rc && n / SPANS_IN_WRITE % 64 == 63)
			rc = sqlite_store_work(d->store, false, e);
	}
	if (!rc)
		rc = sqlite_store_work(d->store, true, e);
	if (!rc)
		rc = d->store->ops->stats(d->store, STR(""), &stats, e);
	if (!rc)
		printf("%llu %.0f %llu\n", (unsigned long long)d->spans,
		       (double)d->spans / (cpu_seconds() - cpu),
		       (unsigned long long)stats.bytes_live);
	span_batch_fini(&d->batch);
	d->store->ops->close(d->store);
	return rc;
}

static void print_samples(const struct day *d, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t n = mix(i + 77) % d->spans;
		uint8_t id[TRACE_ID_SIZE];
		char hex[2 * TRACE_ID_SIZE], request[17];

		trace_id_of(d, n, id);
		hex_digits(hex, str_of((const char *)id, sizeof(id)));
		request_id(request, d, n);
		printf("%.*s %llu %u %s %08u\n", (int)sizeof(hex), hex,
		       (unsigned long long)((start_of(d, n) - FIRST_DAY) / NS_PER_SECOND),
		       service_of(d, n), request, order_of(d, n));
	}
}

int main(int argc, char **argv)
{
	struct day d = {.done = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0}};
	struct err e = {0};

	if (argc < 3) {
		fprintf(stderr, "usage: traces_fill DIRECTORY SPANS [repeat] | -s COUNT SPANS\n");
		return 2;
	}
	if (!strcmp(argv[1], "-s") && argc == 4) {
		d.spans = strtoull(argv[3], NULL, 10);
		print_samples(&d, (unsigned)strtoul(argv[2], NULL, 10));
		return 0;
	}
	d.spans = strtoull(argv[2], NULL, 10);
	d.repeat = argc > 3;
	if (fill(&d, argv[1], &e)) {
		fprintf(stderr, "traces_fill: %s\n", e.text);
		return 1;
	}
	return 0;
}
