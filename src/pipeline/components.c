/* SPDX-License-Identifier: Apache-2.0 */
/* The table of components, and how configurations refer to them. */
#include "pipeline/component.h"

#include <errno.h>

#include "pipeline/connectors/count/count_connector.h"
#include "pipeline/connectors/forward/forward_connector.h"
#include "pipeline/connectors/spanmetrics/spanmetrics_connector.h"
#include "pipeline/exporters/debug/debug_exporter.h"
#include "pipeline/exporters/file/file_exporter.h"
#include "pipeline/exporters/loadbalancing/loadbalancing_exporter.h"
#include "pipeline/exporters/nop/nop_exporter.h"
#include "pipeline/exporters/otlp/otlp_exporter.h"
#include "pipeline/exporters/otlphttp/otlphttp_exporter.h"
#include "pipeline/exporters/prometheus/prometheus_exporter.h"
#include "pipeline/exporters/prometheusremotewrite/remote_write_exporter.h"
#include "pipeline/exporters/pyroscope/pyroscope_exporter.h"
#include "pipeline/exporters/store/store_exporter.h"
#include "pipeline/extensions/basicauth/basicauth.h"
#include "pipeline/extensions/bearertokenauth/bearertokenauth.h"
#include "pipeline/extensions/file_storage/file_storage.h"
#include "pipeline/extensions/health_check/health_check.h"
#include "pipeline/extensions/pprof/pprof_extension.h"
#include "pipeline/extensions/zpages/zpages_extension.h"
#include "pipeline/processors/attributes/attributes_processor.h"
#include "pipeline/processors/batch/batch_processor.h"
#include "pipeline/processors/filter/filter_processor.h"
#include "pipeline/processors/memory_limiter/memory_limiter.h"
#include "pipeline/processors/probabilistic_sampler/probabilistic_sampler.h"
#include "pipeline/processors/resource/resource_processor.h"
#include "pipeline/processors/resourcedetection/resourcedetection_processor.h"
#include "pipeline/processors/sanitize/sanitize_processor.h"
#include "pipeline/processors/tail_sampling/tail_sampling.h"
#include "pipeline/processors/transform/transform_processor.h"
#include "pipeline/receivers/filelog/filelog_receiver.h"
#include "pipeline/receivers/hostmetrics/hostmetrics_receiver.h"
#include "pipeline/receivers/httpcheck/httpcheck_receiver.h"
#include "pipeline/receivers/otlp/otlp_receiver.h"
#include "pipeline/receivers/pprof/pprof_receiver.h"
#include "pipeline/receivers/prometheus/prometheus_receiver.h"
#include "pipeline/receivers/prometheusremotewrite/remote_write_receiver.h"
#include "pipeline/receivers/pyroscope/pyroscope_receiver.h"

/* One line for each component. */
/* clang-format off */
const struct component *const components[] = {
	&filelog_receiver,
	&hostmetrics_receiver,
	&httpcheck_receiver,
	&otlp_receiver,
	&pprof_receiver,
	&prometheus_receiver,
	&prometheusremotewrite_receiver,
	&pyroscope_receiver,
	&attributes_processor,
	&batch_processor,
	&memory_limiter_processor,
	&filter_processor,
	&transform_processor,
	&resourcedetection_processor,
	&probabilistic_sampler_processor,
	&tail_sampling_processor,
	&resource_processor,
	&sanitize_processor,
	&debug_exporter,
	&file_exporter,
	&loadbalancing_exporter,
	&nop_exporter,
	&prometheus_exporter,
	&prometheusremotewrite_exporter,
	&otlp_exporter,
	&otlphttp_exporter,
	&pyroscope_exporter,
	&store_exporter,
	&basicauth_extension,
	&bearertokenauth_extension,
	&file_storage_extension,
	&health_check_extension,
	&pprof_extension,
	&zpages_extension,
	&count_connector,
	&forward_connector,
	&spanmetrics_connector,
	NULL,
};
/* clang-format on */

const char *const component_kind_names[COMPONENT_KINDS] = {
	[COMPONENT_RECEIVER] = "receiver",   [COMPONENT_PROCESSOR] = "processor",
	[COMPONENT_EXPORTER] = "exporter",   [COMPONENT_EXTENSION] = "extension",
	[COMPONENT_CONNECTOR] = "connector",
};

bool component_is_called(const struct component *c, struct str name)
{
	if (str_eq(str_from(c->name), name))
		return true;
	for (const char *const *a = c->aliases; a && *a; a++)
		if (str_eq(str_from(*a), name))
			return true;
	return false;
}

const struct extension *component_extension(const struct component_env *env, struct str id,
					    struct err *e)
{
	const char *meant;

	for (uint32_t i = 0; i < env->extension_count; i++)
		if (str_eq(str_from(env->extensions[i].id), id))
			return &env->extensions[i];
	meant = env->extension_count
			? config_suggest(id, &env->extensions[0].id, env->extension_count,
					 sizeof(*env->extensions))
			: NULL;
	err_set(e, -EINVAL,
		"references extension \"%.*s\", which is not listed in service.extensions%s%s%s",
		STR_ARG(id), meant ? "; did you mean \"" : "", meant ? meant : "",
		meant ? "\"?" : "");
	return NULL;
}
