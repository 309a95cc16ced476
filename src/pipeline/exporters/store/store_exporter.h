/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_STORE_EXPORTER_H
#define VARVE_PIPELINE_STORE_EXPORTER_H

#include "pipeline/component.h"

/* Profiles and spans into the store of this process; done when they are on disk. */
extern const struct component store_exporter;

/* What host->open_store() is given. */
struct store_settings {
	struct str directory;			/* with a NUL behind it */
	uint64_t retention_ns, retention_bytes; /* 0: for ever, without end */
	uint64_t future_ns;			/* times further ahead are refused; 0: none */
	int64_t max_stack_nodes;		/* of a service in a day; 0: any number */
	uint64_t memory_bytes;			/* of caches; 0: the store's choice */
};

#endif
