/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the pprof decoder: errors, and new strings and attributes. */
#include "format/pprof/decode/decoder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum { MAX_FAIL_TEXT = 256 };

int pprof_fail(struct pprof_decoder *d, const void *at, const char *fmt, ...)
{
	char text[MAX_FAIL_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(d->e, -EBADMSG, "at byte %zu: %s", (size_t)((const char *)at - d->in.p),
		       text);
}

int pprof_new_string(struct pprof_decoder *d, struct str s, uint32_t *id)
{
	*id = d->out->strings.n;
	return vec_push(&d->out->arena, &d->out->strings, s);
}

int pprof_new_attribute(struct pprof_decoder *d, struct str key, struct value value, uint32_t *id)
{
	struct attribute row = {.value = value};
	int rc = pprof_new_string(d, key, &row.key);

	*id = d->out->attributes.n;
	return rc ? rc : vec_push(&d->out->arena, &d->out->attributes, row);
}
