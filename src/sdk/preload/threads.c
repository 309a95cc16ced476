/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the host: they are registered at their start, so that they are profiled from the first
 * tick and their end is noticed.
 *
 * Signals of the host: the profilers' signal is removed from the sets that a thread blocks or waits
 * for, because many programs block all signals in their worker threads. The host still sees the
 * mask that it has set.
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

/* The profilers' signal is blocked in the mask that the host has set on this thread. */
static __thread bool host_blocks __attribute__((tls_model("initial-exec")));

struct new_thread {
	void *(*run)(void *);
	void *arg;
	bool host_blocks; /* inherited from the creating thread */
};

static void *run_new_thread(void *arg)
{
	struct new_thread b = *(struct new_thread *)arg;

	free(arg);
	host_blocks = b.host_blocks;
	guest_thread_begin();
	if (guest_self)
		guest_self->function = (uintptr_t)b.run;
	return b.run(b.arg); /* a tail call: leaves no frame of ours */
}

static void record_thread_creation(const void *caller)
{
	struct guest_thread *t = guest_on() & VARVE_THREADCREATE ? guest_enter() : NULL;

	if (!t)
		return;
	guest_record(t, RECORD_THREADCREATE, guest_stack(t, VARVE_THREADCREATE, NULL, caller), 1,
		     1);
	guest_leave(t);
}

/*
 * Is our pthread_create() the first definition? If a sanitizer's comes before it, run_new_thread()
 * would run before the sanitizer's allocator is ready for the thread; such threads are registered
 * by the collector instead.
 */
static bool is_first(void);

VARVE_API int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			     void *(*run)(void *), void *restrict arg)
{
	struct new_thread *b;
	int rc;

	if (!guest_on() || guest_own)
		return REAL(pthread_create)(thread, attributes, run, arg);
	record_thread_creation(__builtin_return_address(0));
	if (!is_first())
		return REAL(pthread_create)(thread, attributes, run, arg);
	b = malloc(sizeof(*b));
	if (!b)
		return EAGAIN;
	*b = (struct new_thread){run, arg, host_blocks};
	rc = REAL(pthread_create)(thread, attributes, run_new_thread, b);
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

/* Interposed for programs that reset the handlers of all signals: the next tick would kill them. */
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

/* Return `set` without the profilers' signal, in *copy if it was in it. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy)
{
	int number = signal_number();

	if (!set || !number || guest_own || sigismember(set, number) != 1)
		return set;
	*copy = *set;
	sigdelset(copy, number);
	return copy;
}

/*
 * After a change of the mask: add the profilers' signal to *old if the host had blocked it, and
 * note whether it is blocked now. The host may have passed one set for both.
 */
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
