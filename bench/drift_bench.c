/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds regressions in simulated services (tests/test/drift_service.h): false alarms for 100 services
 * and a week, how fast a function of 5 % that costs 20 % more is found, with and without a known deploy,
 * and the cost. Every service is watched for four weeks before anything is counted. DRIFT_SERVICES is
 * the number of services for alarms (16), DRIFT_TRIALS of injected regressions (24).
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/container/sort.h"
#include "test/drift_service.h"

enum {
	TRAINING = 4 * DRIFT_SLOTS_PER_WEEK,
	COUNTED = 4 * DRIFT_SLOTS_PER_WEEK,
	INJECTED = 2,
	TRIALS_MAX = 1000
};

struct seen_findings {
	uint64_t from; /* findings before this slot are not counted */
	uint32_t regressions, others;
	uint64_t last;		 /* begin of the last regression */
	uint64_t injected_found; /* slot; 0: not yet */
	bool verbose, deploy;
};

static void note_finding(void *context, const struct drift_finding *f)
{
	struct seen_findings *seen = context;

	if (f->found < seen->from)
		return;
	if (seen->verbose)
		printf("  kind %d function %u since %+ld found %+ld ratio %.2f z %.1f%s\n", f->kind,
		       f->function, (long)(f->since - seen->from), (long)(f->found - seen->from),
		       f->ratio, f->z, f->deploy ? " deploy" : "");
	/* functions that change together are one incident */
	if (f->kind != DRIFT_REGRESSION)
		seen->others++;
	else if (f->since > seen->last + 3 || f->since + 3 < seen->last)
		seen->regressions++;
	if (f->kind == DRIFT_REGRESSION)
		seen->last = f->since;
	if (f->kind == DRIFT_REGRESSION && f->function == INJECTED && !seen->injected_found)
		seen->injected_found = f->found;
}

static void run(struct drift_service *s, struct drift *d, uint32_t slots, bool deploys,
		struct seen_findings *seen)
{
	for (uint32_t i = 0; i < slots; i++) {
		struct drift_slot slot = drift_service_next(s);

		if (s->deployed && deploys)
			drift_deploy(d, s->slot);
		if (drift_add(d, &slot, note_finding, seen, NULL))
			exit(1);
	}
}

static uint32_t first_seed = 1;

static void count_alarms(const struct drift_service_options *o, const char *name, uint32_t services)
{
	struct seen_findings seen = {.verbose = getenv("DRIFT_VERBOSE") != NULL};
	double weeks = services * COUNTED / (double)DRIFT_SLOTS_PER_WEEK, cpu = bench_cpu_seconds();
	char text[64], method[128];

	for (uint32_t i = 0; i < services; i++) {
		static struct drift_service s;
		struct drift *d = drift_new(NULL);

		drift_service_init(&s, o, i + first_seed);
		seen.from = UINT64_MAX;
		run(&s, d, TRAINING, true, &seen);
		seen.from = s.slot + 1;
		run(&s, d, COUNTED, true, &seen);
		drift_free(d);
	}
	cpu = bench_cpu_seconds() - cpu;
	snprintf(text, sizeof(text), "drift-alarms-%s", name);
	snprintf(method, sizeof(method),
		 "%u in %.0f service-weeks, %.0f us CPU a slot with the generator",
		 seen.regressions, weeks, cpu / (2 * weeks * DRIFT_SLOTS_PER_WEEK) * 1e6);
	bench_report(&(struct bench_result){.name = text,
					    .value = seen.regressions / weeks * 100,
					    .unit = "alarms a week for 100 services",
					    .better = BENCH_LESS,
					    .method = method});
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure_delay(const struct drift_service_options *o, const char *name, double size,
			  bool deploy, uint32_t trials)
{
	char text[64], method[128];
	double hours[TRIALS_MAX];
	uint32_t found = 0;

	for (uint32_t i = 0; i < trials; i++) {
		static struct drift_service s;
		struct drift *d = drift_new(NULL);
		struct seen_findings seen = {.from = UINT64_MAX};

		drift_service_init(&s, o, i + first_seed + 5000);
		run(&s, d, TRAINING + (uint32_t)(DRIFT_SLOTS_PER_WEEK * drift_service_random(&s)),
		    true, &seen);
		seen.from = s.slot + 1;
		s.step[INJECTED] += log(1 + size);
		if (deploy)
			drift_deploy(d, s.slot + 1);
		run(&s, d, 3 * DRIFT_SLOTS_PER_DAY, true, &seen);
		hours[found] = (double)(seen.injected_found - seen.from + 1) / DRIFT_SLOTS_PER_HOUR;
		found += seen.injected_found != 0;
		drift_free(d);
	}
	qsort(hours, found, sizeof(*hours), by_value);
	snprintf(text, sizeof(text), "drift-delay-%s%s", name, deploy ? "-deploy" : "");
	snprintf(method, sizeof(method),
		 "median; a function of 5 %% costs %.0f %% more; found %.0f %%, 90th percentile "
		 "%.1f h",
		 size * 100, 100.0 * found / trials, found ? hours[found * 9 / 10] : 0);
	bench_report(&(struct bench_result){.name = text,
					    .value = found ? hours[found / 2] : NAN,
					    .unit = "hours",
					    .better = BENCH_LESS,
					    .method = method});
}

int main(void)
{
	const char *services = getenv("DRIFT_SERVICES"), *trials = getenv("DRIFT_TRIALS");
	struct drift_service_options o = DRIFT_SERVICE_OF_NOTE, harder = o;
	uint32_t n = services ? (uint32_t)atoi(services) : 16,
		 t = trials ? (uint32_t)atoi(trials) : 24;

	t = t > TRIALS_MAX ? TRIALS_MAX : t;

	if (getenv("DRIFT_SEED"))
		first_seed = (uint32_t)atoi(getenv("DRIFT_SEED"));
	harder.harder = true;
	count_alarms(&o, "note", n);
	count_alarms(&harder, "harder", n);
	measure_delay(&o, "note", 0.2, false, t);
	measure_delay(&o, "note", 0.2, true, t);
	measure_delay(&harder, "harder", 0.2, false, t);
	measure_delay(&harder, "harder", 0.2, true, t);
	return 0;
}
