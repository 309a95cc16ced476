/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exporter loadbalancing. A delivery is split into one for each backend; it is done when all of
 * them are, with the worst result.
 */
#include "pipeline/exporters/loadbalancing/loadbalancing_exporter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "pipeline/exporters/loadbalancing/lb_backends.h"
#include "pipeline/exporters/loadbalancing/lb_resolver.h"
#include "pipeline/exporters/loadbalancing/route_split.h"

struct lb_protocol {
	struct otlp_settings otlp;
};

struct lb_static {
	struct setting_list hostnames;
};

struct lb_dns {
	struct str hostname;
	int64_t port;
	uint64_t interval_ns, timeout_ns;
};

struct lb_resolvers {
	struct lb_static fixed;
	struct lb_dns dns;
	bool has_static, has_dns;
};

struct loadbalancing_settings {
	struct str routing_key;
	struct setting_list routing_attributes;
	struct lb_protocol protocol;
	struct lb_resolvers resolver;
};

struct loadbalancing {
	const struct loadbalancing_settings *settings;
	const struct component_env *env;
	enum route_by by;
	struct lb_backends backends;
	struct lb_resolver resolver; /* of dns */
};

/* ---- deliveries ---- */

struct lb_part {
	struct delivery delivery;
	struct payload *payload; /* NULL: that of the original delivery */
	struct telemetry_value *succeeded, *failed;
};

struct lb_delivery {
	struct delivery *from;
	pthread_mutex_t mu; /* guards `result` */
	struct delivery_result result;
	_Atomic uint32_t pending; /* parts, and lb_deliver() */
	uint32_t count;
	struct lb_part parts[];
};

static void lb_unref(struct lb_delivery *s)
{
	struct delivery *from = s->from;
	struct delivery_result result;

	if (atomic_fetch_sub(&s->pending, 1) != 1)
		return;
	result = s->result;
	for (uint32_t i = 0; i < s->count; i++)
		payload_release(s->parts[i].payload);
	pthread_mutex_destroy(&s->mu);
	free(s);
	delivery_done(from, &result);
}

/* Order results: errors that may be retried, then other errors, then success. */
static unsigned rank_result(int rc)
{
	if (!rc)
		return 0;
	return delivery_may_retry(rc) ? 2 : 1;
}

static void lb_part_done(struct delivery *d, const struct delivery_result *result)
{
	struct lb_delivery *s = d->owner;
	struct lb_part *part = (struct lb_part *)d;
	uint32_t rejected;

	telemetry_add(result->rc ? part->failed : part->succeeded, 1);
	pthread_mutex_lock(&s->mu);
	rejected = s->result.rejected + result->rejected;
	if (rank_result(result->rc) > rank_result(s->result.rc) ||
	    (!s->result.rc && !result->rc && result->reason[0]))
		s->result = *result;
	s->result.rejected = rejected;
	pthread_mutex_unlock(&s->mu);
	lb_unref(s);
}

static struct lb_delivery *lb_delivery_new(struct delivery *d, const struct route_parts *parts,
					   const struct lb_backends *b)
{
	struct lb_delivery *s = calloc(1, sizeof(*s) + parts->count * sizeof(s->parts[0]));

	if (!s)
		return NULL;
	pthread_mutex_init(&s->mu, NULL);
	s->from = d;
	s->count = parts->count;
	atomic_init(&s->pending, parts->count + 1);
	for (uint32_t i = 0; i < parts->count; i++) {
		const struct lb_backend *to = b->at[parts->at[i].endpoint];
		struct lb_part *part = &s->parts[i];

		part->delivery = *d;
		part->payload = parts->at[i].payload;
		if (part->payload)
			part->delivery.payload = part->payload;
		part->delivery.done = lb_part_done;
		part->delivery.owner = s;
		part->succeeded = to->succeeded;
		part->failed = to->failed;
	}
	return s;
}

/* Give the parts to their backends. Return 0 or -ENOMEM. */
static int lb_deliver(struct delivery *d, const struct route_parts *parts,
		      const struct lb_backends *b)
{
	struct lb_delivery *s = lb_delivery_new(d, parts, b);

	if (!s) {
		for (uint32_t i = 0; i < parts->count; i++)
			payload_release(parts->at[i].payload);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < parts->count; i++)
		otlp_exporter.consume(b->at[parts->at[i].endpoint]->instance,
				      &s->parts[i].delivery);
	lb_unref(s);
	return 0;
}

/* Split and deliver; the list of backends is locked. On error the delivery is not done. */
static int route_delivery(struct loadbalancing *x, struct delivery *d, struct arena *arena,
			  struct err *e)
{
	const struct lb_backends *b = &x->backends;
	struct route_rule rule = {.by = route_by_of(x->by, d->signal),
				  .attributes = x->settings->routing_attributes,
				  .ring = &b->ring,
				  .endpoints = b->count};
	struct route_parts parts;
	int rc;

