/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varve run: run a program with libvarve.so preloaded, and show a summary when it ends. The library
 * writes the summary's data as files "PID.NAME" to a temporary directory (VARVE_SUMMARY).
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/seccomp.h"
#include "cli/commands.h"
#include "cli/commands/cmd_top.h"
#include "cli/log_bridge.h"
#include "cli/program.h"
#include "cli/terminal/units.h"
#include "sdk/export/sink_files.h"

struct run_options {
	struct common_options common;
	bool cpu, heap, locks, wall, mmap, threads, all, logs, no_summary;
	const char *output, *endpoint, *protocol, *service, *listen, *config;
	uint64_t hz;
};

#define FIELD(name) offsetof(struct run_options, name)

static const struct option profile_options[] = {
	{"cpu", 0, OPTION_FLAG, FIELD(cpu), NULL, NULL, NULL, "CPU time"},
	{"heap", 0, OPTION_FLAG, FIELD(heap), NULL, NULL, NULL, "allocations, and memory in use"},
	{"locks", 0, OPTION_FLAG, FIELD(locks), NULL, NULL, NULL,
	 "waiting for locks, and holding contended locks"},
	{"wall", 0, OPTION_FLAG, FIELD(wall), NULL, NULL, NULL,
	 "wall-clock time of threads, running or not"},
	{"mmap", 0, OPTION_FLAG, FIELD(mmap), NULL, NULL, NULL, "anonymous memory of mmap()"},
	{"threads", 0, OPTION_FLAG, FIELD(threads), NULL, NULL, NULL,
	 "creation of threads, and the stacks of all threads"},
	{"all", 'a', OPTION_FLAG, FIELD(all), NULL, NULL, NULL, "all of these"},
	{"hz", 0, OPTION_COUNT, FIELD(hz), "N", "100", NULL, "CPU samples per second and thread"},
	{0},
};

static const struct option destination_options[] = {
	{"output", 'o', OPTION_TEXT, FIELD(output), "DIR", NULL, NULL,
	 "write DIR/cpu.pb.gz, heap.pb.gz, ... instead of sending"},
	{"endpoint", 'e', OPTION_TEXT, FIELD(endpoint), "URL", NULL, NULL,
	 "send profiles to this server (http://127.0.0.1:4318)"},
	{"protocol", 0, OPTION_TEXT, FIELD(protocol), "NAME", NULL, NULL,
	 "http (OTLP), grpc (OTLP; default for port 4317) or pyroscope"},
	{"service", 's', OPTION_TEXT, FIELD(service), "NAME", NULL, NULL,
	 "name of the service (default: that of the program)"},
	{"listen", 'l', OPTION_TEXT, FIELD(listen), "ADDRESS", NULL, NULL,
	 "serve /debug/pprof on this address: 127.0.0.1:6060"},
	{"config", 'c', OPTION_TEXT, FIELD(config), "FILE", NULL, NULL,
	 "file with options of the library (docs/sdk.md)"},
	{"logs", 0, OPTION_FLAG, FIELD(logs), NULL, NULL, NULL,
	 "also send the program's standard error and syslog(3), line by line"},
	{"no-summary", 0, OPTION_FLAG, FIELD(no_summary), NULL, NULL, NULL,
	 "print no summary at the end"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, offsetof(struct run_options, common)},
	{"Profiles (default: CPU and heap; with -o also locks and wall clock)", profile_options, 0},
	{"Destination", destination_options, 0},
	{0},
};

/* ---- the environment of the program ---- */

static int set_environment(const char *name, const char *value)
{
	return value && setenv(name, value, 1) ? -errno : 0;
}

static void list_profiles(const struct run_options *o, char out[128])
{
	const struct {
		bool on;
		const char *names;
	} kinds[] = {{o->cpu, "cpu"},	{o->heap, "heap"}, {o->locks, "mutex,block"},
		     {o->wall, "wall"}, {o->mmap, "mmap"}, {o->threads, "threads,threadcreate"},
		     {o->all, "all"}};
	size_t n = 0;

	out[0] = 0;
	for (size_t i = 0; i < countof(kinds); i++)
		if (kinds[i].on)
			n += (size_t)snprintf(out + n, 128 - n, "%s%s", n ? "," : "",
					      kinds[i].names);
	if (!n && !o->config)
		snprintf(out, 128, "%s", o->output ? "cpu,heap,mutex,block,wall" : "cpu,heap");
}

