/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the routes /metrics and /api/v1/status to a listener for each reader. */
#include "pipeline/service/self_metrics.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/address.h"
#include "net/http/respond.h"
#include "pipeline/exporters/sender/sender_report.h"
#include "pipeline/telemetry/process_metrics.h"

struct self_metrics;

struct metrics_endpoint {
	struct self_metrics *of;
	const struct metrics_reader *reader;
	struct http_route routes[2];
};

struct self_metrics {
	struct host *host;
	struct metrics_endpoint endpoints[METRICS_READERS_MAX];
};

static void answer_metrics(void *owner, struct http_exchange *x)
{
	const struct metrics_endpoint *m = owner;
	struct http_response r = {.status = 200,
				  .compress = true,
				  .content_type = STR("text/plain; version=0.0.4; charset=utf-8")};

	host_metrics(m->of->host, &r.body, m->reader->suffixes);
	http_respond(x, &r);
}

/* The fields of the API's response of that name that do not need a store. */
static void answer_status(void *owner, struct http_exchange *x)
{
	const struct metrics_endpoint *m = owner;
	struct host *host = m->of->host;
	struct http_response r = {.status = 200, .content_type = STR("application/json")};
	struct json_writer w = json_writer_to(&r.body, 0);

	json_open_object(&w);
	json_put_key(&w, STR("now"));
	json_put_u64(&w, clock_realtime_ns() / NS_PER_MS);
	json_put_key(&w, STR("started"));
	json_put_u64(&w, host->started / NS_PER_MS);
	json_put_key(&w, STR("memory"));
	json_open_object(&w);
	json_put_key(&w, STR("resident"));
	json_put_u64(&w, process_resident_bytes());
	json_close_object(&w);
	json_put_key(&w, STR("exporters"));
	sender_report_json(&host->exporters, &w);
	json_close_object(&w);
	http_respond(x, &r);
}

/* Return whether another process listens on the address. */
static bool address_is_taken(const char *address)
{
	char name[ADDRESS_HOST_MAX];
	struct addrinfo *list;
	struct err e = {0};
	bool taken = false;

	if (address_resolve(address, true, &list, name, &e))
		return false;
	for (const struct addrinfo *a = list; a && !taken; a = a->ai_next) {
		int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
		taken = fd >= 0 && bind(fd, a->ai_addr, a->ai_addrlen) && errno == EADDRINUSE;
		if (fd >= 0)
			close(fd);
	}
	freeaddrinfo(list);
	return taken;
}

/* Several collectors can run on one machine: only the first serves its metrics by default. */
static bool leave_out(const struct self_metrics *s, const struct metrics_reader *reader)
{
	if (!reader->optional || listeners_port(&s->host->listeners, reader->address) ||
	    !address_is_taken(reader->address.p))
		return false;
	log_warn(s->host->log,
		 "the metrics of this process are not served: the address is in use; set another "
		 "one by service.telemetry.metrics",
		 LOG_STR("address", reader->address));
	return true;
}

static int add_endpoint(struct self_metrics *s, const struct metrics_reader *reader,
			struct metrics_endpoint *m, struct err *e)
{
	struct listener_routes l = {
		.address = reader->address, .routes = m->routes, .count = 2, .owner = m};
	int rc;

	if (leave_out(s, reader))
		return 0;
	*m = (struct metrics_endpoint){.of = s, .reader = reader};
	for (unsigned i = 0; i < countof(m->routes); i++)
		m->routes[i] =
			(struct http_route){.methods = METHOD_GET | METHOD_HEAD,
					    .path = i ? STR("/api/v1/status") : STR("/metrics"),
					    .handler = i ? answer_status : answer_metrics,
					    .owner = m};
	l.tls = listeners_tls(&s->host->listeners, l.address);
	rc = listeners_add(&s->host->listeners, &l, e);
	if (rc)
		err_prefix(e, "service.telemetry.metrics");
	return rc;
}

static int self_metrics_create(void **instance, const struct component_env *env,
			       const void *settings, struct err *e)
{
	const struct metrics_readers *readers = settings;
	struct self_metrics *s = calloc(1, sizeof(*s));
	int rc = s ? 0 : err_errno(e, -ENOMEM, "self metrics");

	for (uint32_t i = 0; !rc && i < readers->n; i++) {
		s->host = env->host;
		rc = add_endpoint(s, &readers->at[i], &s->endpoints[i], e);
	}
	if (rc)
		free(s);
	else
		*instance = s;
	return rc;
}

const struct component self_metrics_extension = {
	.name = "telemetry",
	.kind = COMPONENT_EXTENSION,
	.help = "Serves the metrics of the program.",
	.create = self_metrics_create,
	.destroy = free,
};
