/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of Prometheus' API. */
#include "api/endpoint.h"
#include "api/prometheus/prometheus_request.h"

#define READS(path, answer, flags)                                                                 \
	{                                                                                          \
		METHOD_GET | METHOD_POST, STR_INIT(path), answer, ERRORS_PROMETHEUS, 0,            \
			HTTP_READS | (flags)                                                       \
	}

/* Of the server, not of data: needs no tenant. */
#define SERVER(path, answer)                                                                       \
	{                                                                                          \
		METHOD_GET, STR_INIT(path), answer, ERRORS_PROMETHEUS, 0,                          \
			HTTP_READS | HTTP_OPERATOR                                                 \
	}

#define HEALTH(path, answer)                                                                       \
	{                                                                                          \
		METHOD_GET, STR_INIT(path), answer, ERRORS_PROMETHEUS, ENDPOINT_INLINE, HTTP_OPEN  \
	}

const struct endpoint prometheus_endpoints[] = {
	READS(PROMETHEUS_API "query", prometheus_query, 0),
	READS(PROMETHEUS_API "query_range", prometheus_query_range, 0),
	READS(PROMETHEUS_API "query_exemplars", prometheus_query_exemplars, 0),
	READS(PROMETHEUS_API "format_query", prometheus_format_query, 0),
	READS(PROMETHEUS_API "parse_query", prometheus_parse_query, 0),
	READS(PROMETHEUS_API "labels", prometheus_labels, 0),
	READS(PROMETHEUS_API "label/", prometheus_label_values, HTTP_PREFIX),
	READS(PROMETHEUS_API "series", prometheus_series, 0),
	READS(PROMETHEUS_API "metadata", prometheus_metadata, 0),
	READS(PROMETHEUS_API "rules", prometheus_rules, 0),
	READS(PROMETHEUS_API "alerts", prometheus_alerts, 0),
	READS(PROMETHEUS_API "alertmanagers", prometheus_alertmanagers, 0),
	READS(PROMETHEUS_API "status/tsdb", prometheus_tsdb_status, 0),
	{METHOD_POST, STR_INIT(PROMETHEUS_API "read"), prometheus_read, ERRORS_PROMETHEUS, 0,
	 HTTP_READS},
	READS(PROMETHEUS_PREFIX "/federate", prometheus_federate, 0),
	SERVER(PROMETHEUS_API "status/buildinfo", prometheus_build_info),
	SERVER(PROMETHEUS_API "status/runtimeinfo", prometheus_runtime_info),
	SERVER(PROMETHEUS_API "status/config", prometheus_config),
	SERVER(PROMETHEUS_API "status/flags", prometheus_flags),
	SERVER(PROMETHEUS_API "status/walreplay", prometheus_wal_replay),
	SERVER(PROMETHEUS_API "targets", prometheus_targets),
	SERVER(PROMETHEUS_API "targets/metadata", prometheus_target_metadata),
	SERVER(PROMETHEUS_API "scrape_pools", prometheus_scrape_pools),
	HEALTH(PROMETHEUS_PREFIX "/-/healthy", prometheus_healthy),
	HEALTH(PROMETHEUS_PREFIX "/-/ready", prometheus_ready),
	/* without the prefix, what our own API does not have */
	READS("/api/v1/query", prometheus_query, 0),
	READS("/api/v1/query_range", prometheus_query_range, 0),
	READS("/api/v1/query_exemplars", prometheus_query_exemplars, 0),
	READS("/api/v1/format_query", prometheus_format_query, 0),
	READS("/api/v1/parse_query", prometheus_parse_query, 0),
	READS("/api/v1/metadata", prometheus_metadata, 0),
	READS("/api/v1/rules", prometheus_rules, 0),
	READS("/api/v1/alerts", prometheus_alerts, 0),
	READS("/api/v1/alertmanagers", prometheus_alertmanagers, 0),
	{METHOD_POST, STR_INIT("/api/v1/read"), prometheus_read, ERRORS_PROMETHEUS, 0, HTTP_READS},
	READS("/api/v1/status/buildinfo", prometheus_build_info, 0),
};
const size_t prometheus_endpoint_count = countof(prometheus_endpoints);
