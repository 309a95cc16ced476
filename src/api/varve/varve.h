/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_VARVE_VARVE_H
#define VARVE_API_VARVE_VARVE_H

#include "api/request.h"

/*
 * The handlers of our own JSON API, /api/v1/..., by path in endpoints.c. docs/openapi.json
 * describes it, and the tests validate every response against that. Private to src/api/varve.
 *
 * Parameters that many handlers share:
 *
 *	query		checkout{env="prod"}, {...}; empty: everything
 *	type		a profile type, or an unambiguous part of it: cpu, inuse_space
 *	from, to	now-1h, RFC 3339, or since 1970 in s, ms, us or ns; default: last hour
 *	file		the id of an opened file to query instead of the store; default range:
 *			all of it
 *	as_of		the version of an earlier response over the same range: use the same
 *			data if it is still cached (query/kept.h)
 *	span, trace, profile
 *			ids in hex, may be repeated
 *	traces		the spans that a TraceQL search finds
 *	children	the spans and all their descendants whose structure is stored
 *	time_from, time_to, phase_step, phase_from, phase_to
 *			only samples with a time in this range: query/time/sample_scan.h
 *	function	stacks that contain this function
 *	call_site	stacks that begin with these frames (repeated, the root first)
 *	group, invert, focus, ignore, hide, show, show_from, ignore_case
 *			as in the commands
 */
api_answer varve_services, varve_types, varve_labels, varve_label_values, varve_label_sets,
	varve_stats, varve_status, varve_profiles;
api_answer varve_top, varve_tree, varve_flame, varve_callers, varve_diff, varve_span, varve_trace,
	varve_sums, varve_findings;
api_answer varve_series, varve_heatmap, varve_profile, varve_delete, varve_upload;
api_answer varve_files, varve_spans, varve_moments, varve_trace_otlp, varve_logs;
api_answer varve_log_counts, varve_logs_otlp;
/* api/drift/drift_answers.c */
api_answer varve_drift;
/* api/dashboards/dashboard_answers.c */
api_answer varve_dashboards, varve_dashboard;
/* api/control/control_answers.c */
api_answer varve_control_get, varve_control_set, varve_control_end, varve_events;
api_answer varve_capture_start, varve_capture_get, varve_capture_profile;
api_answer varve_agent_poll, varve_agent_profile;

#endif
