/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_LOG_FLIGHTS_H
#define VARVE_PIPELINE_FILELOG_LOG_FLIGHTS_H

#include <pthread.h>

#include "pipeline/component.h"
#include "pipeline/receivers/filelog/filelog_settings.h"
#include "pipeline/receivers/filelog/tail/tail_file.h"

/*
 * Messages on their way to the next consumer, in the order in which they were read. A message that is
 * refused is delivered again, after a growing time, until it is accepted or the data turns out to be
 * bad. Positions of files advance when a message and all before it are done.
 *
 * All functions are called by the thread of the receiver; results arrive on any thread.
 */
enum { LOG_FLIGHTS_MAX = 4 };

/* Where a file is after a message. */
struct file_position {
	struct tail_file *file;
	uint64_t id; /* of its content: a truncated file has another one */
	uint64_t offset;
};

enum flight_state { FLIGHT_FREE, FLIGHT_SENT, FLIGHT_DONE, FLIGHT_REFUSED };

struct log_flights;

struct log_flight {
	struct log_flights *of;
	enum flight_state state;
	struct payload *payload; /* NULL: only positions */
	struct file_position *positions;
	uint32_t position_count;
	unsigned refusals;
	uint64_t due; /* clock_monotonic_ns() of the next delivery after a refusal */
};

struct log_flights {
	const struct component_env *env;
	const struct filelog_settings *settings;
	struct consumer *next;
	pthread_mutex_t mu; /* guards the states and `stopping` */
	pthread_cond_t changed;
	bool stopping;
	bool no_repeats; /* what is refused from now on is given up */
	struct log_flight at[LOG_FLIGHTS_MAX];
	unsigned first, count;
	bool committed; /* positions advanced; reset by the caller */
};

MUST_USE int log_flights_init(struct log_flights *l, const struct component_env *env,
			      const struct filelog_settings *settings);
void log_flights_fini(struct log_flights *l);

/* From any thread: let all waits end. */
void log_flights_stop(struct log_flights *l);
bool log_flights_stopping(struct log_flights *l);

/* Advance positions, and deliver again what is due. */
void log_flights_collect(struct log_flights *l);

/* Wait until something is done or due, the receiver stops, or the time is over. Then collect. */
void log_flights_wait(struct log_flights *l, uint64_t until);

bool log_flights_full(const struct log_flights *l);

/*
 * Deliver a message and take over a reference to it, and the array of positions. Not if the flights
 * are full.
 */
void log_flights_send(struct log_flights *l, struct payload *p, struct file_position *positions,
		      uint32_t count);

/*
 * At the end: wait for results until `until`, with or without repeating what is refused. Return the
 * number of records that were refused: their positions do not advance. A delivery without a result by
 * then gets one before log_flights_fini(), when the next consumers stop.
 */
uint64_t log_flights_drain(struct log_flights *l, uint64_t until, bool repeat);

#endif
