/* SPDX-License-Identifier: Apache-2.0 */
/* Formatting of errors into a fixed buffer; no allocation. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Errors quote untrusted input: replace control characters, which a terminal would interpret. */
static void make_printable(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
}

int(err_set)(struct err *e, int code, const char *fmt, ...)
{
	va_list args;

	if (!e || e->code)
		return code;
	e->code = code;
	va_start(args, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	make_printable(e->text);
	return code;
}

void err_prefix(struct err *e, const char *fmt, ...)
{
	char prefix[ERR_TEXT_MAX], text[ERR_TEXT_MAX];
	va_list args;

	if (!e)
		return;
	va_start(args, fmt);
	vsnprintf(prefix, sizeof(prefix), fmt, args);
	va_end(args);
	make_printable(prefix);
	memcpy(text, e->text, sizeof(text));
	snprintf(e->text, sizeof(e->text), "%.200s: %.*s", prefix, ERR_TEXT_MAX - 210, text);
}

int(err_errno)(struct err *e, int code, const char *doing)
{
	if (code == -ENOMEM)
		return err_set(e, code, "%s: out of memory, or over the memory limit", doing);
	return err_set(e, code, "%s: %s", doing, strerror(-code));
}
