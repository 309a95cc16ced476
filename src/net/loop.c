/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event loop. epoll is edge-triggered for connections, so that a connection needs one
 * epoll_ctl() in its life. `readable` and `writable` keep the result of an event until a call
 * returns EAGAIN. A connection that has more input than its turn allows is put on the `again` list,
 * and the loop does not sleep while that is not empty.
 *
 * The mailbox is a stack. Any thread pushes onto it with a compare-and-swap; the loop takes the
 * whole stack with one atomic exchange. Only a push onto an empty stack writes the eventfd.
 *
 * Timeouts: `next_check_ns` is a lower bound of all deadlines. When it has passed, the deadlines of
 * all connections are checked and it is computed again. That takes nanoseconds for each connection
 * and is done at most 20 times a second.
 */
#include "net/loop.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/conn.h"
#include "net/http/respond.h"
#include "net/server_internal.h"
#include "net/shed.h"

enum { EVENTS = 256 };
#define POOL_BYTES_MAX (8 * MIB)
#define CHECK_PAUSE_NS (50 * NS_PER_MS) /* between two checks of the timeouts */

int loop_init(struct loop *l, struct net_server *server, const struct net_options *options,
	      struct budget *memory, const struct log *log)
{
	*l = (struct loop){
		.server = server,
		.options = *options,
		.memory = memory,
		.log = log,
		.self = pthread_self(),
		.wake = SOURCE_WAKE,
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
		.event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.next_check_ns = UINT64_MAX,
		.look_ns = UINT64_MAX,
		.longest_idle_ns = UINT64_MAX,
		.buffers.limit = min_size(POOL_BYTES_MAX, options->max_memory / 16),
		.now_ns = clock_monotonic_ns(),
		.scratch = malloc(LOOP_SCRATCH),
	};
	l->ready_tail = &l->ready;
	pthread_mutex_init(&l->gone_mu, NULL);
	if (l->epoll_fd < 0 || l->event_fd < 0)
		return -errno;
	if (!l->scratch)
		return -ENOMEM;
	return loop_watch(l, l->event_fd, EPOLLIN | EPOLLET, &l->wake);
}

void loop_fini(struct loop *l)
{
	/* All mail was processed, but a thread that sent some may still be in loop_wake(). */
	while (atomic_load_explicit(&l->mailing, memory_order_acquire))
		sched_yield();
	exchange_free_spare(l);
	body_buffers_fini(&l->buffers);
	free(l->scratch);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	if (l->event_fd >= 0)
		close(l->event_fd);
	pthread_mutex_destroy(&l->gone_mu);
}

