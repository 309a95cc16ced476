/* SPDX-License-Identifier: Apache-2.0 */
/* varve up and varve server: run the pipelines of a configuration until told to end. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/access.h"
#include "api/api.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/self_profile.h"
#include "cli/service_options.h"
#include "cli/version.h"
#include "pipeline/exporters/store/store_exporter.h"
#include "pipeline/processors/memory_limiter/memory_limiter.h"
#include "pipeline/server_settings.h"
#include "pipeline/service.h"
#include "store/sqlite/sqlite_store.h"

struct server_options {
	struct common_options common;
	struct service_options service;
	const char *token_file;
	bool tenants, insecure, no_self_profile;
	unsigned log_level;
};

#define AT(field) offsetof(struct server_options, field)

static const char *const log_levels[] = {"debug", "info", "warn", "error", "off", NULL};

static const struct option server_options[] = {
	{"token-file", 0, OPTION_TEXT, AT(token_file), "FILE", NULL, NULL,
	 "who may come in: one token a line, shown as Bearer, or as the password of Basic"},
	{"tenants", 0, OPTION_FLAG, AT(tenants), NULL, NULL, NULL,
	 "keep the data of different X-Scope-OrgID apart"},
	{"insecure", 0, OPTION_FLAG, AT(insecure), NULL, NULL, NULL,
	 "listen beyond this machine without tokens"},
	{"no-self-profile", 0, OPTION_FLAG, AT(no_self_profile), NULL, NULL, NULL,
	 "do not profile this process itself (the service \"varve\")"},
	{"log-level", 0, OPTION_CHOICE, AT(log_level), "LEVEL", "info", log_levels,
	 "what to log on stderr"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, AT(common)},
	{"Configuration", service_options, AT(service)},
	{"Server", server_options, 0},
	{0},
};

enum { DRAIN_MS = 1500 };
#define OWN_MEMORY                                                                                 \
	(16 * MIB) /* of the program itself: code, stacks, pages of SQLite and of the allocator */
/* With less than this the program itself leaves nothing for data, and every write would be refused. */
#define MEMORY_LEAST (48 * MIB)

struct running {
	struct cli *cli;
	const struct server_options *o;
	struct log log;
	struct config config;
	struct host host;
	struct access access;
	struct server_settings settings;
	struct limits limits;
	struct service *service;
	struct api *api;
	struct http_route *api_routes;
	uint64_t memory_limit;
	struct budget rest; /* share_memory() */
	bool has_host, has_access, has_limits;
};

/* What the parts of the program share: the limit without what the program itself takes before anything comes. */
static uint64_t shared_memory(const struct running *r)
{
	return r->memory_limit - OWN_MEMORY;
}

/* Of connections, requests and unsent answers; over three quarters of it the connections that hold most are closed. */
static uint64_t network_memory(const struct running *r)
{
	return shared_memory(r) / 4;
}

static int open_store(void *arg, const struct store_settings *s, struct store **out, struct err *e)
{
	struct running *r = arg;
	struct sqlite_store_options options = {
		.directory = s->directory.p,
		.retention_seconds = s->retention_ns / NS_PER_SECOND,
		.retention_bytes = s->retention_bytes,
		.future_seconds = (s->future_ns + NS_PER_SECOND - 1) / NS_PER_SECOND,
		.service_nodes = (uint64_t)s->max_stack_nodes,
		.memory = s->memory_bytes ? s->memory_bytes : shared_memory(r) / 4,
		.rest = &r->rest,
		.log = &r->log,
	};

	return sqlite_store_open(out, &options, e);
}

static bool guard(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	return access_admit(owner, x, why);
}

static void tell_metrics(void *owner, struct buf *out)
{
	host_metrics(owner, out);
}

/* The query API stands on the port of Pyroscope's protocols. */
static int add_api(struct running *r, struct err *e)
{
	const struct config_node *n = config_find(r->config.root, "receivers.pyroscope.endpoint");
	struct api_options options = {.store = r->host.store,
				      .uploads = service_head(r->service, SIGNAL_PROFILES),
				      .tenants = r->o->tenants,
				      .version = version_build,
				      .max_memory = shared_memory(r) / 2,
				      .rest = &r->rest,
				      .memory_limit = r->memory_limit,
				      .max_answer = network_memory(r) / 8 * 5,
				      .host = &r->host,
				      .metrics = tell_metrics,
				      .owner = &r->host,
				      .debug_pprof = self_profile_answer};
	struct listener_routes l = {.address = n ? n->text : STR("127.0.0.1:4040")};
	int rc;

	if (!r->host.store)
		return 0;
	rc = api_new(&r->api, &options, e);
	if (rc)
		return rc;
	l.count = api_routes(r->api, NULL, 0);
	r->api_routes = calloc(l.count, sizeof(*r->api_routes));
	if (!r->api_routes)
		return -ENOMEM;
	api_routes(r->api, r->api_routes, l.count);
	l.routes = r->api_routes;
	l.tls = listeners_tls(&r->host.listeners, l.address);
	return listeners_add(&r->host.listeners, &l, e);
}

