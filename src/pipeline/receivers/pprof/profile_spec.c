/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and URL of a profile by the rules of Alloy's pyroscope.scrape. */
#include "pipeline/receivers/pprof/profile_spec.h"

#include <errno.h>

#include "base/clock.h"
#include "pipeline/receivers/pprof/profile_delivery.h"

#define PATH_LABEL STR("__profile_path__")
#define PREFIX_LABEL STR("__profile_path_prefix__")

/* Add the port of the scheme to an address without one; [::1] has none. */
static int complete_address(struct prom_labels *l, struct arena *arena)
{
	struct str address = prom_labels_get(l, STR("__address__"));
	size_t colon = str_find_last(address, ':'), bracket = str_find_last(address, ']');
	bool https = str_eq(prom_labels_get(l, STR("__scheme__")), STR("https"));
	struct str whole;
	int rc;

	if (!address.n || (colon < address.n && (bracket == address.n || colon > bracket)))
		return 0;
	rc = arena_printf(arena, &whole, "%.*s:%s", STR_ARG(address), https ? "443" : "80");
	return rc ? rc : prom_labels_set(l, arena, STR("__address__"), whole);
}

/* Set service_name by what discovery has found, else by the job. */
static int default_service(struct prom_labels *l, struct arena *arena)
{
	static const struct str sources[] = {
		STR_INIT("__meta_kubernetes_pod_annotation_pyroscope_io_service_name"),
		STR_INIT("__meta_docker_container_name"),
		STR_INIT("__meta_dockerswarm_container_label_service_name"),
		STR_INIT("__meta_dockerswarm_service_name"),
		STR_INIT("job"),
	};
	struct str space = prom_labels_get(l, STR("__meta_kubernetes_namespace"));
	struct str container = prom_labels_get(l, STR("__meta_kubernetes_pod_container_name"));
	struct str name = prom_labels_get(l, sources[0]);
	int rc = 0;

	if (prom_labels_get(l, STR("service.name")).n)
		return 0;
	if (!name.n && space.n && container.n)
		rc = arena_printf(arena, &name, "%.*s/%.*s", STR_ARG(space), STR_ARG(container));
	for (size_t i = 1; i < countof(sources) && !name.n; i++)
		name = prom_labels_get(l, sources[i]);
	return rc ? rc : target_label_default(l, arena, STR("service_name"), name);
}

static int profile_labels(struct prom_labels *l, const struct pprof_job *job,
			  const struct profile_choice *choice,
			  const struct discovered_target *found, struct arena *arena)
{
	int rc = target_labels_discover(l, &job->http, found, arena);

	if (!rc)
		rc = target_label_default(l, arena, STR("__name__"), choice->name);
	if (!rc)
		rc = target_label_default(l, arena, PATH_LABEL, choice->path);
	return rc ? rc : target_label_default(l, arena, PREFIX_LABEL, job->profiling.path_prefix);
}

/* Let the server record: ?seconds=14, and as much more time for the request. */
static int set_seconds(struct prom_labels *l, const struct pprof_job *job, struct target_spec *out,
		       struct arena *arena)
{
	uint64_t seconds = pprof_job_seconds(job, out->interval_ns);
	struct str text;
	int rc = arena_printf(arena, &text, "%llu", (unsigned long long)seconds);

	out->timeout_ns += seconds * NS_PER_SECOND;
	return rc ? rc : prom_labels_set(l, arena, STR("__param_seconds"), text);
}

/* "/prefix/" and "/debug/pprof/heap" -> "/prefix/debug/pprof/heap" */
static int profile_path(const struct prom_labels *l, struct arena *arena, struct str *out)
{
	struct str prefix = prom_labels_get(l, PREFIX_LABEL), path = prom_labels_get(l, PATH_LABEL);

	while (prefix.n && prefix.p[prefix.n - 1] == '/')
		prefix.n--;
	return arena_printf(arena, out, "%.*s%s%.*s", STR_ARG(prefix),
			    path.n && path.p[0] == '/' ? "" : "/", STR_ARG(path));
}

static int complete_spec(struct target_spec *out, struct prom_labels *l,
			 const struct pprof_job *job, const struct profile_choice *choice,
			 struct arena *arena, struct err *e)
{
	struct str path;
	int rc = target_times_read(out, l, e);

	if (!rc && choice->delta)
		rc = set_seconds(l, job, out, arena);
	if (!rc)
		rc = complete_address(l, arena);
	if (!rc)
		rc = default_service(l, arena);
	if (!rc)
		rc = profile_path(l, arena, &path);
	prom_labels_sort(l);
	if (!rc)
		rc = target_url_make(out, &job->http, l, path, arena, e);
	if (!rc)
		rc = target_labels_keep(out, l, arena);
	if (!rc)
		rc = prom_labels_set(&out->labels, arena, STR("__name__"),
				     prom_labels_get(l, STR("__name__")));
	if (!rc && out->labels.list.n > PROFILE_LABELS_MAX)
		rc = err_set(e, -EINVAL, "%s has more than %d labels", out->url.p,
			     PROFILE_LABELS_MAX);
	return rc ? rc : target_identity_make(out, arena);
}

int profile_spec_make(struct target_spec *out, const struct pprof_job *job,
		      const struct profile_choice *choice, const struct discovered_target *found,
		      struct relabel *relabel, struct arena *arena, struct err *e)
{
	struct prom_labels l = {0};
	int rc = profile_labels(&l, job, choice, found, arena);

	*out = (struct target_spec){0};
	if (rc)
		return rc;
	rc = relabel_apply(relabel, &l, arena, e);
	if (rc <= 0)
		return rc;
	rc = complete_spec(out, &l, job, choice, arena, e);
	return rc ? rc : 1;
}
