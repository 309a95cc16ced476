/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_METRIC_METRIC_BATCH_H
#define VARVE_SIGNAL_METRIC_METRIC_BATCH_H

#include "base/container/vec.h"
#include "base/err.h"
#include "signal/metric/metric_labels.h"
#include "signal/metric/native_histogram.h"

/*
 * Decoded metrics as series with samples, the form that Prometheus has: what remote write carries,
 * and what data points of OpenTelemetry become (docs/metrics.md). A sample is a float or a native
 * histogram at a time in milliseconds. A float with the bits NATIVE_STALE_BITS, or a histogram with
 * that sum, is a staleness marker: the series has ended.
 *
 * Text and arrays borrow from the decoded input, or live in the arena. One thread at a time.
 */
enum metric_type {
	METRIC_UNKNOWN,
	METRIC_COUNTER,
	METRIC_GAUGE,
	METRIC_HISTOGRAM,
	METRIC_GAUGE_HISTOGRAM,
	METRIC_SUMMARY,
	METRIC_INFO,
	METRIC_STATESET,
	METRIC_TYPES,
};

/* "unknown", "counter", ..., as Prometheus' API has them. */
extern const char *const metric_type_names[METRIC_TYPES];

/* Text of metadata beyond this is cut off. */
enum { METRIC_HELP_MAX = 1024 };

/* The greatest time of a sample in milliseconds: nanoseconds since 1970 have to fit 63 bits. */
#define METRIC_TIME_MAX (INT64_MAX / 1000000)

static inline bool metric_time_valid(int64_t ms)
{
	return ms > 0 && ms <= METRIC_TIME_MAX;
}

struct metric_sample {
	uint32_t series; /* of the batch */
	int64_t time;	 /* milliseconds since 1970: metric_time_valid() */
	uint64_t bits;	 /* of the double */
};

struct metric_histogram {
	uint32_t series;
	int64_t time;
	struct native_histogram value; /* native_check() passes */
};

struct metric_exemplar {
	uint32_t series;
	int64_t time;
	double value;
	struct str labels; /* metric_labels.h */
};

/* The description of a metric family. */
struct metric_metadata {
	struct str name, help, unit;
	uint8_t type; /* enum metric_type */
};

struct metric_batch {
	struct arena arena;
	struct buf scratch;	/* for decoders */
	VEC(struct str) series; /* metric_labels.h; one may be there several times */
	VEC(struct metric_sample) samples;
	VEC(struct metric_histogram) histograms;
	VEC(struct metric_exemplar) exemplars;
	VEC(struct metric_metadata) metadata;
	uint32_t rejected; /* number of samples and histograms that were dropped */
	char reason[160];  /* why the first of them was */
};

void metric_batch_init(struct metric_batch *b, struct budget *budget);

/* Remove everything; memory is kept for reuse. */
void metric_batch_reset(struct metric_batch *b);

/* Takes the zero value. */
void metric_batch_fini(struct metric_batch *b);

/* Count n dropped samples, with the reason in one line. */
void metric_batch_reject(struct metric_batch *b, uint32_t n, const char *reason, struct str labels);

/*
 * Add a series with these labels, which are sorted in place; the text is copied. Set *series.
 * Return 0 or -ENOMEM; or 1 with *wrong for labels that are refused.
 */
MUST_USE int metric_batch_series(struct metric_batch *b, struct label *labels, uint32_t n,
				 uint32_t *series, const char **wrong);

/* Add a series whose labels metric_batch_series() has made before. Return 0 or -errno. */
MUST_USE int metric_batch_copy_series(struct metric_batch *b, struct str labels, uint32_t *series);

/* Add metadata, whose texts are copied. Return 0 or -ENOMEM. */
MUST_USE int metric_batch_metadata(struct metric_batch *b, struct metric_metadata m);

/* Check the constraints above. 0 or -EINVAL. For tests and fuzzers. */
MUST_USE int metric_batch_check(const struct metric_batch *b, struct err *e);

static inline uint64_t metric_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline double metric_value(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

#endif
