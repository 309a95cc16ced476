/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_PROMETHEUSREMOTEWRITE_WRITE_ENCODE_H
#define VARVE_PIPELINE_EXPORTERS_PROMETHEUSREMOTEWRITE_WRITE_ENCODE_H

#include "pipeline/exporters/prometheusremotewrite/write_series.h"
#include "wire/proto.h"

/* Writes series as requests of remote write, version 1 (WriteRequest) or 2 (Request). */
struct write_encoding {
	bool version2;
	bool metadata;	  /* version 1: with metadata of the metrics */
	size_t max_bytes; /* of a request, before compression */
};

/*
 * Write a request with the series from `from` on, as many as fit (at least one). Return the index
 * after the last, and the number of samples and histograms in *items. Errors are kept in `out`.
 */
uint32_t write_encode(struct proto_writer *out, const struct write_table *t, uint32_t from,
		      const struct write_encoding *o, uint32_t *items);

#endif
