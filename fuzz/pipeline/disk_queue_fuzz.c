/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as the only segment of a queue on disk, which is opened, read to its end, and
 * opened again. What is handed out has to be within the file; nothing may be left afterwards.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "net/http/http.h"
#include "pipeline/journal/disk_queue.h"

static const char *queue_directory(void)
{
	static char path[64];

	if (!path[0]) {
		snprintf(path, sizeof(path), "%s/disk_queue_fuzz.XXXXXX",
			 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
		FUZZ_CHECK(mkdtemp(path));
	}
	return path;
}

static void write_segment(const char *directory, const uint8_t *data, size_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/0000000000000001.queue", directory);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* Take and remove all records. Return their number. */
static unsigned drain_queue(struct disk_queue *q, size_t size)
{
	struct disk_record *r;
	uint64_t last = 0;
	unsigned n = 0;

	while (!disk_queue_take(q, &r, 0, NULL)) {
		size_t bytes = r->payload->bytes + r->tenant.n;

		for (uint32_t i = 0; i < r->metadata_count; i++)
			bytes += r->metadata[i].name.n + r->metadata[i].value.n;
		FUZZ_CHECK(bytes <= size);
		FUZZ_CHECK(r->sequence > last);
		last = r->sequence;
		n++;
		disk_queue_remove(q, r);
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct disk_queue_options options = {
		.directory = queue_directory(), .name = "fuzz", .budget = &budget};
	struct disk_queue_list list;
	struct disk_queue *q;
	struct disk_queue_state state;
	struct err e = {0};

	write_segment(options.directory, data, size);
	disk_queue_list_init(&list);
	if (!disk_queue_open(&q, &list, &options, &e)) {
		(void)drain_queue(q, size);
		disk_queue_read_state(q, &state);
		FUZZ_CHECK(!state.records && !state.items && !state.bytes && !state.in_flight);
		disk_queue_close(q);
		FUZZ_CHECK(!disk_queue_open(&q, &list, &options, &e));
		FUZZ_CHECK(!drain_queue(q, size));
		disk_queue_close(q);
	} else {
		FUZZ_CHECK(e.text[0]);
	}
	disk_queue_list_fini(&list);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
