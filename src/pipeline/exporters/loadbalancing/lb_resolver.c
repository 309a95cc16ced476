/* SPDX-License-Identifier: Apache-2.0 */
/* The resolver's thread: look up, report, wait. */
#include "pipeline/exporters/loadbalancing/lb_resolver.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/container/vec.h"

enum { ENDPOINTS_MAX = 4096, TEXT_MAX = 80 };

struct resolved_list {
	VEC(const char *) at;
	struct arena arena;
};

static int init_changed(pthread_cond_t *c)
{
	pthread_condattr_t attr;
	int rc = pthread_condattr_init(&attr);

	if (rc)
		return -rc;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	rc = pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
	return -rc;
}

int lb_resolver_init(struct lb_resolver *r, const struct lb_resolver_options *o)
{
	static const char name[] = "otelcol_loadbalancer_num_resolutions";
	static const char help[] = "Number of times the resolver has triggered new resolutions";
	struct telemetry_label labels[] = {{"resolver", "dns"}, {"success", "true"}};
	int rc;

	*r = (struct lb_resolver){.options = *o};
	r->succeeded = telemetry_get(o->telemetry, TELEMETRY_COUNTER, name, help, labels, 2);
	labels[1].value = "false";
	r->failed = telemetry_get(o->telemetry, TELEMETRY_COUNTER, name, help, labels, 2);
	rc = -pthread_mutex_init(&r->mu, NULL);
	if (rc)
		return rc;
	rc = init_changed(&r->changed);
	if (rc)
		pthread_mutex_destroy(&r->mu);
	return rc;
}

void lb_resolver_fini(struct lb_resolver *r)
{
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->mu);
}

/* ---- lookups ---- */

static int text_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_backend_address(struct resolved_list *to, const struct addrinfo *a, uint16_t port)
{
	char host[NI_MAXHOST];
	struct str text;
	int rc =
		getnameinfo(a->ai_addr, a->ai_addrlen, host, sizeof(host), NULL, 0, NI_NUMERICHOST);

	if (rc || to->at.n == ENDPOINTS_MAX)
		return rc ? -EINVAL : 0;
	rc = arena_printf(&to->arena, &text, a->ai_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
			  port);
	return rc ? rc : vec_push(&to->arena, &to->at, text.p);
}

static void sort_list(struct resolved_list *l)
{
	uint32_t n = 0;

	if (!l->at.n)
		return;
	qsort(l->at.at, l->at.n, sizeof(*l->at.at), text_cmp);
	for (uint32_t i = 0; i < l->at.n; i++)
		if (!n || strcmp(l->at.at[n - 1], l->at.at[i]))
			l->at.at[n++] = l->at.at[i];
	l->at.n = n;
}

static int look_up(struct resolved_list *to, const struct lb_resolver_options *o, struct err *e)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
	char name[NI_MAXHOST];
	int rc;

	snprintf(name, sizeof(name), "%.*s", STR_ARG(o->hostname));
	rc = getaddrinfo(name, NULL, &hints, &found);
	if (rc)
		return err_set(e, -ENOENT, "resolving %s: %s", name, gai_strerror(rc));
	for (const struct addrinfo *a = found; a && !rc; a = a->ai_next)
		rc = add_backend_address(to, a, o->port);
	freeaddrinfo(found);
	if (rc)
		return err_errno(e, rc, "resolving the backends");
	sort_list(to);
	return to->at.n ? 0 : err_set(e, -ENOENT, "resolving %s: no addresses", name);
}

static void resolve_backends(struct lb_resolver *r)
{
	const struct lb_resolver_options *o = &r->options;
	struct resolved_list list = {0};
	struct err e = {0};

	arena_init(&list.arena, NULL);
	if (look_up(&list, o, &e)) {
		telemetry_add(r->failed, 1);
		log_warn(o->log, "Backends could not be resolved. Keeping the last ones.",
			 LOG_STR("exporter", str_from(o->id)), LOG_STR("error", str_from(e.text)));
	} else {
		telemetry_add(r->succeeded, 1);
		o->resolved(o->owner, list.at.at, list.at.n);
	}
	arena_fini(&list.arena);
}

/* ---- the thread ---- */

static struct timespec time_after(uint64_t ns)
{
	uint64_t at = clock_monotonic_ns() + ns;

	return (struct timespec){.tv_sec = (time_t)(at / NS_PER_SECOND),
				 .tv_nsec = (long)(at % NS_PER_SECOND)};
}

/* Wait until *flag is set or the time is over. The mutex is held. */
static void wait_for_flag(struct lb_resolver *r, const bool *flag, uint64_t ns)
{
	struct timespec until = time_after(ns);

	while (!*flag && pthread_cond_timedwait(&r->changed, &r->mu, &until) != ETIMEDOUT)
		;
}

static void run_resolver(void *arg)
{
	struct lb_resolver *r = arg;

	pthread_mutex_lock(&r->mu);
	while (!r->stop) {
		pthread_mutex_unlock(&r->mu);
		resolve_backends(r);
		pthread_mutex_lock(&r->mu);
		r->done_once = true;
		pthread_cond_broadcast(&r->changed);
		wait_for_flag(r, &r->stop, r->options.interval_ns);
	}
	pthread_mutex_unlock(&r->mu);
}

int lb_resolver_start(struct lb_resolver *r, uint64_t wait_ns, struct err *e)
{
	int rc = thread_start(&r->thread, "lb-resolver", run_resolver, r, e);

	if (rc)
		return rc;
	pthread_mutex_lock(&r->mu);
	wait_for_flag(r, &r->done_once, wait_ns);
	pthread_mutex_unlock(&r->mu);
	return 0;
}

void lb_resolver_stop(struct lb_resolver *r)
{
	pthread_mutex_lock(&r->mu);
	r->stop = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->mu);
	thread_join(&r->thread);
}
