/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SPECIAL_PATHS_H
#define VARVE_PIPELINE_SPECIAL_PATHS_H

#include "pipeline/ottl/paths/ottl_paths.h"

/* The readers and writers of paths that are no plain fields; see ottl_paths.c. */
ottl_path_reader read_resource_schema, read_scope_schema, read_trace_state, read_span_kind,
	read_span_kind_deprecated, read_event_index, read_metric_type, read_metric_number,
	read_metric_points, read_point_value, read_body_text, read_client_metadata;
ottl_path_writer write_resource_schema, write_scope_schema, write_trace_state, write_span_kind,
	write_metric_number, write_point_value, write_body_text;

#endif
