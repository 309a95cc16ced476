/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: forks <count> <end>
 *        forks mask
 *
 * Forks `count` children, one after the other. They end at once by exit() ("exit"), _exit()
 * ("quick") or exec of true ("exec"), or compute and allocate in child_work() for about 100 ms
 * ("live"). Prints page faults and microseconds per child. "mask" exits with 0 if a mask of all
 * signals reads back as it was set.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) void child_work(void);
void child_work(void)
{
	volatile unsigned long sum = 0;

	for (unsigned i = 0; i < 100; i++) {
		void *p = malloc(1 << 20);

		__asm__ volatile("" : "+r"(p)::"memory");
		free(p);
		for (unsigned k = 0; k < 1000000; k++)
			sum += k;
	}
}

static void end_child(const char *how)
{
	if (!strcmp(how, "live"))
		child_work();
	else if (!strcmp(how, "quick"))
		_exit(0);
	else if (!strcmp(how, "exec"))
		execl("/bin/true", "true", NULL);
	exit(0);
}

static int same_mask(const sigset_t *wanted)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	for (int i = 1; i < 65; i++)
		if (i != SIGKILL && i != SIGSTOP && i != 32 && i != 33 &&
		    sigismember(&now, i) != sigismember(wanted, i))
			return 0;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGRTMAX - 1) == sigismember(wanted, SIGRTMAX - 1);
}

static void *mask_in_thread(void *arg)
{
	return same_mask(arg) ? arg : NULL;
}

static int check_masks(void)
{
	sigset_t all, none, old, few;
	pthread_t thread;
	void *same;

	sigfillset(&all);
	sigemptyset(&none);
	sigemptyset(&few);
	sigaddset(&few, SIGRTMAX - 1);
	if (sigprocmask(SIG_SETMASK, &all, &old) || !same_mask(&all))
		return 1;
	if (pthread_create(&thread, NULL, mask_in_thread, &all) || pthread_join(thread, &same) ||
	    !same)
		return 2;
	if (pthread_sigmask(SIG_UNBLOCK, &few, &old) || !sigismember(&old, SIGRTMAX - 1))
		return 3;
	sigprocmask(SIG_BLOCK, NULL, &old);
	if (sigismember(&old, SIGRTMAX - 1) || !sigismember(&old, SIGUSR1))
		return 4;
	if (sigprocmask(SIG_SETMASK, &none, NULL) || !same_mask(&none))
		return 5;
	if (sigprocmask(SIG_BLOCK, &few, NULL) || !same_mask(&few))
		return 6;
	return 0;
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	int count = argc > 2 ? atoi(argv[1]) : 0;
	struct rusage usage;

	if (argc == 2 && !strcmp(argv[1], "mask"))
		return check_masks();
	if (count < 1)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			end_child(argv[2]);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("%ld %.1f\n", usage.ru_minflt / count,
	       ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
		       1e3 / count);
	return 0;
}
