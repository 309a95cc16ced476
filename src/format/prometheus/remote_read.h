/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PROMETHEUS_REMOTE_READ_H
#define VARVE_FORMAT_PROMETHEUS_REMOTE_READ_H

#include "base/container/vec.h"
#include "signal/metric/native_histogram.h"
#include "signal/selector.h"
#include "wire/proto.h"

/*
 * Prometheus' remote read: requests, and the two forms of responses. Bodies are compressed by the
 * caller. Any thread.
 */
enum {
	REMOTE_READ_QUERIES_MAX = 64,
	REMOTE_READ_MATCHERS_MAX = 256, /* of a query */
};

struct remote_read_query {
	int64_t from, to; /* milliseconds, both included */
	/* Borrowed texts; regular expressions are not compiled. */
	VEC(struct matcher) matchers;
};

struct remote_read_request {
	VEC(struct remote_read_query) queries;
	bool chunks;  /* the first accepted type that we know is STREAMED_XOR_CHUNKS */
	bool unknown; /* types are listed, and we know none of them */
};

/* Decode a ReadRequest; arrays are in the arena. Return 0, -ENOMEM or -EBADMSG. */
MUST_USE int remote_read_decode(struct remote_read_request *out, struct str message,
				struct arena *arena, struct err *e);

/* The samples of a series, by time. */
struct remote_read_series {
	const struct label *labels;
	uint32_t label_count, count, histogram_count;
	const int64_t *times, *histogram_times;
	const double *values;
	const struct native_histogram *histograms;
};

/* Append QueryResult.timeseries: one series with all samples. `w` is scratch. */
MUST_USE int remote_read_put_series(struct buf *out, const struct remote_read_series *s,
				    struct proto_writer *w);

/* Append ReadResponse.results: a query's result. */
MUST_USE int remote_read_put_result(struct buf *out, struct str series);

/*
 * Append frames (length, checksum, ChunkedReadResponse) with the chunks of a series, each of about
 * a megabyte at most. `w` is scratch.
 */
MUST_USE int remote_read_put_frames(struct buf *out, const struct remote_read_series *s,
				    uint32_t query, struct proto_writer *w);

#endif
