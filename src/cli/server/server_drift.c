/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/server/server_drift.h"

#include <errno.h>

#include "api/drift/drift_monitor.h"

/*
 * Detectors may use this part of the memory that is divided (memory_shares.h), and queries for them
 * that part; both are borrowed from the rest.
 */
enum { MEMORY_PART = 16, QUERY_PART = 16 };

int server_drift_add(struct server_process *p, struct err *e)
{
	const struct drift_settings *s = &p->current->settings.drift;
	struct drift_monitor_options o = {
		.store = p->host.store,
		.keys = p->data_keys,
		.log = &p->log,
		.memory = memory_shares_remainder(&p->memory) / MEMORY_PART,
		.query_memory = memory_shares_remainder(&p->memory) / QUERY_PART,
		.rest = &p->memory.rest,
		.cpu_percent = (unsigned)s->cpu_percent,
		.delay_ns = s->delay_ns,
		.retention_ns = p->profile_retention_ns,
	};
	struct buf file = {0};
	int rc;

	if (p->options->no_drift || !s->enabled)
		return 0;
	buf_printf(&file, "%s/drift.events", p->data_directory);
	buf_put_char(&file, 0);
	rc = buf_error(&file);
	o.file = file.p;
	if (!rc)
		rc = drift_monitor_new(&p->drift, &o);
	buf_fini(&file);
	return rc ? err_set(e, rc, "out of memory for the detection of drift") : 0;
}

int server_drift_start(struct server_process *p, struct err *e)
{
	return p->drift ? drift_monitor_start(p->drift, e) : 0;
}

void server_drift_stop(struct server_process *p)
{
	drift_monitor_stop(p->drift);
}

void server_drift_remove(struct server_process *p)
{
	drift_monitor_free(p->drift);
	p->drift = NULL;
}
