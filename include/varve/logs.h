/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_LOGS_H
#define VARVE_LOGS_H

/*
 * Logs of the program, sent by OTLP with the ids of the thread's current span. Included by
 * varve/varve.h.
 */

#include "varve/attribute.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Severities of logs, as OpenTelemetry numbers them. */
enum varve_severity {
	VARVE_TRACE = 1,
	VARVE_DEBUG = 5,
	VARVE_INFO = 9,
	VARVE_WARN = 13,
	VARVE_ERROR = 17,
	VARVE_FATAL = 21,
};

/*
 * Log a message. It is copied; 16 KiB of it are kept. Records wait in a buffer of 1 MiB until the
 * next export; records that do not fit are dropped and counted (metric varve.logs.lost). 0,
 * -ENOTCONN when the library does not run or sends no logs, or -ENOBUFS. A record below log_level
 * is ignored.
 */
VARVE_API int varve_log(enum varve_severity severity, const char *message);

/* The same with attributes, at most 32 and 4 KiB; further ones are counted in the record. */
VARVE_API int varve_log_with(enum varve_severity severity, const char *message,
			     const struct varve_attribute *attributes, size_t count);

/* The same with a message as printf() formats it, of which 1023 bytes are kept. */
VARVE_API int varve_logf(enum varve_severity severity, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
