/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_LOOP_H
#define VARVE_NET_LOOP_H

#include <stdatomic.h>

#include "base/container/lru.h"
#include "base/thread.h"
#include "net/body_buffers.h"
#include "net/server.h"

/*
 * Private to src/net: an event loop, which is one thread, one epoll and the connections it owns.
 *
 * Only its own thread touches it, except for the mailbox, the shutdown flags and the counters. A
 * round waits for events, handles them, processes the mailbox, sends the responses, checks the
 * timeouts and frees closed connections.
 */
struct conn;
struct exchange;
struct listener;

/* The type of an event source: the first member of each object that an epoll event points to. */
enum source { SOURCE_WAKE, SOURCE_LISTENER, SOURCE_CONN };

/* An entry of the mailbox: an answered exchange, or a new connection. */
struct mail {
	struct mail *next;
	enum { MAIL_ANSWER, MAIL_CONN } kind;
};

/* See struct net_stats. Written by the loop, read by any thread. */
struct loop_stats {
	_Atomic uint64_t connections_open, connections_total, connections_idle, displaced;
	_Atomic uint64_t requests[3][6];
	_Atomic uint64_t bytes_in, bytes_out;
	_Atomic uint64_t refused[NET_REFUSED_COUNT];
	_Atomic uint64_t exchanges_open;
};

enum { LOOP_DATE_SIZE = 40 };

struct loop {
	struct net_server *server;
	struct net_options options; /* a copy: every field is read often */
	const struct log *log;
	struct budget *memory; /* of the server: max_memory */
	/* See shed.c: the weight of the heaviest connection while under pressure, else 0. */
	_Atomic uint64_t heaviest;
	uint64_t pressed_ns; /* when memory pressure began; 0: there is none */
	/* When to check the memory again; when to trim it (0: never). */
	uint64_t look_ns, trim_ns;
	size_t peak;	  /* of the budget, since the last trim */
	bool shed_logged; /* closing connections was logged */
	bool must_trim;	  /* connections were closed since the last trim */
	/* See room.c: idle connections; since when the oldest has been idle (UINT64_MAX: none). */
	struct lru idle;
	_Atomic uint64_t longest_idle_ns;
	uint64_t next_room_warning_ns; /* when to log again that idle connections are closed */
	struct thread thread;
	pthread_t self;	  /* set by the thread itself before its first round */
	enum source wake; /* SOURCE_WAKE: the source of event_fd */
	int epoll_fd, event_fd;

	_Atomic(struct mail *) mailbox; /* last in, first out; any thread pushes */
	_Atomic unsigned mailing;	/* threads within loop_mail() */
	/* Shutdown flags, set by other threads; each implies the one before. */
	_Atomic bool draining, closing, ending;
	bool drain_seen;

	struct exchange *ready, **ready_tail; /* answered on this thread, in order */
	struct conn *conns;
	struct conn *again; /* have more to read than their turn allowed */
	struct conn *dead;  /* closed in this round */
	size_t held;	    /* exchanges that handlers have not answered */
	/* The same, of routes without and with HTTP_PERMANENT; written by the loop. */
	_Atomic uint64_t held_by[2];

	/* See change.h. Requests of another thread; pause_done: `paused` is as requested. */
	_Atomic bool pause, pause_done, cut;
	bool paused; /* no input is passed to protocols */
	uint64_t paused_ns;

	uint64_t now_ns; /* of this round */
	uint64_t next_check_ns;
	uint64_t date_second;
	char date[LOOP_DATE_SIZE]; /* "Sun, 15 Nov 2026 09:37:00 GMT" */

	char *scratch; /* LOOP_SCRATCH bytes, the buffer for reading */
	struct body_buffers buffers;
	struct exchange *spare;
	size_t spare_count;
	pthread_mutex_t gone_mu; /* serializes http_on_gone() callbacks and http_respond() */
	struct loop_stats stats;
};

enum { LOOP_SCRATCH = 64 << 10 };

/*
 * Initialize a loop that does not run yet. Return 0 or a negative errno. Call loop_fini() in every
 * case.
 */
MUST_USE int loop_init(struct loop *l, struct net_server *server, const struct net_options *options,
		       struct budget *memory, const struct log *log);
void loop_fini(struct loop *l);

/* Run one round; wait at most `timeout_ms` (-1: forever) for events. */
void loop_round(struct loop *l, int timeout_ms);

/* Run rounds until `ending` is set and nothing is left: the thread's function. */
void loop_run(void *loop);

/* Close connections that were still in a mailbox. Only after all threads have ended. */
void loop_finish(struct loop *l);

/* Return whether the caller runs on the loop's own thread. */
static inline bool loop_is_self(const struct loop *l)
{
	return pthread_equal(l->self, pthread_self());
}

/* Add to the mailbox. Any thread. */
void loop_mail(struct loop *l, struct mail *mail);

/* Interrupt the wait for events. Any thread. */
void loop_wake(struct loop *l);

/* Add a descriptor to epoll with these events and flags. Return 0 or a negative errno. */
MUST_USE int loop_watch(struct loop *l, int fd, uint32_t events, enum source *source);

/* Return the value of a Date header for the current second. */
const char *loop_date(struct loop *l);

/* Check the timeouts at `at_ns` at the latest. */
static inline void loop_check_at(struct loop *l, uint64_t at_ns)
{
	if (at_ns < l->next_check_ns)
		l->next_check_ns = at_ns;
}

static inline void stat_add(_Atomic uint64_t *counter, uint64_t n)
{
	/* There is one writer, so no locked instruction is needed. */
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
			      memory_order_relaxed);
}

/* Add to held_by; what the loop and handlers did before is visible to who reads the sum. */
static inline void held_add(struct loop *l, bool permanent, uint64_t n)
{
	_Atomic uint64_t *held = &l->held_by[permanent];

	atomic_store_explicit(held, atomic_load_explicit(held, memory_order_relaxed) + n,
			      memory_order_release);
}

#endif
