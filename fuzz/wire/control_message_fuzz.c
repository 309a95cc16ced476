/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of control: each is refused with a reason, or within its limits; what is written of
 * it is read back as the same.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "wire/control_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_report(struct str in)
{
	struct control_report r, again;
	struct err e = {0};
	struct buf out = {0};

	if (control_report_decode(&r, in, &e)) {
		if (!e.text[0])
			abort();
		return;
	}
	if (!r.instance.n || r.service.n > CONTROL_NAME_MAX || r.max_cpu_hz > CONTROL_HZ_MAX)
		abort();
	if (control_report_encode(&out, &r) || control_report_decode(&again, buf_str(&out), &e))
		abort();
	if (!str_eq(again.service, r.service) || again.lease != r.lease || again.pid != r.pid)
		abort();
	buf_fini(&out);
}

static void check_order(struct str in)
{
	struct control_order o, again;
	struct err e = {0};
	struct buf out = {0};

	if (control_order_decode(&o, in, &e)) {
		if (!e.text[0])
			abort();
		return;
	}
	if (control_order_encode(&out, &o) || control_order_decode(&again, buf_str(&out), &e))
		abort();
	if (again.lease != o.lease || again.remaining_ms != o.remaining_ms)
		abort();
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size);

	check_report(in);
	check_order(in);
	return 0;
}
