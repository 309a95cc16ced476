/* SPDX-License-Identifier: Apache-2.0 */
/* pthreads with names and blocked signals. */
#include "base/thread.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void *thread_main(void *arg)
{
	struct thread *t = arg;

	pthread_setname_np(pthread_self(), t->name);
	t->run(t->arg);
	return NULL;
}

int thread_start(struct thread *t, const char *name, void (*run)(void *arg), void *arg,
		 struct err *e)
{
	sigset_t all, before;
	int rc;

	*t = (struct thread){.run = run, .arg = arg};
	snprintf(t->name, sizeof(t->name), "%s", name);
	sigfillset(&all);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigdelset(&all, number);
	pthread_sigmask(SIG_BLOCK, &all, &before); /* the new thread inherits the mask */
	rc = pthread_create(&t->id, NULL, thread_main, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		return err_set(e, -rc, "cannot start thread %s: %s", t->name, strerror(rc));
	t->started = true;
	return 0;
}

void thread_join(struct thread *t)
{
	if (!t->started)
		return;
	pthread_join(t->id, NULL);
	t->started = false;
}
