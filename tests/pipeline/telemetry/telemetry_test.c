/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of the components' metrics: one value per name and labels, and the text format. */
#include "pipeline/telemetry/telemetry.h"

#include "test/test.h"

static void metrics_of_one_name_are_written_together(void **state)
{
	static const struct telemetry_label a[] = {{"exporter", "otlp"}, {"data_type", "traces"}};
	static const struct telemetry_label b[] = {{"exporter", "a\"b\\c\nd"}};
	struct telemetry t;
	struct telemetry_value *one, *other;
	struct buf out = {0};

	(void)state;
	assert_ok(telemetry_init(&t));
	one = telemetry_get(&t, TELEMETRY_COUNTER, "otelcol_sent", "Sent.", a, 2);
	telemetry_set(telemetry_get(&t, TELEMETRY_GAUGE, "otelcol_size", "Size.", NULL, 0), 7);
	other = telemetry_get(&t, TELEMETRY_COUNTER, "otelcol_sent", "Sent.", b, 1);
	assert_ptr_not_equal(one, other);
	assert_ptr_equal(one, telemetry_get(&t, TELEMETRY_COUNTER, "otelcol_sent", "", a, 2));
	telemetry_add(one, 2);
	telemetry_add(one, 3);
	telemetry_write(&t, &out);
	assert_str_equal(buf_str(&out),
			 STR("# HELP otelcol_sent Sent.\n# TYPE otelcol_sent counter\n"
			     "otelcol_sent{exporter=\"otlp\",data_type=\"traces\"} 5\n"
			     "otelcol_sent{exporter=\"a\\\"b\\\\c\\nd\"} 0\n"
			     "# HELP otelcol_size Size.\n# TYPE otelcol_size gauge\n"
			     "otelcol_size 7\n"));
	buf_fini(&out);
	telemetry_fini(&t);
}

static void histograms_are_cumulative(void **state)
{
	static const double bounds[] = {0.5, 10};
	struct telemetry t;
	struct telemetry_histogram *h;
	struct buf out = {0};

	(void)state;
	assert_ok(telemetry_init(&t));
	h = telemetry_histogram(&t, "otelcol_batch", "Batch.", bounds, 2, NULL, 0);
	telemetry_observe(h, 0.5);
	telemetry_observe(h, 1);
	telemetry_observe(h, 11);
	telemetry_write(&t, &out);
	assert_str_equal(buf_str(&out),
			 STR("# HELP otelcol_batch Batch.\n# TYPE otelcol_batch histogram\n"
			     "otelcol_batch_bucket{le=\"0.5\"} 1\n"
			     "otelcol_batch_bucket{le=\"10\"} 2\n"
			     "otelcol_batch_bucket{le=\"+Inf\"} 3\n"
			     "otelcol_batch_sum 12.5\notelcol_batch_count 3\n"));
	buf_fini(&out);
	telemetry_fini(&t);
}

static void counters_can_have_a_suffix(void **state)
{
	struct telemetry t;
	struct buf out = {0};

	(void)state;
	assert_ok(telemetry_init(&t));
	telemetry_add(telemetry_get(&t, TELEMETRY_COUNTER, "otelcol_sent", "Sent.", NULL, 0), 3);
	telemetry_set(telemetry_get(&t, TELEMETRY_GAUGE, "otelcol_size", "Size.", NULL, 0), 4);
	telemetry_write_suffixed(&t, &out);
	assert_str_equal(
		buf_str(&out),
		STR("# HELP otelcol_sent_total Sent.\n# TYPE otelcol_sent_total counter\n"
		    "otelcol_sent_total 3\n"
		    "# HELP otelcol_size Size.\n# TYPE otelcol_size gauge\notelcol_size 4\n"));
	buf_fini(&out);
	telemetry_fini(&t);
}

TEST_MAIN(test(counters_can_have_a_suffix), test(metrics_of_one_name_are_written_together),
	  test(histograms_are_cumulative))
