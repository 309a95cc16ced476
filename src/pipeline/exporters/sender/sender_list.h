/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_SENDER_SENDER_LIST_H
#define VARVE_PIPELINE_EXPORTERS_SENDER_SENDER_LIST_H

#include <pthread.h>

#include "base/err.h"

/* The state of an exporter, for status pages. Counts are items since the start of the sender. */
struct sender_stats {
	char id[64];
	char destination[256];
	uint64_t accepted;   /* taken over into the queue */
	uint64_t sent;	     /* in attempts, including repeated ones */
	uint64_t confirmed;  /* acknowledged by the destination */
	uint64_t failed;     /* refused for good, or rejected by a partial success */
	uint64_t dropped;    /* given up: out of time, or at the end */
	uint64_t pending;    /* queued and in flight */
	uint64_t duplicates; /* sent again after a restart although they may have arrived */
	bool reachable;	     /* the last attempt got a response, or there was none yet */
	uint64_t last_success, last_failure; /* nanoseconds since 1970; 0: never */
	char last_error[ERR_TEXT_MAX];
};

/* The senders of a host, in the order of their creation. Guarded by mu. */
struct sender_list {
	pthread_mutex_t mu;
	struct sender *first;
};

void sender_list_init(struct sender_list *l);
void sender_list_fini(struct sender_list *l);

/* Copy the statistics of at most `room` senders. Return how many there are. Any thread. */
unsigned sender_list_copy(struct sender_list *l, struct sender_stats *at, unsigned room);

#endif