/* Preload the library before existing entries: its hooks then call theirs. */
static int set_preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char both[2 * PROGRAM_PATH_MAX];

	snprintf(both, sizeof(both), "%s%s%s", library, others && *others ? ":" : "",
		 others ? others : "");
	return set_environment("LD_PRELOAD", both);
}

static int prepare_environment(const struct run_options *o, const char *library,
			       const char *summary, struct err *e)
{
	char profiles[128], hz[24], filters[24];
	int rc = set_preload(library);

	list_profiles(o, profiles);
	snprintf(hz, sizeof(hz), "%llu", (unsigned long long)o->hz);
	rc = rc ? rc : set_environment("VARVE_AUTOSTART", "1");
	rc = rc ? rc : set_environment("VARVE_PROFILES", profiles[0] ? profiles : NULL);
	rc = rc ? rc : set_environment("VARVE_CPU_HZ", o->config && o->hz == 100 ? NULL : hz);
	rc = rc ? rc : set_environment("VARVE_ENDPOINT", o->endpoint);
	rc = rc ? rc : set_environment("VARVE_PROTOCOL", o->protocol);
	rc = rc ? rc : set_environment("VARVE_SERVICE_NAME", o->service);
	rc = rc ? rc : set_environment("VARVE_LISTEN", o->listen);
	rc = rc ? rc : set_environment("VARVE_SUMMARY", summary);
	rc = rc ? rc : set_environment("VARVE_SYSLOG", o->logs ? "1" : NULL);
	snprintf(filters, sizeof(filters), "%ld", seccomp_filter_count());
	rc = rc ? rc : set_environment("VARVE_SECCOMP_FILTERS", filters);
	if (!rc && !getenv("VARVE_LINES") && !o->config)
		rc = set_environment("VARVE_LINES", "1");
	return rc ? err_errno(e, rc, "set the environment") : 0;
}

/* ---- the program ---- */

static volatile sig_atomic_t child_pid;
static time_t run_since; /* start of the program */

/* Forward a signal of another process; those of the terminal reach the program itself. */
static void forward_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (child_pid > 0 && info->si_code != SI_KERNEL)
		kill(child_pid, number);
}

