/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of the summary that `varve run` shows at the end: with VARVE_SUMMARY set to a directory,
 * the totals since the start are written there when the process stops, as one pprof file per kind
 * and a line about deliveries. File names have the process id, so that children write their own.
 */
#include "sdk/collect/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/pprof/pprof.h"
#include "sdk/export/sink_files.h"
#include "sdk/sdk.h"

/*
 * Read at the start, as programs change their environment. The time distinguishes programs that one
 * process ran by exec.
 */
static struct {
	char directory[4096];
	uint64_t start_ns;
} noted;

static void write_file(const char *directory, const char *name, struct str bytes)
{
	char path[4096];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%d-%llx.%s", directory, getpid(),
		     (unsigned long long)noted.start_ns, name) >= (int)sizeof(path))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	while (bytes.n) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n <= 0)
			break; /* the summary is best effort */
		bytes = str_from_at(bytes, (size_t)n);
	}
	close(fd);
}

static void write_kind(struct sdk *s, const char *directory, enum varve_profile kind)
{
	struct encode_options options = {0};
	struct profile_batch batch, sums = {0};
	struct buf name = {0}, out = {0};
	int rc = profile_batch_init(&batch, NULL);

	rc = rc ? rc : collect_batch(s->collector, collect_total(s->collector), kind, &batch, NULL);
	rc = rc ? rc : profile_batch_init(&sums, NULL);
	if (!rc && s->replaced)
		rc = sink_keep_sums(&sums, &batch);
	if (!rc && batch.sample_count)
		rc = pprof_encode(&out, s->replaced ? &sums : &batch, &options, NULL);
	sdk_profile_names(&name, kind);
	buf_printf(&name, ".pb.gz");
	buf_put_char(&name, 0);
	if (!rc && out.n && !buf_error(&name))
		write_file(directory, name.p, buf_str(&out));
	buf_fini(&name);
	buf_fini(&out);
	profile_batch_fini(&sums);
	profile_batch_fini(&batch);
}

const char *sdk_summary_directory(void)
{
	const char *directory = getenv("VARVE_SUMMARY");

	if (!noted.directory[0] && directory && strlen(directory) < sizeof(noted.directory)) {
		memcpy(noted.directory, directory, strlen(directory) + 1);
		noted.start_ns = clock_monotonic_ns();
	}
	return noted.directory[0] ? noted.directory : NULL;
}

void sdk_write_summary(struct sdk *s)
{
	const char *directory = sdk_summary_directory();

	for (unsigned kind = VARVE_CPU; directory && kind <= VARVE_MMAP; kind <<= 1)
		if (s->profiles & kind & ~(unsigned)VARVE_THREADS)
			write_kind(s, directory, kind);
}

void sdk_write_note(const char *name, const char *text)
{
	const char *directory = sdk_summary_directory();

	if (directory)
		write_file(directory, name, str_from(text));
}

void sdk_write_delivery(const struct varve_delivery *d)
{
	const char *directory = sdk_summary_directory();
	char line[128];
	int n = snprintf(line, sizeof(line), "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", d->confirmed,
			 d->failed, d->pending);

	if (directory)
		write_file(directory, "delivery", str_of(line, (size_t)n));
}
