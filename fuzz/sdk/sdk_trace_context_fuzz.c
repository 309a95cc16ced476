/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A traceparent and, after a newline, a tracestate: an accepted context is formatted as the same
 * text.
 */
#include <stdlib.h>

#include "sdk/trace/span_w3c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *state, out[VARVE_TRACEPARENT_SIZE];
	struct varve_context c, again;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	state = strchr(text, '\n');
	if (state)
		*state++ = 0;
	if (!varve_context_parse(&c, text, state)) {
		if (varve_context_format(&c, out) || memcmp(out + 3, text + 3, 52) != 0)
			__builtin_trap();
		if (varve_context_parse(&again, out, c.trace_state) ||
		    strcmp(again.trace_state, c.trace_state) != 0 || again.flags != c.flags)
			__builtin_trap();
	}
	free(text);
	return 0;
}
