/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_HOSTMETRICS_SETTINGS_H
#define VARVE_PIPELINE_RECEIVERS_HOSTMETRICS_SETTINGS_H

#include "pipeline/receivers/hostmetrics/host_metrics_table.h"
#include "pipeline/receivers/hostmetrics/name_filter.h"

/* The settings of the hostmetrics receiver. */
enum host_filter {
	FILTER_DISKS,
	FILTER_INTERFACES,
	FILTER_FS_DEVICES,
	FILTER_FS_TYPES,
	FILTER_MOUNT_POINTS,
	FILTER_PROCESSES,
	HOST_FILTERS,
};

/* The attributes of the resources of the scraper `process`. */
enum process_attribute {
	PROCESS_PID,
	PROCESS_PARENT_PID,
	PROCESS_NAME,
	PROCESS_PATH,
	PROCESS_COMMAND,
	PROCESS_COMMAND_LINE,
	PROCESS_OWNER,
	PROCESS_ATTRIBUTES,
};

extern const char *const process_attribute_names[PROCESS_ATTRIBUTES];

/* What the section `scrapers` says. */
struct scraper_settings {
	bool on[SCRAPERS];
	bool written[HOST_METRICS]; /* of scrapers that are on */
	bool cpu_attribute;	    /* system.cpu.* for each CPU */
	bool load_by_cpu;	    /* divide the load by the number of CPUs */
	bool virtual_filesystems;   /* proc, tmpfs ... */
	bool no_process_attribute[PROCESS_ATTRIBUTES];
	uint64_t process_delay_ns; /* leave out younger processes */
	struct name_filter_settings filters[HOST_FILTERS];
};

struct hostmetrics_settings {
	uint64_t interval, initial_delay, timeout;
	struct str root_path;
	struct scraper_settings scrapers;
};

extern const struct setting hostmetrics_table[];

/* Check the settings against each other. Return 0, or -EINVAL with text in `e`. */
int hostmetrics_settings_check(const void *settings, struct err *e);

#endif
