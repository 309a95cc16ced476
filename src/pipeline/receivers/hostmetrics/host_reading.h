/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_HOST_READING_H
#define VARVE_PIPELINE_RECEIVERS_HOST_READING_H

#include "pipeline/receivers/hostmetrics/hostmetrics_settings.h"

/* One reading of the host: scrapers read files of /proc and add data points. */
enum { CPU_STATES = 8, HOST_CPUS_MAX = 4096 };

/* CPU times of the last reading, in ticks, for the utilization. */
struct cpu_times {
	uint64_t at[CPU_STATES];
};

/* What is kept between readings. */
struct host_state {
	const struct hostmetrics_settings *settings;
	const char *root; /* before all paths; may be empty */
	uint64_t boot;	  /* nanoseconds since 1970: the start time of the sums */
	struct name_filter filters[HOST_FILTERS];
	struct cpu_times *cpus; /* of the last reading: all, then each CPU */
	uint32_t cpu_count;
};

struct host_reading {
	struct host_state *state;
	struct otlp_builder builder;
	struct arena arena;	    /* attributes and the text of files */
	uint64_t time;		    /* nanoseconds since 1970 */
	uint64_t start;		    /* of sums; 0: the boot */
	enum host_metric_id metric; /* the current one */
	uint64_t points;	    /* added so far */
	bool failed;		    /* out of memory */
	struct err e;		    /* the first file that could not be read */
};

/* Begin a metric. Return whether it is to be written. */
bool host_metric(struct host_reading *r, enum host_metric_id metric);

/*
 * Add a data point of the current metric. Attributes follow as pairs of const char *, up to NULL.
 */
void host_point(struct host_reading *r, double value, ...) __attribute__((sentinel));

/*
 * Read a file, a path below the root; the text lives in the arena. Return false if that fails, with
 * the reason in r->e.
 */
bool host_file(struct host_reading *r, const char *path, struct str *text);

/* Cut the next word off a line, separated by spaces and tabs; empty at its end. */
struct str host_word(struct str *line);
/* The next word as a number; 0 if it is none. */
uint64_t host_number(struct str *line);

/* The scrapers. */
void scrape_cpu(struct host_reading *r);
void scrape_load(struct host_reading *r);
void scrape_memory(struct host_reading *r);
void scrape_disk(struct host_reading *r);
void scrape_filesystem(struct host_reading *r);
void scrape_network(struct host_reading *r);
void scrape_paging(struct host_reading *r);
void scrape_processes(struct host_reading *r);
void scrape_system(struct host_reading *r);
void scrape_process(struct host_reading *r); /* the last: it resets the arena */

#endif
