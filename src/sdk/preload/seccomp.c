/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that install seccomp filters or enter strict mode. The filter may forbid the system
 * calls of the profilers (timers, threads, reading memory), and the kernel would kill the program
 * for them. So the library stops before the call: collected data is sent, its threads and timers
 * end, and hooks make no system call from then on. If the call fails, a library started by `varve
 * run` starts again.
 *
 * The library also stops before the last thread of the host ends by SYS_exit, which ends the
 * process only if no other thread is left.
 *
 * syscall() is implemented here without libc's, because hooks use it before any function is looked
 * up.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/hook/guest.h"
#include "sdk/preload/preload.h"
#include "sdk/sdk.h"

static inline long raw_syscall(long number, const long a[6])
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static long errno_result(long result)
{
	if ((unsigned long)result < (unsigned long)-4095)
		return result;
	errno = (int)-result;
	return -1;
}

/* May this process install a filter? If not, the call will fail and change nothing. */
static bool may_filter(void)
{
	const long asked[6] = {PR_GET_NO_NEW_PRIVS};

	return raw_syscall(SYS_prctl, asked) == 1 || geteuid() == 0;
}

/* Does prctl() with these arguments install a filter or enter strict mode? */
static bool prctl_filters(const long a[6])
{
	const long mode[6] = {PR_GET_SECCOMP};

	if (a[0] != PR_SET_SECCOMP)
		return false;
	if (a[1] == SECCOMP_MODE_STRICT)
		return raw_syscall(SYS_prctl, mode) == 0;
	return a[1] == SECCOMP_MODE_FILTER && a[2] && may_filter();
}

static bool installs_filter(long number, const long a[6])
{
	const long strict[6] = {PR_SET_SECCOMP, SECCOMP_MODE_STRICT};

	if (number == SYS_prctl)
		return prctl_filters(a);
	if (number != SYS_seccomp)
		return false;
	if (a[0] == SECCOMP_SET_MODE_STRICT)
		return prctl_filters(strict);
	return a[0] == SECCOMP_SET_MODE_FILTER && a[2] && may_filter();
}

/* Make a call that forbids system calls, with the library stopped. */
static NO_INLINE long stop_and_call(long number, const long a[6])
{
	bool stopped = sdk_stop_early("the program installed a seccomp filter: nothing was "
				      "recorded from then on");
	long result = raw_syscall(number, a);

	if (stopped && result != 0)
		preload_start();
	return result;
}

VARVE_API int prctl(int option, ...)
{
	long a[6] = {option};
	va_list args;

	va_start(args, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (unlikely(option == PR_SET_SECCOMP) && !guest_own && sdk_is_running() &&
	    prctl_filters(a))
		return (int)errno_result(stop_and_call(SYS_prctl, a));
	return (int)errno_result(raw_syscall(SYS_prctl, a));
}

VARVE_API long syscall(long number, ...)
{
	va_list args;
	long a[6];

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (likely(number != SYS_seccomp && number != SYS_prctl && number != SYS_exit) || guest_own)
		return errno_result(raw_syscall(number, a));
	if (number == SYS_exit) {
		if (guest_on() &&
		    guest_is_last_thread()) /* off: the check's calls may be forbidden */
			(void)sdk_stop_early(NULL);
		return raw_syscall(number, a);
	}
	if (sdk_is_running() && installs_filter(number, a))
		return errno_result(stop_and_call(number, a));
	return errno_result(raw_syscall(number, a));
}
