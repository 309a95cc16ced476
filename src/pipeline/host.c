/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/host.h"

int host_init(struct host *h, unsigned threads, size_t memory, const struct log *log, struct err *e)
{
	int rc;

	*h = (struct host){.log = log, .memory.limit = memory};
	listeners_init(&h->listeners);
	rc = intake_pool_init(&h->intakes, &h->memory);
	return rc ? rc : workers_start(&h->workers, threads, e);
}

void host_fini(struct host *h)
{
	workers_stop(&h->workers);
	listeners_fini(&h->listeners);
	intake_pool_fini(&h->intakes);
}
