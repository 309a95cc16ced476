/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: drift_fill DIRECTORY TENANT SERVICE WEEKS SLOTS
 * Puts profiles of a simulated service into the store of the directory: WEEKS of version 1.0, then
 * SLOTS of ten minutes of version 1.1, in which work_2 costs 20 % more. They end less than a day ago,
 * so that samples and seasons are the same at any time. An empty TENANT is the default one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "store/sqlite/sqlite_store.h"
#include "test/drift_store.h"

enum { CHANGED = 2, SEED = 4711 };

static int put_slots(struct store *s, struct drift_stored *of, uint32_t slots)
{
	int rc = 0;

	for (; slots && !rc; slots -= slots < DRIFT_SLOTS_PER_DAY ? slots : DRIFT_SLOTS_PER_DAY)
		rc = drift_store_put(s, of,
				     slots < DRIFT_SLOTS_PER_DAY ? slots : DRIFT_SLOTS_PER_DAY);
	return rc;
}

int main(int argc, char **argv)
{
	struct drift_service_options o = DRIFT_SERVICE_OF_NOTE;
	struct sqlite_store_options store_options = {.directory = argc > 1 ? argv[1] : "",
						     .window_ms = 1};
	struct drift_stored of = {.version = "1.0"};
	uint32_t weeks, slots;
	struct store *store;
	struct err e = {0};
	int rc;

	if (argc != 6) {
		fprintf(stderr, "usage: drift_fill DIRECTORY TENANT SERVICE WEEKS SLOTS\n");
		return 2;
	}
	of.tenant = argv[2];
	of.name = argv[3];
	weeks = (uint32_t)atoi(argv[4]);
	slots = (uint32_t)atoi(argv[5]);
	o.bursts_a_week = o.deploys_a_week = 0;
	drift_service_init(&of.service, &o, SEED);
	of.shift = clock_realtime_ns() / NS_PER_SECOND / DRIFT_SLOT_SECONDS - of.service.slot -
		   slots - weeks * DRIFT_SLOTS_PER_WEEK;
	of.shift -= of.shift % DRIFT_SLOTS_PER_DAY;
	rc = sqlite_store_open(&store, &store_options, &e);
	if (!rc) {
		rc = put_slots(store, &of, weeks * DRIFT_SLOTS_PER_WEEK);
		of.service.step[CHANGED] += log(1.2);
		of.version = "1.1";
		rc = rc ? rc : put_slots(store, &of, slots);
		store->ops->close(store);
	}
	if (rc)
		fprintf(stderr, "drift_fill: %d: %s\n", rc, e.text);
	return rc ? 1 : 0;
}
