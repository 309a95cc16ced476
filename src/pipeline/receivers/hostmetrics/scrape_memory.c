/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and paging, from /proc/meminfo, /proc/swaps and /proc/vmstat. */
#include <unistd.h>

#include "pipeline/receivers/hostmetrics/host_reading.h"

/* ---- memory ---- */

enum memory_row {
	MEM_TOTAL,
	MEM_FREE,
	MEM_AVAILABLE,
	MEM_BUFFERS,
	MEM_CACHED,
	MEM_RECLAIMABLE,
	MEM_UNRECLAIMABLE,
	MEM_DIRTY,
	MEM_ROWS,
};

static const char *const memory_rows[MEM_ROWS] = {
	"MemTotal:", "MemFree:",      "MemAvailable:", "Buffers:",
	"Cached:",   "SReclaimable:", "SUnreclaim:",   "Dirty:",
};

static bool read_meminfo(struct host_reading *r, double bytes[MEM_ROWS])
{
	struct str rest, line;

	if (!host_file(r, "/proc/meminfo", &rest))
		return false;
	while (str_next_line(&rest, &line)) {
		struct str name = host_word(&line);

		for (unsigned i = 0; i < MEM_ROWS; i++)
			if (str_eq(name, str_from(memory_rows[i])))
				bytes[i] = (double)host_number(&line) * 1024;
	}
	return bytes[MEM_TOTAL] > 0;
}

void scrape_memory(struct host_reading *r)
{
	double m[MEM_ROWS] = {0};

	if (!read_meminfo(r, m))
		return;

	const struct {
		const char *state;
		double bytes;
	} states[] = {
		{"used", m[MEM_TOTAL] - m[MEM_AVAILABLE]},
		{"free", m[MEM_FREE]},
		{"buffered", m[MEM_BUFFERS]},
		{"cached", m[MEM_CACHED] + m[MEM_RECLAIMABLE]},
		{"slab_reclaimable", m[MEM_RECLAIMABLE]},
		{"slab_unreclaimable", m[MEM_UNRECLAIMABLE]},
	};

	if (host_metric(r, MEMORY_USAGE))
		for (size_t i = 0; i < countof(states); i++)
			host_point(r, states[i].bytes, "state", states[i].state, NULL);
	if (host_metric(r, MEMORY_UTILIZATION))
		for (size_t i = 0; i < countof(states); i++)
			host_point(r, states[i].bytes / m[MEM_TOTAL], "state", states[i].state,
				   NULL);
	if (host_metric(r, MEMORY_LIMIT))
		host_point(r, m[MEM_TOTAL], NULL);
	if (host_metric(r, MEMORY_PAGE_SIZE))
		host_point(r, (double)sysconf(_SC_PAGESIZE), NULL);
	if (host_metric(r, MEMORY_AVAILABLE))
		host_point(r, m[MEM_AVAILABLE], NULL);
	if (host_metric(r, MEMORY_DIRTY))
		host_point(r, m[MEM_DIRTY], NULL);
}

/* ---- paging ---- */

/* Write usage or utilization of each swap device. */
static void put_swaps(struct host_reading *r, struct str rest, enum host_metric_id metric)
{
	struct str line;

	if (!host_metric(r, metric) || !str_next_line(&rest, &line))
		return;
	while (str_next_line(&rest, &line)) {
		struct str device = host_word(&line), name;
		double size, used;

		(void)host_word(&line); /* type */
		size = (double)host_number(&line) * 1024;
		used = (double)host_number(&line) * 1024;
		if (arena_copy_str(&r->arena, device, &name)) {
			r->failed = true;
			return;
		}
		if (metric == PAGING_UTILIZATION && size <= 0)
			continue;
		if (metric == PAGING_UTILIZATION) {
			used /= size;
			size = 1;
		}
		host_point(r, used, "device", name.p, "state", "used", NULL);
		host_point(r, size - used, "device", name.p, "state", "free", NULL);
	}
}

enum vmstat_row { SWAP_IN, SWAP_OUT, PAGE_IN, PAGE_OUT, FAULTS, MAJOR_FAULTS, VMSTAT_ROWS };

static const char *const vmstat_rows[VMSTAT_ROWS] = {"pswpin",	"pswpout", "pgpgin",
						     "pgpgout", "pgfault", "pgmajfault"};

static void put_vmstat(struct host_reading *r)
{
	double n[VMSTAT_ROWS] = {0};
	struct str rest, line;

	if (!host_file(r, "/proc/vmstat", &rest))
		return;
	while (str_next_line(&rest, &line)) {
		struct str name = host_word(&line);

		for (unsigned i = 0; i < VMSTAT_ROWS; i++)
			if (str_eq(name, str_from(vmstat_rows[i])))
				n[i] = (double)host_number(&line);
	}
	if (host_metric(r, PAGING_OPERATIONS)) {
		host_point(r, n[SWAP_IN], "direction", "page_in", "type", "major", NULL);
		host_point(r, n[SWAP_OUT], "direction", "page_out", "type", "major", NULL);
		host_point(r, n[PAGE_IN], "direction", "page_in", "type", "minor", NULL);
		host_point(r, n[PAGE_OUT], "direction", "page_out", "type", "minor", NULL);
	}
	if (host_metric(r, PAGING_FAULTS)) {
		host_point(r, n[MAJOR_FAULTS], "type", "major", NULL);
		host_point(r, n[FAULTS] - n[MAJOR_FAULTS], "type", "minor", NULL);
	}
}

void scrape_paging(struct host_reading *r)
{
	struct str swaps;

	if (host_file(r, "/proc/swaps", &swaps)) {
		put_swaps(r, swaps, PAGING_USAGE);
		put_swaps(r, swaps, PAGING_UTILIZATION);
	}
	put_vmstat(r);
}
