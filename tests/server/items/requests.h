/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_SERVER_ITEMS_REQUESTS_H
#define VARVE_TESTS_SERVER_ITEMS_REQUESTS_H

#include "base/buf.h"
#include "signal/signal_kind.h"

/*
 * Requests whose items can be recognized wherever they arrive: the time of an item (start of a
 * span, time of a data point or log record, time of a profile) is a base, plus the number of its
 * request times ITEMS_PER_REQUEST_MAX, plus its index in the request, in nanoseconds.
 */
enum { ITEMS_PER_REQUEST_MAX = 1 << 14 };

/* An encoded request, with the offsets of the times of its items. */
struct item_request {
	struct buf bytes;
	uint32_t *offsets;
	/* spans, data points, log records or samples in it, and times */
	uint32_t items, times;
};

/*
 * Make a request with `items` items of usual size: spans of 315 bytes with six attributes, data
 * points of 156 bytes, log records of 250 bytes; or one profile with so many samples. The service
 * is "items". Exits on an error.
 */
void item_request_make(struct item_request *r, enum signal_kind signal, uint32_t items);
void item_request_fini(struct item_request *r);

/* Give the items the times of request `number`. */
void item_request_number(struct item_request *r, uint64_t base, uint64_t number);

/*
 * Call `seen` with the time of each item of an OTLP message (of a profile: once, with the number of
 * its samples). Return false if the message is damaged.
 */
bool item_times(enum signal_kind signal, struct str message,
		void (*seen)(void *arg, uint64_t time, uint64_t items), void *arg);

#endif
