/* SPDX-License-Identifier: Apache-2.0 */
/* Start, reload, drain and free a server, and sum up the counters of its loops. */
#include "net/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/server_internal.h"
#include "net/tls.h"

enum { LOOPS_MAX = 64 };
#define DRAIN_POLL_NS (2 * NS_PER_MS)

const char *const net_refused_names[NET_REFUSED_COUNT] = {
	[NET_REFUSED_BAD_REQUEST] = "bad_request",
	[NET_REFUSED_NO_ROUTE] = "no_route",
	[NET_REFUSED_ADMIT] = "admit",
	[NET_REFUSED_TOO_LARGE] = "too_large",
	[NET_REFUSED_BUDGET] = "budget",
	[NET_REFUSED_SLOW] = "slow",
	[NET_REFUSED_FLOOD] = "flood",
	[NET_REFUSED_CONNECTIONS] = "connections",
	[NET_REFUSED_ADDRESS] = "connections_per_address",
	[NET_REFUSED_TLS] = "tls",
};

static int open_listeners(struct net_server *s, const struct net_listener *from, size_t count,
			  struct err *e)
{
	s->listeners = calloc(count, sizeof(*s->listeners));
	if (!s->listeners)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		int rc = listener_new(&s->listeners[i], s, &from[i], e);

		if (rc)
			return rc;
		s->listener_count++;
	}
	return 0;
}

static int start_loops(struct net_server *s, const struct log *log, struct err *e)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = s->options.threads ? s->options.threads : (size_t)(cores > 0 ? cores : 1);
	int rc = 0;

	count = min_size(count, LOOPS_MAX);
	s->loops = calloc(count, sizeof(*s->loops));
	if (!s->loops)
		return -ENOMEM;
	for (size_t i = 0; i < count && !rc; i++) {
		s->loop_count++;
		rc = loop_init(&s->loops[i], s, &s->options, &s->memory, log);
	}
	for (size_t i = 0; i < s->listener_count && !rc; i++)
		rc = loop_watch(&s->loops[0], s->listeners[i]->fd, EPOLLIN,
				&s->listeners[i]->source);
	for (size_t i = 0; i < count && !rc; i++) {
		char name[16];

		snprintf(name, sizeof(name), "net-%zu", i);
		rc = thread_start(&s->loops[i].thread, name, loop_run, &s->loops[i], e);
	}
	return rc;
}

