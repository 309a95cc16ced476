/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a loop does when the memory of max_memory runs out, and when it is no longer needed.
 *
 * Over PRESSURE eighths of max_memory connections are closed until RELIEF eighths are left: first the one that
 * holds most for longest. What counts is the memory that closing it gives back times the time for which its
 * sender has kept us waiting, so a sender that reads and writes is served while those that stall pay for their
 * memory. A connection that was answered in the last seconds weighs little, and one that has just come weighs
 * less: they are closed after those that only take memory. Each loop publishes the weight of its heaviest
 * connection, and only the loop with the greatest one closes.
 * Memory that handlers hold (bodies that are being stored, queries) is not given back by closing: when most of
 * it is theirs nothing is closed, and requests are refused with 503 until it is free.
 *
 * After a peak the spare exchanges and buffers are freed, and the allocator returns its pages to the system.
 */
#include <malloc.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/conn.h"
#include "net/server_inside.h"

enum { PRESSURE = 6, RELIEF = 5 }; /* eighths of max_memory */
enum { HEAVIEST = 32 };		   /* connections found in one walk over all */
enum { SHARE = 4 };		   /* of what is used: the part that connections hold at least */
#define LOOK_NS (2 * NS_PER_MS)	   /* between two looks while there is pressure */
#define CALM_NS (1 * NS_PER_SECOND)
#define SHED_TRIM_NS (50 * NS_PER_MS)
/*
 * Standing: the last answer was sent within STANDING_NS, and the weight is shifted right by STANDING_SHIFT bits. Beginning: the
 * connection or its first request is younger than BEGINNING_NS; BEGINNING_SHIFT.
 */
#define STANDING_NS (5 * NS_PER_SECOND)
#define BEGINNING_NS (1 * NS_PER_SECOND)
enum { STANDING_SHIFT = 10, BEGINNING_SHIFT = 4 };
#define IDLE_MS 2000 /* an idle connection weighs no more than if it had stalled for this long */

struct heavy {
	struct conn *conn;
	uint64_t weight;
};

static bool is_over(const struct loop *l, unsigned eighths)
{
	return atomic_load_explicit(&l->memory->used, memory_order_relaxed) >
	       l->options.max_memory / 8 * eighths;
}

bool loop_is_pressed(const struct loop *l)
{
	return is_over(l, PRESSURE);
}

/* How long its sender has kept the connection waiting, in ms: since a byte moved, and a part of the request's age. */
static uint64_t waiting_ms(const struct conn *c, uint64_t now)
{
	uint64_t stalled = now - min_size(now, c->moved_ns);

	if (!c->oldest)
		return min_size(stalled / NS_PER_MS, IDLE_MS);
	return (stalled + (now - min_size(now, c->oldest->head_started_ns)) / 8) / NS_PER_MS;
}

/* What closing it gives back. */
static size_t freeable(const struct conn *c)
{
	return conn_held(c) - c->handler_bytes;
}

static bool is_since(uint64_t began_ns, uint64_t now, uint64_t ns)
{
	return began_ns && now - min_size(now, began_ns) < ns;
}

/* In its first moments: shaking hands, or with a first request on its way, unlike one that only stays. */
static bool is_beginning(const struct conn *c, uint64_t now)
{
	if (c->protocol == CONN_TLS)
		return is_since(c->moved_ns, now, BEGINNING_NS);
	return c->oldest && is_since(c->oldest->head_started_ns, now, BEGINNING_NS);
}

static uint64_t weight_of(const struct conn *c, uint64_t now)
{
	uint64_t weight = freeable(c) * (waiting_ms(c, now) + 1);

	if (is_since(c->served_ns, now, STANDING_NS))
		return weight >> STANDING_SHIFT;
	return is_beginning(c, now) ? weight >> BEGINNING_SHIFT : weight;
}

static int compare_weights(const void *a, const void *b)
{
	uint64_t first = ((const struct heavy *)a)->weight;
	uint64_t second = ((const struct heavy *)b)->weight;

	return first < second ? 1 : first > second ? -1 : 0;
}

/* The heaviest connections, heaviest first; returns how many. *sum is what all connections could give back. */
static size_t find_heaviest(const struct loop *l, uint64_t now, struct heavy out[HEAVIEST],
			    size_t *sum)
{
	size_t n = 0, lightest = 0;

	*sum = 0;
	for (struct conn *c = l->conns; c; c = c->next) {
		struct heavy h = {c, weight_of(c, now)};

		*sum += freeable(c);
		if (n < HEAVIEST) {
			out[n++] = h;
		} else {
			if (h.weight <= out[lightest].weight)
				continue;
			out[lightest] = h;
		}
		lightest = 0;
		for (size_t i = 1; n == HEAVIEST && i < n; i++)
			if (out[i].weight < out[lightest].weight)
				lightest = i;
	}
	qsort(out, n, sizeof(*out), compare_weights);
	return n;
}

