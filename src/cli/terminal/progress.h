/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_TERMINAL_PROGRESS_H
#define VARVE_CLI_TERMINAL_PROGRESS_H

#include <pthread.h>

#include "base/thread.h"

/*
 * A line on stderr that says what is being done, once it has taken two seconds, and is wiped away
 * at the end. Only on a terminal. A thread of its own writes it, so that long work needs no hooks;
 * it shares nothing but the text here, guarded by `lock`.
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

/* Start watching if `enabled`; without a thread there is just no line. */
void progress_start(struct progress *p, bool enabled, unsigned columns);

/* What is done from now on. The text is made harmless by the caller. */
void progress_say(struct progress *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Wipe the line and end the thread; before anything else is written. Any number of times. */
void progress_stop(struct progress *p);

#endif
