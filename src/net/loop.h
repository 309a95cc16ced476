/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_LOOP_H
#define VARVE_NET_LOOP_H

#include <stdatomic.h>

#include "base/container/lru.h"
#include "base/thread.h"
#include "net/body_buffers.h"
#include "net/server.h"

/*
 * Private to src/net: one thread, one epoll, the connections it owns.
 *
 * Everything in it is touched by its own thread only, but for the mailbox, the orders and the
 * counters. A round: wait, serve the sources that have something, take the mailbox, send the
 * answers, look at the time-outs, free what was closed.
 */
struct conn;
struct exchange;
struct listener;

/* What an epoll event points to; the first member of each such thing. */
enum source { SOURCE_WAKE, SOURCE_LISTENER, SOURCE_CONN };

/* What other threads put into the mailbox: an answered exchange, or a new connection. */
struct mail {
	struct mail *next;
	enum { MAIL_ANSWER, MAIL_CONN } kind;
};

/* As struct net_stats, written by the loop, read by anyone. */
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
	/* See shed.c: the weight of its heaviest connection while there is pressure, else 0. */
	_Atomic uint64_t heaviest;
	uint64_t pressed_ns; /* when pressure began; 0: there is none */
	/* When to look at the memory again; when to trim it (0: never). */
	uint64_t look_ns, trim_ns;
	size_t peak;	/* of the budget, since the last trim */
	bool told_shed; /* closing connections was logged */
	bool must_trim; /* connections were closed since the last trim */
	/* See room.c: idle connections; since when the oldest has been idle (UINT64_MAX: none). */
	struct lru idle;
	_Atomic uint64_t longest_idle_ns;
	uint64_t tell_room_ns; /* when closing idle connections is logged again */
	struct thread thread;
	pthread_t self;	  /* set by the thread itself before it serves */
	enum source wake; /* SOURCE_WAKE: the address for epoll */
	int epoll_fd, event_fd;

	_Atomic(struct mail *) mailbox;		/* last in, first out; any thread pushes */
	_Atomic unsigned mailing;		/* threads within loop_mail() */
	_Atomic bool draining, closing, ending; /* orders; each implies the one before */
	bool drain_seen;

	struct exchange *ready, **ready_tail; /* answered on this thread, in order */
	struct conn *conns;
	struct conn *again; /* have more to read than their turn allowed */
	struct conn *dead;  /* closed in this round */
	size_t held;	    /* exchanges that handlers have not answered */

	uint64_t now_ns; /* of this round */
	uint64_t next_check_ns;
	uint64_t date_second;
	char date[LOOP_DATE_SIZE]; /* "Sun, 15 Nov 2026 09:37:00 GMT" */

	char *scratch; /* what is read and not yet sorted */
	struct pool pool;
	struct exchange *spare;
	size_t spare_count;
	pthread_mutex_t gone_mu; /* http_on_gone() callbacks against http_respond() */
	struct loop_stats stats;
};

enum { LOOP_SCRATCH = 64 << 10 };

/* A loop that does not run yet. 0 or a negative errno; loop_fini() is due in every case. */
MUST_USE int loop_init(struct loop *l, struct net_server *server, const struct net_options *options,
		       struct budget *memory, const struct log *log);
void loop_fini(struct loop *l);

/* One round; waits at most `timeout_ms` (-1: until something happens) for events. */
void loop_round(struct loop *l, int timeout_ms);

/* Rounds until told to end: the thread's function. */
void loop_run(void *loop);

/* Is the memory nearly used up? */
bool loop_is_pressed(const struct loop *l);

/* Close the connections that hold most while memory runs out; give memory back when it is not needed. */
void loop_shed(struct loop *l);

/* Close connections that were on their way between loops. Only after all threads have ended. */
void loop_finish(struct loop *l);

/* Is this the loop's own thread? */
static inline bool loop_is_self(const struct loop *l)
{
	return pthread_equal(l->self, pthread_self());
}

/* Any thread. */
void loop_mail(struct loop *l, struct mail *mail);
void loop_wake(struct loop *l);

/* Watch a descriptor, edge-triggered, for what `events` says. 0 or a negative errno. */
MUST_USE int loop_watch(struct loop *l, int fd, uint32_t events, enum source *source);

/* The text for a date header. */
const char *loop_date(struct loop *l);

/* Look at the time-outs no later than this. */
static inline void loop_check_at(struct loop *l, uint64_t at_ns)
{
	if (at_ns < l->next_check_ns)
		l->next_check_ns = at_ns;
}

static inline void stat_add(_Atomic uint64_t *counter, uint64_t n)
{
	/* One writer: no locked instruction needed. */
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
			      memory_order_relaxed);
}

#endif