static bool is_greatest(const struct loop *l, uint64_t weight)
{
	const struct net_server *s = l->server;

	for (size_t i = 0; s && i < s->loop_count; i++)
		if (&s->loops[i] != l && atomic_load(&s->loops[i].heaviest) > weight)
			return false;
	return true;
}

static void shed(struct loop *l, struct conn *c)
{
	char peer[NET_ADDRESS_TEXT];

	if (!l->told_shed)
		log_warn(l->log,
			 "memory of requests and answers is used up: closing the connections that "
			 "hold most for longest",
			 LOG_U64("max_memory", l->options.max_memory));
	l->told_shed = true;
	log_debug(l->log, "connection closed for its memory",
		  LOG_STR("peer", str_from(net_address_format(&c->peer, peer))),
		  LOG_U64("held", conn_held(c)), LOG_U64("requests", c->exchange_count));
	stat_add(&l->stats.refused[NET_REFUSED_BUDGET], 1);
	conn_close(c);
	l->must_trim = true;
}

/*
 * Close connections until there is relief, or another loop has a heavier one. Those that were not heard are passed
 * over, unless they are all that there is.
 */
static void close_heaviest(struct loop *l, uint64_t now)
{
	size_t loops = l->server ? l->server->loop_count : 1;
	struct heavy heavy[HEAVIEST];
	size_t sum, n, closed;
	bool all = false;

	do {
		size_t i = 0;

		closed = 0;

		n = find_heaviest(l, now, heavy, &sum);
		atomic_store(&l->heaviest, n ? heavy[0].weight : 0);
		for (; i < n && is_over(l, RELIEF) && is_greatest(l, heavy[i].weight) &&
		       sum > atomic_load(&l->memory->used) / loops / SHARE;
		     i++) {
			if (all || !conn_is_unheard(heavy[i].conn)) {
				sum -= freeable(heavy[i].conn);
				shed(l, heavy[i].conn);
				closed++;
			}
			atomic_store(&l->heaviest, i + 1 < n ? heavy[i + 1].weight : 0);
		}
		if (i < n)
			return;
		all = !closed;
	} while (n == HEAVIEST);
}

static void begin_pressure(struct loop *l, uint64_t now)
{
	struct net_server *s = l->server;

	l->pressed_ns = now;
	exchange_free_spare(l);
	pool_fini(&l->pool);
	for (size_t i = 0; s && i < s->loop_count; i++) /* they publish what they hold */
		if (&s->loops[i] != l)
			loop_wake(&s->loops[i]);
}

/*
 * Free what is kept for reuse: once a peak has been over for a while, and soon after connections were closed, because
 * each thread has free memory of its own that the others cannot use.
 */
static void trim(struct loop *l, uint64_t now)
{
	size_t used = atomic_load_explicit(&l->memory->used, memory_order_relaxed);

	l->peak = max_size(l->peak, used);
	if (!l->must_trim && (l->peak <= l->options.max_memory / 8 || used > l->peak / 2)) {
		l->trim_ns = 0;
	} else if (!l->trim_ns) {
		l->trim_ns = now + (l->must_trim ? SHED_TRIM_NS : CALM_NS);
	} else if (now >= l->trim_ns) {
		exchange_free_spare(l);
		pool_fini(&l->pool);
		malloc_trim(0);
		l->peak = used;
		l->must_trim = false;
		l->trim_ns = 0;
	}
	if (l->trim_ns)
		l->look_ns = min_size(l->look_ns, l->trim_ns);
}

void loop_shed(struct loop *l)
{
	uint64_t now = l->now_ns;

	l->look_ns = UINT64_MAX;
	if (l->pressed_ns ? is_over(l, RELIEF) : is_over(l, PRESSURE)) {
		now = clock_monotonic_ns(); /* a round may be long */
		if (!l->pressed_ns)
			begin_pressure(l, now);
		/* the first look is for the other loops: they have yet to publish their heaviest */
		if (now - l->pressed_ns >= LOOK_NS || !l->server || l->server->loop_count == 1) {
			close_heaviest(l, now);
		} else {
			struct heavy heavy[HEAVIEST];
			size_t sum, n = find_heaviest(l, now, heavy, &sum);

			atomic_store(&l->heaviest, n ? heavy[0].weight : 0);
		}
		l->look_ns = now + LOOK_NS;
	} else if (l->pressed_ns) {
		l->pressed_ns = 0;
		l->told_shed = false;
		atomic_store(&l->heaviest, 0);
	}
	trim(l, now);
}
