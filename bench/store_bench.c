/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store with a generated day: services of ten series each, stacks with a skewed distribution, 5
 * % of the samples with a span of their own. Measures bytes on disk per sample, the CPU time of
 * writes, and the latency of queries.
 *
 *	BENCH_STORE_SAMPLES	per day (2,000,000; the full size is 60,000,000)
 *	BENCH_STORE_SERIES	(200)	BENCH_STORE_STACKS (100,000)	BENCH_STORE_DAYS (1)
 *	BENCH_STORE_SECONDS	between two profiles of a series (600)
 *	BENCH_STORE_SPANS	percent of the samples with a span of their own (5)
 *	BENCH_STORE_DIR		keep the data in this directory (default: temporary, removed)
 *	BENCH_STORE_READ	do not write, use the data in BENCH_STORE_DIR
 *	BENCH_STORE_FILL	only write the data, for bench/query.sh
 */
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench.h"
#include "signal/profile/profile_ops.h"
#include "signal/profile/profile_rows.h"
#include "signal/series.h"
#include "store/sqlite/sqlite_store.h"

#define DAY_NS (86400 * NS_PER_SECOND)
#define FIRST_DAY ((uint64_t)20000 * DAY_NS)
enum { SERIES_PER_SERVICE = 10, DEPTH = 24 };

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t seed = 1, profile_seconds, span_percent;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 32) * n >> 32);
}

/* Small numbers are far more frequent than large ones. */
static uint32_t skewed_below(uint32_t n)
{
	uint64_t x = random_below(1u << 16), y = x * x >> 16;

	return (uint32_t)((y * y >> 16) * n >> 16);
}

static void must(int rc, const char *what)
{
	if (rc) {
		fprintf(stderr, "store_bench: %s: %d\n", what, rc);
		exit(1);
	}
}

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* ---- one service: a batch with a constant dictionary and changing samples ---- */

struct service {
	struct profile_batch batch;
	struct profile_builder builder;
	struct series_map map;
	struct arena arena;
	struct store_write write;
	uint32_t stacks;
	uint32_t *stack_ids;
};

static struct str text(char *out, const char *format, uint32_t a, uint32_t b)
{
	return str_of(out, (size_t)snprintf(out, 96, format, a, b));
}

/* Make stacks that share their outer frames, as those of a program do. */
static void make_stacks(struct service *s, uint32_t service, uint32_t n)
{
	uint32_t path[64], frames[64], depth = 0;
	char name[96], file[96];

	s->stack_ids = calloc(n, sizeof(*s->stack_ids));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t keep = depth ? random_below(depth) : 0;
		uint32_t until = keep + 1 + random_below(DEPTH - 4), reversed[64];

		for (depth = keep; depth < until && depth < 60; depth++) {
			uint32_t f = random_below(1000) + service * 500;

			must(profile_add_frame(
				     &s->builder,
				     text(name,
					  "github.com/example/service/package%u.(*Type).Method%u",
					  f % 97, f),
				     text(file, "/src/package%u/file%u.go", f % 97, f % 7),
				     (int64_t)(f % 300), &frames[depth]),
			     "add a frame");
		}
		for (uint32_t k = 0; k < depth; k++)
			reversed[k] = frames[depth - 1 - k];
		must(profile_add_stack(&s->builder, reversed, depth, &s->stack_ids[i]),
		     "add a stack");
	}
	(void)path;
}