/* Names that requests may have in Host: those of the addresses, and those that are configured. */
static int allow_hosts(struct running *r, const struct server_settings *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->access.allowed_hosts.n && !rc; i++)
		rc = access_allow_host(&r->access, s->access.allowed_hosts.at[i]);
	for (uint32_t i = 0; i < listeners_count(&r->host.listeners) && !rc; i++)
		rc = access_allow_address(&r->access, listeners_address(&r->host.listeners, i));
	return rc;
}

/* Nobody beyond this machine comes in unasked. */
static int check_addresses(struct running *r, struct err *e)
{
	for (uint32_t i = 0; i < listeners_count(&r->host.listeners); i++) {
		struct str address = listeners_address(&r->host.listeners, i);
		bool loopback;
		int rc = net_address_is_loopback(address.p, &loopback, e);

		if (rc)
			return rc;
		if (!loopback && !r->o->token_file && !r->o->insecure)
			return err_set(
				e, -EPERM,
				"%s can be reached from other machines: give --token-file, or "
				"--insecure if everybody there may read and write",
				address.p);
	}
	return 0;
}

/* What decoded data may take: it is soon taken by the store, but one message of 64 MiB should fit where it can. */
static uint64_t decoded_share(uint64_t limit)
{
	return limit >= 480 * MIB ? limit / 4 : limit / 8;
}

/* What memory_limiter will keep to: the shares of all others follow it. */
static uint64_t find_memory_limit(const struct config *c)
{
	const struct config_node *n = config_find(c->root, "processors.memory_limiter.limit_mib");
	uint64_t mib;

	if (n && !str_to_u64(n->text, 10, &mib) && mib)
		return mib * MIB;
	return memory_limiter_default();
}

static int check_memory_limit(uint64_t limit, struct err *e)
{
	if (limit >= MEMORY_LEAST)
		return 0;
	return err_set(e, -EINVAL,
		       "--memory-limit (processors.memory_limiter.limit_mib) is %llu MiB: at least "
		       "%llu are "
		       "needed to take anything in",
		       (unsigned long long)(limit / MIB), (unsigned long long)(MEMORY_LEAST / MIB));
}

enum { FEW_ARENAS = 3 };

/*
 * glibc's thresholds grow with the largest piece that was ever freed: after one query about a month each thread would keep
 * tens of megabytes, and the memory limit would not hold. These let a query about a day find the memory of the
 * last one, and are smaller where the limit is: every thread keeps its own free memory. Where the limit is low threads share it.
 */
static void fix_thresholds(uint64_t limit)
{
	(void)mallopt(M_MMAP_THRESHOLD, 2 * MIB);
	(void)mallopt(M_TRIM_THRESHOLD, (int)min_size(16 * MIB, limit / 32));
	if (limit < 512 * MIB)
		(void)mallopt(M_ARENA_MAX, FEW_ARENAS);
}

/*
 * Who may use how much of what is shared, in sixteenths, and how much of that is its own whatever the others do: connections 4
 * and 2, decoded data 4 (or 2) and 1, the writer 4 and 4, what readers keep of the store 2 and 1, merging 1 and 1, queries 8 and 3. Of
 * what is nobody's own 3 are lent to who comes first, so that all of them together never use more than there is; the last one is for
 * what the allocator cannot use.
 */
static void share_memory(struct running *r)
{
	uint64_t shared = shared_memory(r);

	r->rest.limit = shared / 16 * 3;
	r->host.memory.own = shared / 16;
	r->host.memory.rest = &r->rest;
}

