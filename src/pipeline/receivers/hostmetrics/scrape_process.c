/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics of each process, from /proc/PID. Each process is a resource of its own. Files of a
 * process are read relative to its directory, so that all are of the same process; what cannot be
 * read, for lack of permission or because the process has ended, is left out.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "pipeline/receivers/hostmetrics/host_reading.h"

enum {
	NAME_MAX_TASK = 15, /* the kernel cuts names */
	STAT_MAX = 2048,
	COMMAND_LINE_MAX = 4096,
	STAT_FIELDS = 52,
};

/* Fields of /proc/PID/stat, numbered as in proc(5). */
enum {
	STAT_PARENT = 4,
	STAT_MINOR_FAULTS = 10,
	STAT_MAJOR_FAULTS = 12,
	STAT_USER = 14,
	STAT_SYSTEM = 15,
	STAT_THREADS = 20,
	STAT_START = 22,
	STAT_VIRTUAL = 23,
	STAT_RESIDENT = 24,
	STAT_WAIT = 42,
};

const char *const process_attribute_names[PROCESS_ATTRIBUTES] = {
	[PROCESS_PID] = "process.pid",
	[PROCESS_PARENT_PID] = "process.parent_pid",
	[PROCESS_NAME] = "process.executable.name",
	[PROCESS_PATH] = "process.executable.path",
	[PROCESS_COMMAND] = "process.command",
	[PROCESS_COMMAND_LINE] = "process.command_line",
	[PROCESS_OWNER] = "process.owner",
};

struct process {
	int dir; /* /proc/PID */
	uint64_t pid, stat[STAT_FIELDS + 1];
	struct str name;
	char stat_text[STAT_MAX], command_line[COMMAND_LINE_MAX], path[COMMAND_LINE_MAX];
	size_t command_line_n, command_n, path_n;
};

/* Read the beginning of a file. Return the number of bytes, 0 if it cannot be read. */
static size_t read_start(int dir, const char *name, char *to, size_t room)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, to, room);

	if (fd >= 0)
		close(fd);
	return n > 0 ? (size_t)n : 0;
}

/* ---- a process ---- */

static bool read_process_stat(struct process *p)
{
	struct str text = str_of(p->stat_text,
				 read_start(p->dir, "stat", p->stat_text, sizeof(p->stat_text)));
	size_t open = str_find(text, '('), close = text.n;

	while (close && text.p[close - 1] != ')') /* the name may contain anything */
		close--;
	if (open == text.n || close < open + 2)
		return false;
	p->name = str_of(text.p + open + 1, close - open - 2);
	text = str_from_at(text, close);
	(void)host_word(&text); /* the state */
	for (unsigned i = STAT_PARENT; i <= STAT_FIELDS; i++)
		p->stat[i] = host_number(&text);
	return true;
}

/* Read the command line, with spaces between the arguments. */
static void read_command_line(struct process *p)
{
	size_t n = read_start(p->dir, "cmdline", p->command_line, sizeof(p->command_line));

	while (n && !p->command_line[n - 1])
		n--;
	p->command_line_n = n;
	p->command_n = str_find(str_of(p->command_line, n), '\0');
	for (size_t i = 0; i < n; i++)
		if (!p->command_line[i])
			p->command_line[i] = ' ';
}

/* A name that the kernel has cut continues in the command. */
static void complete_name(struct process *p)
{
	struct str command = str_of(p->command_line, p->command_n);
	size_t slash;

	if (p->name.n < NAME_MAX_TASK)
		return;
	while ((slash = str_find(command, '/')) < command.n)
		command = str_from_at(command, slash + 1);
	if (str_starts(command, p->name))
		p->name = command;
}

/* Read what identifies the process. Return false if it is gone, or filtered. */
static bool read_process(struct host_reading *r, struct process *p)
{
	ssize_t n;

	if (!read_process_stat(p))
		return false;
	read_command_line(p);
	complete_name(p);
	n = readlinkat(p->dir, "exe", p->path, sizeof(p->path));
	p->path_n = n > 0 ? (size_t)n : 0; /* threads of the kernel have none */
	return name_filter_passes(&r->state->filters[FILTER_PROCESSES], p->name);
}

/* ---- the resource ---- */

/* Return the name of a user in the text of /etc/passwd; empty if there is none. */
static struct str user_name(struct str users, uint64_t uid)
{
	struct str line;

	while (str_next_line(&users, &line)) {
		struct str name = str_cut(&line, ':');
		uint64_t n;

		(void)str_cut(&line, ':');
		if (!str_to_u64(str_cut(&line, ':'), 10, &n) && n == uid)
			return name;
	}
	return (struct str){0};
}

static struct str owner_of(const struct process *p, struct str users)
{
	char text[STAT_MAX];
	struct str rest = str_of(text, read_start(p->dir, "status", text, sizeof(text))), line;

	while (str_next_line(&rest, &line))
		if (str_eq(host_word(&line), STR("Uid:")))
			return user_name(users, host_number(&line));
	return (struct str){0};
}

static void put_attribute(struct host_reading *r, struct attributes *a, enum process_attribute name,
			  const struct value *v)
{
	if (!r->state->settings->scrapers.no_process_attribute[name] &&
	    (v->kind != VALUE_STRING || v->s.n))
		r->failed |= attributes_set(a, &r->arena, str_from(process_attribute_names[name]),
					    v) != 0;
}

