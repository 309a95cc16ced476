/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring: a point is at the CRC-32 of the endpoint and the number of the point. Points that
 * collide move on by a few positions, in an order that does not depend on that of the endpoints.
 */
#include "pipeline/exporters/loadbalancing/hash_ring.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>

enum { PROBES_MAX = 10 };

struct ring_candidate {
	uint32_t position, hash;
	const char *name;
	uint32_t endpoint;
};

static int candidate_cmp(const void *a, const void *b)
{
	const struct ring_candidate *one = a, *two = b;

	if (one->position != two->position)
		return one->position < two->position ? -1 : 1;
	if (one->hash != two->hash)
		return one->hash < two->hash ? -1 : 1;
	return strcmp(one->name, two->name);
}

static int point_cmp(const void *a, const void *b)
{
	const struct ring_point *one = a, *two = b;

	return (one->position > two->position) - (one->position < two->position);
}

static void make_candidates(struct ring_candidate *to, const char *name, uint32_t endpoint)
{
	uint32_t base = libdeflate_crc32(0, name, strlen(name));

	for (uint32_t i = 0; i < RING_WEIGHT; i++) {
		unsigned char number[4] = {(unsigned char)i, (unsigned char)(i >> 8),
					   (unsigned char)(i >> 16), (unsigned char)(i >> 24)};
		uint32_t hash = libdeflate_crc32(base, number, sizeof(number));

		to[i] = (struct ring_candidate){hash % RING_POSITIONS, hash, name, endpoint};
	}
}

/* Place the candidates in order. */
static void place_candidates(struct hash_ring *r, const struct ring_candidate *c, size_t n,
			     bool *taken)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t position = c[i].position;
		unsigned probes = 0;

		for (; taken[position] && probes < PROBES_MAX; probes++)
			position = (position + 1) % RING_POSITIONS;
		if (probes == PROBES_MAX)
			continue;
		taken[position] = true;
		r->points[r->count++] = (struct ring_point){position, c[i].endpoint};
	}
	qsort(r->points, r->count, sizeof(*r->points), point_cmp);
}

int hash_ring_init(struct hash_ring *r, const char *const *endpoints, uint32_t count)
{
	size_t n = (size_t)count * RING_WEIGHT;
	struct ring_candidate *candidates = calloc(n + 1, sizeof(*candidates));
	bool *taken = calloc(RING_POSITIONS, sizeof(*taken));

	*r = (struct hash_ring){.points = calloc(n + 1, sizeof(*r->points))};
	if (!candidates || !taken || !r->points) {
		free(candidates);
		free(taken);
		hash_ring_fini(r);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		make_candidates(candidates + (size_t)i * RING_WEIGHT, endpoints[i], i);
	qsort(candidates, n, sizeof(*candidates), candidate_cmp);
	place_candidates(r, candidates, n, taken);
	free(candidates);
	free(taken);
	return 0;
}

void hash_ring_fini(struct hash_ring *r)
{
	free(r->points);
	*r = (struct hash_ring){0};
}

uint32_t hash_ring_find(const struct hash_ring *r, struct str key)
{
	uint32_t position = libdeflate_crc32(0, key.n ? key.p : "", key.n) % RING_POSITIONS;
	uint32_t low = 0, high = r->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->points[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return r->points[low == r->count ? 0 : low].endpoint;
}
