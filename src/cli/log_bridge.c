/* SPDX-License-Identifier: Apache-2.0 */
/* Copying the standard error of a program, and logging its lines. */
#include "cli/log_bridge.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "sdk/sdk.h"

static const struct {
	const char *word;
	unsigned severity;
} words[] = {
	{"trace", VARVE_TRACE}, {"debug", VARVE_DEBUG}, {"info", VARVE_INFO},
	{"notice", 10},		{"warn", VARVE_WARN},	{"warning", VARVE_WARN},
	{"error", VARVE_ERROR}, {"err", VARVE_ERROR},	{"critical", 18},
	{"crit", 18},		{"alert", 19},		{"emerg", VARVE_FATAL},
	{"fatal", VARVE_FATAL}, {"panic", VARVE_FATAL},
};

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

unsigned log_line_severity(struct str line)
{
	enum { HEAD = 64 };
	struct str head = str_head(line, HEAD);

	for (size_t at = 0; at < head.n;) {
		size_t n = 0;

		while (at + n < head.n && is_letter(head.p[at + n]))
			n++;
		for (size_t i = 0; n && i < countof(words); i++)
			if (strlen(words[i].word) == n &&
			    !strncasecmp(words[i].word, head.p + at, n))
				return words[i].severity;
		at += n ? n : 1;
	}
	return 0;
}

static void log_line(struct str line)
{
	struct varve_attribute stream = varve_str("log.iostream", "stderr");

	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (line.n)
		(void)!logs_put((enum varve_severity)log_line_severity(line), line, &stream,
				1); /* a full buffer counts it */
}

/* Log the complete lines among more bytes; a line that fills the buffer is logged in parts. */
static void add_bytes(struct log_bridge *b, struct str bytes)
{
	while (bytes.n) {
		size_t room = sizeof(b->line) - b->n, end = str_find(bytes, '\n');
		size_t n = min_size(end, room);

		memcpy(b->line + b->n, bytes.p, n);
		b->n += n;
		if (n == end && end == bytes.n && b->n < sizeof(b->line))
			return; /* the line goes on */
		log_line(str_of(b->line, b->n));
		b->n = 0;
		bytes = str_from_at(bytes, n == end ? n + 1 : n);
	}
}

static void write_all(int fd, struct str bytes)
{
	while (bytes.n) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* the standard error is closed: the lines are logged nevertheless */
		bytes = str_from_at(bytes, (size_t)n);
	}
}

/* Copy what is in the pipe now. Return false at its end. */
static bool copy_once(struct log_bridge *b, bool log)
{
	char bytes[4096];
	ssize_t n = read(b->from, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	write_all(STDERR_FILENO, str_of(bytes, (size_t)n));
	if (log)
		add_bytes(b, str_of(bytes, (size_t)n));
	return n > 0;
}

static void run_bridge(void *arg)
{
	struct log_bridge *b = arg;
	struct pollfd fds[] = {{.fd = b->from, .events = POLLIN},
			       {.fd = b->wake[0], .events = POLLIN}};

	while (poll(fds, countof(fds), -1) >= 0 || errno == EINTR) {
		if (fds[0].revents && !copy_once(b, true)) {
			b->at_end = true;
			break;
		}
		if (!fds[0].revents && fds[1].revents)
			break; /* the program has ended, and the pipe is empty */
	}
	log_line(str_of(b->line, b->n));
	b->n = 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int log_bridge_open(struct log_bridge *b, struct err *e)
{
	int ends[2];

	b->from = b->to = b->wake[0] = b->wake[1] = -1;
	b->n = 0;
	b->at_end = false;
	if (pipe2(ends, O_CLOEXEC))
		return err_errno(e, -errno, "make a pipe for the standard error");
	b->from = ends[0];
	b->to = ends[1];
	if (pipe2(b->wake, O_CLOEXEC))
		return err_errno(e, -errno, "make a pipe");
	return 0;
}

int log_bridge_enter(const struct log_bridge *b)
{
	return dup2(b->to, STDERR_FILENO) < 0 ? -errno : 0;
}

int log_bridge_start(struct log_bridge *b, struct err *e)
{
	close_end(&b->to);
	fcntl(b->from, F_SETFL, O_NONBLOCK);
	return thread_start(&b->thread, "logs", run_bridge, b, e);
}

void log_bridge_finish(struct log_bridge *b)
{
	close_end(&b->to);
	close_end(&b->wake[1]); /* the thread sees its end */
	thread_join(&b->thread);
	close_end(&b->wake[0]);
}

void log_bridge_leave(struct log_bridge *b)
{
	if (b->from >= 0 && !b->at_end && fork() == 0) {
		setsid();
		fcntl(b->from, F_SETFL, 0);
		while (copy_once(b, false))
			;
		_exit(0);
	}
	close_end(&b->from);
}

/* Append key=value to a list of resource attributes, with the value percent-encoded. */
static void put_attribute(struct buf *out, const char *key, const char *value)
{
	buf_printf(out, "%s%s=", out->n ? "," : "", key);
	for (; *value; value++) {
		if (strchr(",=%", *value))
			buf_printf(out, "%%%02X", (unsigned char)*value);
		else
			buf_put_char(out, *value);
	}
}

int log_bridge_start_library(const char *service, const char *config, const char *path, pid_t pid)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *given = getenv("OTEL_RESOURCE_ATTRIBUTES");
	struct varve_options library = {.service_name = service,
					.profiles = VARVE_THREADCREATE,
					.listen = "", /* the program's */
					.no_traces = 1,
					.no_metrics = 1,
					.no_link = 1};
	struct buf attributes = {0};
	char number[24];
	int rc;

	if (!library.service_name && !getenv("OTEL_SERVICE_NAME") && !getenv("VARVE_SERVICE_NAME"))
		library.service_name = name;
	snprintf(number, sizeof(number), "%d", (int)pid);
	buf_printf(&attributes, "%s", given ? given : "");
	put_attribute(&attributes, "process.pid", number);
	put_attribute(&attributes, "process.executable.name", name);
	put_attribute(&attributes, "process.executable.path", path);
	buf_put_char(&attributes, 0);
	if (!buf_error(&attributes))
		library.resource_attributes = attributes.p;
	rc = config ? sdk_start_with_file(&library, config) : varve_start(&library);
	buf_fini(&attributes);
	if (!rc)
		(void)!varve_set_profiles(0); /* it runs */
	return rc;
}
