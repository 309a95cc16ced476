/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of watching services for drift: the CPU time of the monitor for each service and slot of
 * ten minutes, over a store with simulated services of 500 functions and up to 8,000 stacks. Measured
 * are catching up (a day, hour by hour merged) and a service that is up to date (one slot of all
 * services). DRIFT_SERVICES is their number (100).
 */
#include "bench.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/drift/drift_monitor.h"
#include "base/clock.h"
#include "store/sqlite/sqlite_store.h"
#include "test/drift_store.h"

enum { SERVICES_MAX = 1000, PERIOD_SECONDS = 600 };

static struct drift_stored services[SERVICES_MAX];
static char names[SERVICES_MAX][16];

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static void put_slots(struct store *s, uint32_t n, uint32_t slots)
{
	for (uint32_t i = 0; i < n; i++)
		if (drift_store_put(s, &services[i], slots))
			exit(1);
}

static void report(const char *name, double seconds, uint64_t slots, const char *more)
{
	char method[160];

	snprintf(method, sizeof(method), "%llu slots in %.2f s CPU; %s", (unsigned long long)slots,
		 seconds, more);
	bench_report(&(struct bench_result){.name = name,
					    .value = seconds / (double)slots * 1e6,
					    .unit = "us CPU a service and slot",
					    .better = BENCH_LESS,
					    .method = method});
}

static double run(struct drift_monitor *m, uint64_t now)
{
	double cpu = bench_cpu_seconds();

	while (drift_monitor_run(m, now))
		;
	return bench_cpu_seconds() - cpu;
}

int main(void)
{
	struct drift_service_options o = DRIFT_SERVICE_OF_NOTE;
	const char *text = getenv("DRIFT_SERVICES");
	uint32_t n = text ? (uint32_t)atoi(text) : 100;
	char directory[] = "/tmp/varve-drift-XXXXXX", more[96];
	struct sqlite_store_options store_options = {
		.directory = directory, .window_ms = 1, .manual = true};
	struct drift_monitor_options options = {
		.memory = 1 << 30, .query_memory = 1 << 28, .cpu_percent = 100};
	struct drift_monitor_stats stats;
	struct drift_monitor *m;
	struct store *s;
	uint64_t now;
	double cpu;

	n = n > SERVICES_MAX ? SERVICES_MAX : n;
	if (!mkdtemp(directory) || sqlite_store_open(&s, &store_options, NULL))
		return 1;
	for (uint32_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "service-%u", i);
		services[i] = (struct drift_stored){
			.name = names[i], .version = "1.0", .callers = DRIFT_CALLERS};
		drift_service_init(&services[i].service, &o, i + 1);
	}
	options.store = s;
	if (drift_monitor_new(&m, &options))
		return 1;
	put_slots(s, n, DRIFT_SLOTS_PER_DAY - 2);
	if (sqlite_store_work(s, true, NULL))
		return 1;
	now = (services[0].service.slot + 1) * PERIOD_SECONDS * NS_PER_SECOND;
	cpu = run(m, now);
	drift_monitor_stats(m, &stats);
	report("drift-catch-up", cpu, stats.slots, "a finished day");
	put_slots(s, n, 1);
	if (sqlite_store_work(s, false, NULL))
		return 1;
	cpu = run(m, now + PERIOD_SECONDS * NS_PER_SECOND);
	snprintf(more, sizeof(more), "1,000 services: %.2f %% of a core",
		 cpu / n * 1000 / PERIOD_SECONDS * 100);
	report("drift-slot-merged", cpu, n, more);
	put_slots(s, n, 1);
	cpu = run(m, now + 2 * PERIOD_SECONDS * NS_PER_SECOND);
	snprintf(more, sizeof(more), "not merged yet; 1,000 services: %.2f %% of a core",
		 cpu / n * 1000 / PERIOD_SECONDS * 100);
	report("drift-slot-new", cpu, n, more);
	drift_monitor_free(m);
	s->ops->close(s);
	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
