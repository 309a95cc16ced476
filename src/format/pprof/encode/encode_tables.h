/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_ENCODE_ENCODE_TABLES_H
#define VARVE_FORMAT_PPROF_ENCODE_ENCODE_TABLES_H

#include "format/pprof/encode/encoder.h"

/*
 * Assign ids to all strings, labels, locations, functions and mappings that rows use. 0 or -errno.
 */
MUST_USE int pprof_plan_tables(struct pprof_encoder *x);

/* Write the planned tables as protobuf, back to front. */
void pprof_write_functions(struct pprof_encoder *x, struct proto_writer *w);
void pprof_write_locations(struct pprof_encoder *x, struct proto_writer *w);
void pprof_write_mappings(struct pprof_encoder *x, struct proto_writer *w);

#endif
