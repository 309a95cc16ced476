/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: measure <rounds> <command> [argument...]
 * Runs the command that many times, with standard output discarded, and prints the minimum of each:
 *     <CPU seconds> <elapsed seconds> <peak memory in KiB>
 * For benchmarks that are shell scripts. Exits with 2 if the command fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct cost {
	double cpu, wall;
	long peak_kib;
};

static double wall_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void run_child(char **command)
{
	int null = open("/dev/null", O_WRONLY);

	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	execvp(command[0], command);
	fprintf(stderr, "measure: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

/* Run the command once. Return 0, or -1 if it fails. */
static int run(char **command, struct cost *cost)
{
	struct rusage usage;
	double start = wall_seconds();
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		run_child(command);
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
		return -1;
	*cost = (struct cost){
		.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime),
		.wall = wall_seconds() - start,
		.peak_kib = usage.ru_maxrss,
	};
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0;
	struct cost best = {0};

	if (rounds < 1) {
		fputs("usage: measure <rounds> <command> [argument...]\n", stderr);
		return 2;
	}
	for (int i = 0; i < rounds; i++) {
		struct cost cost;

		if (run(argv + 2, &cost)) {
			fprintf(stderr, "measure: %s failed\n", argv[2]);
			return 2;
		}
		if (i == 0 || cost.cpu < best.cpu)
			best.cpu = cost.cpu;
		if (i == 0 || cost.wall < best.wall)
			best.wall = cost.wall;
		if (i == 0 || cost.peak_kib < best.peak_kib)
			best.peak_kib = cost.peak_kib;
	}
	printf("%.4f %.4f %ld\n", best.cpu, best.wall, best.peak_kib);
	return 0;
}
