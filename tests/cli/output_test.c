/* SPDX-License-Identifier: Apache-2.0 */
/* Output files are complete or absent, also if a signal ends the program while it writes. */
#include "cli/output.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/test.h"

enum { LARGE = 64 << 20 };

struct place {
	char directory[64], file[128];
};

static void place_init(struct place *p, const char *content)
{
	FILE *f;

	snprintf(p->directory, sizeof(p->directory), "/tmp/varve-output-XXXXXX");
	assert_non_null(mkdtemp(p->directory));
	snprintf(p->file, sizeof(p->file), "%s/profile", p->directory);
	if (!content)
		return;
	f = fopen(p->file, "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

/* Return the number of files in the directory other than the output. */
static int leftovers(const struct place *p)
{
	DIR *d = opendir(p->directory);
	int n = 0;

	assert_non_null(d);
	for (struct dirent *entry; (entry = readdir(d));)
		n += entry->d_name[0] != '.' && strcmp(entry->d_name, "profile") != 0;
	closedir(d);
	return n;
}

static void place_fini(struct place *p)
{
	unlink(p->file);
	assert_int_equal(rmdir(p->directory), 0);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_size : -1;
}

/* Write a large file in a child, which exits with the error. */
static pid_t start_writing(const struct place *p, const char *bytes)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct err e = {0};

		/* let the parent run before it is done, on a busy machine, too */
		if (nice(19) == -1)
			_exit(1);
		_exit(-output_file(p->file, str_of(bytes, LARGE), &e));
	}
	assert_true(pid > 0);
	return pid;
}

static int status_of(pid_t pid)
{
	int status = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void a_signal_while_writing_leaves_no_temporary_file(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	char *bytes = calloc(1, LARGE);

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < countof(signals); i++) {
		struct place p;
		bool killed = false;

		/* the tests' parent may ignore it: nohup, or a shell for background jobs */
		signal(signals[i], SIG_DFL);

		place_init(&p, "before");
		/* The child may be done before the signal arrives: then retry. */
		for (int attempt = 0; attempt < 100 && !killed; attempt++) {
			int status = 0;
			pid_t pid = start_writing(&p, bytes), ended = 0;

			while (!leftovers(&p) && !ended)
				ended = waitpid(pid, &status, WNOHANG);
			if (!ended) {
				kill(pid, signals[i]);
				status = status_of(pid);
			}
			assert_int_equal(leftovers(&p), 0);
			killed = WIFSIGNALED(status) && WTERMSIG(status) == signals[i];
			assert_true(size_of(p.file) == 6 || size_of(p.file) == LARGE);
		}
		assert_true(killed);
		place_fini(&p);
	}
	free(bytes);
}

static void a_pending_signal_stops_it_before_the_first_byte(void **state)
{
	struct place p;
	struct err e = {0};
	sigset_t term, before;
	struct timespec now = {0};

	(void)state;
	place_init(&p, NULL);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, &before);
	raise(SIGTERM);
	assert_int_equal(output_file(p.file, STR("bytes"), &e), -EINTR);
	assert_int_equal(sigtimedwait(&term, NULL, &now), SIGTERM);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(size_of(p.file), -1);
	assert_int_equal(leftovers(&p), 0);
	place_fini(&p);
}

static void an_ignored_signal_is_ignored(void **state)
{
	char *bytes = calloc(1, LARGE);
	struct place p;

	(void)state;
	assert_non_null(bytes);
	place_init(&p, "before");
	signal(SIGINT, SIG_IGN); /* as a shell does for background jobs */

	pid_t pid = start_writing(&p, bytes);
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0)
		kill(pid, SIGINT);
	signal(SIGINT, SIG_DFL);
	assert_int_equal(status, 0);
	assert_int_equal(size_of(p.file), LARGE);
	place_fini(&p);
	free(bytes);
}

static void the_file_size_limit_leaves_no_temporary_file(void **state)
{
	char *bytes = calloc(1, LARGE);
	struct place p;
	struct rlimit limit, small;

	(void)state;
	assert_non_null(bytes);
	place_init(&p, "before");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = LARGE / 2;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_true(WIFSIGNALED(status_of(start_writing(&p, bytes))));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(leftovers(&p), 0);
	assert_int_equal(size_of(p.file), 6);
	place_fini(&p);
	free(bytes);
}

TEST_MAIN(test(a_signal_while_writing_leaves_no_temporary_file),
	  test(a_pending_signal_stops_it_before_the_first_byte), test(an_ignored_signal_is_ignored),
	  test(the_file_size_limit_leaves_no_temporary_file))
