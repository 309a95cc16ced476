/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_MEMORY_SHARES_H
#define VARVE_CLI_SERVER_MEMORY_SHARES_H

#include "base/budget.h"
#include "config/config.h"

/*
 * How the parts of the server share the memory limit (limit_mib of memory_limiter). The program
 * itself takes a fixed part first. Each consumer of the remainder has an upper bound, of which a
 * part is reserved for it; what it uses beyond that is borrowed from a common budget, `rest`, first
 * come, first served. In sixteenths of the remainder:
 *
 *	                          upper bound   reserved
 *	network                             4          2   (connections, requests, unsent responses)
 *	data in transit                4 or 2          1   (host.memory)
 *	writer of the store                 4          4
 *	cache of the store's readers        2          1
 *	compaction                          1          1
 *	queries                             8          3
 *	drift: detectors                    1          0
 *	drift: queries                      1          0
 *	rest                                3
 *
 * Reserved parts and `rest` are 15 sixteenths, so that all consumers together never use more than
 * there is; the last sixteenth is for fragmentation in the allocator.
 *
 * Without a store, the queues of exporters may hold most of the memory:
 *
 *	network                             4          2
 *	data in transit                    12          9
 *	rest                                3
 */
struct memory_shares {
	uint64_t limit;
	bool stores; /* some exporter is a store */
	struct budget rest;
};

/* With a lower limit nothing would remain for data, and every write would be refused. */
#define MEMORY_SHARES_LEAST (48 * MIB)

/* Return the limit of the processor memory_limiter, or its default. */
uint64_t memory_shares_configured(const struct config *c);

/* Return whether a configuration has the exporter `store`. */
bool memory_shares_has_store(const struct config *c);

/*
 * Divide this limit, and adjust the allocator to it. Return 0, or -EINVAL if it is less than
 * MEMORY_SHARES_LEAST. `m` must not be moved afterwards.
 */
MUST_USE int memory_shares_init(struct memory_shares *m, uint64_t limit, bool stores,
				struct err *e);

/* Return the limit without the memory of the program itself. */
uint64_t memory_shares_remainder(const struct memory_shares *m);

/* Return the upper bound of the network. Above 3/4 of it, the largest connections are closed. */
uint64_t memory_shares_network(const struct memory_shares *m);

/*
 * Return the upper bound of data in transit. The store takes it over soon, but if the limit
 * permits, one message of 64 MiB should fit.
 */
uint64_t memory_shares_transit(const struct memory_shares *m);

/* Return the part of it that is reserved. */
uint64_t memory_shares_transit_own(const struct memory_shares *m);

/* Return freed memory from the allocator to the system if it is a large part of the limit. */
void memory_shares_trim(const struct memory_shares *m);

#endif
