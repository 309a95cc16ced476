/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes are detected once, when the processor starts, and are the same for all resources. */
#include "pipeline/processors/resourcedetection/resourcedetection_processor.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/processors/processor.h"
#include "pipeline/processors/resource/plain_resources.h"
#include "pipeline/processors/resourcedetection/environment_facts.h"
#include "pipeline/processors/resourcedetection/system_facts.h"
#include "pipeline/processors/tree_edit.h"

struct detection_settings {
	struct setting_list detectors;
	bool override;
	uint64_t timeout_ns;
	struct system_settings system;
};

struct detection_state {
	const struct detection_settings *settings;
	struct attributes found;
	struct arena arena; /* of `found` */
	struct tree_editor editor;
};

/* ---- detecting ---- */

/* Append the attributes of a detector; those of earlier detectors win. */
static int run_detector(struct detection_state *x, struct str name, struct err *e)
{
	struct attributes facts = {0};
	int rc;

	if (str_eq(name, STR("env")))
		rc = environment_facts(&facts, &x->arena, e);
	else
		rc = system_facts(&facts, &x->settings->system, x->settings->timeout_ns, &x->arena,
				  e);
	for (uint32_t i = 0; i < facts.list.n && !rc; i++) {
		const struct otlp_attribute *a = &facts.list.at[i];

		if (!attributes_get(&x->found, a->key))
			rc = attributes_set(&x->found, &x->arena, a->key, &a->value);
	}
	return rc ? err_errno(e, rc, "resourcedetection") : 0;
}

static int detection_start(void *instance, struct err *e)
{
	struct detection_state *x = instance;
	const struct setting_list *detectors = &x->settings->detectors;
	int rc = 0;

	for (uint32_t i = 0; i < detectors->n && !rc; i++)
		rc = run_detector(x, detectors->at[i], e);
	return rc;
}

/* ---- adding ---- */

static int add_found(const struct detection_state *x, struct str message, struct arena *arena,
		     struct str *out)
{
	struct attributes list;
	bool changed = false;
	int rc = otlp_attributes_read(&list, message, OTLP_RESOURCE_ATTRIBUTES, arena);

	*out = message;
	for (uint32_t i = 0; i < x->found.list.n && !rc; i++) {
		const struct otlp_attribute *a = &x->found.list.at[i];
		const struct otlp_attribute *old = attributes_get(&list, a->key);

		if (old && (!x->settings->override || value_eq(&old->value, &a->value)))
			continue;
		rc = attributes_set(&list, arena, a->key, &a->value);
		changed = true;
	}
	if (rc || !changed)
		return rc;
	return otlp_attributes_replace(message, OTLP_RESOURCE_ATTRIBUTES, &list, arena, out);
}

static int edit_detected(void *owner, struct otlp_tree *tree, const struct delivery *d,
			 struct scratch *s, struct err *e)
{
	const struct detection_state *x = owner;
	int rc = plain_resources(tree, &s->arena);

	(void)d;
	(void)e;
	for (uint32_t i = 0; i < tree->resource_count && !rc; i++) {
		struct otlp_resource *r = &tree->resources[i];
		struct str before = r->resource;

		rc = add_found(x, before, &s->arena, &r->resource);
		tree->changed |= r->resource.p != before.p;
	}
	return rc;
}

static bool detection_consume(void *instance, struct delivery *d)
{
	struct detection_state *x = instance;

	return tree_edit_consume(&x->editor, d);
}

/* ---- life cycle ---- */

static int detection_check(const void *settings, struct err *e)
{
	const struct detection_settings *s = settings;

	for (uint32_t i = 0; i < s->detectors.n; i++) {
		struct str name = s->detectors.at[i];

		if (!str_eq(name, STR("env")) && !str_eq(name, STR("system")))
			return err_set(e, -EINVAL,
				       "detectors: \"%.*s\" is not available: use env or system",
				       STR_ARG(name));
	}
	return system_check(&s->system, e);
}

static void detection_destroy(void *instance)
{
	struct detection_state *x = instance;

	scratch_pool_fini(&x->editor.pool);
	arena_fini(&x->arena);
	free(x);
}

static int detection_create(void **instance, const struct component_env *env, const void *settings,
			    struct err *e)
{
	struct detection_state *x = calloc(1, sizeof(*x));

	if (!x)
		return err_errno(e, -ENOMEM, "resourcedetection");
	x->settings = settings;
	x->editor = (struct tree_editor){
		.next = processor_next(env), .host = env->host, .edit = edit_detected, .owner = x};
	arena_init(&x->arena, NULL);
	scratch_pool_init(&x->editor.pool, &env->host->memory);
	*instance = x;
	return 0;
}

static const char *const aliases[] = {"resource_detection", NULL};

#define NO_METADATA_SERVICE "detectors need no service for metadata"
#define OTHER_DETECTOR "the detectors are env and system"

