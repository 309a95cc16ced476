/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_LOG_BRIDGE_H
#define VARVE_CLI_LOG_BRIDGE_H

#include <sys/types.h>

#include "base/err.h"
#include "base/thread.h"
#include "sdk/logs/log_records.h"

/*
 * The standard error of a program as logs, for `varve run --logs`: the program writes to a pipe, a
 * thread copies it to the standard error of this process, and each line is a log record. The
 * program may leave processes behind that still write to the pipe; a small process then goes on
 * copying until they end.
 */
enum { LOG_BRIDGE_LINE_MAX = LOG_BODY_MAX };

struct log_bridge {
	int from, to; /* ends of the pipe; -1: none */
	int wake[2];  /* a pipe that ends the thread */
	bool at_end;  /* all writers have closed the pipe */
	struct thread thread;
	size_t n; /* bytes of an incomplete line */
	char line[LOG_BRIDGE_LINE_MAX];
};

/* Make the pipes. 0 or -errno; log_bridge_finish() in each case. */
MUST_USE int log_bridge_open(struct log_bridge *b, struct err *e);

/* In the program's process, before exec: make the pipe its standard error. 0 or -errno. */
MUST_USE int log_bridge_enter(const struct log_bridge *b);

/*
 * Start the library in this process, to send the logs of the program: with the resource of the
 * program, without profiles, spans and metrics. `service` and `config` (a file of options) may be
 * NULL. Errors as of varve_start().
 */
MUST_USE int log_bridge_start_library(const char *service, const char *config, const char *path,
				      pid_t pid);

/* In this process: start copying. Logs are made as soon as the library runs. 0 or -errno. */
MUST_USE int log_bridge_start(struct log_bridge *b, struct err *e);

/* The program has ended: copy and log what it has written, and stop. */
void log_bridge_finish(struct log_bridge *b);

/* After the library has stopped: leave a process that copies, if other processes still write. */
void log_bridge_leave(struct log_bridge *b);

/*
 * Return the severity that a line names in its first 64 bytes: "error:", "[warn]", "level=info", in
 * either case; 0 if it names none.
 */
unsigned log_line_severity(struct str line);

#endif