static void make_profiles(struct service *s, uint32_t service)
{
	char name[96], pod[96];

	snprintf(name, sizeof(name), "service-%u", service);
	for (uint32_t i = 0; i < SERIES_PER_SERVICE; i++) {
		struct keyvalue kv[] = {
			{STR("service.name"), VALUE_OF_STR(str_from(name))},
			{STR("pod"), VALUE_OF_STR(text(pod, "pod-%u-%u", service, i))},
			{STR("namespace"), VALUE_OF_STR(STR("production"))},
			{STR("region"), VALUE_OF_STR(STR("eu-west-1"))},
		};
		struct profile row = {.duration_nano = profile_seconds * NS_PER_SECOND,
				      .period = 10000000};

		must(profile_add_resource(&s->builder, kv, countof(kv)), "add a resource");
		must(profile_add_scope(&s->builder, STR("bench"), STR(""), NULL, 0), "add a scope");
		must(profile_add_string(&s->builder, STR("cpu"), &row.sample_type.type), "add");
		must(profile_add_string(&s->builder, STR("nanoseconds"), &row.sample_type.unit),
		     "add");
		row.period_type = row.sample_type;
		must(profile_add_profile(&s->builder, &row, NULL, 0), "add a profile");
	}
}

static void service_init(struct service *s, uint32_t number, uint32_t stacks)
{
	*s = (struct service){.stacks = stacks};
	arena_init(&s->arena, NULL);
	must(profile_batch_init(&s->batch, NULL), "batch");
	must(profile_builder_init(&s->builder, &s->batch), "builder");
	make_stacks(s, number, stacks);
	make_profiles(s, number);
}

/* Make new samples for all profiles of the service, at that time. */
static void fill(struct service *s, uint64_t time, uint32_t samples)
{
	struct profile_batch *b = &s->batch;
	uint32_t profiles = b->profiles.n;

	b->sample_count = 0;
	b->values.n = 0;
	b->links.n = 1;
	b->profiles.n = 0;
	for (uint32_t p = 0; p < profiles; p++) {
		struct profile *row = &b->profiles.at[b->profiles.n++];

		row->time_unix_nano = time + p * 37 * NS_PER_MS;
		row->sample_first = b->sample_count;
		row->sample_count = 0;
		for (unsigned i = 0; i < 16; i++)
			row->id[i] = (uint8_t)random_below(256);
		for (uint32_t i = 0; i < samples; i++) {
			uint32_t link = 0;

			if (random_below(100) < span_percent) {
				struct link l;

				for (unsigned k = 0; k < sizeof(l); k++)
					((uint8_t *)&l)[k] = (uint8_t)random_below(256);
				must(vec_push(&b->arena, &b->links, l), "link");
				link = b->links.n - 1;
			}
			must(vec_push(&b->arena, &b->values,
				      10000000 * (int64_t)(1 + skewed_below(6))),
			     "value");
			must(profile_sample_end(b, s->stack_ids[skewed_below(s->stacks)], link),
			     "sample");
		}
	}
	arena_reset(&s->arena);
	s->map = (struct series_map){0};
	must(series_map_init(&s->map, b, &series_limits_default, &s->arena), "series");
}

/* ---- writing ---- */

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static unsigned pending;

static void done(struct store_write *w, int rc, const struct err *e)
{
	if (rc)
		fprintf(stderr, "store_bench: %s\n", e->text);
	must(rc, "write");
	(void)w;
	pthread_mutex_lock(&mu);
	if (--pending == 0)
		pthread_cond_signal(&wake);
	pthread_mutex_unlock(&mu);
}

static void put_all(struct store *store, struct service *services, uint32_t n)
{
	pthread_mutex_lock(&mu);
	pending = n;
	pthread_mutex_unlock(&mu);
	for (uint32_t i = 0; i < n; i++) {
		struct service *s = &services[i];
		struct err e = {0};
		int rc;

		s->write = (struct store_write){
			.batch = &s->batch, .series = &s->map, .received = FIRST_DAY, .done = done};
		rc = store->ops->put(store, &s->write, &e);

		must(rc < 0 ? rc : 0, "put"); /* STORE_COPIED is success */
	}
	pthread_mutex_lock(&mu);
	while (pending)
		pthread_cond_wait(&wake, &mu);
	pthread_mutex_unlock(&mu);
}