int loop_watch(struct loop *l, int fd, uint32_t events, enum source *source)
{
	struct epoll_event event = {.events = events, .data.ptr = source};

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

void loop_wake(struct loop *l)
{
	/* It fails only if the counter is at its maximum; then the loop is awake. */
	UNUSED ssize_t n = write(l->event_fd, &(uint64_t){1}, sizeof(uint64_t));
}

void loop_mail(struct loop *l, struct mail *mail)
{
	struct mail *first = atomic_load_explicit(&l->mailbox, memory_order_relaxed);

	/* the loop may end once it has the mail; loop_fini() waits for us */
	atomic_fetch_add_explicit(&l->mailing, 1, memory_order_relaxed);
	do {
		mail->next = first;
	} while (!atomic_compare_exchange_weak_explicit(
		&l->mailbox, &first, mail, memory_order_release, memory_order_relaxed));
	if (!first)
		loop_wake(l);
	atomic_fetch_sub_explicit(&l->mailing, 1, memory_order_release);
}

const char *loop_date(struct loop *l)
{
	uint64_t second = clock_realtime_ns() / NS_PER_SECOND;
	time_t now = (time_t)second;
	struct tm tm;

	if (second != l->date_second) {
		l->date_second = second;
		gmtime_r(&now, &tm);
		strftime(l->date, sizeof(l->date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
	}
	return l->date;
}

/* Take the whole mailbox, in the order in which mail was sent. */
static struct mail *take_mail(struct loop *l)
{
	struct mail *stack = atomic_exchange_explicit(&l->mailbox, NULL, memory_order_acquire);
	struct mail *list = NULL, *next;

	for (; stack; stack = next) {
		next = stack->next;
		stack->next = list;
		list = stack;
	}
	return list;
}

static void deliver_answer(struct loop *l, struct exchange *x)
{
	l->held--;
	held_add(l, x->permanent, (uint64_t)-1);
	exchange_answered(x);
	if (x->conn)
		conn_answer(x->conn, x);
	else
		exchange_free(x);
}

static void process_mailbox(struct loop *l)
{
	struct mail *next;

	for (struct mail *m = take_mail(l); m; m = next) {
		next = m->next;
		if (m->kind == MAIL_CONN)
			conn_start((struct conn *)((char *)m - offsetof(struct conn, mail)));
		else
			deliver_answer(l, (struct exchange *)((char *)m -
							      offsetof(struct exchange, mail)));
	}
	while (l->ready) {
		struct exchange *x = l->ready;

		l->ready = x->next;
		if (!l->ready)
			l->ready_tail = &l->ready;
		deliver_answer(l, x);
	}
}

static void run_again_list(struct loop *l)
{
	struct conn *next;

	for (struct conn *c = take_ptr(&l->again); c; c = next) {
		next = c->again_next;
		c->on_again = false;
		if (!c->closed)
			conn_run(c);
	}
}

static void check_deadlines(struct loop *l)
{
	uint64_t next_check = UINT64_MAX;
	struct conn *next;

	if (l->now_ns < l->next_check_ns || l->paused)
		return;
	l->next_check_ns = UINT64_MAX;
	for (struct conn *c = l->conns; c; c = next) {
		next = c->next;
		if (c->deadline_ns <= l->now_ns)
			conn_expired(c);
		if (!c->closed && c->deadline_ns < next_check)
			next_check = c->deadline_ns;
	}
	if (next_check != UINT64_MAX && next_check < l->now_ns + CHECK_PAUSE_NS)
		next_check = l->now_ns + CHECK_PAUSE_NS;
	loop_check_at(l, next_check);
}

static void check_shutdown_flags(struct loop *l)
{
	struct conn *next;

	if (!l->drain_seen && atomic_load(&l->draining)) {
		l->drain_seen = true;
		server_stop_listening(l);
		for (struct conn *c = l->conns; c; c = next) {
			next = c->next;
			conn_drain(c);
		}
	}
	if (atomic_load(&l->closing)) {
		for (struct conn *c = l->conns; c; c = next) {
			next = c->next;
			conn_close(c);
		}
	}
}

/* Close connections whose handlers have not responded by routes that are about to be removed. */
static void cut_off(struct loop *l)
{
	struct conn *next;

	for (struct conn *c = l->conns; c; c = next) {
		bool cut = false;

		next = c->next;
		for (struct exchange *x = c->exchanges; x; x = x->conn_next)
			cut |= x->stage == EXCHANGE_HANDLER && !x->permanent;
		if (cut)
			conn_close(c);
	}
}

/* Pause, resume or cut off, as requested by net/change.c. */
static void follow_change(struct loop *l)
{
	bool pause = atomic_load_explicit(&l->pause, memory_order_acquire);
	struct conn *next;

	if (pause && !l->paused) {
		l->paused_ns = l->now_ns;
		l->paused = true;
	} else if (!pause && l->paused) {
		l->paused = false;
		server_stop_removed(l);
		for (struct conn *c = l->conns; c; c = next) {
			next = c->next;
			conn_resume(c);
		}
	}
	atomic_store_explicit(&l->pause_done, pause, memory_order_release);
	if (atomic_exchange(&l->cut, false))
		cut_off(l);
}

static void free_dead(struct loop *l)
{
	struct conn *next;

	for (struct conn *c = take_ptr(&l->dead); c; c = next) {
		next = c->dead_next;
		conn_free(c);
	}
}

static void handle_event(struct loop *l, const struct epoll_event *event)
{
	enum source *source = event->data.ptr;

	if (*source == SOURCE_WAKE) {
		UNUSED ssize_t n = read(l->event_fd, &(uint64_t){0}, sizeof(uint64_t));
	} else if (*source == SOURCE_LISTENER) {
		listener_accept((struct listener *)source);
	} else {
		struct conn *c = (struct conn *)source;

		if (c->closed) /* in this round, to free memory or make room */
			return;
		if (event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
			c->readable = true;
		if (event->events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
			c->writable = true;
		if (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
			conn_peer_left(c);
		if (!c->closed)
			conn_run(c);
	}
}

static int epoll_timeout_ms(const struct loop *l, int timeout_ms)
{
	uint64_t now, ms, next = min_size(l->next_check_ns, l->look_ns);

	if (l->again || l->ready)
		return 0;
	if (l->paused)
		return timeout_ms;
	if (next == UINT64_MAX)
		return timeout_ms;
	now = clock_monotonic_ns();
	ms = next > now ? (next - now) / NS_PER_MS + 1 : 0;
	return timeout_ms >= 0 && ms > (uint64_t)timeout_ms ? timeout_ms
							    : (int)min_size(ms, 3600000);
}

void loop_round(struct loop *l, int timeout_ms)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(l->epoll_fd, events, EVENTS, epoll_timeout_ms(l, timeout_ms));

	l->now_ns = clock_monotonic_ns();
	for (int i = 0; i < n; i++) {
		handle_event(l, &events[i]);
		if (unlikely(loop_is_pressed(l))) { /* the other events may need much more */
			process_mailbox(l);
			run_again_list(l);
			loop_shed(l);
		}
	}
	process_mailbox(l);
	run_again_list(l);
	check_shutdown_flags(l);
	follow_change(l);
	check_deadlines(l);
	loop_shed(l);
	free_dead(l);
}

void loop_finish(struct loop *l)
{
	process_mailbox(l);
	check_shutdown_flags(l);
	free_dead(l);
}

void loop_run(void *loop)
{
	struct loop *l = loop;

	l->self = pthread_self();
	while (!atomic_load(&l->ending) || l->conns || l->held || l->ready)
		loop_round(l, -1);
	loop_finish(l);
}
