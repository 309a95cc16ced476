/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/host.h"

#include "base/buf.h"

int host_init(struct host *h, unsigned threads, size_t memory, const struct log *log, struct err *e)
{
	int rc;

	*h = (struct host){.log = log, .memory.limit = memory};
	listeners_init(&h->listeners);
	senders_init(&h->senders);
	rc = intake_pool_init(&h->intakes, &h->memory);
	return rc ? rc : workers_start(&h->workers, threads, e);
}

void host_fini(struct host *h)
{
	workers_stop(&h->workers);
	listeners_fini(&h->listeners);
	intake_pool_fini(&h->intakes);
	senders_fini(&h->senders);
}

static void put(struct buf *out, const char *name, const char *type, const char *help,
		uint64_t value)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, type, name,
		   (unsigned long long)value);
}

void host_metrics(struct host *h, struct buf *out)
{
	static const struct {
		const char *name, *help;
	} rows[COUNTS] = {
		[COUNT_PROFILES] = {"varve_receiver_accepted_profiles_total", "Profiles kept."},
		[COUNT_SAMPLES] = {"varve_receiver_accepted_profile_samples_total",
				   "Samples of the profiles kept."},
		[COUNT_DUPLICATES] = {"varve_receiver_duplicate_profiles_total",
				      "Profiles that had been kept before: retries."},
		[COUNT_REJECTED] = {"varve_receiver_rejected_profiles_total",
				    "Profiles refused alone, for their labels or types."},
		[COUNT_SPANS] = {"varve_receiver_accepted_spans_total", "Spans kept."},
		[COUNT_REJECTED_SPANS] = {"varve_receiver_rejected_spans_total",
					  "Spans refused alone, for their ids."},
		[COUNT_BAD] = {"varve_receiver_bad_profiles_total",
			       "Profiles or requests that could not be read."},
		[COUNT_FAILED] = {"varve_receiver_failed_total",
				  "Deliveries that may be tried again: overload, the disk."},
		[COUNT_REFUSED] = {"varve_receiver_refused_total",
				   "Requests not let in for want of memory."},
		[COUNT_BYTES] = {"varve_receiver_bytes_total", "Bodies, as they came."},
	};

	for (unsigned i = 0; i < COUNTS; i++)
		put(out, rows[i].name, "counter", rows[i].help, count_get(&h->intakes.counters, i));
	if (h->limits)
		limits_metrics(h->limits, out);
	put(out, "varve_pipeline_decode_queue", "gauge", "Bodies that wait to be decoded.",
	    h->workers.ready ? queue_count(&h->workers.queue, NULL) : 0);
	put(out, "varve_pipeline_memory_bytes", "gauge", "Held by decoded data on its way.",
	    atomic_load(&h->memory.used));
	put(out, "varve_pipeline_memory_limit_bytes", "gauge", "How much that may be.",
	    h->memory.limit);
}
