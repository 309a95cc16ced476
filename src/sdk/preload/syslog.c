/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syslog(3) as logs: with VARVE_SYSLOG=1, which `varve run --logs` sets, each message is also a log
 * record with the ids of the current span. The message itself is passed on unchanged.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdk/attributes.h"
#include "sdk/hook/guest.h"
#include "sdk/logs/log_records.h"
#include "varve/varve.h"

/* syslog.h is not included: it would declare the functions that are defined here as inline. */
enum { PRIORITY_MASK = 7, FACILITY_SHIFT = 3, FACILITIES = 24 };

VARVE_API void syslog(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));
VARVE_API void vsyslog(int priority, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
VARVE_API void __syslog_chk(int priority, int flag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
VARVE_API void __vsyslog_chk(int priority, int flag, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

/* The next definitions, looked up at start. */
static struct {
	void (*plain)(int priority, const char *format, va_list args);
	void (*checked)(int priority, int flag, const char *format, va_list args);
	bool bridge;
} next;

__attribute__((constructor(101))) static void find_next_syslog(void)
{
	const char *wanted = getenv("VARVE_SYSLOG");
	void *plain = dlsym(RTLD_NEXT, "vsyslog"), *checked = dlsym(RTLD_NEXT, "__vsyslog_chk");

	memcpy(&next.plain, &plain, sizeof(plain));
	memcpy(&next.checked, &checked, sizeof(checked));
	next.bridge = wanted && *wanted == '1';
}

/* Log a message. errno is that of the call, for %m. */
static __attribute__((format(printf, 2, 0))) void log_syslog(int priority, const char *format,
							     va_list args)
{
	/* as OpenTelemetry maps them */
	static const uint8_t severities[] = {21, 19, 18, 17, 13, 10, 9, 5};
	struct varve_attribute facility =
		varve_int("syslog.facility.code", priority >> FACILITY_SHIFT & (FACILITIES - 1));
	struct guest_call call = guest_call_begin();
	char text[LOG_FORMATTED_MAX];

	errno = call.saved_errno;
	if (vsnprintf(text, sizeof(text), format, args) >= 0)
		(void)!logs_put(severities[priority & PRIORITY_MASK],
				str_of(text, text_length(text, sizeof(text) - 1)), &facility,
				1); /* a full buffer counts it */
	guest_call_end(call);
}

VARVE_API void vsyslog(int priority, const char *format, va_list args)
{
	if (next.bridge) {
		va_list copy;

		va_copy(copy, args);
		log_syslog(priority, format, copy);
		va_end(copy);
	}
	if (next.plain)
		next.plain(priority, format, args);
}

VARVE_API void syslog(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsyslog(priority, format, args);
	va_end(args);
}

VARVE_API void __vsyslog_chk(int priority, int flag, const char *format, va_list args)
{
	if (next.bridge) {
		va_list copy;

		va_copy(copy, args);
		log_syslog(priority, format, copy);
		va_end(copy);
	}
	if (next.checked)
		next.checked(priority, flag, format, args);
	else if (next.plain)
		next.plain(priority, format, args);
}

VARVE_API void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	__vsyslog_chk(priority, flag, format, args);
	va_end(args);
}
