/* SPDX-License-Identifier: Apache-2.0 */
/* Processes by state, from /proc, and the uptime. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "pipeline/receivers/hostmetrics/host_reading.h"

/* The letters of /proc/PID/stat. */
static const struct {
	char letter;
	const char *name;
} process_states[] = {
	{'R', "running"}, {'S', "sleeping"}, {'D', "blocked"}, {'I', "idle"},	 {'Z', "zombies"},
	{'T', "stopped"}, {'t', "stopped"},  {'W', "paging"},  {'P', "blocked"}, {'X', "zombies"},
};

/* Return the letter of the state of a process, 0 if it is gone. */
static char state_letter(int proc, const char *pid)
{
	char path[300], text[512];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/stat", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')'); /* the name may contain anything */
	return end && end[1] == ' ' ? end[2] : 0;
}

static bool count_processes(struct host_reading *r, double counts[countof(process_states)])
{
	char path[512];
	struct dirent *d;
	DIR *proc;

	snprintf(path, sizeof(path), "%s/proc", r->state->root);
	proc = opendir(path);
	if (!proc)
		return false;
	while ((d = readdir(proc))) {
		char letter;

		if (d->d_name[0] < '0' || d->d_name[0] > '9')
			continue;
		letter = state_letter(dirfd(proc), d->d_name);
		for (size_t i = 0; i < countof(process_states); i++)
			if (process_states[i].letter == letter)
				counts[i]++;
	}
	closedir(proc);
	return true;
}

static void put_counts(struct host_reading *r)
{
	double counts[countof(process_states)] = {0};

	if (!count_processes(r, counts) || !host_metric(r, PROCESSES_COUNT))
		return;
	for (size_t i = 0; i < countof(process_states); i++) {
		bool seen = false;

		for (size_t k = 0; k < i; k++)
			seen |= !strcmp(process_states[k].name, process_states[i].name);
		for (size_t k = i + 1; k < countof(process_states) && !seen; k++)
			if (!strcmp(process_states[k].name, process_states[i].name))
				counts[i] += counts[k];
		if (!seen)
			host_point(r, counts[i], "status", process_states[i].name, NULL);
	}
}

void scrape_processes(struct host_reading *r)
{
	struct str rest, line;

	if (r->state->settings->scrapers.written[PROCESSES_COUNT])
		put_counts(r);
	if (!host_file(r, "/proc/stat", &rest))
		return;
	while (str_next_line(&rest, &line))
		if (str_eq(host_word(&line), STR("processes")) && host_metric(r, PROCESSES_CREATED))
			host_point(r, (double)host_number(&line), NULL);
}

void scrape_system(struct host_reading *r)
{
	struct str line;
	double uptime;

	if (host_file(r, "/proc/uptime", &line) && !str_to_double(host_word(&line), &uptime) &&
	    host_metric(r, SYSTEM_UPTIME))
		host_point(r, uptime, NULL);
}