/* Return a key if BENCH_STORE_KEY is set: the files of the store are encrypted. */
static struct key_ring *bench_keys(void)
{
	static const uint8_t key[SEAL_KEY] = "thirty-two bytes, not all zeros";
	static struct key_ring *ring;

	if (getenv("BENCH_STORE_KEY") && !ring)
		must(key_ring_of_key(&ring, key, NULL), "key");
	return ring;
}

/* ---- profiles as a client sends them: one per write, each with its own dictionary ---- */

enum { CLIENTS = 4, KINDS = 16, INGEST_SAMPLES = 550, INGEST_ROUNDS = 40 };

/*
 * Make a batch of the rows that the samples refer to, in the order of their first use, as the
 * decoder of pprof does.
 */
static void make_client(struct service *out, struct service *from)
{
	*out = (struct service){0};
	arena_init(&out->arena, NULL);
	from->batch.profiles.n = 1;
	fill(from, FIRST_DAY, INGEST_SAMPLES);
	from->batch.links.n = 1;
	for (uint32_t i = 0; i < from->batch.sample_count; i++)
		from->batch.sample_link[i] = 0;
	must(profile_batch_init(&out->batch, NULL), "batch");
	must(profile_normalize(&out->batch, &from->batch), "normalize");
}

static void ingest(struct service *services)
{
	char directory[] = "/tmp/varve-bench-XXXXXX";
	struct service *clients = calloc(CLIENTS * KINDS, sizeof(*clients));
	struct sqlite_store_options o = {.window_ms = 5, .memory = 512 * MIB, .keys = bench_keys()};
	struct store *store;
	struct err e = {0};
	double cpu = 0, own = 0;

	o.directory = mkdtemp(directory);
	for (uint32_t i = 0; i < CLIENTS * KINDS; i++)
		make_client(&clients[i], &services[i % CLIENTS]);
	printf("  a profile has %u strings, %u functions, %u locations, %u stacks\n",
	       clients[0].batch.strings.n, clients[0].batch.functions.n,
	       clients[0].batch.locations.n, clients[0].batch.stacks.n);
	must(sqlite_store_open(&store, &o, &e), e.text);
	for (uint32_t round = 0; round <= INGEST_ROUNDS; round++) {
		for (uint32_t i = 0; i < CLIENTS * KINDS; i++) {
			struct profile *p = &clients[i].batch.profiles.at[0];

			p->time_unix_nano = FIRST_DAY + round * 15 * NS_PER_SECOND;
			p->id[0] = (uint8_t)(round + 1);
			p->id[1] = (uint8_t)i;
			arena_reset(&clients[i].arena);
			clients[i].map = (struct series_map){0};
			must(series_map_init(&clients[i].map, &clients[i].batch,
					     &series_limits_default, &clients[i].arena),
			     "series");
		}
		put_all(store, clients, CLIENTS * KINDS);
		if (!round) { /* the first round fills the dictionary */
			cpu = bench_cpu_seconds();
			own = seconds_of(CLOCK_THREAD_CPUTIME_ID);
		}
	}
	cpu = bench_cpu_seconds() - cpu - (seconds_of(CLOCK_THREAD_CPUTIME_ID) - own);
	bench_report(&(struct bench_result){
		.name = "store CPU a profile of 550 samples",
		.value = cpu / (INGEST_ROUNDS * CLIENTS * KINDS) * 1e6,
		.unit = "us",
		.better = BENCH_LESS,
		.method = "64 kinds of profiles, 40 rounds, writer and worker, durable"});
	store->ops->close(store);
	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- queries ---- */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure_query(struct store *store, const char *name, const char *selector_text,
			  uint64_t from, uint64_t to)
{
	double times[40];
	uint32_t nodes = 0;
	int64_t total = 0;

	for (unsigned i = 0; i < countof(times); i++) {
		struct selector selector;
		struct stack_tree tree;
		struct stack_sums sums = {0};
		struct err e = {0};
		struct store_select s = {.selector = &selector, .from = from, .to = to};
		double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);

		selector_init(&selector);
		must(selector_parse(&selector, str_from(selector_text), &e), "selector");
		must(stack_tree_init(&tree, NULL), "tree");
		must(store->ops->stacks(store, &s, &tree, &sums, &e), "stacks");
		times[i] = (seconds_of(CLOCK_THREAD_CPUTIME_ID) - start) * 1e3;
		nodes = tree.nodes.n;
		total = 0;
		for (uint32_t k = 0; k < sums.self.n; k++)
			total += sums.self.at[k];
		stack_tree_fini(&tree);
		selector_fini(&selector);
	}
	printf("  first %.1f ms, ", times[0]);
	qsort(times, countof(times), sizeof(times[0]), compare_doubles);
	printf("p50 %.1f, p99 %.1f ms: %s (%u nodes, %.0f s)\n", times[countof(times) / 2],
	       times[countof(times) - 1], name, nodes, (double)total / 1e9);
	bench_report(&(struct bench_result){.name = name,
					    .value = times[countof(times) / 2],
					    .unit = "ms",
					    .better = BENCH_LESS,
					    .method = "CPU time, median of 40 rounds"});
}

