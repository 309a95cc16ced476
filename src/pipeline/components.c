/* SPDX-License-Identifier: Apache-2.0 */
/* The table of components. */
#include "pipeline/component.h"
#include "pipeline/exporters/store/store_exporter.h"
#include "pipeline/extensions/file_storage/file_storage.h"
#include "pipeline/processors/memory_limiter/memory_limiter.h"
#include "pipeline/receivers/otlp/otlp_receiver.h"
#include "pipeline/receivers/pyroscope/pyroscope_receiver.h"

const struct component *const components[] = {
	&otlp_receiver,
	&pyroscope_receiver,
	&memory_limiter_processor,
	&store_exporter,
	&file_storage_extension,
	NULL,
};

const char *const component_kind_names[COMPONENT_KINDS] = {
	[COMPONENT_RECEIVER] = "receiver",   [COMPONENT_PROCESSOR] = "processor",
	[COMPONENT_EXPORTER] = "exporter",   [COMPONENT_EXTENSION] = "extension",
	[COMPONENT_CONNECTOR] = "connector",
};
