/* SPDX-License-Identifier: Apache-2.0 */
/* The resources that components share, and their metrics. */
#include "pipeline/host.h"

#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "pipeline/exporters/sender/sender_report.h"
#include "pipeline/exporters/store/store_exporter.h"
#include "pipeline/telemetry/process_metrics.h"
#include "seal/key_ring.h"

enum { WAITING_MAX = 4096 }; /* bodies that wait to be decoded */

/* 0 threads: one for each processor. */
static int start_workers(struct host *h, unsigned threads, struct err *e)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int rc = workers_init(&h->workers, WAITING_MAX);

	if (!threads)
		threads = processors > 0 ? (unsigned)processors : 1;
	while (!rc && h->workers.count < threads && h->workers.count < WORKERS_MAX)
		rc = workers_add(&h->workers, "decode", e);
	return rc;
}

int host_init(struct host *h, unsigned threads, size_t memory, const struct log *log, struct err *e)
{
	int rc;

	*h = (struct host){.log = log, .memory.limit = memory, .started = clock_realtime_ns()};
	senders_init(&h->senders);
	sender_list_init(&h->exporters);
	target_list_init(&h->scrape_targets);
	disk_queue_list_init(&h->queues);
	profiled_traces_init(&h->profiled);
	delivery_traces_init(&h->traces);
	rc = listeners_init(&h->listeners);
	if (!rc)
		rc = telemetry_init(&h->telemetry);
	if (!rc)
		rc = intake_pool_init(&h->intakes, &h->memory);
	if (!rc)
		rc = prom_deltas_init(&h->deltas);
	return rc ? rc : start_workers(h, threads, e);
}

void host_fini(struct host *h)
{
	workers_stop(&h->workers);
	listeners_fini(&h->listeners);
	intake_pool_fini(&h->intakes);
	prom_deltas_fini(&h->deltas);
	senders_fini(&h->senders);
	sender_list_fini(&h->exporters);
	target_list_fini(&h->scrape_targets);
	disk_queue_list_fini(&h->queues);
	profiled_traces_fini(&h->profiled);
	delivery_traces_fini(&h->traces);
	telemetry_fini(&h->telemetry);
	key_ring_unref(h->sender_keys);
}

/* ---- store ---- */

static void put_store_settings(struct buf *out, const struct store_settings *s)
{
	buf_printf(out, "%llu %llu %llu %llu ", (unsigned long long)s->retention_traces_ns,
		   (unsigned long long)s->retention_logs_ns,
		   (unsigned long long)s->retention_metrics_ns,
		   (unsigned long long)s->retention_profiles_ns);
	buf_printf(out, "%llu %llu %llu %lld %lld %llu %.*s\n%.*s",
		   (unsigned long long)s->retention_ns, (unsigned long long)s->retention_bytes,
		   (unsigned long long)s->future_ns, (long long)s->max_stack_nodes,
		   (long long)s->max_series, (unsigned long long)s->memory_bytes,
		   STR_ARG(s->directory), STR_ARG(s->key_file));
}

int host_store_open(struct host *h, const struct store_settings *settings, struct err *e)
{
	struct buf text = {0};
	bool same;
	int rc;

	put_store_settings(&text, settings);
	rc = buf_error(&text);
	same = str_eq(buf_str(&text), buf_str(&h->store_settings));
	if (!rc && !h->store_users)
		rc = h->open_store(h->open_store_arg, settings, &h->store, e);
	else if (!rc && !same)
		rc = err_set(e, -EBUSY,
			     "the settings of an open store cannot change: restart the program");
	if (rc) {
		buf_fini(&text);
		return rc;
	}
	buf_fini(&h->store_settings);
	h->store_settings = text;
	h->store_users++;
	return 0;
}

void host_store_close(struct host *h)
{
	if (--h->store_users)
		return;
	h->store->ops->close(h->store);
	h->store = NULL;
	buf_fini(&h->store_settings);
}

static void put_metric(struct buf *out, const char *name, const char *type, const char *help,
		       uint64_t value)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, type, name,
		   (unsigned long long)value);
}

void host_metrics(struct host *h, struct buf *out, bool suffixes)
{
	static const struct {
		const char *name, *help;
	} rows[COUNTS] = {
		[COUNT_PROFILES] = {"varve_receiver_accepted_profiles_total", "Accepted profiles."},
		[COUNT_SAMPLES] = {"varve_receiver_accepted_profile_samples_total",
				   "Samples of accepted profiles."},
		[COUNT_DUPLICATES] = {"varve_receiver_duplicate_profiles_total",
				      "Retried profiles that were stored before."},
		[COUNT_REJECTED] = {"varve_receiver_rejected_profiles_total",
				    "Profiles refused for their labels, types or times."},
		[COUNT_SPANS] = {"varve_receiver_accepted_spans_total", "Accepted spans."},
		[COUNT_REJECTED_SPANS] = {"varve_receiver_rejected_spans_total",
					  "Spans refused for their ids or times."},
		[COUNT_LOGS] = {"varve_receiver_accepted_log_records_total",
				"Accepted log records."},
		[COUNT_REJECTED_LOGS] = {"varve_receiver_rejected_log_records_total",
					 "Log records refused for their sizes or times."},
		[COUNT_METRIC_SAMPLES] = {"varve_receiver_accepted_metric_samples_total",
					  "Accepted samples of metrics."},
		[COUNT_REJECTED_METRIC_SAMPLES] =
			{"varve_receiver_rejected_metric_samples_total",
			 "Samples of metrics refused for labels, times or the limit of series."},
		[COUNT_BAD] = {"varve_receiver_bad_profiles_total",
			       "Invalid requests and profiles."},
		[COUNT_FAILED] = {"varve_receiver_failed_total",
				  "Deliveries that failed and may be retried (overload, disk)."},
		[COUNT_REFUSED] = {"varve_receiver_refused_total",
				   "Requests refused for a memory or rate limit."},
		[COUNT_BYTES] = {"varve_receiver_bytes_total",
				 "Bytes of request bodies as received."},
	};

	for (unsigned i = 0; i < COUNTS; i++)
		put_metric(out, rows[i].name, "counter", rows[i].help,
			   count_get(&h->intakes.counters, i));
	if (h->limits)
		limits_metrics(h->limits, out);
	put_metric(out, "varve_pipeline_decode_queue", "gauge",
		   "Request bodies waiting to be decoded.", workers_waiting(&h->workers, NULL));
	put_metric(out, "varve_pipeline_memory_bytes", "gauge",
		   "Memory used by decoded data in transit.", atomic_load(&h->memory.used));
	put_metric(out, "varve_pipeline_memory_limit_bytes", "gauge",
		   "Memory limit of decoded data in transit.", h->memory.limit);
	process_metrics(out, h->started, suffixes ? "_total" : "");
	sender_report_metrics(&h->exporters, out);
	if (suffixes)
		telemetry_write_suffixed(&h->telemetry, out);
	else
		telemetry_write(&h->telemetry, out);
}
