/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the memory of this process from /proc/self and its CPU time, as metrics. */
#include "pipeline/telemetry/process_metrics.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

uint64_t process_resident_bytes(void)
{
	unsigned long long size, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%llu %llu", &size, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void put_seconds(struct buf *out, const char *name, const char *suffix, const char *help,
			double value)
{
	buf_printf(out, "# HELP %s%s %s\n# TYPE %s%s counter\n%s%s %.3f\n", name, suffix, help,
		   name, suffix, name, suffix, value);
}

static void put_bytes(struct buf *out, const char *name, const char *help, uint64_t value)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s gauge\n%s %llu\n", name, help, name, name,
		   (unsigned long long)value);
}

void process_metrics(struct buf *out, uint64_t started, const char *suffix)
{
	uint64_t now = clock_realtime_ns();
	struct mallinfo2 heap = mallinfo2();

	put_seconds(out, "otelcol_process_uptime", suffix, "Seconds since the start.",
		    (double)(now > started ? now - started : 0) / 1e9);
	put_seconds(out, "otelcol_process_cpu_seconds", suffix, "CPU time, user and system.",
		    (double)clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9);
	put_bytes(out, "otelcol_process_memory_rss", "Resident memory.", process_resident_bytes());
	put_bytes(out, "otelcol_process_runtime_heap_alloc_bytes", "Allocated memory of the heap.",
		  heap.uordblks + heap.hblkhd);
	put_bytes(out, "otelcol_process_runtime_total_sys_memory_bytes",
		  "Memory that the heap has from the system.", heap.arena + heap.hblkhd);
}
