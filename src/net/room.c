/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room for new connections. Each loop keeps its idle connections in an LRU list and publishes since
 * when the oldest of them has been idle.
 *
 * The first loop accepts. When max_connections is reached it marks the new connection as `over` and
 * gives it to the loop with the oldest idle connection; that loop closes the idle connection before
 * it starts the new one. If none of its connections is idle any more, it passes the new one on to
 * the next loop. When all loops have tried twice, the new connection is refused.
 * The mark moves from the new connection to the one that is closed for it. Marked connections are
 * counted in the server's `over` until their descriptor is closed, which bounds how many
 * connections are open beyond the limit.
 *
 * A connection with unread bytes in its socket is not idle. A newly accepted connection, which was
 * never served, is closed only by a loop that tries for the second time, and only if at least a
 * quarter of the loop's connections are idle. Otherwise new connections could close each other
 * before their requests arrive, while all other connections are busy.
 */
#include "net/room.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/address.h"
#include "net/server_internal.h"

#define NEWLY_ACCEPTED_NS (100 * NS_PER_MS)
enum { IDLE_SHARE = 4 }; /* newly accepted connections are closed if one in four is idle */
#define WARNING_PAUSE_NS (60 * NS_PER_SECOND)

static struct conn *conn_of(struct lru_link *link)
{
	return (struct conn *)((char *)link - offsetof(struct conn, idle));
}

static void publish_longest_idle(struct loop *l)
{
	atomic_store_explicit(&l->longest_idle_ns,
			      l->idle.oldest ? conn_of(l->idle.oldest)->idle_ns : UINT64_MAX,
			      memory_order_relaxed);
}

void room_forget(struct conn *c)
{
	if (!c->idle_ns)
		return;
	lru_remove(&c->loop->idle, &c->idle);
	stat_add(&c->loop->stats.connections_idle, (uint64_t)-1);
	c->idle_ns = 0;
	publish_longest_idle(c->loop);
}

void room_update(struct conn *c)
{
	if (!conn_is_idle(c)) {
		room_forget(c);
	} else if (!c->idle_ns) {
		c->idle_ns = c->loop->now_ns;
		lru_add(&c->loop->idle, &c->idle);
		stat_add(&c->loop->stats.connections_idle, 1);
		publish_longest_idle(c->loop);
	}
}

struct loop *room_find(struct net_server *s)
{
	struct loop *best = NULL;
	uint64_t longest = UINT64_MAX;

	for (size_t i = 0; i < s->loop_count; i++) {
		uint64_t since =
			atomic_load_explicit(&s->loops[i].longest_idle_ns, memory_order_relaxed);

		if (since < longest) {
			longest = since;
			best = &s->loops[i];
		}
	}
	return best;
}

static bool is_newly_accepted(const struct conn *c, uint64_t now)
{
	return !c->served_ns && now - c->idle_ns < NEWLY_ACCEPTED_NS;
}

/* Return the connection that has been idle longest, or NULL. `any`: include newly accepted ones. */
static struct conn *find_idle_conn(const struct loop *l, bool any)
{
	uint64_t idle = atomic_load_explicit(&l->stats.connections_idle, memory_order_relaxed);
	uint64_t open = atomic_load_explicit(&l->stats.connections_open, memory_order_relaxed);

	any &= idle > 1 && idle >= open / IDLE_SHARE;
	for (struct lru_link *link = l->idle.oldest; link; link = link->newer) {
		struct conn *c = conn_of(link);

		if ((any || !is_newly_accepted(c, l->now_ns)) && !conn_has_unread_bytes(c))
			return c;
	}
	return NULL;
}

static void close_idle_conn(struct loop *l, struct conn *c)
{
	char peer[NET_ADDRESS_TEXT];

	if (l->now_ns >= l->next_room_warning_ns) {
		log_warn(l->log,
			 "too many connections: closing idle ones to make room for new ones",
			 LOG_U64("max_connections", l->options.max_connections));
		l->next_room_warning_ns = l->now_ns + WARNING_PAUSE_NS;
	}
	log_debug(l->log, "idle connection closed for another",
		  LOG_STR("peer", str_from(net_address_format(&c->peer, peer))),
		  LOG_U64("idle_ms", (l->now_ns - c->idle_ns) / NS_PER_MS));
	stat_add(&l->stats.displaced, 1);
	conn_drain(c); /* over HTTP/2 with GOAWAY */
	if (!c->closed)
		conn_close(c);
}

bool room_close_idle(struct loop *l)
{
	struct conn *c = find_idle_conn(l, true);

	if (c)
		close_idle_conn(l, c);
	return c != NULL;
}

/* Give the connection to the next loop. Return false if all loops have tried twice. */
static bool pass_to_next_loop(struct conn *c)
{
	struct loop *l = c->loop;
	struct net_server *s = l->server;

	if (++c->loops_tried >= 2 * s->loop_count || atomic_load(&l->draining))
		return false;
	c->loop = &s->loops[(size_t)(l - s->loops + 1) % s->loop_count];
	/* in this order: net_server_drain() waits until the sum is 0 */
	atomic_fetch_add_explicit(&c->loop->stats.connections_open, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&l->stats.connections_open, 1, memory_order_relaxed);
	loop_mail(c->loop, &c->mail);
	return true;
}

enum room room_make(struct conn *c)
{
	struct conn *victim =
		find_idle_conn(c->loop, c->loops_tried >= c->loop->server->loop_count);

	if (!victim)
		return pass_to_next_loop(c) ? ROOM_PASSED_ON : ROOM_NONE;
	c->over = false;
	victim->over = true;
	close_idle_conn(c->loop, victim);
	return ROOM_MADE;
}

void room_refuse(struct loop *l, int fd, bool tls, enum net_refused reason)
{
	bool address = reason == NET_REFUSED_ADDRESS;
	const char *limit =
		address ? "max_connections_per_address, service.limits.connections_per_address"
			: "max_connections";
	uint64_t max =
		address ? l->options.max_connections_per_address : l->options.max_connections;
	char text[128], answer[384];
	int n = snprintf(text, sizeof(text), "too many connections%s: %s (%llu)\n",
			 address ? " from this address" : "", limit, (unsigned long long)max);

	n = snprintf(answer, sizeof(answer),
		     "HTTP/1.1 %s\r\nretry-after: 1\r\ncontent-length: %d\r\n"
		     "connection: close\r\n\r\n%s",
		     address ? "429 Too Many Requests" : "503 Service Unavailable", n, text);
	stat_add(&l->stats.refused[reason], 1);
	log_warn(l->log, "connection refused", LOG_STR("option", str_from(limit)),
		 LOG_U64("limit", max));
	if (!tls) {
		UNUSED ssize_t sent = write(fd, answer, (size_t)n);
	}
}

void room_leave(const struct conn *c)
{
	if (c->over)
		atomic_fetch_sub_explicit(&c->loop->server->over, 1, memory_order_relaxed);
}