	if (rule.by == ROUTE_BY_COUNT)
		return err_set(e, -EINVAL, "unsupported routing_key: \"%.*s\" is not for %s",
			       STR_ARG(x->settings->routing_key),
			       signal_names[signal_index(d->signal)]);
	if (!b->count)
		return err_set(e, -EAGAIN, "no backends are known yet");
	rc = route_split(&parts, d->payload, &rule, arena, &x->env->host->memory, e);
	return rc ? rc : lb_deliver(d, &parts, b);
}

static bool loadbalancing_consume(void *instance, struct delivery *d)
{
	struct loadbalancing *x = instance;
	struct arena arena;
	struct err e = {0};
	int rc;

	arena_init(&arena, &x->env->host->memory);
	pthread_rwlock_rdlock(&x->backends.lock);
	rc = route_delivery(x, d, &arena, &e);
	pthread_rwlock_unlock(&x->backends.lock);
	arena_fini(&arena);
	if (rc)
		delivery_fail(d, rc, delivery_may_retry(rc) ? 1000 : 0, "exporter %s: %s",
			      x->env->id, e.text[0] ? e.text : "out of memory");
	return false;
}

/* ---- the component ---- */

static int hostname_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int set_static_backends(struct loadbalancing *x, struct err *e)
{
	const struct setting_list *names = &x->settings->resolver.fixed.hostnames;
	const char **list;
	struct arena arena;
	uint32_t n = 0;
	int rc = 0;

	arena_init(&arena, NULL);
	list = arena_alloc(&arena, names->n, sizeof(*list));
	for (uint32_t i = 0; list && i < names->n && !rc; i++) {
		struct str copy;

		rc = arena_copy_str(&arena, names->at[i], &copy);
		list[i] = copy.p;
	}
	if (!list || rc) {
		arena_fini(&arena);
		return err_set(e, -ENOMEM, "out of memory");
	}
	qsort(list, names->n, sizeof(*list), hostname_cmp);
	for (uint32_t i = 0; i < names->n; i++)
		if (!n || strcmp(list[n - 1], list[i]))
			list[n++] = list[i];
	rc = lb_backends_set(&x->backends, list, n, false, e);
	arena_fini(&arena);
	return rc;
}

static void on_resolved(void *owner, const char *const *endpoints, uint32_t count)
{
	struct loadbalancing *x = owner;
	struct err e = {0};

	if (lb_backends_set(&x->backends, endpoints, count, true, &e))
		log_error(x->env->log, "Backends could not be changed. Keeping the last ones.",
			  LOG_STR("exporter", str_from(x->env->id)),
			  LOG_STR("error", str_from(e.text)));
}

static void loadbalancing_destroy(void *instance)
{
	struct loadbalancing *x = instance;

	lb_backends_fini(&x->backends);
	if (x->settings->resolver.has_dns)
		lb_resolver_fini(&x->resolver);
	free(x);
}

static int init_parts(struct loadbalancing *x)
{
	const struct lb_resolvers *r = &x->settings->resolver;
	struct lb_resolver_options o = {.hostname = r->dns.hostname,
					.port = (uint16_t)r->dns.port,
					.interval_ns = r->dns.interval_ns,
					.log = x->env->log,
					.id = x->env->id,
					.telemetry = &x->env->host->telemetry,
					.resolved = on_resolved,
					.owner = x};
	int rc = lb_backends_init(&x->backends, x->env, &x->settings->protocol.otlp,
				  r->has_dns ? "dns" : "static");

	if (rc || !r->has_dns)
		return rc;
	rc = lb_resolver_init(&x->resolver, &o);
	if (rc)
		lb_backends_fini(&x->backends);
	return rc;
}

