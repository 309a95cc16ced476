/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the items of output files by their number. The state is one byte for each item of each
 * request: how often it arrived.
 */
#include "items/count.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "items/requests.h"

enum { COUNT_REQUESTS_MAX = 1 << 20 };

struct counted {
	enum signal_kind signal;
	uint64_t base;
	uint32_t per_request;
	uint8_t *seen; /* by request and item; for profiles, by request */
	uint32_t requests;
	uint64_t items, foreign;
};

static bool counted_grow(struct counted *c, uint64_t request)
{
	uint32_t room = c->requests;
	uint8_t *seen;

	if (request < room)
		return true;
	if (request >= COUNT_REQUESTS_MAX)
		return false;
	while (room <= request)
		room = room ? room * 2 : 1024;
	seen = realloc(c->seen, (size_t)room * c->per_request);
	if (!seen) {
		fprintf(stderr, "items: out of memory\n");
		exit(2);
	}
	memset(seen + (size_t)c->requests * c->per_request, 0,
	       (size_t)(room - c->requests) * c->per_request);
	c->seen = seen;
	c->requests = room;
	return true;
}

static void count_item(void *arg, uint64_t time, uint64_t items)
{
	struct counted *c = arg;
	uint64_t request = (time - c->base) / ITEMS_PER_REQUEST_MAX,
		 index = (time - c->base) % ITEMS_PER_REQUEST_MAX;
	uint8_t *at;

	if (time < c->base || index >= c->per_request || !counted_grow(c, request)) {
		c->foreign += items;
		return;
	}
	at = &c->seen[request * c->per_request + index];
	*at = (uint8_t)(*at + (*at < UINT8_MAX));
	c->items += items;
}

/* Read the messages of one file; a torn message at its end is left out. */
static int count_output(struct counted *c, const char *path)
{
	FILE *f = fopen(path, "r");
	struct buf message = {0};
	uint32_t size;
	int rc = 0;

	if (!f) {
		perror(path);
		return 2;
	}
	while (!rc && fread(&size, sizeof(size), 1, f) == 1) {
		char *at;

		size = ntohl(size);
		buf_clear(&message);
		at = buf_reserve(&message, size);
		if (!at || fread(at, 1, size, f) != size)
			break;
		if (!item_times(c->signal, str_of(at, size), count_item, c)) {
			fprintf(stderr, "items: %s: a damaged message\n", path);
			rc = 2;
		}
	}
	buf_fini(&message);
	fclose(f);
	return rc;
}

struct comparison {
	uint64_t acknowledged, lost, twice;
};

/* A profile arrives as a whole: only its first item is counted. */
static uint32_t items_seen(const struct counted *c)
{
	return c->signal == SIGNAL_PROFILES ? 1 : c->per_request;
}

static int compare_acknowledged(const struct counted *c, const char *path, struct comparison *out)
{
	FILE *f = fopen(path, "r");
	uint64_t request;

	if (!f) {
		perror(path);
		return 2;
	}
	while (fscanf(f, "%" SCNu64, &request) == 1) {
		out->acknowledged += c->per_request;
		for (uint32_t i = 0; i < items_seen(c); i++)
			if (request >= c->requests || !c->seen[request * c->per_request + i])
				out->lost += c->signal == SIGNAL_PROFILES ? c->per_request : 1;
	}
	fclose(f);
	return 0;
}

int items_count(enum signal_kind signal, uint64_t base, uint32_t per_request,
		const char *acknowledged, char *const *outputs, int output_count)
{
	struct counted c = {.signal = signal, .base = base, .per_request = per_request};
	struct comparison result = {0};
	int rc = 0;

	for (int i = 0; i < output_count && !rc; i++)
		rc = count_output(&c, outputs[i]);
	for (size_t i = 0; i < (size_t)c.requests * c.per_request; i++)
		if (c.seen[i] > 1)
			result.twice += c.seen[i] - 1u;
	if (!rc && acknowledged)
		rc = compare_acknowledged(&c, acknowledged, &result);
	if (!rc)
		printf("{\"acknowledged\": %" PRIu64 ", \"arrived\": %" PRIu64
		       ", \"lost\": %" PRIu64 ", \"twice\": %" PRIu64 ", \"foreign\": %" PRIu64
		       "}\n",
		       result.acknowledged, c.items, result.lost, result.twice, c.foreign);
	free(c.seen);
	return rc ? rc : result.lost > 0;
}
