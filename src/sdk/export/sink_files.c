/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes files into a directory: one profile per kind, accumulated over the run. Allocations of the
 * heap profile are summed; memory in use is that of the latest profile. A file is written under a
 * temporary name and renamed, so that readers always see a complete one. Spans, metrics and logs
 * are appended as OTLP messages, each preceded by its length.
 */
#include "sdk/export/sink_files.h"
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/pprof/pprof.h"
#include "seal/sealed_file.h"
#include "signal/profile/profile_merge.h"
#include "signal/profile/profile_ops.h"
#include "wire/compress/deflate.h"

static const struct {
	unsigned kind;
	const char *name;
} kinds[] = {
	{VARVE_CPU, "cpu"},	{VARVE_HEAP, "heap"},
	{VARVE_MUTEX, "mutex"}, {VARVE_BLOCK, "block"},
	{VARVE_WALL, "wall"},	{VARVE_THREADS, "threads"},
	{VARVE_MMAP, "mmap"},	{VARVE_THREADCREATE, "threadcreate"},
};

#define WHOLE_MAX (64 * MIB) /* of a profile that is read back */

struct files_sink {
	struct sink sink; /* first */
	char *directory;
	struct key_ring *keys; /* NULL: files are in clear */
	struct buf sealed;     /* reused */
	pid_t pid;	       /* in the file names of a child */
	bool child;
	struct buf whole[countof(kinds)]; /* uncompressed pprof of the run so far */
};

/* Return whether values are snapshots, of which the latest counts: memory in use, thread stacks. */
static bool is_snapshot(const struct profile_batch *b, uint32_t profile)
{
	struct str type = string_of(b, b->profiles.at[profile].sample_type.type);

	return str_starts(type, STR("inuse_")) || str_eq(type, STR("goroutine")) ||
	       str_eq(type, STR("threads"));
}

static bool is_sum(const struct profile_batch *b, uint32_t profile, uint32_t sample, void *arg)
{
	(void)sample, (void)arg;
	return !is_snapshot(b, profile);
}

int sink_keep_sums(struct profile_batch *out, const struct profile_batch *batch)
{
	return profile_filter(out, batch, is_sum, NULL);
}

static int merge_pprof(struct profile_merge *m, struct str pprof, bool old, struct err *e)
{
	struct decode_options options = {0};
	struct profile_batch batch, sums;
	int rc = profile_batch_init(&batch, NULL);
	int rc_sums = profile_batch_init(&sums, NULL);

	rc = rc ? rc : rc_sums;
	rc = rc ? rc : pprof_decode(&batch, pprof, &options, e);
	if (!rc && old)
		rc = profile_filter(&sums, &batch, is_sum, NULL);
	rc = rc ? rc : profile_merge_add(m, old ? &sums : &batch);
	profile_batch_fini(&sums);
	profile_batch_fini(&batch);
	return rc;
}

/* Add `more` to *whole, which stays unchanged on failure. */
static int accumulate(struct buf *whole, struct str more, struct err *e)
{
	struct encode_options options = {0};
	struct profile_merge merge;
	struct profile_batch out;
	struct buf next = {0};
	int rc, started;

	if (!whole->n) {
		buf_put_str(whole, more);
		rc = buf_error(whole);
		if (rc)
			buf_fini(whole);
		return rc;
	}
	rc = profile_batch_init(&out, NULL);
	started = rc ? rc : profile_merge_init(&merge, &out);
	rc = started;
	rc = rc ? rc : merge_pprof(&merge, buf_str(whole), true, e);
	rc = rc ? rc : merge_pprof(&merge, more, false, e);
	rc = rc ? rc : profile_merge_finish(&merge);
	rc = rc ? rc : pprof_encode_raw(&next, &out, &options, e);
	if (!started)
		profile_merge_fini(&merge);
	profile_batch_fini(&out);
	if (!rc) {
		buf_fini(whole);
		*whole = next;
		next = (struct buf){0};
	}
	buf_fini(&next);
	return rc;
}

static int write_bytes(int fd, struct str data)
{
	while (data.n) {
		ssize_t n = write(fd, data.p, data.n);

		if (n > 0)
			data = str_from_at(data, (size_t)n);
		else if (errno != EINTR)
			return n ? -errno : -EIO;
	}
	return 0;
}

/* Make "cpu.pb.gz", or "cpu.1234.pb.gz" for a child; with a key, ".sealed" follows. */
static void make_file_path(const struct files_sink *s, const char *name, const char *end, char *out,
			   size_t size)
{
	const char *sealed = s->keys ? ".sealed" : "";

	if (s->child)
		snprintf(out, size, "%s/%s.%d.%s%s", s->directory, name, (int)s->pid, end, sealed);
	else
		snprintf(out, size, "%s/%s.%s%s", s->directory, name, end, sealed);
}

