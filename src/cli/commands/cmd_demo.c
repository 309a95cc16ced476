/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varve demo: run both versions of the shop (examples/shop) against a server, and print queries
 * that show its problems. If no server answers, start one and leave it running until Ctrl-C.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/demo/large_shop.h"
#include "cli/program.h"

struct demo_options {
	struct common_options common;
	uint64_t seconds;
	const char *data, *endpoint, *url;
	uint64_t pods;
	bool exit, large;
};

#define AT(field) offsetof(struct demo_options, field)

static const struct option demo_options[] = {
	{"seconds", 0, OPTION_COUNT, AT(seconds), "N", "20", NULL, "duration of each version"},
	{"data", 'd', OPTION_TEXT, AT(data), "DIR", NULL, NULL,
	 "data directory, if a server is started (./varve-demo-data)"},
	{"endpoint", 'e', OPTION_TEXT, AT(endpoint), "URL", NULL, NULL,
	 "send profiles to this running server (http://127.0.0.1:4318)"},
	{"url", 'u', OPTION_TEXT, AT(url), "URL", NULL, NULL,
	 "URL of that server for queries (http://127.0.0.1:4040)"},
	{"large", 0, OPTION_FLAG, AT(large), NULL, NULL, NULL,
	 "send data of the size of a company instead: 166 services, 700 senders"},
	{"pods", 0, OPTION_COUNT, AT(pods), "N", "4600", NULL, "with --large: number of pods"},
	{"exit", 0, OPTION_FLAG, AT(exit), NULL, NULL, NULL,
	 "stop the started server and exit at the end"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, AT(common)},
	{"Demo", demo_options, 0},
	{0},
};

enum { OTLP_PORT = 4318, WAIT_MS = 15000, PROGRAMS_MAX = 4 };

/* The state of the demo, and the processes that it stops at the end. */
struct demo {
	struct cli *cli;
	const struct demo_options *o;
	char self[PROGRAM_PATH_MAX], shop[PROGRAM_PATH_MAX];
	pid_t server, programs[PROGRAMS_MAX];
	unsigned program_count;
	char line[256]; /* result that shop-load printed for the last version */
	uint64_t began; /* ns since 1970 */
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
	interrupted = number;
}

static void sleep_ms(long ms)
{
	struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
}

static bool port_answers(unsigned port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = fd >= 0 && !connect(fd, (struct sockaddr *)&to, sizeof(to));

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Wait until a port of 127.0.0.1 accepts connections. Return 0, -EINTR or -ETIMEDOUT. */
static int wait_for_port(unsigned port, const char *who, struct err *e)
{
	for (unsigned waited = 0; waited < WAIT_MS && !interrupted; waited += 50) {
		if (port_answers(port))
			return 0;
		sleep_ms(50);
	}
	return err_set(e, interrupted ? -EINTR : -ETIMEDOUT, "%s does not answer on port %u", who,
		       port);
}

/* Return a port of 127.0.0.1 that is free now, or 0. */
static unsigned find_free_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unsigned port = 0;

	if (fd >= 0 && !bind(fd, (struct sockaddr *)&at, sizeof(at)) &&
	    !getsockname(fd, (struct sockaddr *)&at, &size))
		port = ntohs(at.sin_port);
	if (fd >= 0)
		close(fd);
	return port;
}

/* Find the program itself, to start a server. */
static int find_self(struct demo *d, struct err *e)
{
	ssize_t n = readlink("/proc/self/exe", d->self, sizeof(d->self) - 1);

	d->self[n > 0 ? n : 0] = 0;
	return n > 0 ? 0 : err_errno(e, -errno, "/proc/self/exe");
}

/* Find varve itself, and the shop: next to it in a build, in libexec if it is installed. */
static int find_shop(struct demo *d, struct err *e)
{
	static const char *const places[] = {"examples/shop", "../libexec/varve", "../lib/varve"};
	const char *configured = getenv("VARVE_SHOP");
	int slash, rc = find_self(d, e);

	if (rc)
		return rc;
	slash = strrchr(d->self, '/') ? (int)(strrchr(d->self, '/') - d->self) : 0;
	for (size_t i = 0; i < countof(places) + 1; i++) {
		char probe[PROGRAM_PATH_MAX + 32];

		if (i == 0)
			snprintf(d->shop, sizeof(d->shop), "%s", configured ? configured : "");
		else if (snprintf(d->shop, sizeof(d->shop), "%.*s/%s", slash, d->self,
				  places[i - 1]) >= (int)sizeof(d->shop))
			continue;
		snprintf(probe, sizeof(probe), "%s/shop-front", d->shop);
		if (d->shop[0] && !access(probe, X_OK))
			return 0;
	}
	return err_set(
		e, -ENOENT,
		"the programs of the shop are neither next to varve nor in ../libexec/varve: set "
		"VARVE_SHOP to their directory");
}

/*
 * Start a program in the background, with `output` as stdout unless that is -1. In a process group
 * of its own it does not receive Ctrl-C; stop_programs() ends it.
 */
