/* SPDX-License-Identifier: Apache-2.0 */
/* The table of metrics, with the names of the semantic conventions. Data only. */
#include "pipeline/receivers/hostmetrics/host_metrics_table.h"

const char *const host_scraper_names[SCRAPERS] = {
	"cpu",	   "load",   "memory",	  "disk",   "filesystem",
	"network", "paging", "processes", "system", "process",
};

/* Columns: name, unit, description, scraper, kind, monotonic, integer, written by default. */
/* clang-format off */
const struct host_metric host_metric_table[HOST_METRICS] = {
	[CPU_TIME] = {"system.cpu.time", "s", "Seconds that the CPUs spent in each state.", SCRAPER_CPU, OTLP_SUM, true, false, true},
	[CPU_UTILIZATION] = {"system.cpu.utilization", "1", "Share of time that the CPUs spent in each state since the last scrape.", SCRAPER_CPU, OTLP_GAUGE, false, false, false},
	[CPU_LOGICAL_COUNT] = {"system.cpu.logical.count", "{cpu}", "Number of logical CPUs.", SCRAPER_CPU, OTLP_SUM, false, true, false},
	[LOAD_1M] = {"system.cpu.load_average.1m", "{thread}", "Average load over 1 minute.", SCRAPER_LOAD, OTLP_GAUGE, false, false, true},
	[LOAD_5M] = {"system.cpu.load_average.5m", "{thread}", "Average load over 5 minutes.", SCRAPER_LOAD, OTLP_GAUGE, false, false, true},
	[LOAD_15M] = {"system.cpu.load_average.15m", "{thread}", "Average load over 15 minutes.", SCRAPER_LOAD, OTLP_GAUGE, false, false, true},
	[MEMORY_USAGE] = {"system.memory.usage", "By", "Bytes of memory in each state.", SCRAPER_MEMORY, OTLP_SUM, false, true, true},
	[MEMORY_UTILIZATION] = {"system.memory.utilization", "1", "Share of memory in each state.", SCRAPER_MEMORY, OTLP_GAUGE, false, false, false},
	[MEMORY_LIMIT] = {"system.memory.limit", "By", "Bytes of memory of the machine.", SCRAPER_MEMORY, OTLP_SUM, false, true, false},
	[MEMORY_PAGE_SIZE] = {"system.memory.page_size", "By", "Size of a page.", SCRAPER_MEMORY, OTLP_GAUGE, false, true, false},
	[MEMORY_AVAILABLE] = {"system.linux.memory.available", "By", "Bytes that programs can use without swapping.", SCRAPER_MEMORY, OTLP_SUM, false, true, false},
	[MEMORY_DIRTY] = {"system.linux.memory.dirty", "By", "Bytes that wait to be written to disk.", SCRAPER_MEMORY, OTLP_SUM, false, true, false},
	[DISK_IO] = {"system.disk.io", "By", "Bytes read and written.", SCRAPER_DISK, OTLP_SUM, true, true, true},
	[DISK_OPERATIONS] = {"system.disk.operations", "{operations}", "Reads and writes.", SCRAPER_DISK, OTLP_SUM, true, true, true},
	[DISK_MERGED] = {"system.disk.merged", "{operations}", "Reads and writes that were merged with others.", SCRAPER_DISK, OTLP_SUM, true, true, true},
	[DISK_OPERATION_TIME] = {"system.disk.operation_time", "s", "Seconds spent in reads and writes.", SCRAPER_DISK, OTLP_SUM, true, false, true},
	[DISK_IO_TIME] = {"system.disk.io_time", "s", "Seconds during which the disk was busy.", SCRAPER_DISK, OTLP_SUM, true, false, true},
	[DISK_WEIGHTED_IO_TIME] = {"system.disk.weighted_io_time", "s", "Seconds that the disk was busy, times the operations in progress.", SCRAPER_DISK, OTLP_SUM, true, false, true},
	[DISK_PENDING_OPERATIONS] = {"system.disk.pending_operations", "{operations}", "Operations in progress.", SCRAPER_DISK, OTLP_SUM, false, true, true},
	[FILESYSTEM_USAGE] = {"system.filesystem.usage", "By", "Bytes of file systems in each state.", SCRAPER_FILESYSTEM, OTLP_SUM, false, true, true},
	[FILESYSTEM_INODES_USAGE] = {"system.filesystem.inodes.usage", "{inodes}", "Inodes of file systems in each state.", SCRAPER_FILESYSTEM, OTLP_SUM, false, true, true},
	[FILESYSTEM_UTILIZATION] = {"system.filesystem.utilization", "1", "Share of the bytes of file systems that is used.", SCRAPER_FILESYSTEM, OTLP_GAUGE, false, false, false},
	[NETWORK_IO] = {"system.network.io", "By", "Bytes received and transmitted.", SCRAPER_NETWORK, OTLP_SUM, true, true, true},
	[NETWORK_PACKETS] = {"system.network.packets", "{packets}", "Packets received and transmitted.", SCRAPER_NETWORK, OTLP_SUM, true, true, true},
	[NETWORK_ERRORS] = {"system.network.errors", "{errors}", "Errors on receiving and transmitting.", SCRAPER_NETWORK, OTLP_SUM, true, true, true},
	[NETWORK_DROPPED] = {"system.network.dropped", "{packets}", "Packets dropped.", SCRAPER_NETWORK, OTLP_SUM, true, true, true},
	[NETWORK_CONNECTIONS] = {"system.network.connections", "{connections}", "Connections in each state.", SCRAPER_NETWORK, OTLP_SUM, false, true, true},
	[NETWORK_CONNTRACK_COUNT] = {"system.network.conntrack.count", "{entries}", "Tracked connections.", SCRAPER_NETWORK, OTLP_SUM, false, true, false},
	[NETWORK_CONNTRACK_MAX] = {"system.network.conntrack.max", "{entries}", "Limit of tracked connections.", SCRAPER_NETWORK, OTLP_SUM, false, true, false},
	[PAGING_USAGE] = {"system.paging.usage", "By", "Bytes of swap in each state.", SCRAPER_PAGING, OTLP_SUM, false, true, true},
	[PAGING_UTILIZATION] = {"system.paging.utilization", "1", "Share of swap in each state.", SCRAPER_PAGING, OTLP_GAUGE, false, false, false},
	[PAGING_OPERATIONS] = {"system.paging.operations", "{operations}", "Paging operations.", SCRAPER_PAGING, OTLP_SUM, true, true, true},
	[PAGING_FAULTS] = {"system.paging.faults", "{faults}", "Page faults.", SCRAPER_PAGING, OTLP_SUM, true, true, true},
	[PROCESSES_COUNT] = {"system.processes.count", "{processes}", "Processes in each state.", SCRAPER_PROCESSES, OTLP_SUM, false, true, true},
	[PROCESSES_CREATED] = {"system.processes.created", "{processes}", "Processes that were created.", SCRAPER_PROCESSES, OTLP_SUM, true, true, true},
	[SYSTEM_UPTIME] = {"system.uptime", "s", "Seconds since the start of the system.", SCRAPER_SYSTEM, OTLP_GAUGE, false, false, true},
	[PROCESS_CPU_TIME] = {"process.cpu.time", "s", "Seconds of CPU time in each state.", SCRAPER_PROCESS, OTLP_SUM, true, false, true},
	[PROCESS_MEMORY_USAGE] = {"process.memory.usage", "By", "Bytes of memory that are resident.", SCRAPER_PROCESS, OTLP_SUM, false, true, true},
	[PROCESS_MEMORY_VIRTUAL] = {"process.memory.virtual", "By", "Bytes of the address space.", SCRAPER_PROCESS, OTLP_SUM, false, true, true},
	[PROCESS_DISK_IO] = {"process.disk.io", "By", "Bytes read from and written to disks.", SCRAPER_PROCESS, OTLP_SUM, true, true, true},
	[PROCESS_THREADS] = {"process.threads", "{threads}", "Number of threads.", SCRAPER_PROCESS, OTLP_SUM, false, true, false},
	[PROCESS_OPEN_FILES] = {"process.open_file_descriptors", "{count}", "Number of open files.", SCRAPER_PROCESS, OTLP_SUM, false, true, false},
	[PROCESS_PAGING_FAULTS] = {"process.paging.faults", "{faults}", "Page faults.", SCRAPER_PROCESS, OTLP_SUM, true, true, false},
	[PROCESS_UPTIME] = {"process.uptime", "s", "Seconds since the start of the process.", SCRAPER_PROCESS, OTLP_GAUGE, false, false, false},
};
/* clang-format on */
