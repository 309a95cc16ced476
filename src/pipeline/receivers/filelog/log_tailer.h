/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_LOG_TAILER_H
#define VARVE_PIPELINE_FILELOG_LOG_TAILER_H

#include "pipeline/receivers/filelog/filelog_batch.h"
#include "pipeline/receivers/filelog/log_flights.h"
#include "pipeline/receivers/filelog/tail/checkpoint.h"
#include "pipeline/receivers/filelog/tail/tail_reader.h"

/*
 * What the thread of a receiver does: search for files, read them, pass the entries through the
 * operators, and deliver messages of them. A position is stored when the message and all before it
 * were accepted, and the operators keep nothing from before it. So a crash repeats entries, but loses
 * none.
 *
 * One thread, except for log_tailer_stop().
 */
struct log_tailer {
	const struct component_env *env;
	const struct filelog_settings *settings;
	struct tail_set set;
	struct tail_reader reader;
	struct filelog_batch batch;
	struct log_flights flights;
	struct operators *operators; /* NULL: none */
	struct operator_run run;
	struct arena entry_arena;
	struct tail_file **dirty; /* whose position is behind what was read */
	uint32_t dirty_count, dirty_room;
	struct checkpoint checkpoint;
	bool has_storage;
	uint64_t stored; /* clock_monotonic_ns() of the last store */
	bool failed;	 /* no memory for the current entry */
	struct telemetry_value *open_files;
};

/*
 * `storage`: the directory of file_storage, or NULL. Return 0, or -errno with text in `e`; call
 * log_tailer_fini() in every case.
 */
MUST_USE int log_tailer_init(struct log_tailer *t, const struct component_env *env,
			     const struct filelog_settings *settings, const char *storage,
			     struct err *e);
void log_tailer_fini(struct log_tailer *t);

/* Load stored positions. Return 0 or -errno with text in `e`. */
MUST_USE int log_tailer_load(struct log_tailer *t, struct err *e);

/* Search and read once. Return whether there is more to read at once. */
bool log_tailer_poll(struct log_tailer *t);

/* Run until log_tailer_stop(), then deliver what was read, and store the positions. */
void log_tailer_run(struct log_tailer *t);
void log_tailer_stop(struct log_tailer *t); /* any thread */

#endif