static int count_series(void *ctx, uint32_t series, const struct store_series *s)
{
	(void)series;
	(void)s;
	++*(uint32_t *)ctx;
	return 0;
}

static void measure_series(struct store *store, uint64_t from, uint64_t to)
{
	struct store_select s = {.from = from, .to = to};
	uint32_t n = 0;
	struct err e = {0};
	double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);

	must(store->ops->series(store, &s, count_series, &n, &e), "series");
	printf("  %.1f ms: list %u series\n", (seconds_of(CLOCK_THREAD_CPUTIME_ID) - start) * 1e3,
	       n);
}

static void measure_queries(struct store *store, uint64_t days)
{
	uint64_t day = FIRST_DAY + (days - 1) * DAY_NS, hour = 3600 * NS_PER_SECOND;
	static const char one[] = "{service_name=\"service-1\"}";

	measure_query(store, "store stacks 1 service 1 h", one, day + 12 * hour, day + 13 * hour);
	measure_query(store, "store stacks 1 service 1 h ragged", one,
		      day + 12 * hour + 777 * NS_PER_SECOND, day + 13 * hour + 777 * NS_PER_SECOND);
	measure_query(store, "store stacks 1 service 24 h", one, day, day + 24 * hour);
	measure_query(store, "store stacks 1 service 23 h ragged", one, day + 777 * NS_PER_SECOND,
		      day + 23 * hour + 777 * NS_PER_SECOND);
	measure_query(store, "store stacks 1 pod 24 h",
		      "{service_name=\"service-1\", pod=\"pod-1-3\"}", day, day + 24 * hour);
	measure_query(store, "store stacks all services 24 h", "{}", day, day + 24 * hour);
	if (days >= 7)
		measure_query(store, "store stacks 1 service 7 days", one, day - 6 * DAY_NS,
			      day + DAY_NS);
	if (days >= 30)
		measure_query(store, "store stacks 1 service 30 days", one, day - 29 * DAY_NS,
			      day + DAY_NS);
	measure_series(store, day + 12 * hour, day + 13 * hour);
	measure_series(store, day, day + DAY_NS);
}

/* ---- the day ---- */

static void report_sizes(struct store *store, uint64_t samples)
{
	struct store_stats stats;
	struct err e = {0};

	must(store->ops->stats(store, STR(""), &stats, &e), "stats");
	printf("  %llu samples, %.2f B per sample live, %.2f on disk\n",
	       (unsigned long long)stats.samples, (double)stats.bytes_live / (double)samples,
	       (double)stats.bytes_disk / (double)samples);
	bench_report(
		&(struct bench_result){.name = "store bytes a sample",
				       .value = (double)stats.bytes_disk / (double)stats.samples,
				       .unit = "B",
				       .better = BENCH_LESS,
				       .method = "generated day, merged, all files"});
}

