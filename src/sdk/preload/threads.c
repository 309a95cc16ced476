/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the host: met when they begin, so that they are profiled from their first tick on, and their end is seen. And signal
 * masks: the profilers' signal is taken out of what a thread wants to block or wait for, since many programs block "all" signals in their
 * worker threads. The host sees the mask that it has set all the same.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "sdk/hook/cpu.h"
#include "sdk/hook/guest.h"
#include "varve/varve.h"

/* The next definition of an interposed function, found once. */
#define REAL(name)                                                                                 \
	({                                                                                         \
		static _Atomic(__typeof__(&name)) real_;                                           \
		__typeof__(&name) found_ = atomic_load_explicit(&real_, memory_order_relaxed);     \
		if (!found_) {                                                                     \
			found_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                       \
			atomic_store_explicit(&real_, found_, memory_order_relaxed);               \
		}                                                                                  \
		found_;                                                                            \
	})

/* The host has blocked the profilers' signal on this thread, as far as it knows. */
static __thread bool host_blocks __attribute__((tls_model("initial-exec")));

struct beginning {
	void *(*run)(void *);
	void *arg;
	bool host_blocks; /* a thread is born with its maker's mask */
};

static void *begin_thread(void *arg)
{
	struct beginning b = *(struct beginning *)arg;

	free(arg);
	host_blocks = b.host_blocks;
	guest_thread_begin();
	if (guest_self)
		guest_self->function = (uintptr_t)b.run;
	return b.run(b.arg); /* no frame of ours is left */
}

static void note_creation(const void *caller)
{
	struct guest_thread *t = guest_on() & VARVE_THREADCREATE ? guest_enter() : NULL;

	if (!t)
		return;
	guest_record(t, RECORD_THREADCREATE, guest_stack(t, VARVE_THREADCREATE, NULL, caller), 1,
		     1);
	guest_leave(t);
}

/*
 * Does somebody stand in front of us (a sanitizer)? Then our thread would begin before theirs has, and their allocator is not ready
 * for it: such threads are met by the collector, a little later.
 */
static bool is_first(void);

VARVE_API int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			     void *(*run)(void *), void *restrict arg)
{
	struct beginning *b;
	int rc;

	if (!guest_on() || guest_own)
		return REAL(pthread_create)(thread, attributes, run, arg);
	note_creation(__builtin_return_address(0));
	if (!is_first())
		return REAL(pthread_create)(thread, attributes, run, arg);
	b = malloc(sizeof(*b));
	if (!b)
		return EAGAIN;
	*b = (struct beginning){run, arg, host_blocks};
	rc = REAL(pthread_create)(thread, attributes, begin_thread, b);
	if (rc)
		free(b);
	return rc;
}

extern __typeof__(pthread_create) own_pthread_create
	__attribute__((alias("pthread_create"), visibility("hidden"), nothrow));

static bool is_first(void)
{
	static _Atomic(void *) first;
	void *found = atomic_load_explicit(&first, memory_order_relaxed);

	if (!found) {
		found = dlsym(RTLD_DEFAULT, "pthread_create");
		atomic_store_explicit(&first, found, memory_order_relaxed);
	}
	return found == (void *)own_pthread_create;
}

/* Programs that reset the handlers of all signals would be killed by the next tick. */
VARVE_API int sigaction(int number, const struct sigaction *restrict wanted,
			struct sigaction *restrict old)
{
	return signal_is_ours(number, wanted, old) ? 0 : REAL(sigaction)(number, wanted, old);
}

VARVE_API __sighandler_t signal(int number, __sighandler_t handler)
{
	struct sigaction wanted = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

	return signal_is_ours(number, &wanted, &old) ? old.sa_handler
						     : REAL(signal)(number, handler);
}

/* `set` without the profilers' signal, in *copy; or as it is. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy)
{
	int number = signal_number();

	if (!set || !number || guest_own || sigismember(set, number) != 1)
		return set;
	*copy = *set;
	sigdelset(copy, number);
	return copy;
}

/* The mask was changed by `set`: what the host sees of our signal before, in *old, and from now on. `set` and `old` may be one. */
static void note_mask(int how, bool has_ours, bool changes, sigset_t *old)
{
	if (old && host_blocks)
		sigaddset(old, signal_number());
	if (changes && (has_ours || how == SIG_SETMASK))
		host_blocks = has_ours && how != SIG_UNBLOCK;
}

static bool has_ours(const sigset_t *set)
{
	return set && signal_number() && sigismember(set, signal_number()) == 1;
}

VARVE_API int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	bool ours = has_ours(set), changes = set != NULL;
	sigset_t copy;
	int rc = REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without_ours(set, &copy),
				       old);

	if (!rc && !guest_own)
		note_mask(how, ours, changes, old);
	return rc;
}

VARVE_API int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	bool ours = has_ours(set), changes = set != NULL;
	sigset_t copy;
	int rc = REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : without_ours(set, &copy), old);

	if (!rc && !guest_own)
		note_mask(how, ours, changes, old);
	return rc;
}

VARVE_API int sigwait(const sigset_t *restrict set, int *restrict number)
{
	sigset_t copy;

	return REAL(sigwait)(without_ours(set, &copy), number);
}

VARVE_API int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	sigset_t copy;

	return REAL(sigwaitinfo)(without_ours(set, &copy), info);
}

VARVE_API int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			   const struct timespec *restrict timeout)
{
	sigset_t copy;

	return REAL(sigtimedwait)(without_ours(set, &copy), info, timeout);
}
