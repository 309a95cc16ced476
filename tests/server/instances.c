/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: instances PORT COUNT SERVICE SECONDS
 *
 * COUNT instances of a service that speak the protocol of control over a connection each, without
 * profilers. They apply the first lease that they receive, report it, and report its end. Ends when
 * all of them have, or after SECONDS. Prints
 *
 *	connected N		instances that got an answer (as soon as all have)
 *	applied N ended N	instances that applied a lease, and that ended it
 *	reports N		answered reports of all instances
 *	slowest_ms N		the longest time from the issue of the lease to its application
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "sdk/control/lease.h"

enum { COUNT_MAX = 5000, ANSWER_MAX = 8192 };

struct instance {
	unsigned number;
	uint64_t due_ns; /* of the next report; UINT64_MAX while one is not answered */
	struct lease lease;
	bool answered, applied, ended;
	size_t n;
	char in[ANSWER_MAX];
};

struct fleet {
	const char *service;
	struct pollfd fds[COUNT_MAX];
	struct instance *at[COUNT_MAX];
	unsigned count, connected, applied, ended;
	uint64_t reports, slowest_ms;
};

static int fail(const char *what)
{
	fprintf(stderr, "instances: %s: %s\n", what, strerror(errno));
	return 2;
}

static int connect_to(uint16_t port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool send_report(struct fleet *f, unsigned i)
{
	struct instance *at = f->at[i];
	char id[32];
	struct control_report r = {.service = str_from(f->service),
				   .host = STR("loopback"),
				   .pid = at->number + 1,
				   .max_cpu_hz = 500,
				   .max_profiles = CONTROL_KINDS,
				   .max_seconds = 3600,
				   .lease = at->lease.id,
				   .lease_state = at->lease.state,
				   .lease_error = str_from(at->lease.error)};
	struct buf body = {0}, all = {0};
	bool sent;

	snprintf(id, sizeof(id), "instance-%u", at->number);
	r.instance = str_from(id);
	sent = !control_report_encode(&body, &r);
	buf_printf(&all,
		   "POST /api/v1/agent/poll HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
		   "application/x-protobuf\r\nContent-Length: %zu\r\n\r\n",
		   body.n);
	buf_put_str(&all, buf_str(&body));
	sent = sent && send(f->fds[i].fd, all.p, all.n, MSG_NOSIGNAL) == (ssize_t)all.n;
	at->due_ns = UINT64_MAX;
	buf_fini(&body);
	buf_fini(&all);
	return sent;
}

/* Cut the body of a complete answer. Return false if it is not complete. */
static bool take_answer(struct instance *at, struct str *body)
{
	struct str in = str_of(at->in, at->n), head, line, value;
	size_t end = str_find_str(in, STR("\r\n\r\n"));
	uint64_t length = 0;

	if (end == in.n)
		return false;
	head = str_head(in, end);
	while (str_next_line(&head, &line)) {
		value = line;
		line = str_cut(&value, ':');
		if (line.n == 14 && !strncasecmp(line.p, "content-length", 14) &&
		    str_to_u64(str_trim(value), 10, &length))
			return false;
	}
	if (in.n < end + 4 + length)
		return false;
	*body = str_of(in.p + end + 4, (size_t)length);
	return true;
}

static void note_order(struct fleet *f, struct instance *at, const struct control_order *o,
		       uint64_t now)
{
	static const struct lease_limits limits = {500, CONTROL_KINDS, 3600};
	uint64_t real = clock_realtime_ns(), before = at->lease.id;

	f->reports++;
	f->connected += !at->answered;
	at->answered = true;
	at->due_ns = now + o->poll_ms * NS_PER_MS * 4 / 5 +
		     at->number * 7919 % 1000 * o->poll_ms * NS_PER_MS * 2 / 5 / 1000;
	(void)lease_take_order(&at->lease, o, &limits, now);
	if (at->lease.id == before || at->applied)
		return;
	at->applied = at->lease.state == CONTROL_LEASE_APPLIED;
	f->applied += at->applied;
	if (real > at->lease.id && (real - at->lease.id) / NS_PER_MS > f->slowest_ms)
		f->slowest_ms = (real - at->lease.id) / NS_PER_MS;
	at->due_ns = now; /* confirm at once */
}

static bool read_answer(struct fleet *f, unsigned i, uint64_t now)
{
	struct instance *at = f->at[i];
	ssize_t n = recv(f->fds[i].fd, at->in + at->n, sizeof(at->in) - at->n, 0);
	struct control_order o;
	struct str body;

	if (n <= 0)
		return false;
	at->n += (size_t)n;
	if (!take_answer(at, &body))
		return at->n < sizeof(at->in);
	at->n = 0;
	if (control_order_decode(&o, body, NULL))
		return false;
	note_order(f, at, &o, now);
	return true;
}

/* Do what is due for an instance. Return false when its connection is lost. */
static bool step(struct fleet *f, unsigned i, uint64_t now)
{
	struct instance *at = f->at[i];

	if (f->fds[i].revents && !read_answer(f, i, now))
		return false;
	(void)lease_check_time(&at->lease, now);
	if (at->applied && !at->ended && at->lease.state == CONTROL_LEASE_ENDED) {
		at->ended = true;
		f->ended++;
	}
	return at->due_ns > now || send_report(f, i);
}

static int run(struct fleet *f, uint64_t seconds)
{
	uint64_t end = clock_monotonic_ns() + seconds * NS_PER_SECOND, now;
	bool announced = false;

	while (f->ended < f->count && (now = clock_monotonic_ns()) < end) {
		if (poll(f->fds, f->count, 20) < 0)
			return fail("poll");
		for (unsigned i = 0; i < f->count; i++)
			if (!step(f, i, now))
				return fail("a connection was lost");
		if (!announced && f->connected == f->count) {
			announced = true;
			printf("connected %u\n", f->connected);
			fflush(stdout);
		}
	}
	printf("applied %u ended %u\nreports %llu\nslowest_ms %llu\n", f->applied, f->ended,
	       (unsigned long long)f->reports, (unsigned long long)f->slowest_ms);
	return f->ended == f->count ? 0 : 1;
}

static int open_fleet(struct fleet *f, uint16_t port, unsigned count)
{
	struct rlimit files = {count + 64, count + 64};

	if (setrlimit(RLIMIT_NOFILE, &files))
		return fail("open files");
	for (; f->count < count; f->count++) {
		struct instance *at = calloc(1, sizeof(*at));
		int fd = connect_to(port);

		if (fd < 0 || !at)
			return fail("connect");
		at->number = f->count;
		/* the first reports are spread over a second */
		at->due_ns = clock_monotonic_ns() + f->count * NS_PER_SECOND / count;
		f->at[f->count] = at;
		f->fds[f->count] = (struct pollfd){.fd = fd, .events = POLLIN};
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct fleet f;
	unsigned long count = argc == 5 ? strtoul(argv[2], NULL, 10) : 0;
	int rc;

	if (!count || count > COUNT_MAX) {
		fprintf(stderr, "usage: instances PORT COUNT SERVICE SECONDS\n");
		return 2;
	}
	f.service = argv[3];
	rc = open_fleet(&f, (uint16_t)strtoul(argv[1], NULL, 10), (unsigned)count);
	rc = rc ? rc : run(&f, strtoul(argv[4], NULL, 10));
	for (unsigned i = 0; i < f.count; i++) {
		close(f.fds[i].fd);
		free(f.at[i]);
	}
	return rc;
}