/* Encrypt the bytes if there is a key: *out is them, or borrowed from the sink. */
static int seal_content(struct files_sink *s, struct str bytes, struct str *out, struct err *e)
{
	int rc = 0;

	*out = bytes;
	if (!s->keys)
		return 0;
	buf_clear(&s->sealed);
	rc = sealed_write(&s->sealed, bytes, SEALED_BINARY, s->keys, e);
	*out = buf_str(&s->sealed);
	return rc;
}

int sink_replace_file(const char *path, struct str data, struct err *e)
{
	char temporary[4200];
	int fd, rc;

	snprintf(temporary, sizeof(temporary), "%s.%d.tmp", path, (int)getpid());
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(e, -errno, "%s: %s", temporary, strerror(errno));
	rc = write_bytes(fd, data);
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(temporary, path))
		rc = -errno;
	if (rc)
		unlink(temporary);
	return rc ? err_set(e, rc, "%s: %s", path, strerror(-rc)) : 0;
}

int sink_replace_sealed(const char *path, struct str data, struct key_ring *keys, struct err *e)
{
	struct buf sealed = {0};
	int rc = sealed_write(&sealed, data, SEALED_BINARY, keys, e);

	rc = rc ? rc : sink_replace_file(path, buf_str(&sealed), e);
	buf_fini(&sealed);
	return rc;
}

static int write_profile(struct files_sink *s, struct export_item *item, size_t kind, struct err *e)
{
	char path[4160];
	struct str content;
	int rc;

	rc = accumulate(&s->whole[kind], buf_str(&item->body), e);
	buf_clear(&item->packed);
	rc = rc ? rc : deflate_bytes(&item->packed, COMPRESS_GZIP, 6, buf_str(&s->whole[kind]));
	rc = rc ? rc : seal_content(s, buf_str(&item->packed), &content, e);
	if (rc)
		return rc;
	make_file_path(s, kinds[kind].name, "pb.gz", path, sizeof(path));
	item->sent_bytes = content.n;
	return sink_replace_file(path, content, e);
}

/* Append a message after its length as a varint, as protobuf's delimited streams do. */
static int append_message(struct files_sink *s, struct export_item *item, struct err *e)
{
	static const char *const names[] = {
		[EXPORT_TRACES] = "traces", [EXPORT_METRICS] = "metrics", [EXPORT_LOGS] = "logs"};
	struct str content;
	uint64_t n;
	char path[4160];
	int fd, rc = seal_content(s, buf_str(&item->body), &content, e);

	if (rc)
		return rc;
	n = content.n;
	make_file_path(s, names[item->signal], "otlp", path, sizeof(path));
	buf_clear(&item->packed);
	for (; n >= 0x80; n >>= 7)
		buf_put_char(&item->packed, (char)(n | 0x80));
	buf_put_char(&item->packed, (char)n);
	buf_put_str(&item->packed, content);
	if (buf_error(&item->packed))
		return err_errno(e, -ENOMEM, path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(e, -errno, "%s: %s", path, strerror(errno));
	rc = write_bytes(fd, buf_str(&item->packed));
	close(fd);
	item->sent_bytes = item->packed.n;
	return rc ? err_set(e, rc, "%s: %s", path, strerror(-rc)) : 0;
}

static int files_deliver(struct sink *sink, struct export_item *item, uint64_t timeout_ms,
			 uint64_t *retry_after_ms, struct err *e)
{
	struct files_sink *s = (struct files_sink *)sink;

	(void)timeout_ms, (void)retry_after_ms;
	if (item->signal != EXPORT_PROFILES)
		return append_message(s, item, e);
	for (size_t i = 0; i < countof(kinds); i++)
		if (kinds[i].kind == item->kind)
			return write_profile(s, item, i, e);
	return err_set(e, -EINVAL, "unknown profile kind %u", (unsigned)item->kind);
}

static int files_check(struct sink *sink, uint64_t timeout_ms, struct err *e)
{
	const struct files_sink *s = (struct files_sink *)sink;

	(void)timeout_ms;
	return access(s->directory, W_OK)
		       ? err_set(e, -errno, "%s: %s", s->directory, strerror(errno))
		       : 0;
}

/* The accumulated profiles are the parent's; the child starts empty, with its pid in file names. */
static void files_forked(struct sink *sink, unsigned busy)
{
	struct files_sink *s = (struct files_sink *)sink;

	for (size_t i = 0; i < countof(kinds); i++) {
		if (busy & 1u << EXPORT_PROFILES)
			s->whole[i] = (struct buf){0};
		else
			buf_fini(&s->whole[i]);
	}
	s->child = true;
	s->pid = getpid();
}

static void files_free(struct sink *sink)
{
	struct files_sink *s = (struct files_sink *)sink;

	if (!s)
		return;
	for (size_t i = 0; i < countof(kinds); i++)
		buf_fini(&s->whole[i]);
	buf_fini(&s->sealed);
	key_ring_unref(s->keys);
	free(s->directory);
	free(s);
}

int sink_files_directory(const char *path, struct err *e)
{
	char part[4097];
	struct stat found;
	size_t n = strlen(path);

	if (n >= sizeof(part) - 1)
		return err_set(e, -ENAMETOOLONG, "directory: the path is too long");
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i])
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, 0777) && errno != EEXIST)
			return err_set(e, -errno, "%s: %s", part, strerror(errno));
	}
	if (stat(path, &found))
		return err_set(e, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(found.st_mode))
		return err_set(e, -ENOTDIR, "%s: is not a directory", path);
	if (access(path, W_OK | X_OK))
		return err_set(e, -errno, "%s: %s", path, strerror(errno));
	return 0;
}

