/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_UNITS_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_UNITS_H

#include "base/buf.h"

/*
 * Units: OpenTelemetry uses UCUM ("By", "m/s"), Prometheus words ("bytes", "meters_per_second").
 */

/*
 * Append the word of a unit, without characters that names cannot have; nothing for "", "1" and
 * units in braces.
 */
void prom_unit_word(struct buf *out, struct str ucum);

/* Append the UCUM unit of a word; the word itself if it is not known. */
void prom_unit_ucum(struct buf *out, struct str word);

#endif
