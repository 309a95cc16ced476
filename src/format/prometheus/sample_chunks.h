/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PROMETHEUS_SAMPLE_CHUNKS_H
#define VARVE_FORMAT_PROMETHEUS_SAMPLE_CHUNKS_H

#include "signal/metric/native_histogram.h"

/*
 * Chunks of samples in the encodings of Prometheus' storage: XOR for floats, FLOAT_HISTOGRAM for
 * native histograms. Only written, for remote read.
 */
enum { SAMPLE_CHUNK_XOR = 1, SAMPLE_CHUNK_FLOAT_HISTOGRAM = 3, SAMPLE_CHUNK_MAX = 120 };

/* Append a chunk of `n` floats (1 to SAMPLE_CHUNK_MAX). */
void sample_chunk_floats(struct buf *out, const int64_t *times, const double *values, uint32_t n);

/*
 * Append a chunk with the first histograms of `n`: as many as have the same buckets, without a
 * reset of the counter between them. Return their number.
 */
uint32_t sample_chunk_histograms(struct buf *out, const int64_t *times,
				 const struct native_histogram *h, uint32_t n);

#endif