static int build(struct running *r, const char *name, struct err *e)
{
	const struct server_options *o = r->o;
	int rc = config_init(&r->config, NULL);

	if (!rc)
		rc = service_options_load(&r->config, &o->service, name, e);
	if (!rc)
		rc = server_settings_read(&r->settings, config_get(r->config.root, STR("service")),
					  &r->config.arena, e);
	if (!rc) {
		rc = limits_init(&r->limits, &r->settings.limits);
		r->has_limits = true;
	}
	if (!rc) {
		rc = access_init(&r->access, o->token_file, o->tenants, e);
		r->has_access = true;
		r->access.limits = &r->limits;
	}
	if (!rc) {
		r->memory_limit = find_memory_limit(&r->config);
		rc = check_memory_limit(r->memory_limit, e);
		fix_thresholds(r->memory_limit);
	}
	if (!rc) {
		rc = host_init(&r->host, 0, decoded_share(shared_memory(r)), &r->log, e);
		r->has_host = true;
		share_memory(r);
	}
	if (rc)
		return rc;
	r->host.limits = &r->limits;
	r->host.open_store = open_store;
	r->host.open_store_arg = r;
	r->host.listeners.guard = guard;
	r->host.listeners.guard_owner = &r->access;
	rc = service_new(&r->service, &r->config, &r->host, NULL, e);
	if (!rc)
		rc = add_api(r, e);
	if (!rc)
		rc = allow_hosts(r, &r->settings);
	return rc ? rc : check_addresses(r, e);
}

/* --no-self-profile, or service.telemetry.profiles: false. */
static int wants_self_profile(const struct running *r, bool *wanted, struct err *e)
{
	const struct config_node *n = config_find(r->config.root, "service.telemetry.profiles");

	*wanted = !r->o->no_self_profile && service_head(r->service, SIGNAL_PROFILES) &&
		  !(n && str_eq(n->text, STR("false")));
	if (n && !str_eq(n->text, STR("false")) && !str_eq(n->text, STR("true")))
		return config_fail(n, e, "service.telemetry.profiles: expected true or false");
	return 0;
}

/* The server runs without it as well. */
static void begin_self_profile(const struct running *r)
{
	struct self_profile_options o = {.host = (struct host *)&r->host,
					 .to = service_head(r->service, SIGNAL_PROFILES),
					 .tenant = r->o->tenants ? STR("varve") : STR("")};
	const char *impossible = self_profile_impossible();
	struct err e = {0};

	if (impossible)
		log_warn(&r->log, "this process does not profile itself",
			 LOG_STR("reason", str_from(impossible)));
	else if (self_profile_start(&o, &e))
		log_warn(&r->log, "this process does not profile itself", LOG_ERR(&e));
}

/* "127.0.0.1:4040" with the port that it really is; empty when nobody listens there. */
static struct str real_address(const struct running *r, const char *path, char *out, size_t size)
{
	const struct config_node *n = config_find(r->config.root, path);
	uint16_t port = n ? listeners_port(&r->host.listeners, n->text) : 0;

	if (!port)
		return STR("");
	snprintf(out, size, "%.*s:%u", STR_ARG(str_head(n->text, str_find_last(n->text, ':'))),
		 port);
	return str_from(out);
}

static void tell_ready(const struct running *r, uint64_t started)
{
	char http[128], grpc[128], otlp[128];

	log_info(&r->log, "ready",
		 LOG_STR("http",
			 real_address(r, "receivers.pyroscope.endpoint", http, sizeof(http))),
		 LOG_STR("otlp_grpc", real_address(r, "receivers.otlp.protocols.grpc.endpoint",
						   grpc, sizeof(grpc))),
		 LOG_STR("otlp_http", real_address(r, "receivers.otlp.protocols.http.endpoint",
						   otlp, sizeof(otlp))),
		 LOG_U64("ms", (clock_monotonic_ns() - started) / NS_PER_MS));
}

static void reload(struct running *r)
{
	struct err e = {0};
	int rc = access_reload(&r->access, &e);

	if (!rc && r->host.listeners.server)
		rc = net_server_reload_tls(r->host.listeners.server, &e);
	if (rc)
		log_error(&r->log, "could not reload, all stays as it was", LOG_ERR(&e));
	else
		log_info(&r->log, "tokens and certificates are read again");
}

/* The allocator keeps what was freed, for each thread apart: where much of the limit is that, it is given back. */
static void trim_memory(const struct running *r)
{
	if (memory_limiter_resident() > r->memory_limit / 2 &&
	    mallinfo2().fordblks > r->memory_limit / 16)
		malloc_trim(0);
}

/* Until a signal says that it is enough. */
static void wait_for_end(struct running *r, const sigset_t *signals)
{
	static const struct timespec second = {.tv_sec = 1};

	for (;;) {
		int number = sigtimedwait(signals, NULL, &second);

		if (number == SIGHUP)
			reload(r);
		else if (number < 0 && errno == EAGAIN)
			trim_memory(r);
		else if (number > 0 || errno != EINTR)
			break;
	}
	log_info(&r->log, "ending");
}

/*
 * Return half of the descriptors that the process may have, or all but 1,024: the store needs the
 * others. If there are few, the store needs more than half: three eighths for open days and idle
 * readers, and OTHERS for active readers and the rest of the program.
 */
