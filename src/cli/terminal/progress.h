/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_PROGRESS_H
#define VARVE_CLI_TERMINAL_PROGRESS_H

#include <pthread.h>

#include "base/thread.h"

/*
 * A progress line on stderr: shown after two seconds, updated by a thread of its own, and erased at
 * the end. Only on a terminal. The thread shares the fields below, guarded by `lock`.
 */
enum { PROGRESS_TEXT_MAX = 160 };

struct progress {
	struct thread thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool running, stop, shown;
	unsigned columns;
	char text[PROGRESS_TEXT_MAX];
};

/* Start the clock if `enabled`. If the thread cannot be started, no line is shown. */
void progress_start(struct progress *p, bool enabled, unsigned columns);

/* Set the text. The caller must have replaced control characters in it. */
void progress_set(struct progress *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Erase the line and stop the thread. Call it before any other output; further calls do nothing. */
void progress_stop(struct progress *p);

#endif
