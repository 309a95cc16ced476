/* SPDX-License-Identifier: Apache-2.0 */
/* The list of backends, and its changes. */
#include "pipeline/exporters/loadbalancing/lb_backends.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/thread.h"

enum { DEFAULT_PORT = 4317 };

/* ---- one backend ---- */

static void backend_free(struct lb_backend *b)
{
	if (!b)
		return;
	if (b->instance)
		otlp_exporter.destroy(b->instance);
	free(b->endpoint);
	free(b->id);
	free((char *)(uintptr_t)b->settings.client.endpoint.p);
	free(b);
}

static void backend_stop(void *backend)
{
	struct lb_backend *b = backend;

	otlp_exporter.stop(b->instance);
}

/* Set the endpoint of the exporter: that of the list, with a port. Return 0 or -ENOMEM. */
static int set_endpoint(struct lb_backend *b, const char *endpoint)
{
	bool has_port = strchr(endpoint, ':');
	char *text;

	if (asprintf(&text, has_port ? "%s" : "%s:%d", endpoint, DEFAULT_PORT) < 0)
		return -ENOMEM;
	b->settings.client.endpoint = str_from(text);
	b->endpoint = strdup(endpoint);
	return b->endpoint ? 0 : -ENOMEM;
}

static void set_outcomes(struct lb_backend *b)
{
	struct telemetry_label labels[] = {{"endpoint", b->endpoint}, {"success", "true"}};
	struct telemetry *t = &b->env.host->telemetry;
	static const char name[] = "otelcol_loadbalancer_backend_outcome";
	static const char help[] = "Number of outcomes of requests to a backend";

	b->succeeded = telemetry_get(t, TELEMETRY_COUNTER, name, help, labels, countof(labels));
	labels[1].value = "false";
	b->failed = telemetry_get(t, TELEMETRY_COUNTER, name, help, labels, countof(labels));
}

static int backend_new(struct lb_backend **out, const struct lb_backends *of, const char *endpoint,
		       struct err *e)
{
	struct lb_backend *b = calloc(1, sizeof(*b));
	int rc;

	if (!b)
		return err_set(e, -ENOMEM, "out of memory");
	b->settings = *of->settings;
	b->settings.client.endpoint = (struct str){0};
	b->env = *of->env;
	rc = set_endpoint(b, endpoint);
	if (!rc && asprintf(&b->id, "%s/%s", of->env->id, endpoint) < 0) {
		b->id = NULL;
		rc = -ENOMEM;
	}
	if (rc) {
		backend_free(b);
		return err_set(e, rc, "out of memory");
	}
	b->env.id = b->id;
	set_outcomes(b);
	rc = otlp_exporter.check(&b->settings, e);
	if (!rc)
		rc = otlp_exporter.create(&b->instance, &b->env, &b->settings, e);
	if (rc) {
		err_prefix(e, "backend %s", endpoint);
		backend_free(b);
		return rc;
	}
	*out = b;
	return 0;
}

static int backend_start(struct lb_backend *b, struct err *e)
{
	int rc = b->started ? 0 : otlp_exporter.start(b->instance, e);

	if (rc)
		err_prefix(e, "backend %s", b->endpoint);
	b->started = !rc;
	return rc;
}

/* ---- the list ---- */

int lb_backends_init(struct lb_backends *b, const struct component_env *env,
		     const struct otlp_settings *settings, const char *resolver)
{
	struct telemetry_label label = {"resolver", resolver};
	struct telemetry *t = &env->host->telemetry;

	*b = (struct lb_backends){.env = env, .settings = settings};
	b->gauge = telemetry_get(t, TELEMETRY_GAUGE, "otelcol_loadbalancer_num_backends",
				 "Current number of backends in use", &label, 1);
	b->updates = telemetry_get(t, TELEMETRY_COUNTER, "otelcol_loadbalancer_num_backend_updates",
				   "Number of times the list of backends was updated", &label, 1);
	return -pthread_rwlock_init(&b->lock, NULL);
}

void lb_backends_fini(struct lb_backends *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		backend_free(b->at[i]);
	free(b->at);
	hash_ring_fini(&b->ring);
	pthread_rwlock_destroy(&b->lock);
}

static struct lb_backend *find_backend(struct lb_backend *const *at, uint32_t count,
				       const char *endpoint)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(at[i]->endpoint, endpoint))
			return at[i];
	return NULL;
}

static bool is_same_list(const struct lb_backends *b, const char *const *endpoints, uint32_t count)
{
	bool same = b->count == count;

	for (uint32_t i = 0; i < count && same; i++)
		same = !strcmp(b->at[i]->endpoint, endpoints[i]);
	return same;
}

/* Fill `list` with old and new backends, and *next with their ring. */
static int make_list(const struct lb_backends *b, struct lb_backend **list,
		     const char *const *endpoints, uint32_t count, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < count && !rc; i++) {
		list[i] = find_backend(b->at, b->count, endpoints[i]);
		if (!list[i])
			rc = backend_new(&list[i], b, endpoints[i], e);
	}
	return rc;
}

/* Stop and free the backends of `list` that `kept` does not have. */
static void drop_gone_backends(struct lb_backend **list, uint32_t count,
			       struct lb_backend *const *kept, uint32_t kept_count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!list[i] || find_backend(kept, kept_count, list[i]->endpoint))
			continue;
		backend_stop(list[i]);
		backend_free(list[i]);
	}
}

int lb_backends_set(struct lb_backends *b, const char *const *endpoints, uint32_t count, bool start,
		    struct err *e)
{
	struct lb_backend **list, **old = b->at;
	uint32_t old_count = b->count;
	struct hash_ring ring = {0}, old_ring = b->ring;
	int rc;

	if (is_same_list(b, endpoints, count))
		return 0;
	list = calloc((size_t)count + 1, sizeof(struct lb_backend *));
	if (!list)
		return err_set(e, -ENOMEM, "out of memory");
	rc = make_list(b, list, endpoints, count, e);
	for (uint32_t i = 0; i < count && !rc && start; i++)
		rc = backend_start(list[i], e);
	if (!rc && hash_ring_init(&ring, endpoints, count))
		rc = err_set(e, -ENOMEM, "out of memory");
	if (rc) {
		drop_gone_backends(list, count, old, old_count);
		free(list);
		return rc;
	}
	pthread_rwlock_wrlock(&b->lock);
	b->at = list;
	b->count = count;
	b->ring = ring;
	pthread_rwlock_unlock(&b->lock);
	telemetry_set(b->gauge, count);
	telemetry_add(b->updates, 1);
	drop_gone_backends(old, old_count, list, count); /* nobody uses them any more */
	free(old);
	hash_ring_fini(&old_ring);
	return 0;
}

int lb_backends_start(struct lb_backends *b, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < b->count && !rc; i++)
		rc = backend_start(b->at[i], e);
	return rc;
}

void lb_backends_stop(struct lb_backends *b)
{
	struct thread *threads = calloc((size_t)b->count + 1, sizeof(*threads));

	for (uint32_t i = 0; i < b->count; i++)
		if (!threads || thread_start(&threads[i], "lb-stop", backend_stop, b->at[i], NULL))
			backend_stop(b->at[i]);
	for (uint32_t i = 0; i < b->count && threads; i++)
		thread_join(&threads[i]);
	free(threads);
}