static int spawn_program(pid_t *pid, const char *path, char **argv, int output, struct err *e)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (output >= 0)
		posix_spawn_file_actions_adddup2(&actions, output, 1);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	rc = posix_spawn(pid, path, &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return rc ? err_set(e, -rc, "%s: %s", path, strerror(rc)) : 0;
}

static int spawn_shop(struct demo *d, const char *name, char **argv, int output, struct err *e)
{
	char path[PROGRAM_PATH_MAX + 32];
	int rc;

	snprintf(path, sizeof(path), "%s/%s", d->shop, name);
	argv[0] = (char *)name;
	rc = spawn_program(&d->programs[d->program_count], path, argv, output, e);
	d->program_count += !rc;
	return rc;
}

static void stop_programs(struct demo *d)
{
	for (unsigned i = 0; i < d->program_count; i++)
		kill(d->programs[i], SIGTERM);
	for (unsigned i = 0; i < d->program_count; i++)
		while (waitpid(d->programs[i], NULL, 0) < 0 && errno == EINTR)
			;
	d->program_count = 0;
}

static int start_server(struct demo *d, struct err *e)
{
	char *argv[] = {"varve",
			"up",
			"-q",
			"--data",
			(char *)(d->o->data ? d->o->data : "varve-demo-data"),
			NULL};
	int rc;

	if (d->o->endpoint || port_answers(OTLP_PORT)) {
		cli_note(d->cli, "using the running server");
		return 0;
	}
	rc = spawn_program(&d->server, d->self, argv, -1, e);
	if (!rc)
		cli_note(d->cli, "started: varve up --data %s", argv[4]);
	return rc ? rc : wait_for_port(OTLP_PORT, "varve up", e);
}