int net_server_start(struct net_server **out, const struct net_listener *listeners, size_t count,
		     const struct net_options *options, const struct log *log, struct err *e)
{
	struct net_server *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_set(e, -ENOMEM, "out of memory");
	if (options)
		s->options = *options;
	else
		net_options_init(&s->options);
	/* requests are refused from max_memory on; the refusals need a little more */
	s->memory.limit = s->options.max_memory + s->options.max_memory / 8;
	s->memory.own = s->options.max_memory / 2;
	s->memory.rest = s->options.rest;
	s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	signal(SIGPIPE, SIG_IGN); /* OpenSSL writes without MSG_NOSIGNAL */
	rc = peers_init(&s->peers, s->options.max_connections,
			s->options.max_connections_per_address);
	if (!rc)
		rc = open_listeners(s, listeners, count, e);
	if (!rc)
		rc = start_loops(s, log, e);
	if (rc) {
		err_errno(e, rc, "starting the server");
		net_server_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

uint16_t net_server_port(const struct net_server *s, size_t nth)
{
	return s->listeners[nth]->port;
}

int net_server_reload_tls(struct net_server *s, struct err *e)
{
	SSL_CTX **fresh = calloc(s->listener_count, sizeof(SSL_CTX *));
	int rc = fresh ? 0 : err_set(e, -ENOMEM, "out of memory");

	/* Replace all contexts, or none. */
	for (size_t i = 0; i < s->listener_count && !rc; i++)
		if (s->listeners[i]->tls_files.certificate)
			rc = tls_server_context(&fresh[i], &s->listeners[i]->tls_files, e);
	for (size_t i = 0; fresh && i < s->listener_count; i++) {
		if (!rc && fresh[i])
			listener_replace_tls(s->listeners[i], fresh[i]);
		else
			tls_context_free(fresh[i]);
	}
	free(fresh);
	return rc;
}

static uint64_t open_connections(const struct net_server *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->loop_count; i++)
		n += atomic_load(&s->loops[i].stats.connections_open);
	return n;
}

/* Set the shutdown flag at that offset of struct loop in all loops. */
static void set_loop_flags(struct net_server *s, size_t offset)
{
	for (size_t i = 0; i < s->loop_count; i++) {
		atomic_store((_Atomic bool *)((char *)&s->loops[i] + offset), true);
		loop_wake(&s->loops[i]);
	}
}

int net_server_drain(struct net_server *s, uint64_t timeout_ms)
{
	uint64_t until = clock_monotonic_ns() + timeout_ms * NS_PER_MS;
	int rc = 0;

	set_loop_flags(s, offsetof(struct loop, draining));
	while (open_connections(s)) {
		if (clock_monotonic_ns() >= until) {
			rc = -ETIMEDOUT;
			break;
		}
		nanosleep(&(struct timespec){.tv_nsec = DRAIN_POLL_NS}, NULL);
	}
	set_loop_flags(s, offsetof(struct loop, closing));
	return rc;
}

void server_stop_listening(struct loop *l)
{
	struct net_server *s = l->server;

	for (size_t i = 0; s && l == s->loops && i < s->listener_count; i++)
		listener_stop(s->listeners[i]);
}

void server_stop_removed(struct loop *l)
{
	struct net_server *s = l->server;

	for (struct listener *at = s && l == s->loops ? s->removed : NULL; at; at = at->next)
		listener_stop(at);
}

void net_server_free(struct net_server *s)
{
	if (!s)
		return;
	set_loop_flags(s, offsetof(struct loop, draining));
	set_loop_flags(s, offsetof(struct loop, closing));
	/* End the first loop first, because it gives connections to the others. */
	for (size_t i = 0; i < s->loop_count; i++) {
		atomic_store(&s->loops[i].ending, true);
		loop_wake(&s->loops[i]);
		thread_join(&s->loops[i].thread);
	}
	for (size_t i = 0; i < s->loop_count; i++)
		loop_finish(&s->loops[i]);
	for (size_t i = 0; i < s->listener_count; i++)
		listener_free(s->listeners[i]);
	while (s->removed) {
		struct listener *next = s->removed->next;

		listener_free(s->removed);
		s->removed = next;
	}
	for (size_t i = 0; i < s->loop_count; i++)
		loop_fini(&s->loops[i]);
	if (s->spare_fd >= 0)
		close(s->spare_fd);
	free(s->loops);
	free(s->listeners);
	peers_fini(&s->peers);
	free(s);
}

void net_server_stats(const struct net_server *s, struct net_stats *out)
{
	*out = (struct net_stats){.memory_bytes = atomic_load(&s->memory.used)};
	for (size_t i = 0; i < s->loop_count; i++) {
		const struct loop_stats *l = &s->loops[i].stats;

		out->connections_open += atomic_load(&l->connections_open);
		out->connections_total += atomic_load(&l->connections_total);
		out->connections_idle += atomic_load(&l->connections_idle);
		out->displaced += atomic_load(&l->displaced);
		out->bytes_in += atomic_load(&l->bytes_in);
		out->bytes_out += atomic_load(&l->bytes_out);
		out->exchanges_open += atomic_load(&l->exchanges_open);
		for (size_t r = 0; r < NET_REFUSED_COUNT; r++)
			out->refused[r] += atomic_load(&l->refused[r]);
		for (size_t p = 0; p < countof(out->requests); p++)
			for (size_t c = 0; c < countof(out->requests[p]); c++)
				out->requests[p][c] += atomic_load(&l->requests[p][c]);
	}
}
