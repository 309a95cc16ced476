/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: seccomp <how> <action> <threads> <end>
 *
 * Allocates and computes, restricts its system calls, allocates and computes again, and ends with
 * status 7.
 *
 * how: strict, prctl, seccomp, tsync, exec (a filter, then itself again as "none"), none.
 * action: errno, kill or trap on a call that is not allowed; only read, write, mmap, brk, futex and
 * the like are.
 * end: exit (raw SYS_exit), group (raw SYS_exit_group), quick (_exit()), thread (pthread_exit(),
 * which ends with 0), main (return).
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *volatile kept[64];

/* Use about 200 ms of CPU time and allocate 64 MB, enough for CPU and heap samples. */
static void work(int allocate)
{
	volatile unsigned long sum = 0;

	for (unsigned i = 0; i < 64; i++) {
		if (allocate) {
			free(kept[i]);
			kept[i] = malloc(4096);
			for (unsigned k = 0; k < 256; k++) {
				void *p = malloc(4096);

				__asm__ volatile("" : "+r"(p)::"memory");
				free(p);
			}
		}
		for (unsigned k = 0; k < 3000000; k++)
			sum += k;
	}
}

static volatile int thread_runs;

static void *work_thread(void *arg)
{
	(void)arg;
	thread_runs = 1;
	for (;;)
		work(0);
	return NULL;
}

static const int allowed[] = {SYS_read,		 SYS_write,   SYS_brk,	      SYS_mmap,
			      SYS_munmap,	 SYS_exit,    SYS_exit_group, SYS_rt_sigreturn,
			      SYS_futex,	 SYS_madvise, SYS_mprotect,   SYS_newfstatat,
			      SYS_rt_sigprocmask};

static void give_up(const char *how, const char *action, int more)
{
	enum { N = sizeof(allowed) / sizeof(allowed[0]), MORE = 64 };
	struct sock_filter filter[N * 2 + MORE];
	unsigned short n = 0;
	struct sock_fprog program = {.filter = filter};
	unsigned int what = !strcmp(action, "errno")  ? SECCOMP_RET_ERRNO | EPERM
			    : !strcmp(action, "trap") ? SECCOMP_RET_TRAP
						      : SECCOMP_RET_KILL_PROCESS;
	long rc;

	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						   offsetof(struct seccomp_data, nr));
	if (more) { /* all calls except those at the start of a profiler */
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   SYS_timer_create, 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	for (unsigned i = 0; i < N; i++) {
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   (unsigned)allowed[i], 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what);
	program.len = n;
	if (strcmp(how, "strict") && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		exit(3);
	if (!strcmp(how, "strict"))
		rc = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else if (!strcmp(how, "prctl") || more)
		rc = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	else
		rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			     !strcmp(how, "tsync") ? SECCOMP_FILTER_FLAG_TSYNC : 0, &program);
	if (rc)
		exit(4);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 5)
		return 2;
	work(1);
	if (atoi(argv[3]) && pthread_create(&thread, NULL, work_thread, NULL))
		return 5;
	while (atoi(argv[3]) && !thread_runs)
		; /* thread start needs restricted calls */
	/* a call without side effects */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0 || prctl(PR_GET_SECCOMP) < 0)
		return 6;
	if (!strcmp(argv[1], "exec")) {
		give_up("prctl", argv[2], 1);
		execl("/proc/self/exe", "seccomp", "none", argv[2], argv[3], argv[4], NULL);
		return 8;
	}
	if (strcmp(argv[1], "none"))
		give_up(argv[1], argv[2], 0);
	work(strcmp(argv[1], "strict") != 0);
	if (write(1, "worked\n", 7) != 7)
		return 9;
	if (!strcmp(argv[4], "exit"))
		syscall(SYS_exit, 7);
	if (!strcmp(argv[4], "group"))
		syscall(SYS_exit_group, 7);
	if (!strcmp(argv[4], "quick"))
		_exit(7);
	if (!strcmp(argv[4], "thread"))
		pthread_exit(NULL);
	return 7;
}
