/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_SERIES_CACHE_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_SERIES_CACHE_H

#include "base/container/intern.h"

/*
 * The label sets of series that were made from the same bytes before: points of a series have the
 * same attributes in every message. The key is everything of which the labels are made, as bytes;
 * keys are compared, so that equal hashes do no harm. The cache has at most PROM_CACHE_BYTES, then
 * it begins anew; if it was of little use, it rests for a while. One thread at a time.
 */
enum { PROM_CACHE_NONE = UINT32_MAX };
#define PROM_CACHE_BYTES (4 * MIB)

struct prom_series_cache {
	struct budget *budget; /* of the arena; set by the owner, may be NULL */
	struct arena arena;
	struct intern keys;
	VEC(struct str) series; /* metric_labels.h, by the id of the key; empty: not known */
	size_t bytes;
	uint32_t hits, rest;
	bool ready;
};

/* The zero value is an empty cache. */
void prom_series_cache_fini(struct prom_series_cache *c);

/*
 * Return the labels of a key, valid until the next call; or the empty string, and in *id what
 * prom_series_cache_put() needs (PROM_CACHE_NONE: it is not to be called).
 */
struct str prom_series_cache_find(struct prom_series_cache *c, struct str key, uint32_t *id);

/* Keep the labels of the key of the last lookup. */
void prom_series_cache_put(struct prom_series_cache *c, uint32_t id, struct str labels);

#endif