static void write_days(struct store *store, struct service *services, uint32_t n, uint64_t days,
		       uint32_t samples)
{
	uint64_t profiles = 0, all = 0;
	double wall = seconds_of(CLOCK_MONOTONIC), cpu = bench_cpu_seconds(),
	       own = seconds_of(CLOCK_THREAD_CPUTIME_ID);

	for (uint64_t t = FIRST_DAY; t < FIRST_DAY + days * DAY_NS;
	     t += profile_seconds * NS_PER_SECOND) {
		for (uint32_t i = 0; i < n; i++)
			fill(&services[i], t, samples);
		put_all(store, services, n);
		profiles += (uint64_t)n * SERIES_PER_SERVICE;
		all += (uint64_t)n * SERIES_PER_SERVICE * samples;
	}
	wall = seconds_of(CLOCK_MONOTONIC) - wall;
	own = seconds_of(CLOCK_THREAD_CPUTIME_ID) - own;
	cpu = bench_cpu_seconds() - cpu - own;
	printf("  %.0f samples/s, store CPU %.1f us per profile of %u samples = %.0f ns per sample "
	       "(without the generator)\n",
	       (double)all / wall, cpu / (double)profiles * 1e6, samples, cpu / (double)all * 1e9);
}

/* Write the days, merge, open the store again and run the queries. */
static void run_days(struct service *services, uint32_t n, uint64_t samples)
{
	uint64_t days = setting("BENCH_STORE_DAYS", 1), all;
	uint32_t each = (uint32_t)(samples / (n * SERIES_PER_SERVICE * (86400 / profile_seconds)));
	char temporary[] = "/tmp/varve-bench-XXXXXX", *directory = getenv("BENCH_STORE_DIR");
	struct sqlite_store_options o = {.memory = 512 * MIB, .window_ms = 1, .keys = bench_keys()};
	struct store *store;
	struct err e = {0};
	double start;

	each = each ? each : 1;
	all = (uint64_t)each * n * SERIES_PER_SERVICE * (86400 / profile_seconds) * days;
	o.directory = directory ? directory : mkdtemp(temporary);
	must(sqlite_store_open(&store, &o, &e), e.text);
	if (!getenv("BENCH_STORE_READ"))
		write_days(store, services, n, days, each);
	start = bench_cpu_seconds();
	must(sqlite_store_work(store, true, &e), "work");
	printf("  final merge took %.1f s of CPU\n", bench_cpu_seconds() - start);
	store->ops->close(store);
	if (getenv("BENCH_STORE_FILL"))
		return;
	start = seconds_of(CLOCK_MONOTONIC);
	must(sqlite_store_open(&store, &o, &e), e.text);
	printf("  opened in %.1f ms\n", (seconds_of(CLOCK_MONOTONIC) - start) * 1e3);
	report_sizes(store, all);
	measure_queries(store, days);
	store->ops->close(store);
	if (!directory)
		nftw(temporary, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	uint64_t samples = setting("BENCH_STORE_SAMPLES", 2000000);
	uint32_t n = (uint32_t)setting("BENCH_STORE_SERIES", 200) / SERIES_PER_SERVICE;
	uint32_t stacks = (uint32_t)setting("BENCH_STORE_STACKS", 100000) / n;
	struct service *services = calloc(n, sizeof(*services));

	profile_seconds = setting("BENCH_STORE_SECONDS", 600);
	span_percent = setting("BENCH_STORE_SPANS", 5);
	for (uint32_t i = 0; i < n; i++)
		service_init(&services[i], i, stacks);
	run_days(services, n, samples);
	if (n >= CLIENTS && !getenv("BENCH_STORE_READ") && !getenv("BENCH_STORE_FILL"))
		ingest(services);
	return 0;
}
