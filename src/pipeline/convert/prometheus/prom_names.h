/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_NAMES_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_NAMES_H

#include "base/arena.h"

/* Names of metrics and attributes of OpenTelemetry as names of Prometheus. */
enum prom_strategy {
	PROM_ESCAPE_WITH_SUFFIXES,    /* UnderscoreEscapingWithSuffixes */
	PROM_ESCAPE_WITHOUT_SUFFIXES, /* UnderscoreEscapingWithoutSuffixes */
	PROM_UTF8_WITH_SUFFIXES,      /* NoUTF8EscapingWithSuffixes */
	PROM_NO_TRANSLATION,	      /* NoTranslation */
};

/* Set *out to the strategy of that name; empty: by `suffixes`. Return false if it is unknown. */
bool prom_strategy_find(struct str name, bool suffixes, enum prom_strategy *out);

enum prom_suffix { PROM_SUFFIX_NONE, PROM_SUFFIX_TOTAL, PROM_SUFFIX_GAUGE };

/*
 * Return in *out, in the arena, the name of a metric with this unit. It is empty if nothing is left
 * of it: the metric has to be refused. Return 0 or -ENOMEM.
 */
MUST_USE int prom_metric_name(struct str *out, enum prom_strategy strategy, struct str prefix,
			      struct str name, struct str unit, enum prom_suffix suffix,
			      struct arena *arena);

/* Return in *out the name of a label: `name` itself, or in the arena. Return 0 or -ENOMEM. */
MUST_USE int prom_label_name(struct str *out, enum prom_strategy strategy, struct str name,
			     struct arena *arena);

/* Return whether a name needs no quotes; labels cannot contain `:`. */
bool prom_name_is_plain(struct str name, bool label);

#endif