/* Read the line that shop-load prints at its end. Return 0, -EINTR or -EIO. */
static int read_load_result(struct demo *d, int fd, const char *version, struct err *e)
{
	size_t n = 0;

	while (n < sizeof(d->line) - 1 && !interrupted) {
		ssize_t got = read(fd, d->line + n, sizeof(d->line) - 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	d->line[strcspn(d->line, "\n") < n ? strcspn(d->line, "\n") : n] = 0;
	if (interrupted)
		return err_set(e, -EINTR, "interrupted");
	return strstr(d->line, " trace=")
		       ? 0
		       : err_set(e, -EIO, "version %s of the shop did not respond", version);
}

static int run_version(struct demo *d, const char *version, struct err *e)
{
	unsigned orders = find_free_port(), front = find_free_port();
	char orders_port[16], front_port[16], seconds[24];
	char *orders_argv[] = {NULL, orders_port, (char *)version, NULL};
	char *front_argv[] = {NULL, front_port, orders_port, (char *)version, NULL};
	char *load_argv[] = {NULL, front_port, seconds, NULL};
	int fds[2], rc;

	snprintf(orders_port, sizeof(orders_port), "%u", orders);
	snprintf(front_port, sizeof(front_port), "%u", front);
	snprintf(seconds, sizeof(seconds), "%llu", (unsigned long long)d->o->seconds);
	if (pipe2(fds, O_CLOEXEC))
		return err_errno(e, -errno, "start the shop");
	cli_note(d->cli, "running version %s of the shop under load for %s s ...", version,
		 seconds);
	rc = spawn_shop(d, "shop-orders", orders_argv, -1, e);
	rc = rc ? rc : wait_for_port(orders, "shop-orders", e);
	rc = rc ? rc : spawn_shop(d, "shop-front", front_argv, -1, e);
	rc = rc ? rc : wait_for_port(front, "shop-front", e);
	rc = rc ? rc : spawn_shop(d, "shop-load", load_argv, fds[1], e);
	close(fds[1]);
	rc = rc ? rc : read_load_result(d, fds[0], version, e);
	close(fds[0]);
	stop_programs(d); /* they send their last profiles first */
	return rc;
}

/* Append links with the time range of the demo, so that they stay valid and show no empty time. */
static void put_pages(struct buf *out, const struct demo *d, const char *trace)
{
	static const struct {
		const char *what, *path;
	} pages[] = {
		{"a hot spot", "profiles?query=shop-front"},
		{"a leak", "profiles?query=shop-orders&type=memory:inuse_space:bytes:space:bytes"},
		{"a lock",
		 "profiles?query=shop-orders&type=mutex:delay:nanoseconds:contentions:count"},
		{"v2 against v1", "compare?query=shop-orders%7Bservice.version%3D%22v2%22%7D"
				  "&before=shop-orders%7Bservice.version%3D%22v1%22%7D"},
	};

	const char *url = d->o->url ? d->o->url : "http://127.0.0.1:4040";
	uint64_t began_ms = d->began / NS_PER_MS, ended_ms = clock_realtime_ns() / NS_PER_MS + 1000;
	char when[64];

	snprintf(when, sizeof(when), "&from=%" PRIu64 "&to=%" PRIu64, began_ms, ended_ms);
	buf_printf(out, "What to look at (the source of examples/shop has the solutions):\n\n");
	for (size_t i = 0; i < countof(pages); i++)
		buf_printf(out, "  %-16s%s/%s%s\n", pages[i].what, url, pages[i].path, when);
	if (trace)
		buf_printf(out, "  %-16s%s/traces?trace=%.32s%s\n", "slowest order", url, trace,
			   when);
}

static void put_commands(struct buf *out)
{
	buf_printf(out, "\nor in a terminal:\n\n"
			"  varve query top shop-front --type cpu -n 5\n"
			"  varve query top shop-orders --type inuse_space -n 5\n"
			"  varve query top shop-orders --type delay -n 5\n"
			"  varve diff --type cpu --time-range 10m \\\n"
			"    --baseline 'shop-orders{service.version=\"v1\"}' \\\n"
			"    --comparison 'shop-orders{service.version=\"v2\"}'\n"
			"  varve query flame shop-orders --type cpu\n"
			"  varve query series shop-orders --by service.version\n");
}

static void put_result(struct demo *d, struct buf *out, const char *v1_line)
{
	const char *trace = strstr(d->line, " trace=");

	buf_printf(out, "v1: %s\nv2: %s\n\n", v1_line, d->line);
	put_pages(out, d, trace ? trace + 7 : NULL);
	put_commands(out);
}

/* Wait until Ctrl-C, or until the server exits. */
static void wait_for_server(struct demo *d)
{
	cli_note(d->cli, "the server runs until Ctrl-C");
	while (!interrupted) {
		if (waitpid(d->server, NULL, WNOHANG) == d->server) {
			d->server = 0;
			return;
		}
		sleep_ms(200);
	}
}

static void stop_server(struct demo *d)
{
	if (d->server <= 0)
		return;
	kill(d->server, SIGTERM);
	while (waitpid(d->server, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Send the data of a company to the server (--large), and print what to look at. */
static int run_large(struct demo *d, struct buf *out, struct err *e)
{
	const char *url = d->o->url ? d->o->url : "http://127.0.0.1:4040";
	struct large_shop shop = {.url = url,
				  .now = clock_realtime_ns(),
				  .services = LARGE_SERVICES,
				  .pods = LARGE_PODS,
				  .senders = LARGE_SENDERS,
				  .spans = LARGE_SPANS,
				  .interrupted = &interrupted};
	int rc;

	if (d->o->pods < LARGE_SERVICES || d->o->pods > LARGE_PODS_MAX)
		return err_set(e, -EINVAL, "--pods: expected %d to %d", LARGE_SERVICES,
			       LARGE_PODS_MAX);
	shop.pods = (unsigned)d->o->pods;
	rc = large_shop_send(&shop, d->cli, e);
	if (!rc)
		buf_printf(out,
			   "sent profiles of %u services, a trace of %u spans, log records and "
			   "metrics of the last hour\n\n  %s/\n  %s/traces\n  %s/status\n",
			   shop.services, shop.spans, url, url, url);
	return rc;
}

/* Run both versions of the shop under load. */
static int run_shop(struct demo *d, struct buf *out, struct err *e)
{
	char v1_line[sizeof(d->line)];
	int rc = run_version(d, "v1", e);

	memcpy(v1_line, d->line, sizeof(v1_line));
	rc = rc ? rc : run_version(d, "v2", e);
	stop_programs(d);
	if (!rc)
		put_result(d, out, v1_line);
	return rc;
}

static enum exit_code run_demo(struct cli *cli, void *options, const struct arguments *args)
{
	struct demo d = {.cli = cli, .o = options};
	struct sigaction action = {.sa_handler = on_interrupt};
	struct buf out = {0};
	struct err e = {0};
	enum exit_code code;
	int rc;

	(void)args;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT",
	       d.o->endpoint ? d.o->endpoint : "http://127.0.0.1:4318", 1);
	setenv("VARVE_EXPORT_INTERVAL", "2s", 0);
	rc = d.o->large ? find_self(&d, &e) : find_shop(&d, &e);
	rc = rc ? rc : start_server(&d, &e);
	d.began = clock_realtime_ns();
	if (!rc)
		rc = d.o->large ? run_large(&d, &out, &e) : run_shop(&d, &out, &e);
	code = rc ? cli_fail(cli, &e) : cli_print(cli, &out, EXIT_DONE);
	buf_fini(&out);
	if (!rc && d.server > 0 && !d.o->exit)
		wait_for_server(&d);
	stop_server(&d);
	return code;
}

const struct command command_demo = {
	.name = "demo",
	.summary = "profile a small shop with known problems",
	.arguments = "[OPTION...]",
	.details = "Runs the three programs of the shop as v1 and as v2, with libvarve and under\n"
		   "load. At the end it prints pages and queries that show their problems.\n",
	.examples = "varve demo\nvarve demo --seconds 60 --data ./data\n"
		    "varve demo --large   # 166 services, to see how pages behave at this size",
	.groups = groups,
	.options_size = sizeof(struct demo_options),
	.run = run_demo,
};
