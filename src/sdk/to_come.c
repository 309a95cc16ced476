/* SPDX-License-Identifier: Apache-2.0 */
/* What other parts of the library will define; each of these goes when its part comes. */
#include <errno.h>
#include <stdlib.h>

#include "sdk/context.h"
#include "sdk/heap.h"
#include "sdk/sdk.h"
#include "sdk/span.h"

#define TO_COME __attribute__((weak))

TO_COME bool span_current_ids(uint8_t trace_id[16], uint8_t span_id[8])
{
	(void)trace_id;
	(void)span_id;
	return false;
}

TO_COME int tracer_start(const struct tracer_options *o, struct err *e)
{
	(void)o;
	(void)e;
	return 0;
}

TO_COME void tracer_stop(void)
{
}

TO_COME int context_publish(const struct keyvalue *resource, uint32_t count, struct err *e)
{
	(void)resource;
	(void)count;
	(void)e;
	return 0;
}

TO_COME void context_withdraw(void)
{
}

TO_COME int heap_start(uint64_t interval)
{
	(void)interval;
	return 0;
}

TO_COME void heap_stop(void)
{
}

TO_COME void heap_each_live(void (*each)(void *arg, const struct heap_block *b), void *arg)
{
	(void)each;
	(void)arg;
}

TO_COME int exporter_new(struct exporter **out, struct sink *sink, const struct exporter_options *o,
			 struct err *e)
{
	(void)out;
	(void)sink;
	(void)o;
	return err_set(e, -ENOSYS, "nothing is sent yet");
}

TO_COME int exporter_put(struct exporter *x, struct export_item *item)
{
	(void)x;
	(void)item;
	return -ENOSYS;
}

TO_COME struct export_item *export_item_new(enum export_signal signal)
{
	(void)signal;
	return NULL;
}

TO_COME void export_item_free(struct export_item *item)
{
	(void)item;
}

TO_COME int exporter_flush(struct exporter *x, uint64_t timeout_ms)
{
	(void)x;
	(void)timeout_ms;
	return 0;
}

TO_COME void exporter_free(struct exporter *x, uint64_t timeout_ms)
{
	(void)x;
	(void)timeout_ms;
}

TO_COME void exporter_before_fork(struct exporter *x)
{
	(void)x;
}

TO_COME void exporter_after_fork(struct exporter *x)
{
	(void)x;
}

TO_COME int exporter_in_child(struct exporter *x)
{
	(void)x;
	return 0;
}

TO_COME void exporter_counters(struct exporter *x, struct varve_delivery *out)
{
	(void)x;
	(void)out;
}

TO_COME bool exporter_wants_pprof(const struct exporter *x)
{
	(void)x;
	return true;
}

TO_COME int exporter_check(struct exporter *x, struct err *e)
{
	(void)x;
	(void)e;
	return -ENOSYS;
}

TO_COME int sink_files(struct sink **out, const char *directory, struct err *e)
{
	(void)out;
	(void)directory;
	(void)e;
	return -ENOSYS;
}

TO_COME int sink_callback(struct sink **out, const struct varve_options *o, struct err *e)
{
	(void)out;
	(void)o;
	(void)e;
	return -ENOSYS;
}

TO_COME int sink_otlp_http(struct sink **out, const char *endpoint, const char *headers,
			   struct err *e)
{
	(void)out;
	(void)endpoint;
	(void)headers;
	(void)e;
	return -ENOSYS;
}

TO_COME int sink_otlp_grpc(struct sink **out, const char *endpoint, const char *headers,
			   struct err *e)
{
	(void)out;
	(void)endpoint;
	(void)headers;
	(void)e;
	return -ENOSYS;
}

TO_COME int sink_pyroscope(struct sink **out, const char *endpoint, const char *headers,
			   const char *service_name, struct err *e)
{
	(void)out;
	(void)endpoint;
	(void)headers;
	(void)service_name;
	(void)e;
	return -ENOSYS;
}
