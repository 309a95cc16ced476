/* SPDX-License-Identifier: Apache-2.0 */
/* CPU times and load, from /proc/stat and /proc/loadavg. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pipeline/receivers/hostmetrics/host_reading.h"

/* The columns of /proc/stat after the name; guest time is part of user time. */
static const char *const states[CPU_STATES] = {"user", "nice",	    "system",  "idle",
					       "wait", "interrupt", "softirq", "steal"};

/* What /proc/stat says: all CPUs, then each one. */
struct cpu_stat {
	struct cpu_times *times;
	char (*names)[16];
	uint32_t count;
};

static bool read_stat(struct host_reading *r, struct cpu_stat *s)
{
	struct str rest, line;

	s->times = arena_zalloc(&r->arena, HOST_CPUS_MAX + 1, sizeof(*s->times));
	s->names = arena_zalloc(&r->arena, HOST_CPUS_MAX + 1, sizeof(*s->names));
	r->failed |= !s->times || !s->names;
	if (r->failed || !host_file(r, "/proc/stat", &rest))
		return false;
	while (str_next_line(&rest, &line) && str_starts(line, STR("cpu")) &&
	       s->count <= HOST_CPUS_MAX) {
		struct str name = host_word(&line);

		snprintf(s->names[s->count], sizeof(s->names[0]), "%.*s", STR_ARG(name));
		for (unsigned i = 0; i < CPU_STATES; i++)
			s->times[s->count].at[i] = host_number(&line);
		s->count++;
	}
	return s->count > 0;
}

static void put_times(struct host_reading *r, const struct cpu_stat *s)
{
	bool each = r->state->settings->scrapers.cpu_attribute;
	double tick = 1 / (double)sysconf(_SC_CLK_TCK);

	if (!host_metric(r, CPU_TIME))
		return;
	for (uint32_t c = each ? 1 : 0; c < (each ? s->count : 1); c++)
		for (unsigned i = 0; i < CPU_STATES; i++)
			host_point(r, (double)s->times[c].at[i] * tick, each ? "cpu" : "state",
				   each ? s->names[c] : states[i], each ? "state" : NULL, states[i],
				   NULL);
}

/* The share of each state since the last reading. */
static void put_utilization(struct host_reading *r, const struct cpu_stat *s)
{
	const struct host_state *h = r->state;
	bool each = h->settings->scrapers.cpu_attribute;

	if (h->cpu_count != s->count || !host_metric(r, CPU_UTILIZATION))
		return;
	for (uint32_t c = each ? 1 : 0; c < (each ? s->count : 1); c++) {
		double all = 0;

		for (unsigned i = 0; i < CPU_STATES; i++)
			all += (double)(s->times[c].at[i] - h->cpus[c].at[i]);
		for (unsigned i = 0; i < CPU_STATES && all > 0; i++)
			host_point(r, (double)(s->times[c].at[i] - h->cpus[c].at[i]) / all,
				   each ? "cpu" : "state", each ? s->names[c] : states[i],
				   each ? "state" : NULL, states[i], NULL);
	}
}

/* Keep the times for the next reading. */
static void keep_times(struct host_reading *r, const struct cpu_stat *s)
{
	struct host_state *h = r->state;
	struct cpu_times *kept = realloc(h->cpus, s->count * sizeof(*kept));

	if (!kept) {
		r->failed = true;
		return;
	}
	memcpy(kept, s->times, s->count * sizeof(*kept));
	h->cpus = kept;
	h->cpu_count = s->count;
}

void scrape_cpu(struct host_reading *r)
{
	struct cpu_stat s = {0};

	if (!read_stat(r, &s))
		return;
	put_times(r, &s);
	put_utilization(r, &s);
	if (host_metric(r, CPU_LOGICAL_COUNT))
		host_point(r, s.count - 1, NULL);
	if (r->state->settings->scrapers.written[CPU_UTILIZATION])
		keep_times(r, &s);
}

void scrape_load(struct host_reading *r)
{
	static const enum host_metric_id metrics[] = {LOAD_1M, LOAD_5M, LOAD_15M};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	double divisor = 1;
	struct str line;

	if (!host_file(r, "/proc/loadavg", &line))
		return;
	if (r->state->settings->scrapers.load_by_cpu && cpus > 0)
		divisor = (double)cpus;
	for (size_t i = 0; i < countof(metrics); i++) {
		double load;

		if (!str_to_double(host_word(&line), &load) && host_metric(r, metrics[i]))
			host_point(r, load / divisor, NULL);
	}
}
