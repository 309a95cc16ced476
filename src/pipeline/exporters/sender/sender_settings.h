/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_SENDER_SENDER_SETTINGS_H
#define VARVE_PIPELINE_EXPORTERS_SENDER_SENDER_SETTINGS_H

#include "config/settings.h"

/*
 * The settings that all sending exporters share: sending_queue, retry_on_failure and timeout. An
 * exporter embeds struct sender_settings and puts SENDER_SETTINGS() into its table:
 *
 *	struct x_settings { struct sender_settings sender; ... };
 *	static const struct setting settings[] = {
 *		SENDER_SETTINGS(struct x_settings, sender, "5s"),
 *		...
 *	check:   return sender_settings_check(&s->sender, e);
 *	storage: return s->sender.queue.storage;
 */
enum sender_sizer { SIZER_REQUESTS, SIZER_ITEMS, SIZER_BYTES };

struct sender_batch_settings {
	uint64_t flush_timeout_ns;
	int64_t min_size, max_size; /* max_size 0: no limit */
	struct str sizer;	    /* empty: that of the queue */
};

struct sender_queue_settings {
	bool enabled;
	int64_t num_consumers, queue_size;
	struct str sizer;
	bool block_on_overflow, wait_for_result;
	struct str storage; /* the id of a storage extension; empty: in memory */
	struct sender_batch_settings batch;
	bool has_batch;
};

/* A number that may be 0; `set` is false if it is not configured. */
struct sender_number {
	bool set;
	double at;
};

struct sender_retry_settings {
	bool enabled;
	uint64_t initial_interval_ns, max_interval_ns, max_elapsed_time_ns;
	struct sender_number randomization_factor, multiplier;
};

struct sender_settings {
	struct sender_queue_settings queue;
	struct sender_retry_settings retry;
	uint64_t timeout_ns;
};

extern const struct setting sender_queue_table[], sender_retry_table[];

/* Read a number that is not negative into a struct sender_number. */
setting_reader sender_number_read;

/* Rows of a table; `timeout_` is the default timeout of an attempt. */
#define SENDER_SETTINGS(struct_, field_, timeout_)                                                 \
	SET_GROUP_ALWAYS(struct_, field_.queue, "sending_queue", sender_queue_table,               \
			 "The queue of data that waits to be sent."),                              \
		SET_GROUP_ALWAYS(struct_, field_.retry, "retry_on_failure", sender_retry_table,    \
				 "How failed requests are repeated."),                             \
		SET_DURATION(struct_, field_.timeout_ns, "timeout", timeout_,                      \
			     "Time limit of each attempt.")

/* Check the settings against each other. Return 0, or -EINVAL with text in `e`. */
MUST_USE int sender_settings_check(const struct sender_settings *s, struct err *e);

/* The sizers of checked settings. */
enum sender_sizer sender_queue_sizer(const struct sender_queue_settings *q);
enum sender_sizer sender_batch_sizer(const struct sender_queue_settings *q);

#endif
