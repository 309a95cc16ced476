/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_LIVE_LIVE_SOURCE_H
#define VARVE_CLI_LIVE_LIVE_SOURCE_H

#include <pthread.h>

#include "base/thread.h"
#include "cli/remote.h"

/*
 * Where an interactive view gets its profiles from: a server, of which it queries the last seconds of
 * a service and the seconds before, or a URL of net/http/pprof, which records for as long. A thread of
 * the source sends the requests, so that keys are never delayed.
 */
struct live_options {
	const struct remote_options *remote;
	const char *target; /* selector of a service, or a URL with "://"; NULL: choose a service */
	const char *type;   /* NULL: the default of the server */
	uint64_t window_s;  /* length of what is shown */
	uint64_t interval_s; /* time between two queries of a server */
};

/* Bytes of two profiles of equal length. The caller frees them with live_pair_fini(). */
struct live_pair {
	struct buf before, after; /* empty: there was no data */
	struct err error;	  /* the request failed: its text is not empty */
	uint64_t time_ns;	  /* end of `after` */
};

void live_pair_fini(struct live_pair *p);

enum live_list { LIVE_SERVICES, LIVE_TYPES };

struct live_source {
	const struct live_options *options;
	struct remote remote; /* of the thread; `client` also for a URL */
	bool is_url;
	struct thread thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	_Atomic bool stop, cancelled;
	/* Guarded by the lock. */
	char selector[512], type[256];
	bool again, paused;    /* query at once; do not query */
	bool wants[2];	       /* lists: enum live_list */
	struct live_pair pair; /* the newest, until it is taken */
	bool has_pair;
	struct buf lists[2]; /* lines, until they are taken */
	bool has_list[2];
	struct buf last; /* the profile of a URL before: of the thread */
};

/* Begin. 0, or -errno with a message in `e`; call live_source_fini() in either case. */
MUST_USE int live_source_init(struct live_source *s, const struct live_options *o, struct cli *cli,
			      struct err *e);
void live_source_fini(struct live_source *s);

/* Show another selector or type; NULL: the same. Results of the one before are dropped. */
void live_source_select(struct live_source *s, const char *selector, const char *type);

void live_source_pause(struct live_source *s, bool paused);

/* Query a list, without waiting for it. */
void live_source_list(struct live_source *s, enum live_list list);

/* Take a new pair over. Return whether there is one; free the one before in *out first. */
bool live_source_take(struct live_source *s, struct live_pair *out);

/* Take a new list over: lines of text. Return whether there is one. */
bool live_source_take_list(struct live_source *s, enum live_list list, struct buf *out);

#endif
