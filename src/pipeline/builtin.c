/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in configurations, as YAML text. */
#include "pipeline/builtin.h"

#include <stddef.h>
#include <string.h>

/* Port 4040 for all of Pyroscope's protocols, including OTLP, and the two standard OTLP ports. */
static const char server[] =
	"receivers:\n"
	"  otlp:\n"
	"    protocols:\n"
	"      grpc:\n"
	"        endpoint: 127.0.0.1:4317\n"
	"      http:\n"
	"        endpoint: 127.0.0.1:4318\n"
	"  otlp/pyroscope:\n"
	"    protocols:\n"
	"      grpc:\n"
	"        endpoint: 127.0.0.1:4040\n"
	"      http:\n"
	"        endpoint: 127.0.0.1:4040\n"
	"  pyroscope:\n"
	"    endpoint: 127.0.0.1:4040\n"
	"  prometheusremotewrite:\n"
	"    endpoint: 127.0.0.1:4040\n"
	"processors:\n"
	"  memory_limiter:\n"
	"    check_interval: 1s\n"
	"    limit_mib: 0\n"
	"  sanitize:\n"
	"exporters:\n"
	"  store:\n"
	"    directory: ./varve-data\n"
	"connectors:\n"
	"  spanmetrics:\n"
	"    namespace: traces.spanmetrics\n"
	"    histogram:\n"
	"      unit: s\n"
	"    exemplars:\n"
	"      enabled: true\n"
	"      max_per_data_point: 1\n"
	"    metrics_flush_interval: 15s\n"
	"    series_expiration: 1h\n"
	"    metrics_expiration: 1h\n"
	"    aggregation_cardinality_limit: 1000\n"
	"service:\n"
	"  api:\n"
	"    endpoint: 127.0.0.1:4040\n"
	"  pipelines:\n"
	"    profiles:\n"
	"      receivers: [otlp, otlp/pyroscope, pyroscope]\n"
	"      processors: [memory_limiter, sanitize]\n"
	"      exporters: [store]\n"
	"    traces:\n"
	"      receivers: [otlp, otlp/pyroscope]\n"
	"      processors: [memory_limiter, sanitize]\n"
	"      exporters: [store, spanmetrics]\n"
	"    logs:\n"
	"      receivers: [otlp, otlp/pyroscope]\n"
	"      processors: [memory_limiter, sanitize]\n"
	"      exporters: [store]\n"
	"    metrics:\n"
	"      receivers: [otlp, otlp/pyroscope, prometheusremotewrite, spanmetrics]\n"
	"      processors: [memory_limiter, sanitize]\n"
	"      exporters: [store]\n";

const struct builtin builtins[] = {
	{"up", "everything in one process", server},
	{"server", "receive, store and query", server},
	{NULL, NULL, NULL},
};

const struct builtin *builtin_find(const char *name)
{
	for (const struct builtin *b = builtins; b->name; b++)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
}