static void forward_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};
	struct sigaction action = {.sa_sigaction = forward_signal,
				   .sa_flags = SA_SIGINFO | SA_RESTART};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < countof(numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

/* Run the program to its end. Return its exit status as in a shell, or -errno. */
static int run_program(struct cli *cli, const struct run_options *o, const char *path, char **argv)
{
	struct log_bridge *bridge = o->logs ? calloc(1, sizeof(*bridge)) : NULL;
	struct err e = {0};
	char main_pid[16];
	pid_t pid;
	int status;

	if (bridge && log_bridge_open(bridge, &e)) {
		cli_note(cli, "logs: %s", e.text);
		log_bridge_finish(bridge);
		free(bridge);
		bridge = NULL;
	}

	run_since = time(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		snprintf(main_pid, sizeof(main_pid), "%d", (int)getpid());
		set_environment("VARVE_MAIN_PID", main_pid);
		if (bridge && log_bridge_enter(bridge))
			_exit(126);
		execv(path, argv);
		dprintf(2, "varve: %s: %s\n", path, strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	child_pid = pid;
	forward_signals();
	if (bridge) {
		if (log_bridge_start_library(o->service, o->config, path, pid))
			cli_note(cli, "logs are not sent: %s", varve_last_error());
		if (log_bridge_start(bridge, &e))
			cli_note(cli, "logs: %s", e.text);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	child_pid = 0;
	if (bridge) {
		log_bridge_finish(bridge);
		varve_stop();
		log_bridge_leave(bridge);
		free(bridge);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- the summary ---- */

static const struct {
	const char *file, *type, *title;
} parts[] = {
	{"cpu.pb.gz", "cpu", "CPU"},
	{"heap.pb.gz", "alloc_space", "allocated"},
	{"heap.pb.gz", "inuse_space", "in use at the end"},
	{"block.pb.gz", "delay", "waited for locks"},
	{"mutex.pb.gz", "delay", "made others wait"},
	{"wall.pb.gz", "wall", "wall clock"},
};

/* The files with one name, of the program and its children: "123.cpu.pb.gz". */
struct summary_files {
	char names[OPTION_LIST_MAX][PROGRAM_PATH_MAX];
	char *at[OPTION_LIST_MAX];
	int n;
};

static void find_files(struct summary_files *f, const char *directory, const char *file)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;

	f->n = 0;
	while (entries && (entry = readdir(entries)) && f->n < OPTION_LIST_MAX) {
		const char *dot = strchr(entry->d_name, '.');

		if (!dot || strcmp(dot + 1, file) != 0)
			continue;
		snprintf(f->names[f->n], PROGRAM_PATH_MAX, "%s/%s", directory, entry->d_name);
		f->at[f->n] = f->names[f->n];
		f->n++;
	}
	if (entries)
		closedir(entries);
}

/* Append the five most expensive functions of one part; nothing if it has no samples. */
static void put_part(struct buf *out, struct cli *cli, const struct summary_files *files,
		     size_t part)
{
	struct top_options o = {
		.common = *cli->common, .rows = 5, .view = {.type = parts[part].type}};
	struct arguments args = {(char **)files->at, files->n};
	struct inputs inputs = {0};
	struct view view = {0};
	struct buf table = {0};
	struct err e = {0};

	if (!inputs_init(&inputs, cli, &o.input, &e) && !view_init(&view, cli, &o.view, &e) &&
	    !make_top(&table, cli, &view, &inputs, &o, &args, &e) && view.tree.sum[0].kept) {
		struct str text = buf_str(&table), line;

		str_next_line(&text, &line); /* skip the names of temporary files */
		buf_printf(out, "%s%s: %s\n", out->n ? "\n" : "", parts[part].title,
			   unit_value(view.tree.sum[0].kept, view.tree.type.unit, false).text);
		while (str_next_line(&text, &line))
			if (!str_find_str(line, STR("rows:")) ||
			    str_find_str(line, STR(" rows: ")) == line.n)
				buf_printf(out, "%.*s\n", STR_ARG(line));
	}
	buf_fini(&table);
	view_fini(&view);
	inputs_fini(&inputs);
}

/* Append where the profiles can be viewed; without the service if its name would need quoting. */
static void put_view_links(struct buf *out, const char *service)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	if (service && !service[strspn(service, plain)])
		buf_printf(out,
			   "\nall profiles: http://127.0.0.1:4040/profiles?query=%s, or varve "
			   "query flame %s\n",
			   service, service);
	else
		buf_printf(out, "\nall profiles: http://127.0.0.1:4040/, or varve query flame\n");
}

/* Append the path of a profile that this run has written. */
static void put_output_files(struct buf *out, const struct run_options *o)
{
	char path[PROGRAM_PATH_MAX];
	struct stat file;

	const char *key = getenv("VARVE_KEY_FILE");
	const char *sealed = key && *key ? ".sealed" : "";

	for (size_t i = 0; i < countof(parts); i++) {
		snprintf(path, sizeof(path), "%s/%s%s", o->output, parts[i].file, sealed);
		if (!stat(path, &file) && file.st_mtime >= run_since) {
			buf_printf(out, "\nprofiles are in %s: varve flame %s\n", o->output, path);
			return;
		}
	}
	buf_printf(out, "\nno profile was written to %s: there were no samples\n", o->output);
}

/* Append the result of the delivery, summed over the program and its children. */
static void put_delivery(struct buf *out, const struct run_options *o,
			 const struct summary_files *files)
{
	unsigned long long confirmed = 0, failed = 0, a, b, c;

	for (int i = 0; i < files->n; i++) {
		FILE *file = fopen(files->at[i], "re");

		if (file && fscanf(file, "%llu %llu %llu", &a, &b, &c) == 3) {
			confirmed += a;
			failed += b + c;
		}
		if (file)
			fclose(file);
	}
	if (o->output)
		put_output_files(out, o);
	else if (failed)
		buf_printf(out,
			   "\n%llu of %llu messages could not be delivered to %s: start `varve "
			   "up`, or write files with -o DIR\n",
			   failed, failed + confirmed,
			   o->endpoint ? o->endpoint : "http://127.0.0.1:4318");
	else if (confirmed && !o->endpoint)
		put_view_links(out, o->service);
}

/* Append the messages of the library, in the program and its children; each text once. */
static void put_notes(struct buf *out, const struct summary_files *files)
{
	char text[ERR_TEXT_MAX];

	for (int i = 0; i < files->n; i++) {
		FILE *file = fopen(files->at[i], "re");
		size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

		if (file)
			fclose(file);
		text[n] = 0;
		if (n && str_find_str(buf_str(out), str_from(text)) == out->n)
			buf_printf(out, "%s%s\n", out->n ? "\n" : "", text);
	}
}

static void show_summary(struct cli *cli, const struct run_options *o, const char *directory)
{
	static const char *const notes[] = {"start", "seccomp", "cut"};
	struct summary_files *files = calloc(1, sizeof(*files));
	struct buf out = {0};

	if (!files)
		return;
	for (size_t i = 0; i < countof(parts); i++) {
		find_files(files, directory, parts[i].file);
		if (files->n)
			put_part(&out, cli, files, i);
	}
	for (size_t i = 0; i < countof(notes); i++) {
		find_files(files, directory, notes[i]);
		put_notes(&out, files);
	}
	find_files(files, directory, "delivery");
	if (files->n)
		put_delivery(&out, o, files);
	else if (!out.n)
		cli_note(cli,
			 "the profilers did not run: the program was killed, or could not load "
			 "the library");
	fwrite(out.p, 1, out.n, stderr);
	buf_fini(&out);
	free(files);
}

/* Remove the temporary directory and its files. */
static void remove_summary(const char *directory)
{
	char path[PROGRAM_PATH_MAX];
	DIR *entries = opendir(directory);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		unlink(path);
	}
	if (entries)
		closedir(entries);
	rmdir(directory);
}

static enum exit_code run_run(struct cli *cli, void *options, const struct arguments *args)
{
	const struct run_options *o = options;
	char path[PROGRAM_PATH_MAX], library[PROGRAM_PATH_MAX], summary[] = "/tmp/varve-run-XXXXXX";
	/* Absolute paths, because the program may change its directory. */
	char output[PATH_MAX] = "", config[PATH_MAX];
	struct err e = {0};
	int status;

	if (!args->n)
		return cli_usage(cli, &command_run,
				 "name a program: varve run -- ./server --its-options");
	if (program_find(args->at[0], path, &e) || program_check_preload(path, &e) ||
	    program_find_library(library, &e))
		return cli_fail(cli, &e);
	if (o->output && (sink_files_directory(o->output, &e) || !realpath(o->output, output))) {
		err_errno(&e, -errno, o->output);
		err_prefix(&e, "-o");
		return cli_fail(cli, &e);
	}
	if (!o->no_summary && !mkdtemp(summary)) {
		err_errno(&e, -errno, "make a directory for the summary");
		return cli_fail(cli, &e);
	}
	if (prepare_environment(o, library, o->no_summary ? NULL : summary, &e) ||
	    set_environment("VARVE_DIRECTORY", output[0] ? output : NULL) ||
	    set_environment("VARVE_CONFIG",
			    o->config && realpath(o->config, config) ? config : o->config))
		return cli_fail(cli, &e);
	args->at[args->n] = NULL; /* overwrites a left-over of the reordered argv */
	status = run_program(cli, o, path, args->at);
	if (status < 0) {
		err_errno(&e, status, "run the program");
		return cli_fail(cli, &e);
	}
	if (!o->no_summary) {
		show_summary(cli, o, summary);
		remove_summary(summary);
	}
	return (enum exit_code)status;
}

const struct command command_run = {
	.name = "run",
	.summary = "run a program and profile its CPU time, heap and locks",
	.arguments = "[OPTION...] -- PROGRAM [ARGUMENT...]",
	.details =
		"libvarve.so is preloaded into the unmodified program. Its profiles are sent\n"
		"to the local server (varve up) or to --endpoint, or written to files, and a\n"
		"summary is printed when it ends. Signals are forwarded; the exit status is the\n"
		"program's. Options of the library can also be set by environment variables\n"
		"(VARVE_*, OTEL_*) and by --config.\n",
	.examples = "varve run -- ./server                          # CPU and heap\n"
		    "varve run --cpu --heap --locks -- ./server     # and locks\n"
		    "varve run -o out/ -- ./batch-job               # out/cpu.pb.gz, heap, mutex, "
		    "block, wall\n"
		    "varve run --logs -- ./server                   # and its standard error\n"
		    "varve run -e http://collector:4317 -s checkout -- ./server   # gRPC\n",
	.groups = groups,
	.options_size = sizeof(struct run_options),
	.run = run_run,
};
