/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops are paused by a flag that each confirms at the end of a round. A paused loop goes on with
 * writing, handshakes and responses, but reads no request. So listeners and apps can be replaced
 * without a lock on the path of requests: the flags order the accesses.
 */
#include "net/change.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#include "base/clock.h"
#include "net/server_internal.h"
#include "net/tls.h"

#define POLL_NS (NS_PER_MS / 2)

/* What becomes of one address. */
struct change_entry {
	struct listener *listener; /* kept, or opened */
	bool opened;
	const struct http_app *app;
	struct net_tls_files files; /* of a kept listener */
	SSL_CTX *tls;
};

struct net_change {
	size_t count;
	struct listener **listeners; /* becomes the server's */
	struct change_entry entries[];
};

void net_change_free(struct net_change *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++) {
		struct change_entry *entry = &c->entries[i];

		if (entry->opened)
			listener_free(entry->listener);
		tls_files_fini(&entry->files);
		tls_context_free(entry->tls);
	}
	free(c->listeners);
	free(c);
}

static bool is_kept(const struct net_change *c, const struct listener *l)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->entries[i].listener == l)
			return true;
	return false;
}

/* Return the listener of that address that no other entry keeps, or NULL. */
static struct listener *find_listener(const struct net_server *s, const struct net_change *c,
				      const char *address)
{
	for (size_t i = 0; i < s->listener_count; i++)
		if (!is_kept(c, s->listeners[i]) && listener_is_at(s->listeners[i], address))
			return s->listeners[i];
	return NULL;
}

static int prepare_entry(struct net_server *s, struct net_change *c, size_t i,
			 const struct net_listener *from, struct err *e)
{
	struct change_entry *entry = &c->entries[i];
	int rc;

	entry->app = from->app;
	entry->listener = find_listener(s, c, from->address);
	if (!entry->listener) {
		rc = listener_new(&entry->listener, s, from, e);
		entry->opened = !rc;
		return rc;
	}
	rc = tls_files_copy(&entry->files, from->tls);
	if (!rc && from->tls)
		rc = tls_server_context(&entry->tls, &entry->files, e);
	return rc;
}

int net_server_prepare(struct net_server *s, struct net_change **out,
		       const struct net_listener *listeners, size_t count, struct err *e)
{
	struct net_change *c = calloc(1, sizeof(*c) + count * sizeof(c->entries[0]));
	int rc = 0;

	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	c->count = count;
	c->listeners = calloc(max_size(count, 1), sizeof(struct listener *));
	if (!c->listeners)
		rc = -ENOMEM;
	for (size_t i = 0; i < count && !rc; i++)
		rc = prepare_entry(s, c, i, &listeners[i], e);
	if (rc) {
		err_errno(e, rc, "changing listeners");
		net_change_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
}

/* Set the flag of all loops and wait until they follow it. */
static void set_pause(struct net_server *s, bool pause)
{
	for (size_t i = 0; i < s->loop_count; i++) {
		atomic_store_explicit(&s->loops[i].pause, pause, memory_order_release);
		loop_wake(&s->loops[i]);
	}
	for (size_t i = 0; i < s->loop_count; i++)
		while (atomic_load_explicit(&s->loops[i].pause_done, memory_order_acquire) != pause)
			wait_a_little();
}

void net_server_pause(struct net_server *s)
{
	set_pause(s, true);
}

static bool all_answered(const struct net_server *s, bool permanent)
{
	for (size_t i = 0; i < s->loop_count; i++)
		if (atomic_load_explicit(&s->loops[i].held_by[permanent], memory_order_acquire))
			return false;
	return true;
}

int net_server_wait_answered(struct net_server *s, uint64_t timeout_ms)
{
	uint64_t until = clock_monotonic_ns() + timeout_ms * NS_PER_MS;

	while (!all_answered(s, false)) {
		if (clock_monotonic_ns() >= until)
			return -ETIMEDOUT;
		wait_a_little();
	}
	return 0;
}

void net_server_cut_off(struct net_server *s)
{
	if (all_answered(s, false))
		return;
	for (size_t i = 0; i < s->loop_count; i++) {
		atomic_store(&s->loops[i].cut, true);
		loop_wake(&s->loops[i]);
	}
	/* a loop that follows late must not cut off what is handled after the change */
	for (size_t i = 0; i < s->loop_count; i++)
		while (atomic_load(&s->loops[i].cut))
			wait_a_little();
	while (!all_answered(s, false))
		wait_a_little();
}

bool net_server_is_idle(const struct net_server *s)
{
	return all_answered(s, false) && all_answered(s, true);
}

/* Free removed listeners that no connection refers to. */
static void free_removed(struct net_server *s)
{
	struct listener **at = &s->removed;

	while (*at) {
		struct listener *l = *at;

		if (l->fd >= 0 || atomic_load_explicit(&l->connections, memory_order_acquire)) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		listener_free(l);
	}
}

/* Loops do not use what this changes while they are paused. */
static void apply_change(struct net_server *s, struct net_change *c)
{
	static const struct http_app closed = {0};

	for (size_t i = 0; i < s->listener_count; i++) {
		struct listener *l = s->listeners[i];

		if (is_kept(c, l))
			continue;
		l->removed = true;
		l->app = &closed;
		l->next = s->removed;
		s->removed = l;
	}
	for (size_t i = 0; i < c->count; i++) {
		struct change_entry *entry = &c->entries[i];
		struct listener *l = entry->listener;

		c->listeners[i] = l;
		l->app = entry->app;
		if (entry->opened)
			continue;
		listener_replace_tls(l, take_ptr(&entry->tls));
		tls_files_fini(&l->tls_files);
		l->tls_files = entry->files;
		entry->files = (struct net_tls_files){0};
	}
	free(s->listeners);
	s->listeners = take_ptr(&c->listeners);
	s->listener_count = c->count;
}

static void watch_opened(struct net_server *s, struct net_change *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct change_entry *entry = &c->entries[i];
		struct listener *l = entry->listener;

		if (!entry->opened)
			continue;
		entry->opened = false; /* the server's */
		if (loop_watch(&s->loops[0], l->fd, EPOLLIN, &l->source))
			log_error(s->loops[0].log, "out of memory: this address is not served",
				  LOG_STR("address", str_from(l->address)));
	}
}

void net_server_resume(struct net_server *s, struct net_change *c)
{
	free_removed(s);
	if (c) {
		apply_change(s, c);
		watch_opened(s, c);
	}
	set_pause(s, false);
	net_change_free(c);
}