/*
 * Return the start time of this process by the realtime clock; exec does not change it. 0: unknown.
 */
static uint64_t process_start_ns(void)
{
	enum { START_TIME = 19 }; /* of the fields after the name */
	uint64_t ticks, hz = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec boot, now;
	char text[1024] = "", *at;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	if (fd >= 0)
		close(fd);
	at = n > 0 ? strrchr(text, ')') : NULL;
	for (int i = 0; at && i <= START_TIME; i++)
		at = strchr(at + 1, ' ');
	if (!at || !hz)
		return 0;
	ticks = strtoull(at, NULL, 10);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)(now.tv_sec - boot.tv_sec) * NS_PER_SECOND + (uint64_t)now.tv_nsec -
	       (uint64_t)boot.tv_nsec + ticks * (NS_PER_SECOND / hz);
}

/* Replace the bytes of a file by their content, if files are encrypted. */
static bool open_content(const struct files_sink *s, struct buf *file)
{
	struct buf content = {0};

	if (!s->keys)
		return true;
	if (sealed_read(&content, buf_str(file), s->keys, NULL)) {
		buf_fini(&content);
		return false;
	}
	buf_fini(file);
	*file = content;
	return file->n > 18;
}

/* Append the contents of a gzipped file to *out; nothing if it cannot be read. */
static void read_gzip_file(const struct files_sink *s, struct buf *out, const char *path,
			   size_t size)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	struct buf packed = {0};
	char *in = buf_reserve(&packed, size), *to;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint32_t n = 0;

	if (d && in && fd >= 0 && read(fd, in, size) == (ssize_t)size)
		packed.n = size;
	if (packed.n && open_content(s, &packed)) {
		/* the last bytes of gzip are the original length */
		memcpy(&n, packed.p + packed.n - 4, sizeof(n));
		to = n <= WHOLE_MAX ? buf_reserve(out, n) : NULL;
		if (to && !libdeflate_gzip_decompress(d, packed.p, packed.n, to, n, NULL))
			out->n = n;
	}
	if (fd >= 0)
		close(fd);
	buf_fini(&packed);
	libdeflate_free_decompressor(d);
}

/* Read the files of an earlier program of this process (a shell, before exec), to continue them. */
static void read_earlier_files(struct files_sink *s)
{
	uint64_t start = process_start_ns();
	char path[4160];
	struct stat file;

	for (size_t i = 0; start && i < countof(kinds); i++) {
		make_file_path(s, kinds[i].name, "pb.gz", path, sizeof(path));
		if (!stat(path, &file) && file.st_size > 18 && (uint64_t)file.st_size < WHOLE_MAX &&
		    (uint64_t)file.st_mtim.tv_sec * NS_PER_SECOND + (uint64_t)file.st_mtim.tv_nsec >
			    start)
			read_gzip_file(s, &s->whole[i], path, (size_t)file.st_size);
	}
}

bool sink_is_child(void)
{
	const char *text = getenv("VARVE_MAIN_PID");
	uint64_t pid;

	return text && !str_to_u64(str_from(text), 10, &pid) && pid != (uint64_t)getpid();
}

int sink_files(struct sink **out, const char *directory, struct key_ring *keys, struct err *e)
{
	struct files_sink *s;
	int rc = sink_files_directory(directory, e);

	if (rc)
		return rc;
	s = calloc(1, sizeof(*s));
	if (s)
		s->directory = strdup(directory);
	if (!s || !s->directory) {
		free(s);
		return err_errno(e, -ENOMEM, "making a sink");
	}
	s->sink = (struct sink){.name = "files",
				.pprof = true,
				.deliver = files_deliver,
				.check = files_check,
				.forked = files_forked,
				.free = files_free};
	s->keys = key_ring_ref(keys);
	s->pid = getpid();
	s->child = sink_is_child();
	read_earlier_files(s);
	*out = &s->sink;
	return 0;
}
