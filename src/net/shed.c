/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load shedding: free memory when max_memory runs out, and after a peak.
 *
 * If more than PRESSURE eighths of max_memory are in use, connections are closed until RELIEF
 * eighths are in use, the heaviest first. The weight of a connection is the memory that closing it
 * would free, times how long its client has kept us waiting. So clients that make progress are
 * served, and those that stall are closed. The weight of a connection that was recently answered or
 * has just begun is reduced: it is closed after those that only consume memory. Each loop publishes
 * the weight of its heaviest connection, and only the loop with the heaviest of all closes it.
 * If more than URGENT eighths are in use, each loop closes its own: another loop may be busy, and
 * its published weight out of date. No connection is accepted while all of max_memory is in use.
 *
 * Closing a connection does not free memory that handlers own (bodies that are being stored,
 * queries). If most of the memory belongs to handlers, nothing is closed, and requests are refused
 * with 503 until it is free.
 *
 * After a peak, spare exchanges and buffers are freed, and malloc_trim() returns free pages.
 */
#include "net/shed.h"

#include <malloc.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/address.h"
#include "net/conn.h"
#include "net/server_internal.h"

enum { PRESSURE = 6, RELIEF = 5, URGENT = 7 }; /* eighths of max_memory */
enum { HEAVIEST = 32 };			       /* connections found in one pass over all */
/* Close connections only if those of a loop hold 1/SHARE of the loop's part of the used memory. */
enum { SHARE = 4 };
#define CHECK_NS (2 * NS_PER_MS) /* between two checks while under pressure */
/* Delay of trimming after a peak, and after connections were closed. */
#define CALM_NS (1 * NS_PER_SECOND)
#define SHED_TRIM_NS (50 * NS_PER_MS)
/*
 * The weight is shifted right by SERVED_SHIFT bits if the last response was sent within SERVED_NS,
 * else by STARTING_SHIFT bits if the TLS handshake or oldest request is younger than STARTING_NS.
 */
#define SERVED_NS (5 * NS_PER_SECOND)
#define STARTING_NS (1 * NS_PER_SECOND)
enum { SERVED_SHIFT = 10, STARTING_SHIFT = 4 };
#define IDLE_MS 2000 /* an idle connection counts as stalled for at most this long */

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

bool loop_memory_is_full(const struct loop *l)
{
	return is_over(l, 8);
}

/*
 * Return how long the client has kept us waiting, in ms: the time since a byte moved, plus an
 * eighth of the age of the oldest request.
 */
static uint64_t waiting_ms(const struct conn *c, uint64_t now)
{
	uint64_t stalled = now - min_size(now, c->moved_ns);

	if (!c->oldest)
		return min_size(stalled / NS_PER_MS, IDLE_MS);
	return (stalled + (now - min_size(now, c->oldest->head_started_ns)) / 8) / NS_PER_MS;
}

/* Return the memory that closing the connection would free. */
static size_t freeable(const struct conn *c)
{
	return conn_held(c) - c->handler_bytes;
}

/* Return whether `at_ns` (0: never) is less than `ns` ago. */
static bool is_within(uint64_t at_ns, uint64_t now, uint64_t ns)
{
	return at_ns && now - min_size(now, at_ns) < ns;
}

/* Return whether the TLS handshake or the oldest request has just begun. */
static bool is_starting(const struct conn *c, uint64_t now)
{
	if (c->protocol == CONN_TLS)
		return is_within(c->moved_ns, now, STARTING_NS);
	return c->oldest && is_within(c->oldest->head_started_ns, now, STARTING_NS);
}

static uint64_t weight_of(const struct conn *c, uint64_t now)
{
	uint64_t weight = freeable(c) * (waiting_ms(c, now) + 1);

	if (is_within(c->served_ns, now, SERVED_NS))
		return weight >> SERVED_SHIFT;
	return is_starting(c, now) ? weight >> STARTING_SHIFT : weight;
}

static int compare_weights(const void *a, const void *b)
{
	uint64_t first = ((const struct heavy *)a)->weight;
	uint64_t second = ((const struct heavy *)b)->weight;

	return first < second ? 1 : first > second ? -1 : 0;
}

/*
 * Find the heaviest connections, heaviest first, and return their number. *sum is the memory that
 * closing all connections would free.
 */
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

static void shed_conn(struct loop *l, struct conn *c)
{
	char peer[NET_ADDRESS_TEXT];

	if (!l->shed_logged)
		log_warn(
			l->log,
			"memory of requests and responses is used up: closing the connections that "
			"have held the most memory for longest",
			LOG_U64("max_memory", l->options.max_memory));
	l->shed_logged = true;
	log_debug(l->log, "connection closed to free memory",
		  LOG_STR("peer", str_from(net_address_format(&c->peer, peer))),
		  LOG_U64("held", conn_held(c)), LOG_U64("requests", c->exchange_count));
	stat_add(&l->stats.refused[NET_REFUSED_BUDGET], 1);
	conn_close(c);
	l->must_trim = true;
}

/*
 * Close connections until RELIEF is reached, or another loop has a heavier one. Connections whose
 * request is still unread in the socket are skipped, unless there are no others.
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
		for (; i < n && is_over(l, RELIEF) &&
		       (is_over(l, URGENT) || is_greatest(l, heavy[i].weight)) &&
		       sum > atomic_load(&l->memory->used) / loops / SHARE;
		     i++) {
			if (all || !conn_has_unread_bytes(heavy[i].conn)) {
				sum -= freeable(heavy[i].conn);
				shed_conn(l, heavy[i].conn);
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
	body_buffers_fini(&l->buffers);
	for (size_t i = 0; s && i < s->loop_count; i++) /* they publish their heaviest connection */
		if (&s->loops[i] != l)
			loop_wake(&s->loops[i]);
}

/*
 * Free what is kept for reuse: some time after a peak, and soon after connections were closed,
 * because each thread's allocator has free memory that other threads cannot use.
 */
static void trim_spare_memory(struct loop *l, uint64_t now)
{
	size_t used = atomic_load_explicit(&l->memory->used, memory_order_relaxed);

	l->peak = max_size(l->peak, used);
	if (!l->must_trim && (l->peak <= l->options.max_memory / 8 || used > l->peak / 2)) {
		l->trim_ns = 0;
	} else if (!l->trim_ns) {
		l->trim_ns = now + (l->must_trim ? SHED_TRIM_NS : CALM_NS);
	} else if (now >= l->trim_ns) {
		exchange_free_spare(l);
		body_buffers_fini(&l->buffers);
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
		now = clock_monotonic_ns(); /* a round may take long */
		if (!l->pressed_ns)
			begin_pressure(l, now);
		/* close from the second check on: other loops must publish their heaviest first */
		if (now - l->pressed_ns >= CHECK_NS || !l->server || l->server->loop_count == 1) {
			close_heaviest(l, now);
		} else {
			struct heavy heavy[HEAVIEST];
			size_t sum, n = find_heaviest(l, now, heavy, &sum);

			atomic_store(&l->heaviest, n ? heavy[0].weight : 0);
		}
		l->look_ns = now + CHECK_NS;
	} else if (l->pressed_ns) {
		l->pressed_ns = 0;
		l->shed_logged = false;
		atomic_store(&l->heaviest, 0);
	}
	trim_spare_memory(l, now);
}
