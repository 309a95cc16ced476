/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as OTLP logs. What can be decoded is encoded again, and must be the same records. */
#include "format/otlp/logs.h"
#include "fuzz.h"

static void check_same(const struct log_batch *x, const struct log_batch *y)
{
	FUZZ_CHECK(x->logs.n == y->logs.n);
	for (uint32_t i = 0; i < x->logs.n; i++) {
		FUZZ_CHECK(x->logs.at[i].time == y->logs.at[i].time);
		FUZZ_CHECK(str_eq(x->logs.at[i].message, y->logs.at[i].message));
		FUZZ_CHECK(str_eq(x->services.at[x->logs.at[i].resource - 1],
				  y->services.at[y->logs.at[i].resource - 1]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct log_batch b, again;
	struct buf out = {0};
	struct err e = {0};
	int rc;

	log_batch_init(&b, &budget);
	log_batch_init(&again, &budget);
	rc = otlp_logs_decode(&b, str_of((const char *)data, size), &e);
	for (uint32_t i = 0; !rc && i < b.logs.n; i++) {
		struct log_record r, x;
		struct buf message = {0};

		if (log_record_read(&r, b.logs.at[i].message))
			continue;
		log_record_put(&message, &r);
		FUZZ_CHECK(!log_record_read(&x, buf_str(&message)));
		FUZZ_CHECK(x.severity == r.severity && x.time == r.time && x.flags == r.flags);
		FUZZ_CHECK(str_eq(x.body, r.body) && str_eq(x.severity_text, r.severity_text));
		buf_fini(&message);
	}
	if (!rc && !otlp_logs_encode(&out, &b) && !otlp_logs_decode(&again, buf_str(&out), &e))
		check_same(&b, &again);
	buf_fini(&out);
	log_batch_fini(&again);
	log_batch_fini(&b);
	return 0;
}
