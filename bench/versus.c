/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: versus core|turns <rounds> <command...> -- <command...>
 * Compares the CPU time of two commands on a machine with other load. Each round runs the first
 * command twice and the second once, **all three at the same time**, so that other load slows all:
 *
 *   core    on one core (another one in the next round), scheduled by the kernel in slices of a few
 *           milliseconds;
 *   turns   stopped and continued by this program, TURN_US each: for programs whose threads must
 *           run in parallel.
 *
 * Prints the median and the quartiles of the rounds' ratios (second command : first), then the same
 * for the control, the first command compared with itself. The control should be 1; the distance of
 * its quartiles is the resolution of the measurement.
 *     <ratio> <lower> <upper> <control> <lower> <upper>
 * CPU time is that of all threads, from exec() to exit. Exits with 2 if a command fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, ROUNDS_MAX = 1000, TURN_US = 10000 };

struct run {
	char **command;
	pid_t pid;
	double cpu; /* seconds */
};

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void run_child(char **command, int core)
{
	int null = open("/dev/null", O_WRONLY);
	cpu_set_t cores;

	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	CPU_ZERO(&cores);
	CPU_SET((unsigned)core, &cores);
	if (core >= 0 && sched_setaffinity(0, sizeof(cores), &cores))
		perror("versus: sched_setaffinity");
	execvp(command[0], command);
	fprintf(stderr, "versus: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

/*
 * Set r->cpu if the command has ended; wait for it if `options` is 0. Return 1 if it has ended, 0
 * if not yet, -1 if it failed.
 */
static int reap(struct run *r, int options)
{
	struct rusage usage;
	int status = 0;
	pid_t pid = wait4(r->pid, &status, options, &usage);

	if (pid == 0)
		return 0;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		return -1;
	r->pid = 0;
	r->cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	return 1;
}

/* Let the commands run in turn until all have ended. Return 0 or -1. */
static int take_turns(struct run *runs)
{
	struct timespec turn = {0, TURN_US * 1000};

	for (int left = RUNS; left > 0;) {
		for (int i = 0; i < RUNS; i++) {
			int ended;

			if (!runs[i].pid)
				continue;
			kill(runs[i].pid, SIGCONT);
			nanosleep(&turn, NULL);
			kill(runs[i].pid, SIGSTOP);
			ended = reap(&runs[i], WNOHANG);
			if (ended < 0)
				return -1;
			left -= ended;
		}
	}
	return 0;
}

/*
 * Run all commands at the same time, on `core` or, if that is -1, in turns. The order of their
 * start changes with the round. Return 0 or -1.
 */
static int run_round(struct run *runs, int round, int core)
{
	for (int i = 0; i < RUNS; i++) {
		struct run *r = &runs[(i + round) % RUNS];

		r->pid = fork();
		if (r->pid == 0)
			run_child(r->command, core);
		if (r->pid < 0)
			return -1;
		if (core < 0)
			kill(r->pid, SIGSTOP);
	}
	if (core < 0)
		return take_turns(runs);
	for (int i = 0; i < RUNS; i++)
		if (reap(&runs[i], 0) < 0)
			return -1;
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_median(double *ratios, int n, const char *end)
{
	qsort(ratios, (size_t)n, sizeof(*ratios), compare);
	printf("%.4f %.4f %.4f%s", (ratios[(n - 1) / 2] + ratios[n / 2]) / 2, ratios[n / 4],
	       ratios[n - 1 - n / 4], end);
}

int main(int argc, char **argv)
{
	static double ratios[ROUNDS_MAX], controls[ROUNDS_MAX];
	int rounds = argc > 3 ? atoi(argv[2]) : 0, cores = (int)sysconf(_SC_NPROCESSORS_ONLN),
	    at = 3;
	bool on_core = argc > 1 && strcmp(argv[1], "core") == 0;
	struct run runs[RUNS] = {{.command = argv + at}, {.command = argv + at}};

	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	if (rounds < 1 || rounds > ROUNDS_MAX || at < 4 || at + 1 >= argc ||
	    (!on_core && strcmp(argv[1], "turns") != 0)) {
		fputs("usage: versus core|turns <rounds> <command...> -- <command...>\n", stderr);
		return 2;
	}
	argv[at] = NULL;
	runs[2].command = argv + at + 1;
	for (int i = 0; i < rounds; i++) {
		if (run_round(runs, i, on_core ? i % cores : -1)) {
			fprintf(stderr, "versus: %s or %s failed\n", argv[3], argv[at + 1]);
			return 2;
		}
		ratios[i] = runs[2].cpu * 2 / (runs[0].cpu + runs[1].cpu);
		controls[i] = runs[0].cpu / runs[1].cpu;
	}
	print_median(ratios, rounds, " ");
	print_median(controls, rounds, "\n");
	return 0;
}
