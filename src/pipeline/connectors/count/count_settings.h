/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_COUNT_SETTINGS_H
#define VARVE_PIPELINE_CONNECTORS_COUNT_SETTINGS_H

#include "config/settings.h"
#include "pipeline/ottl/ottl.h"
#include "pipeline/processors/setting_value.h"

/* What the connector count counts: for each kind of item, metrics with conditions and attributes. */
enum count_kind {
	COUNTED_SPANS,
	COUNTED_SPAN_EVENTS,
	COUNTED_METRICS,
	COUNTED_DATA_POINTS,
	COUNTED_LOGS,
	COUNTED_PROFILES,
	COUNTED_KINDS,
};

/* An attribute of the item, its scope or its resource. */
struct count_attribute {
	struct str key;
	struct setting_value fallback; /* default_value; not set: items without it do not count */
};

struct count_attributes {
	const struct count_attribute *at;
	uint32_t n;
};

struct count_metric {
	struct str name, description;
	const struct config_node *conditions; /* NULL: all items */
	struct count_attributes attributes;
};

struct count_metrics {
	const struct count_metric *at;
	uint32_t n;
	bool set; /* else: the default metric */
};

struct count_settings {
	struct count_metrics kinds[COUNTED_KINDS];
};

enum { COUNT_METRICS_MAX = 256, COUNT_ATTRIBUTES_MAX = 64 };

/* The table of kinds. */
struct count_kind_def {
	const char *key; /* in the configuration */
	enum signal_kind signal;
	enum ottl_context context;
	struct count_metric usual; /* without a configuration */
};
extern const struct count_kind_def count_kinds[COUNTED_KINDS];

extern const struct setting count_table[];

/* Return the metrics of a kind: those that are configured, or the default one. */
struct count_metrics count_metrics_of(const struct count_settings *s, enum count_kind kind);

#endif
