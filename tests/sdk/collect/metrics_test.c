/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics as OTLP and as Prometheus text. */
#include "sdk/collect/metrics.h"

#include "test/test.h"
#include "wire/proto.h"

static struct str part(struct str message, uint32_t field, unsigned index)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		struct str bytes;

		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		bytes = proto_bytes(&r);
		if (!index--)
			return bytes;
	}
	assert_int_equal(r.error, 0);
	return (struct str){0};
}

static uint64_t fixed(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_FIXED64))
			return proto_fixed64(&r);
		proto_skip(&r);
	}
	return 0;
}

static struct str find(struct str scope, const char *name)
{
	struct str metric;

	for (unsigned i = 0; (metric = part(scope, 2, i)).n; i++)
		if (str_eq(part(metric, 1, 0), str_from(name)))
			return metric;
	return (struct str){0};
}

static void encoded_metrics_can_be_decoded(void **state)
{
	const struct keyvalue resource[] = {{STR("service.name"), VALUE_OF_STR(STR("shop"))}};
	struct metric_values v = {.resident = 4096,
				  .switches_voluntary = 3,
				  .switches_involuntary = 5,
				  .own_share = 0.25,
				  .heap_live_objects = 7};
	struct buf out = {0};
	struct str scope, metric, point;
	double share;
	uint64_t bits;

	(void)state;
	assert_ok(metrics_encode(&out, &v, resource, 1, 1000, 2000));
	scope = part(part(buf_str(&out), 1, 0), 2, 0);
	metric = find(scope, "process.memory.usage");
	assert_str_equal(part(metric, 3, 0), STR("By"));
	point = part(part(metric, 5, 0), 1, 0);
	assert_int_equal(fixed(point, 6), 4096);
	assert_int_equal(fixed(point, 3), 2000);
	assert_int_equal(fixed(point, 2), 0);
	metric = find(scope, "process.context_switches");
	point = part(part(metric, 7, 0), 1, 0);
	assert_int_equal(fixed(point, 6), 3);
	assert_int_equal(fixed(point, 2), 1000);
	assert_str_equal(part(part(point, 7, 0), 1, 0), STR("process.context_switch.type"));
	assert_str_equal(part(part(part(point, 7, 0), 2, 0), 1, 0), STR("voluntary"));
	point = part(part(metric, 7, 0), 1, 1);
	assert_int_equal(fixed(point, 6), 5);
	bits = fixed(part(part(find(scope, "varve.profiler.overhead"), 5, 0), 1, 0), 4);
	memcpy(&share, &bits, sizeof(share));
	assert_true(share == 0.25);
	buf_fini(&out);
}

static void the_text_is_in_prometheus_format(void **state)
{
	struct metric_values v = {.resident = 4096, .faults_major = 2, .exports_confirmed = 9};
	struct buf out = {0};

	(void)state;
	assert_ok(metrics_text(&out, &v));
	buf_put_char(&out, 0);
	assert_non_null(strstr(out.p, "# TYPE process_resident_memory_bytes gauge\n"
				      "process_resident_memory_bytes 4096\n"));
	assert_non_null(strstr(out.p, "process_paging_faults_total{type=\"minor\"} 0\n"
				      "process_paging_faults_total{type=\"major\"} 2\n"));
	assert_non_null(strstr(out.p, "varve_exporter_exports_total{result=\"confirmed\"} 9\n"));
	buf_fini(&out);
}

TEST_MAIN(test(encoded_metrics_can_be_decoded), test(the_text_is_in_prometheus_format))
