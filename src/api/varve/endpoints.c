/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of our own API. docs/openapi.json describes each; a test compares the two lists. */
#include "api/endpoint.h"
#include "api/varve/varve.h"

#define GET(path, answer)                                                                          \
	{                                                                                          \
		METHOD_GET, STR_INIT(path), answer, ERRORS_OURS, 0, HTTP_BY_SERVICE                \
	}
/* Reads structures of spans, which are not selected by service. */
#define GET_SPANS(path, answer)                                                                    \
	{                                                                                          \
		METHOD_GET, STR_INIT(path), answer, ERRORS_OURS, 0, 0                              \
	}

const struct endpoint varve_endpoints[] = {
	GET("/api/v1/services", varve_services),
	GET("/api/v1/types", varve_types),
	GET("/api/v1/labels", varve_labels),
	GET("/api/v1/label-values", varve_label_values),
	GET("/api/v1/label-sets", varve_label_sets),
	GET("/api/v1/top", varve_top),
	GET("/api/v1/tree", varve_tree),
	GET("/api/v1/flame", varve_flame),
	GET("/api/v1/callers", varve_callers),
	GET("/api/v1/findings", varve_findings),
	GET("/api/v1/diff", varve_diff),
	GET("/api/v1/sums", varve_sums),
	GET("/api/v1/series", varve_series),
	GET("/api/v1/heatmap", varve_heatmap),
	GET_SPANS("/api/v1/span", varve_span),
	GET_SPANS("/api/v1/trace", varve_trace),
	GET_SPANS("/api/v1/trace/otlp", varve_trace_otlp),
	GET_SPANS("/api/v1/spans", varve_spans),
	GET_SPANS("/api/v1/moments", varve_moments),
	GET("/api/v1/logs", varve_logs),
	GET("/api/v1/logs/counts", varve_log_counts),
	GET("/api/v1/logs/otlp", varve_logs_otlp),
	GET("/api/v1/profiles", varve_profiles),
	GET("/api/v1/profile", varve_profile),
	{METHOD_GET, STR_INIT("/api/v1/stats"), varve_stats, ERRORS_OURS, ENDPOINT_MONITORING,
	 HTTP_OPERATOR},
	{METHOD_GET, STR_INIT("/api/v1/status"), varve_status, ERRORS_OURS, ENDPOINT_MONITORING,
	 HTTP_OPERATOR},
	{METHOD_DELETE, STR_INIT("/api/v1/data"), varve_delete, ERRORS_OURS, 0, HTTP_ADMIN},
	{METHOD_POST, STR_INIT("/api/v1/upload"), varve_upload, ERRORS_OURS, ENDPOINT_UPLOAD, 0},
	GET("/api/v1/dashboards", varve_dashboards),
	{METHOD_GET, STR_INIT(DASHBOARDS_PATH), varve_dashboard, ERRORS_OURS, 0,
	 HTTP_PREFIX | HTTP_BY_SERVICE},
	{METHOD_PUT | METHOD_DELETE, STR_INIT(DASHBOARDS_PATH), varve_dashboard, ERRORS_OURS, 0,
	 HTTP_PREFIX},
	GET("/api/v1/events", varve_events),
	GET("/api/v1/drift", varve_drift),
	{METHOD_GET, STR_INIT("/api/v1/control"), varve_control_get, ERRORS_OURS, 0,
	 HTTP_READS | HTTP_CONTROLS | HTTP_BY_SERVICE},
	{METHOD_POST, STR_INIT("/api/v1/control"), varve_control_set, ERRORS_OURS, 0,
	 HTTP_CONTROLS | HTTP_BY_SERVICE},
	{METHOD_DELETE, STR_INIT("/api/v1/control"), varve_control_end, ERRORS_OURS, 0,
	 HTTP_CONTROLS | HTTP_BY_SERVICE},
	{METHOD_GET, STR_INIT("/api/v1/capture"), varve_capture_get, ERRORS_OURS, 0,
	 HTTP_CONTROLS | HTTP_BY_SERVICE},
	{METHOD_POST, STR_INIT("/api/v1/capture"), varve_capture_start, ERRORS_OURS, 0,
	 HTTP_CONTROLS | HTTP_BY_SERVICE},
	{METHOD_GET, STR_INIT("/api/v1/capture/profile"), varve_capture_profile, ERRORS_OURS, 0,
	 HTTP_CONTROLS | HTTP_BY_SERVICE},
	{METHOD_POST, STR_INIT(API_AGENT_PATHS "poll"), varve_agent_poll, ERRORS_OURS,
	 ENDPOINT_INLINE | ENDPOINT_AGENT, HTTP_BY_SERVICE},
	{METHOD_POST, STR_INIT(API_AGENT_PATHS "profile"), varve_agent_profile, ERRORS_OURS,
	 ENDPOINT_AGENT | ENDPOINT_UPLOAD_PROFILE, HTTP_BY_SERVICE},
	{METHOD_GET | METHOD_POST, STR_INIT("/api/v1/files"), varve_files, ERRORS_OURS,
	 ENDPOINT_UPLOAD, HTTP_READS},
};
const size_t varve_endpoint_count = countof(varve_endpoints);