static int loadbalancing_create(void **instance, const struct component_env *env,
				const void *settings, struct err *e)
{
	const struct loadbalancing_settings *s = settings;
	struct loadbalancing *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_set(e, -ENOMEM, "out of memory");
	x->settings = s;
	x->env = env;
	x->by = route_by_name(s->routing_key);
	rc = init_parts(x);
	if (rc) {
		free(x);
		return err_errno(e, rc, "load balancer");
	}
	rc = s->resolver.has_static ? set_static_backends(x, e) : 0;
	if (rc) {
		loadbalancing_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static int loadbalancing_start(void *instance, struct err *e)
{
	struct loadbalancing *x = instance;

	if (x->settings->resolver.has_dns)
		return lb_resolver_start(&x->resolver, x->settings->resolver.dns.timeout_ns, e);
	return lb_backends_start(&x->backends, e);
}

static void loadbalancing_stop(void *instance)
{
	struct loadbalancing *x = instance;

	if (x->settings->resolver.has_dns)
		lb_resolver_stop(&x->resolver);
	lb_backends_stop(&x->backends);
}

static struct str loadbalancing_storage(const void *settings)
{
	const struct loadbalancing_settings *s = settings;

	return s->protocol.otlp.sender.queue.storage;
}

static int check_resolver(const struct lb_resolvers *r, struct err *e)
{
	if (!r->has_static && !r->has_dns)
		return err_set(e, -EINVAL,
			       "\"resolver\": no resolvers specified for the exporter: set static "
			       "or dns");
	if (r->has_static && r->has_dns)
		return err_set(e, -EINVAL, "\"resolver\": only one resolver should be specified");
	if (r->has_static && !r->fixed.hostnames.n)
		return err_set(e, -EINVAL,
			       "\"resolver\": \"static\": no hostnames specified to resolve the "
			       "backends");
	if (r->has_static && r->fixed.hostnames.n > RING_ENDPOINTS_MAX)
		return err_set(e, -EINVAL, "\"resolver\": \"static\": more than %d hostnames",
			       RING_ENDPOINTS_MAX);
	if (r->has_dns && !r->dns.hostname.n)
		return err_set(e, -EINVAL,
			       "\"resolver\": \"dns\": no hostname specified to resolve the "
			       "backends");
	if (r->has_dns && !r->dns.interval_ns)
		return err_set(e, -EINVAL, "\"resolver\": \"dns\": interval has to be above 0");
	return 0;
}

static int loadbalancing_check(const void *settings, struct err *e)
{
	const struct loadbalancing_settings *s = settings;
	struct otlp_settings otlp = s->protocol.otlp;
	enum route_by by = route_by_name(s->routing_key);

	if (by == ROUTE_BY_COUNT)
		return err_set(e, -EINVAL,
			       "unsupported routing_key: \"%.*s\": use traceID, service, resource, "
			       "metric, streamID or attributes",
			       STR_ARG(str_head(s->routing_key, 64)));
	if (by == ROUTE_ATTRIBUTES && !s->routing_attributes.n)
		return err_set(e, -EINVAL,
			       "\"routing_attributes\" is required with routing_key attributes");
	otlp.client.endpoint = STR("backend:4317");
	if (otlp_exporter.check(&otlp, e)) {
		err_prefix(e, "\"protocol\": \"otlp\"");
		return -EINVAL;
	}
	return check_resolver(&s->resolver, e);
}

static const struct setting protocol_table[] = {
	SET_GROUP_ALWAYS(struct lb_protocol, otlp, "otlp", otlp_exporter_table,
			 "The settings of the exporter otlp of each backend; endpoint is ignored."),
	SET_END,
};

static const struct setting static_table[] = {
	SET_LIST(struct lb_static, hostnames, "hostnames", NULL,
		 "The backends: host:port, or hosts with port 4317."),
	SET_END,
};

static const struct setting dns_table[] = {
	SET_STRING(struct lb_dns, hostname, "hostname", NULL,
		   "The name whose addresses are the backends."),
	SET_INT(struct lb_dns, port, "port", "4317", 1, 65535, NULL, "The port of all backends."),
	SET_DURATION(struct lb_dns, interval_ns, "interval", "5s",
		     "Resolve the name again after this time."),
	SET_DURATION(struct lb_dns, timeout_ns, "timeout", "1s",
		     "How long the start waits for the first addresses."),
	SET_END,
};

static const struct setting resolver_table[] = {
	SET_GROUP(struct lb_resolvers, fixed, "static", static_table, has_static,
		  "A list of backends."),
	SET_GROUP(struct lb_resolvers, dns, "dns", dns_table, has_dns, "The addresses of a name."),
	SET_IGNORED("k8s", "use dns with the name of a headless service"),
	SET_IGNORED("aws_cloud_map", "use dns"),
	SET_END,
};

static const struct setting loadbalancing_table[] = {
	SET_STRING(
		struct loadbalancing_settings, routing_key, "routing_key", "",
		"What belongs together: traceID, service, resource, metric, streamID, attributes."),
	SET_LIST(struct loadbalancing_settings, routing_attributes, "routing_attributes", NULL,
		 "With routing_key attributes: the attributes of resource, scope or span."),
	SET_GROUP_ALWAYS(struct loadbalancing_settings, protocol, "protocol", protocol_table,
			 "How data is sent to backends."),
	SET_GROUP_ALWAYS(struct loadbalancing_settings, resolver, "resolver", resolver_table,
			 "Which backends there are."),
	SET_IGNORED("timeout", "protocol.otlp.timeout applies"),
	SET_IGNORED("retry_on_failure", "protocol.otlp.retry_on_failure applies"),
	SET_IGNORED("sending_queue", "protocol.otlp.sending_queue applies"),
	SET_END,
};

static const char *const loadbalancing_aliases[] = {"load_balancing", NULL};

const struct component loadbalancing_exporter = {
	.name = "loadbalancing",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Sends each trace or service to one of several backends, always the same.",
	.aliases = loadbalancing_aliases,
	.settings = loadbalancing_table,
	.settings_size = sizeof(struct loadbalancing_settings),
	.check = loadbalancing_check,
	.create = loadbalancing_create,
	.start = loadbalancing_start,
	.storage = loadbalancing_storage,
	.consume = loadbalancing_consume,
	.stop = loadbalancing_stop,
	.destroy = loadbalancing_destroy,
};