static void begin_process(struct host_reading *r, const struct process *p, struct str users)
{
	const struct value values[PROCESS_ATTRIBUTES] = {
		[PROCESS_PID] = VALUE_OF_INT((int64_t)p->pid),
		[PROCESS_PARENT_PID] = VALUE_OF_INT((int64_t)p->stat[STAT_PARENT]),
		[PROCESS_NAME] = VALUE_OF_STR(p->name),
		[PROCESS_PATH] = VALUE_OF_STR(str_of(p->path, p->path_n)),
		[PROCESS_COMMAND] = VALUE_OF_STR(str_of(p->command_line, p->command_n)),
		[PROCESS_COMMAND_LINE] = VALUE_OF_STR(str_of(p->command_line, p->command_line_n)),
		[PROCESS_OWNER] = VALUE_OF_STR(owner_of(p, users)),
	};
	struct attributes a = {0};

	for (unsigned i = 0; i < PROCESS_ATTRIBUTES; i++)
		put_attribute(r, &a, (enum process_attribute)i, &values[i]);
	otlp_begin_resource(&r->builder, &a, STR(""));
	otlp_begin_scope(&r->builder, STR("hostmetricsreceiver"), STR(""));
}

/* ---- metrics ---- */

static void put_process_io(struct host_reading *r, const struct process *p)
{
	char text[STAT_MAX];
	struct str rest = str_of(text, read_start(p->dir, "io", text, sizeof(text))), line;
	uint64_t got = 0, put = 0;

	if (!rest.n || !host_metric(r, PROCESS_DISK_IO))
		return;
	while (str_next_line(&rest, &line)) {
		struct str key = host_word(&line);

		if (str_eq(key, STR("read_bytes:")))
			got = host_number(&line);
		else if (str_eq(key, STR("write_bytes:")))
			put = host_number(&line);
	}
	host_point(r, (double)got, "direction", "read", NULL);
	host_point(r, (double)put, "direction", "write", NULL);
}

static void put_open_files(struct host_reading *r, const struct process *p)
{
	int fd = openat(p->dir, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;
	uint64_t count = 0;

	if (!files) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((d = readdir(files)))
		count += d->d_name[0] != '.';
	closedir(files);
	if (host_metric(r, PROCESS_OPEN_FILES))
		host_point(r, (double)count, NULL);
}

static void put_process_metrics(struct host_reading *r, const struct process *p, double tick)
{
	const uint64_t *stat = p->stat;
	const bool *written = r->state->settings->scrapers.written;

	if (host_metric(r, PROCESS_CPU_TIME)) {
		host_point(r, (double)stat[STAT_USER] * tick, "state", "user", NULL);
		host_point(r, (double)stat[STAT_SYSTEM] * tick, "state", "system", NULL);
		host_point(r, (double)stat[STAT_WAIT] * tick, "state", "wait", NULL);
	}
	if (host_metric(r, PROCESS_MEMORY_USAGE))
		host_point(r, (double)stat[STAT_RESIDENT] * (double)sysconf(_SC_PAGESIZE), NULL);
	if (host_metric(r, PROCESS_MEMORY_VIRTUAL))
		host_point(r, (double)stat[STAT_VIRTUAL], NULL);
	if (written[PROCESS_DISK_IO])
		put_process_io(r, p);
	if (host_metric(r, PROCESS_THREADS))
		host_point(r, (double)stat[STAT_THREADS], NULL);
	if (written[PROCESS_OPEN_FILES])
		put_open_files(r, p);
	if (host_metric(r, PROCESS_PAGING_FAULTS)) {
		host_point(r, (double)stat[STAT_MAJOR_FAULTS], "type", "major", NULL);
		host_point(r, (double)stat[STAT_MINOR_FAULTS], "type", "minor", NULL);
	}
	if (host_metric(r, PROCESS_UPTIME))
		host_point(r, (double)(r->time - r->start) / (double)NS_PER_SECOND, NULL);
}

/* ---- all processes ---- */

static void put_process(struct host_reading *r, struct process *p, struct str users)
{
	double tick = 1 / (double)sysconf(_SC_CLK_TCK);
	uint64_t delay = r->state->settings->scrapers.process_delay_ns;

	if (!read_process(r, p))
		return;
	r->start = r->state->boot +
		   (uint64_t)((double)p->stat[STAT_START] * tick * (double)NS_PER_SECOND);
	r->start = min_size(r->start, r->time);
	if (r->time - r->start < delay)
		return;
	begin_process(r, p, users);
	put_process_metrics(r, p, tick);
}

/* Open the directory of processes; NULL with an error in r->e. */
static DIR *open_proc(struct host_reading *r)
{
	char path[512];
	DIR *proc;

	snprintf(path, sizeof(path), "%s/proc", r->state->root);
	proc = opendir(path);
	if (!proc)
		err_errno(&r->e, -errno, path);
	return proc;
}

void scrape_process(struct host_reading *r)
{
	struct arena kept;
	struct str users = {0};
	struct dirent *d;
	DIR *proc;

	arena_init(&kept, NULL);
	if (!r->state->settings->scrapers.no_process_attribute[PROCESS_OWNER] &&
	    host_file(r, "/etc/passwd", &users) && arena_copy_str(&kept, users, &users))
		r->failed = true;
	r->e = (struct err){0}; /* without users, processes have no owner */
	proc = open_proc(r);
	while (proc && !r->failed && (d = readdir(proc))) {
		struct process p = {.dir = -1};

		if (str_to_u64(str_from(d->d_name), 10, &p.pid))
			continue;
		p.dir = openat(dirfd(proc), d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (p.dir < 0)
			continue;
		arena_reset(&r->arena); /* attributes of the one before */
		put_process(r, &p, users);
		close(p.dir);
	}
	r->start = 0;
	if (proc)
		closedir(proc);
	arena_fini(&kept);
}