static uint64_t connections_that_fit(void)
{
	enum { OTHERS = 28, LEAST = 8 };
	struct rlimit files;
	uint64_t rest;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return UINT64_MAX;
	rest = min_size(max_size(files.rlim_cur / 2, files.rlim_cur / 8 * 3 + OTHERS), 1024);
	return files.rlim_cur > rest + LEAST ? files.rlim_cur - rest : LEAST;
}

/* Connections, requests and unsent answers together get a quarter; one connection, three quarters of that. */
static struct net_options net_limits(struct running *r)
{
	struct net_options options;

	net_options_init(&options);
	options.max_connections_per_address = (uint64_t)r->settings.limits.connections_per_address;
	options.max_connections = min_size(options.max_connections, connections_that_fit());
	options.max_memory = network_memory(r);
	options.rest = &r->rest;
	options.max_connection_memory = options.max_memory / 4 * 3;
	return options;
}

/* As many connections as the system lets us have. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Senders are gone before the API goes, and that before the store. */
static void tear_down(struct running *r)
{
	if (r->service)
		service_stop(r->service, 0);
	api_free(r->api);
	free(r->api_routes);
	service_free(r->service);
	if (r->has_host)
		host_fini(&r->host);
	if (r->has_access)
		access_fini(&r->access);
	if (r->has_limits)
		limits_fini(&r->limits);
	config_fini(&r->config);
}

/* What is in flight is answered, what was answered is on disk; how long that took is told. */
static void end(struct running *r)
{
	uint64_t began = clock_monotonic_ns(), drained, stopped;

	self_profile_stop();
	listeners_drain(&r->host.listeners, DRAIN_MS);
	drained = clock_monotonic_ns();
	if (r->api)
		api_set_server(r->api, NULL);
	service_stop(r->service, 0);
	stopped = clock_monotonic_ns();
	tear_down(r);
	log_info(&r->log, "ended", LOG_U64("drain_ms", (drained - began) / NS_PER_MS),
		 LOG_U64("stop_ms", (stopped - drained) / NS_PER_MS),
		 LOG_U64("store_ms", (clock_monotonic_ns() - stopped) / NS_PER_MS));
}

static enum exit_code run(struct cli *cli, const struct server_options *o, const char *name)
{
	struct running r = {
		.cli = cli, .o = o, .log = {STDERR_FILENO, (enum log_level)o->log_level}};
	uint64_t started = clock_monotonic_ns();
	struct err e = {0};
	sigset_t signals;
	bool self_profile = false;
	int rc;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	raise_file_limit();
	rc = build(&r, name, &e);
	rc = rc ? rc : wants_self_profile(&r, &self_profile, &e);
	if (!rc) {
		struct net_options options = net_limits(&r);

		rc = service_start(r.service, &options, &e);
	}
	if (!rc) {
		if (r.api)
			api_set_server(r.api, r.host.listeners.server);
		tell_ready(&r, started);
		if (self_profile)
			begin_self_profile(&r);
		wait_for_end(&r, &signals);
		end(&r);
		return EXIT_DONE;
	}
	err_errno(&e, rc, "start");
	tear_down(&r);
	cli_fail(cli, &e);
	if (rc == -EADDRINUSE)
		cli_note(cli, "--listen, --otlp-grpc and --otlp-http take other addresses");
	return EXIT_COULD_NOT;
}

static enum exit_code run_up(struct cli *cli, void *options, const struct arguments *args)
{
	return args->n ? cli_usage(cli, &command_up, "takes no arguments")
		       : run(cli, options, "up");
}

static enum exit_code run_server(struct cli *cli, void *options, const struct arguments *args)
{
	return args->n ? cli_usage(cli, &command_server, "takes no arguments")
		       : run(cli, options, "server");
}

const struct command command_up = {
	.name = "up",
	.summary = "receive profiles, keep them, answer questions: all in one process",
	.arguments = "[OPTION...]",
	.details = "Listens on this machine only, unless told otherwise. SIGTERM ends it when all "
		   "that "
		   "was acknowledged is on disk; SIGHUP reads tokens and certificates again.",
	.examples = "varve up --data ./data\n"
		    "varve up --listen :4040 --token-file tokens  # for other machines too",
	.groups = groups,
	.options_size = sizeof(struct server_options),
	.run = run_up,
};

const struct command command_server = {
	.name = "server",
	.summary = "as up, without profiling this host",
	.arguments = "[OPTION...]",
	.examples = "varve server --data /var/lib/varve --retention 30d",
	.groups = groups,
	.options_size = sizeof(struct server_options),
	.run = run_server,
};
