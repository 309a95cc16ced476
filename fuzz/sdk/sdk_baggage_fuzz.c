/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts from other processes and from options: baggage, whose formatted text is parsed to the same
 * baggage; the header b3; and schedules.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/profile/schedule.h"
#include "sdk/trace/baggage.h"
#include "sdk/trace/propagation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_baggage(const char *text)
{
	static char first[VARVE_BAGGAGE_SIZE], second[VARVE_BAGGAGE_SIZE],
		value[VARVE_BAGGAGE_SIZE];
	struct varve_baggage *b = varve_baggage_parse(text), *again, *changed;
	int n = varve_baggage_format(b, first, sizeof(first));

	if (n < 0 || (b != NULL) != (n > 0))
		abort();
	again = varve_baggage_parse(first);
	if (varve_baggage_format(again, second, sizeof(second)) != n || strcmp(first, second) != 0)
		abort();
	changed = varve_baggage_with(b, "fuzz", text);
	if (changed && strlen(text) < sizeof(value) &&
	    (varve_baggage_get(changed, "fuzz", value, sizeof(value)) != (int)strlen(text) ||
	     strcmp(value, text) != 0))
		abort();
	varve_baggage_release(changed);
	varve_baggage_release(again);
	varve_baggage_release(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct schedule schedule;
	struct varve_context c;
	struct err e = {0};

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	check_baggage(text);
	if (!b3_parse(text, &c) && (!memcmp(c.trace_id, (uint8_t[16]){0}, 16) || c.flags > 1))
		abort();
	if (schedule_read(&schedule, text, &e) && !e.text[0])
		abort();
	free(text);
	return 0;
}