static const struct setting settings[] = {
	SET_LIST(struct detection_settings, detectors, "detectors", "env",
		 "env: OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME; system: the machine. The "
		 "first "
		 "detector that knows an attribute wins."),
	SET_BOOL(struct detection_settings, override, "override", "true",
		 "Replace attributes that a resource already has."),
	SET_DURATION(struct detection_settings, timeout_ns, "timeout", "5s",
		     "Limit of the query for the host name."),
	SET_GROUP_ALWAYS(struct detection_settings, system, "system", system_table,
			 "The detector system."),
	SET_IGNORED("refresh_interval", "attributes are detected once, at start"),
	SET_IGNORED("fail_on_missing_metadata", NO_METADATA_SERVICE),
	SET_IGNORED("retry", NO_METADATA_SERVICE),
	/* keys of clients of such services */
	SET_IGNORED("endpoint", NO_METADATA_SERVICE),
	SET_IGNORED("headers", NO_METADATA_SERVICE),
	SET_IGNORED("tls", NO_METADATA_SERVICE),
	SET_IGNORED("auth", NO_METADATA_SERVICE),
	SET_IGNORED("compression", NO_METADATA_SERVICE),
	SET_IGNORED("compression_params", NO_METADATA_SERVICE),
	SET_IGNORED("proxy_url", NO_METADATA_SERVICE),
	SET_IGNORED("cookies", NO_METADATA_SERVICE),
	SET_IGNORED("middlewares", NO_METADATA_SERVICE),
	SET_IGNORED("read_buffer_size", NO_METADATA_SERVICE),
	SET_IGNORED("write_buffer_size", NO_METADATA_SERVICE),
	SET_IGNORED("max_idle_conns", NO_METADATA_SERVICE),
	SET_IGNORED("max_idle_conns_per_host", NO_METADATA_SERVICE),
	SET_IGNORED("max_conns_per_host", NO_METADATA_SERVICE),
	SET_IGNORED("idle_conn_timeout", NO_METADATA_SERVICE),
	SET_IGNORED("disable_keep_alives", NO_METADATA_SERVICE),
	SET_IGNORED("force_attempt_http2", NO_METADATA_SERVICE),
	SET_IGNORED("http2_read_idle_timeout", NO_METADATA_SERVICE),
	SET_IGNORED("http2_ping_timeout", NO_METADATA_SERVICE),
	/* settings of other detectors */
	SET_IGNORED("akamai", OTHER_DETECTOR),
	SET_IGNORED("aks", OTHER_DETECTOR),
	SET_IGNORED("alibaba_ecs", OTHER_DETECTOR),
	SET_IGNORED("azure", OTHER_DETECTOR),
	SET_IGNORED("azurecontainerapps", OTHER_DETECTOR),
	SET_IGNORED("consul", OTHER_DETECTOR),
	SET_IGNORED("digitalocean", OTHER_DETECTOR),
	SET_IGNORED("docker", OTHER_DETECTOR),
	SET_IGNORED("dynatrace", OTHER_DETECTOR),
	SET_IGNORED("ec2", OTHER_DETECTOR),
	SET_IGNORED("ecs", OTHER_DETECTOR),
	SET_IGNORED("eks", OTHER_DETECTOR),
	SET_IGNORED("elasticbeanstalk", OTHER_DETECTOR),
	SET_IGNORED("gcp", OTHER_DETECTOR),
	SET_IGNORED("heroku", OTHER_DETECTOR),
	SET_IGNORED("hetzner", OTHER_DETECTOR),
	SET_IGNORED("ibmcloud_classic", OTHER_DETECTOR),
	SET_IGNORED("ibmcloud_vpc", OTHER_DETECTOR),
	SET_IGNORED("k8s_api", OTHER_DETECTOR),
	SET_IGNORED("k8snode", OTHER_DETECTOR),
	SET_IGNORED("kubeadm", OTHER_DETECTOR),
	SET_IGNORED("lambda", OTHER_DETECTOR),
	SET_IGNORED("nova", OTHER_DETECTOR),
	SET_IGNORED("openshift", OTHER_DETECTOR),
	SET_IGNORED("oraclecloud", OTHER_DETECTOR),
	SET_IGNORED("scaleway", OTHER_DETECTOR),
	SET_IGNORED("tencent_cvm", OTHER_DETECTOR),
	SET_IGNORED("upcloud", OTHER_DETECTOR),
	SET_IGNORED("vultr", OTHER_DETECTOR),
	SET_END,
};

const struct component resourcedetection_processor = {
	.name = "resourcedetection",
	.aliases = aliases,
	.kind = COMPONENT_PROCESSOR,
	.mutates = true,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Adds attributes of the environment and of the machine to resources.",
	.settings = settings,
	.settings_size = sizeof(struct detection_settings),
	.check = detection_check,
	.create = detection_create,
	.start = detection_start,
	.consume = detection_consume,
	.destroy = detection_destroy,
};
