/* SPDX-License-Identifier: Apache-2.0 */
/* Queues on disk with real files: order, limits, recovery, damage, and disks that fail. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crc32c.h"
#include "net/http/http.h"
#include "pipeline/journal/disk_queue.h"
#include "pipeline/journal/journal_file.h"
#include "seal/key_block.h"
#include "test/test.h"

enum { MESSAGE_MAX = 1 << 20 };

#define WAIT_NS ((uint64_t)20 * 1000000000)

/* ---- fixture ---- */

/* The tests run a second time with encrypted files: if VARVE_TEST_KEY is set. */
static struct key_ring *test_keys(void)
{
	static const uint8_t key[SEAL_KEY] = "thirty-two bytes, not all zeros";
	static struct key_ring *ring;

	if (getenv("VARVE_TEST_KEY") && !ring)
		assert_ok(key_ring_of_key(&ring, key, NULL));
	return ring;
}

struct fixture {
	char directory[64];
	struct disk_queue_list list;
	struct disk_queue_options options;
	struct disk_queue *q;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->directory, sizeof(f->directory), "/tmp/disk_queue_test.XXXXXX");
	*state = f;
	if (!mkdtemp(f->directory))
		return -1;
	disk_queue_list_init(&f->list);
	f->options = (struct disk_queue_options){
		.directory = f->directory, .name = "test", .keys = test_keys()};
	signal(SIGXFSZ, SIG_IGN);
	return 0;
}

/* Call `visit` with the path of each file of the queue. */
static void each_file(const struct fixture *f, void (*visit)(const char *path))
{
	DIR *d = opendir(f->directory);
	const struct dirent *entry;
	char path[512];

	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", f->directory, entry->d_name);
		visit(path);
	}
	closedir(d);
}

static void remove_file(const char *path)
{
	assert_ok(unlink(path));
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	disk_queue_close(f->q);
	disk_queue_list_fini(&f->list);
	each_file(f, remove_file);
	assert_ok(rmdir(f->directory));
	free(f);
	return 0;
}

static void open_queue(struct fixture *f)
{
	assert_ok_err(disk_queue_open(&f->q, &f->list, &f->options, &f->e), &f->e);
}

static void close_queue(struct fixture *f)
{
	disk_queue_close(take_ptr(&f->q));
}

static struct disk_queue_state state_of(const struct fixture *f)
{
	struct disk_queue_state s;

	disk_queue_read_state(f->q, &s);
	return s;
}

/* ---- deliveries ---- */

struct put {
	struct delivery d;
	struct payload payload;
	struct payload_slice slices[2];
	pthread_mutex_t mu;
	pthread_cond_t changed;
	struct delivery_result result;
	bool done;
	char *message;
};

static void put_done(struct delivery *d, const struct delivery_result *result)
{
	struct put *p = d->owner;

	pthread_mutex_lock(&p->mu);
	p->result = *result;
	p->done = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->mu);
}

/* Put a message of `n` bytes `c`, in two slices, with tenant and a header. */
static void put_begin(const struct fixture *f, struct put *p, char c, size_t n, uint32_t items)
{
	static const struct http_header header = {STR_INIT("x-a"), STR_INIT("b")};

	*p = (struct put){.message = malloc(n + 1)};
	memset(p->message, c, n);
	p->slices[0].bytes = str_of(p->message, n / 3);
	p->slices[1].bytes = str_of(p->message + n / 3, n - n / 3);
	p->payload = (struct payload){.signal = SIGNAL_METRICS,
				      .items = items,
				      .bytes = n,
				      .slice_count = 2,
				      .slices = p->slices};
	p->d = (struct delivery){.signal = SIGNAL_METRICS,
				 .tenant = STR("shop"),
				 .received = 1700000000000000000 + (uint64_t)c,
				 .metadata = &header,
				 .metadata_count = 1,
				 .payload = &p->payload,
				 .done = put_done,
				 .owner = p};
	pthread_mutex_init(&p->mu, NULL);
	pthread_cond_init(&p->changed, NULL);
	assert_false(disk_queue_put(f->q, &p->d));
}

static int put_end(struct put *p)
{
	pthread_mutex_lock(&p->mu);
	while (!p->done)
		pthread_cond_wait(&p->changed, &p->mu);
	pthread_mutex_unlock(&p->mu);
	pthread_mutex_destroy(&p->mu);
	pthread_cond_destroy(&p->changed);
	free(p->message);
	return p->result.rc;
}

static int put(const struct fixture *f, char c, size_t n, uint32_t items)
{
	struct put p;

	put_begin(f, &p, c, n, items);
	return put_end(&p);
}

static void put_all(const struct fixture *f, const char *letters)
{
	for (; *letters; letters++)
		assert_ok(put(f, *letters, 1000, 3));
}

static struct disk_record *take(const struct fixture *f)
{
	struct disk_record *r;

	assert_ok(disk_queue_take(f->q, &r, WAIT_NS, NULL));
	return r;
}

static char letter_of(const struct disk_record *r)
{
	struct str s = r->payload->slices[0].bytes;

	for (size_t i = 0; i < s.n; i++)
		assert_int_equal(s.p[i], s.p[0]);
	assert_str_equal(r->tenant, STR("shop"));
	assert_int_equal(r->metadata_count, 1);
	assert_str_equal(r->metadata[0].name, STR("x-a"));
	assert_str_equal(r->metadata[0].value, STR("b"));
	assert_int_equal(r->payload->signal, SIGNAL_METRICS);
	assert_int_equal(r->received, 1700000000000000000 + (uint64_t)s.p[0]);
	return s.p[0];
}

static bool is_empty(const struct fixture *f)
{
	struct disk_record *r;

	return disk_queue_take(f->q, &r, 0, NULL) == -ETIMEDOUT;
}

/* Take and remove these records; expect them to be marked `again` or not. */
static void expect_marked(const struct fixture *f, const char *letters, bool again)
{
	for (; *letters; letters++) {
		struct disk_record *r = take(f);

		assert_int_equal(letter_of(r), *letters);
		assert_int_equal(r->again, again);
		disk_queue_remove(f->q, r);
	}
}

static void expect(const struct fixture *f, const char *letters)
{
	expect_marked(f, letters, false);
}

static void expect_empty(const struct fixture *f)
{
	struct disk_queue_state s = state_of(f);

	assert_true(is_empty(f));
	assert_int_equal(s.records, 0);
	assert_int_equal(s.items, 0);
	assert_int_equal(s.bytes, 0);
	assert_int_equal(s.in_flight, 0);
}

/* ---- order and state ---- */

static void records_come_out_in_order(void **state)
{
	struct fixture *f = *state;

	open_queue(f);
	put_all(f, "abc");
	assert_int_equal(state_of(f).records, 3);
	assert_int_equal(state_of(f).items, 9);
	assert_int_equal(state_of(f).bytes, 3000);
	expect(f, "ab");
	put_all(f, "d");
	expect(f, "cd");
	assert_ok(put(f, 'e', 0, 1)); /* an empty message */
	disk_queue_remove(f->q, take(f));
	expect_empty(f);
}

static void what_was_not_removed_is_left_for_the_next_process(void **state)
{
	struct fixture *f = *state;
	struct disk_record *b;

	open_queue(f);
	put_all(f, "abcd");
	expect(f, "a");
	b = take(f);
	assert_int_equal(letter_of(b), 'b');
	expect(f, "c");
	disk_queue_return(f->q, b);
	close_queue(f);
	open_queue(f);
	assert_int_equal(state_of(f).records, 2);
	assert_int_equal(state_of(f).items, 6);
	put_all(f, "e");
	expect(f, "bde");
	expect_empty(f);
	assert_int_equal(state_of(f).again, 0);
}

static void returned_records_are_the_next(void **state)
{
	struct fixture *f = *state;
	struct disk_record *r[3];

	open_queue(f);
	put_all(f, "abcd");
	for (unsigned i = 0; i < 3; i++)
		r[i] = take(f);
	disk_queue_return(f->q, r[2]);
	disk_queue_return(f->q, r[0]);
	disk_queue_remove(f->q, r[1]);
	expect(f, "acd");
	expect_empty(f);
}

/* Run `body` in a child process that ends without closing anything. */
static void in_killed_process(struct fixture *f, void (*body)(struct fixture *f))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		body(f);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void take_two_of_four(struct fixture *f)
{
	open_queue(f);
	put_all(f, "abcd");
	expect(f, "a");
	(void)take(f);
	(void)take(f);
}

static void taken_records_of_a_killed_process_are_marked(void **state)
{
	struct fixture *f = *state;

	in_killed_process(f, take_two_of_four);
	open_queue(f);
	expect_marked(f, "bc", true);
	expect_marked(f, "d", false);
	expect_empty(f);
	assert_int_equal(state_of(f).again, 6);
}

/* ---- limits ---- */

static void a_full_queue_refuses(void **state)
{
	struct fixture *f = *state;

	f->options.max_records = 2;
	open_queue(f);
	put_all(f, "ab");
	assert_int_equal(put(f, 'c', 10, 1), -EAGAIN);
	expect(f, "a");
	put_all(f, "c");
	close_queue(f);
	f->options.max_records = 0;
	f->options.max_items = 9;
	f->options.max_bytes = 2500;
	open_queue(f);
	assert_int_equal(put(f, 'd', 10, 4), -EAGAIN);
	assert_int_equal(put(f, 'd', 501, 1), -EAGAIN);
	assert_int_equal(put(f, 'd', 10, 10), -EINVAL);
	assert_int_equal(put(f, 'd', 2501, 1), -EINVAL);
	assert_int_equal(put(f, 'd', 500, 3), 0);
	expect(f, "bcd");
	expect_empty(f);
}

static void deliveries_can_wait_for_room(void **state)
{
	struct fixture *f = *state;
	struct put p[3];

	f->options.max_records = 1;
	f->options.block_on_overflow = true;
	open_queue(f);
	put_all(f, "a");
	for (unsigned i = 0; i < 3; i++)
		put_begin(f, &p[i], (char)('b' + i), 100, 1);
	usleep(10000);
	assert_false(p[0].done);
	expect(f, "a");
	assert_ok(put_end(&p[0]));
	expect(f, "b");
	assert_ok(put_end(&p[1]));
	assert_false(p[2].done);
	close_queue(f);
	assert_int_equal(put_end(&p[2]), -EAGAIN);
	open_queue(f);
	expect(f, "c");
	expect_empty(f);
}

static void memory_in_flight_is_bounded(void **state)
{
	struct fixture *f = *state;
	struct budget budget = {.limit = 4000};
	struct disk_record *a, *b;

	f->options.max_in_flight = 2500;
	f->options.budget = &budget;
	open_queue(f);
	put_all(f, "abc");
	assert_ok(put(f, 'd', 3000, 1));
	a = take(f);
	b = take(f);
	assert_true(is_empty(f));
	assert_true(state_of(f).in_flight <= 2500);
	disk_queue_remove(f->q, a);
	expect(f, "c");
	assert_true(is_empty(f)); /* larger than the limit: alone */
	disk_queue_remove(f->q, b);
	budget_charge(&budget, 3000);
	assert_true(is_empty(f));
	budget_give(&budget, 3000);
	expect(f, "d");
	expect_empty(f);
	assert_int_equal(atomic_load(&budget.used), 0);
}

static void *take_blocking(void *arg)
{
	struct disk_record *r;
	static _Atomic bool end;
	int rc;

	if (!arg) {
		atomic_store(&end, true);
		return NULL;
	}
	rc = disk_queue_take(arg, &r, 100 * WAIT_NS, &end);
	return (void *)(intptr_t)rc;
}

static void a_taker_can_be_woken(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;
	void *rc;

	open_queue(f);
	assert_ok(pthread_create(&thread, NULL, take_blocking, f->q));
	usleep(10000);
	take_blocking(NULL);
	disk_queue_wake(f->q);
	pthread_join(thread, &rc);
	assert_int_equal((intptr_t)rc, -EINTR);
}

static void components_share_a_queue_and_processes_do_not(void **state)
{
	struct fixture *f = *state;
	struct disk_queue_list other;
	struct disk_queue *second, *third = NULL;

	disk_queue_list_init(&other);
	open_queue(f);
	put_all(f, "ab");
	f->options.max_records = 3;
	assert_ok_err(disk_queue_open(&second, &f->list, &f->options, &f->e), &f->e);
	assert_ptr_equal(second, f->q);
	disk_queue_close(second);
	put_all(f, "c");
	assert_int_equal(put(f, 'd', 1, 1), -EAGAIN);
	assert_int_equal(disk_queue_open(&third, &other, &f->options, &f->e), -EBUSY);
	assert_err_says(&f->e, "in use by another process");
	expect(f, "abc");
	disk_queue_list_fini(&other);
}

static void directories_are_named_after_components(void **state)
{
	struct buf path = {0};

	(void)state;
	disk_queue_path(&path, "/s", "otlp/a b.c", "traces");
	assert_string_equal(path.p, "/s/otlp%2Fa%20b.c/traces");
	buf_clear(&path);
	disk_queue_path(&path, "/s", "../x", "logs");
	assert_string_equal(path.p, "/s/%2E.%2Fx/logs");
	buf_fini(&path);
}

/* Put a message of 1,000 bytes in a payload that is counted. */
static struct payload *put_counted(const struct fixture *f, char c)
{
	struct payload *kept;
	struct put p = {.mu = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	static const struct http_header header = {STR_INIT("x-a"), STR_INIT("b")};

	p.message = malloc(1000);
	memset(p.message, c, 1000);
	kept = payload_copy(SIGNAL_METRICS, 3, str_of(p.message, 1000), f->options.budget);
	p.d = (struct delivery){.signal = SIGNAL_METRICS,
				.tenant = STR("shop"),
				.received = 1700000000000000000 + (uint64_t)c,
				.metadata = &header,
				.metadata_count = 1,
				.payload = kept,
				.done = put_done,
				.owner = &p};
	disk_queue_put(f->q, &p.d);
	assert_ok(put_end(&p));
	payload_release(kept);
	return kept;
}

static void payloads_that_can_be_shared_are_not_read_again(void **state)
{
	struct fixture *f = *state;
	struct budget budget = {.limit = MIB};
	struct payload *a, *b;
	struct disk_record *r;

	f->options.budget = &budget;
	f->options.max_in_flight = 2500;
	open_queue(f);
	a = put_counted(f, 'a');
	b = put_counted(f, 'b');
	put_counted(f, 'c'); /* no memory for it */
	put_all(f, "d");     /* borrowed */
	put_counted(f, 'e');
	r = take(f);
	assert_ptr_equal(r->payload, a);
	assert_int_equal(letter_of(r), 'a');
	disk_queue_return(f->q, r);
	expect(f, "a"); /* read again */
	r = take(f);
	assert_ptr_equal(r->payload, b);
	disk_queue_remove(f->q, r);
	expect(f, "cde");
	put_counted(f, 'f');
	put_counted(f, 'g');
	close_queue(f); /* with what is kept */
	assert_int_equal(atomic_load(&budget.used), 0);
	open_queue(f);
	expect(f, "fg");
	expect_empty(f);
}

/* ---- damage ---- */

static char segment_path[512];
static unsigned segment_count;

static void note_segment(const char *path)
{
	if (strstr(path, ".queue")) {
		segment_count++;
		if (!segment_path[0] || strcmp(path, segment_path) > 0)
			snprintf(segment_path, sizeof(segment_path), "%s", path);
	}
}

/* Count the segments; return a descriptor of the last one. */
static int open_segment(const struct fixture *f)
{
	int fd;

	segment_path[0] = 0;
	segment_count = 0;
	each_file(f, note_segment);
	fd = open(segment_path, O_RDWR);
	assert_true(fd >= 0);
	return fd;
}

static off_t size_of(int fd)
{
	struct stat st;

	assert_ok(fstat(fd, &st));
	return st.st_size;
}

/* The size of the records that put_all() makes. */
static off_t record_size(void)
{
	const struct journal_header h = {
		.encrypted = test_keys(), .payload_bytes = 1000, .text_bytes = 8 + 8 + 4 + 3 + 1};

	return (off_t)journal_record_size(&h);
}

/* Where the header of a segment and its first record are. */
static off_t header_offset(void)
{
	return test_keys() ? KEY_BLOCK : 0;
}

static off_t first_record(void)
{
	return header_offset() + JOURNAL_SEGMENT_HEADER;
}

/* Put three records, damage the file with `damage`, and open the queue again. */
static void reopen_damaged(struct fixture *f, void (*damage)(int fd))
{
	int fd;

	open_queue(f);
	put_all(f, "abc");
	close_queue(f);
	fd = open_segment(f);
	assert_int_equal(size_of(fd), first_record() + 3 * record_size());
	damage(fd);
	open_queue(f);
	close(fd);
}

static void cut_last(int fd)
{
	assert_ok(ftruncate(fd, size_of(fd) - 500));
}

static void append_garbage(int fd)
{
	char bytes[5000];

	memset(bytes, 'V', sizeof(bytes));
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), size_of(fd)), sizeof(bytes));
}

static void flip(int fd, off_t offset)
{
	char byte;

	assert_int_equal(pread(fd, &byte, 1, offset), 1);
	byte = (char)~byte;
	assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
}

/* The end of a write that was not committed. */
static void flip_last_payload(int fd)
{
	flip(fd, header_offset() + JOURNAL_COMMIT_OFFSET);
	flip(fd, size_of(fd) - 500);
}

static void flip_second_header(int fd)
{
	flip(fd, first_record() + record_size() + 9);
}

static void flip_second_payload(int fd)
{
	flip(fd, first_record() + record_size() + 500);
}

static void flip_segment_header(int fd)
{
	flip(fd, header_offset() + 3);
}

static void flip_second_mark(int fd)
{
	flip(fd, first_record() + record_size() + JOURNAL_MARK_OFFSET);
}

static void a_torn_tail_is_cut_off(void **state)
{
	struct fixture *f = *state;
	int fd;

	reopen_damaged(f, cut_last);
	fd = open_segment(f);
	assert_int_equal(size_of(fd), first_record() + 2 * record_size());
	close(fd);
	assert_int_equal(state_of(f).damaged, 0);
	put_all(f, "d");
	expect(f, "abd");
	expect_empty(f);
}

static void an_unfinished_record_is_cut_off(void **state)
{
	struct fixture *f = *state;

	reopen_damaged(f, flip_last_payload);
	assert_int_equal(state_of(f).damaged, 0);
	expect(f, "ab");
	expect_empty(f);
}

/* Write another commit, as of this boot of the kernel or an earlier one. */
static void commit_two(int fd, bool this_boot)
{
	uint8_t header[JOURNAL_SEGMENT_HEADER];
	struct journal_segment s;

	assert_int_equal(pread(fd, header, sizeof(header), header_offset()), sizeof(header));
	assert_ok(journal_read_segment(header, &s));
	assert_int_equal(s.first, 1);
	assert_int_equal(s.committed, size_of(fd));
	s.committed = (uint64_t)(first_record() + 2 * record_size());
	s.boot[0] = (uint8_t)(s.boot[0] ^ !this_boot);
	journal_write_segment(header, &s);
	assert_int_equal(pwrite(fd, header, sizeof(header), header_offset()), sizeof(header));
}

static void commit_two_of_this_boot(int fd)
{
	commit_two(fd, true);
}

static void commit_two_of_an_earlier_boot(int fd)
{
	commit_two(fd, false);
}

static void what_was_not_acknowledged_is_cut_off(void **state)
{
	struct fixture *f = *state;

	reopen_damaged(f, commit_two_of_this_boot);
	assert_int_equal(state_of(f).damaged, 0);
	expect(f, "ab");
	expect_empty(f);
}

/* After a power loss, the commit may be older than what was acknowledged. */
static void the_commit_of_an_earlier_boot_is_ignored(void **state)
{
	struct fixture *f = *state;

	reopen_damaged(f, commit_two_of_an_earlier_boot);
	assert_int_equal(state_of(f).damaged, 0);
	expect(f, "abc");
	expect_empty(f);
}

static void garbage_after_the_last_record_is_cut_off(void **state)
{
	struct fixture *f = *state;

	reopen_damaged(f, append_garbage);
	assert_int_equal(state_of(f).damaged, 0);
	expect(f, "abc");
	expect_empty(f);
}

static void damaged_records_are_skipped_and_counted(void **state)
{
	struct fixture *f = *state;

	reopen_damaged(f, flip_second_header);
	assert_int_equal(state_of(f).damaged, 1);
	expect(f, "ac");
	expect_empty(f);
	close_queue(f);

	reopen_damaged(f, flip_second_payload);
	assert_int_equal(state_of(f).damaged, 1);
	assert_int_equal(state_of(f).records, 2);
	expect(f, "ac");
	expect_empty(f);
	close_queue(f);

	reopen_damaged(f, flip_segment_header);
	expect(f, "abc");
	expect_empty(f);
}

static void a_damaged_mark_counts_as_taken(void **state)
{
	struct fixture *f = *state;

	reopen_damaged(f, flip_second_mark);
	expect_marked(f, "a", false);
	expect_marked(f, "b", true);
	expect_marked(f, "c", false);
	expect_empty(f);
}

static void damage_of_a_running_queue_is_found(void **state)
{
	struct fixture *f = *state;
	int fd;

	open_queue(f);
	put_all(f, "abcd");
	fd = open_segment(f);
	flip_second_payload(fd);
	close(fd);
	expect(f, "acd");
	expect_empty(f);
	assert_int_equal(state_of(f).damaged, 1);
}

static void files_of_another_version_are_refused(void **state)
{
	struct fixture *f = *state;
	/* version 2, with its checksum */
	uint8_t header[JOURNAL_COMMIT_OFFSET] = "VARVEQUE\2";
	uint32_t checksum;
	int fd;

	open_queue(f);
	put_all(f, "a");
	close_queue(f);
	fd = open_segment(f);
	header[16] = 1;
	checksum = crc32c(crc32c(0, header, 12), header + 16, sizeof(header) - 16);
	memcpy(header + 12, &checksum, sizeof(checksum));
	assert_int_equal(pwrite(fd, header, sizeof(header), header_offset()), sizeof(header));
	assert_int_equal(disk_queue_open(&f->q, &f->list, &f->options, &f->e), -ENOTSUP);
	assert_err_says(&f->e, "another version");
	close(fd);
}

/* ---- many records ---- */

static void segments_are_deleted_when_they_are_consumed(void **state)
{
	struct fixture *f = *state;
	struct disk_record *r;
	int fd;

	open_queue(f);
	for (int i = 0; i < 150; i++) /* 150 MiB: 3 segments */
		assert_ok(put(f, 'a', MESSAGE_MAX, 1));
	close(open_segment(f));
	assert_int_equal(segment_count, 3);
	close_queue(f);
	open_queue(f);
	for (int i = 0; i < 149; i++) {
		r = take(f);
		assert_int_equal(letter_of(r), 'a');
		disk_queue_remove(f->q, r);
	}
	for (int i = 0; segment_count > 1 && i < 10000; i++) {
		fd = open_segment(f);
		close(fd);
		usleep(1000);
	}
	assert_int_equal(segment_count, 1);
	put_all(f, "b");
	expect(f, "ab");
	expect_empty(f);
}

struct crowd {
	struct fixture *f;
	_Atomic unsigned taken;
	unsigned puts;
};

static void *put_crowd(void *arg)
{
	struct crowd *c = arg;

	for (unsigned i = 0; i < c->puts; i++) {
		if (i % 3)
			put_counted(c->f, (char)('a' + i % 26));
		else
			assert_ok(put(c->f, (char)('a' + i % 26), 1 + i * 7 % 3000, 2));
	}
	return NULL;
}

static void *take_crowd(void *arg)
{
	struct crowd *c = arg;
	struct disk_record *r;

	for (unsigned i = 0; disk_queue_take(c->f->q, &r, NS_PER_SECOND, NULL) == 0; i++) {
		(void)letter_of(r);
		if (i % 5 == 3) {
			disk_queue_return(c->f->q, r);
			continue;
		}
		disk_queue_remove(c->f->q, r);
		atomic_fetch_add(&c->taken, 1);
	}
	return NULL;
}

static void many_threads_put_and_take(void **state)
{
	struct fixture *f = *state;
	struct crowd c = {.f = f, .puts = 300};
	pthread_t threads[8];

	f->options.max_in_flight = 5000;
	open_queue(f);
	for (unsigned i = 0; i < 8; i++)
		assert_ok(pthread_create(&threads[i], NULL, i < 5 ? put_crowd : take_crowd, &c));
	for (unsigned i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&c.taken), 1500);
	expect_empty(f);
}

/* ---- disks that fail ---- */

static void a_full_disk_refuses_until_there_is_room(void **state)
{
	struct fixture *f = *state;

	if (mount("tmpfs", f->directory, "tmpfs", 0, "size=256k")) {
		print_message("SKIPPED: cannot mount a small tmpfs: %s\n", strerror(errno));
		return;
	}
	open_queue(f);
	put_all(f, "a");
	assert_int_equal(put(f, 'x', 400000, 1), -ENOSPC);
	assert_int_equal(put(f, 'x', 400000, 1), -ENOSPC);
	put_all(f, "b");
	expect(f, "a");
	assert_ok(mount(NULL, f->directory, NULL, MS_REMOUNT, "size=1m"));
	assert_ok(put(f, 'c', 400000, 1));
	close_queue(f);
	open_queue(f);
	assert_int_equal(state_of(f).damaged, 0);
	expect(f, "bc");
	expect_empty(f);
	close_queue(f);
	assert_ok(umount(f->directory));
}

static void a_read_only_file_system_refuses_until_it_is_writable(void **state)
{
	struct fixture *f = *state;

	if (mount("tmpfs", f->directory, "tmpfs", 0, "size=1m")) {
		print_message("SKIPPED: cannot mount a tmpfs: %s\n", strerror(errno));
		return;
	}
	open_queue(f);
	assert_ok(mount(NULL, f->directory, NULL, MS_REMOUNT | MS_RDONLY, NULL));
	assert_int_equal(put(f, 'x', 100, 1), -EROFS);
	assert_int_equal(put(f, 'x', 100, 1), -EROFS);
	assert_ok(mount(NULL, f->directory, NULL, MS_REMOUNT, NULL));
	put_all(f, "ab");
	close_queue(f);
	/* what is queued can be sent, although it cannot be removed */
	assert_ok(mount(NULL, f->directory, NULL, MS_REMOUNT | MS_RDONLY, NULL));
	open_queue(f);
	expect(f, "ab");
	expect_empty(f);
	close_queue(f);
	assert_ok(mount(NULL, f->directory, NULL, MS_REMOUNT, NULL));
	open_queue(f);
	expect(f, "ab");
	close_queue(f);
	assert_ok(umount(f->directory));
}

static void a_limit_of_file_sizes_begins_the_next_segment(void **state)
{
	struct fixture *f = *state;
	struct rlimit limit, old;

	assert_ok(getrlimit(RLIMIT_FSIZE, &old));
	limit = (struct rlimit){10000 + (rlim_t)header_offset(), old.rlim_max};
	open_queue(f);
	assert_ok(setrlimit(RLIMIT_FSIZE, &limit));
	put_all(f, "abcdefgh");
	assert_int_equal(put(f, 'x', 5000, 1), -ENOSPC);
	put_all(f, "ij");
	assert_int_equal(put(f, 'x', 20000, 1), -ENOSPC);
	assert_ok(setrlimit(RLIMIT_FSIZE, &old));
	close_queue(f);
	open_queue(f);
	expect(f, "abcdefghij");
	expect_empty(f);
}

/* ---- kill -9 ---- */

/* Shared with the child: how many puts were acknowledged, and how many records removed. */
struct progress {
	_Atomic unsigned acknowledged, removed;
};

static struct progress *progress;

static void *remove_forever(void *arg)
{
	struct fixture *f = arg;
	struct disk_record *r;

	while (!disk_queue_take(f->q, &r, WAIT_NS, NULL)) {
		struct str s = r->payload->slices[0].bytes;
		unsigned number;

		memcpy(&number, s.p, sizeof(number));
		/* the child may be killed between the two: the next one gets it again */
		disk_queue_remove(f->q, r);
		atomic_store(&progress->removed, number + 1);
		usleep(300);
	}
	return NULL;
}

static void put_number(const struct fixture *f, unsigned number, struct put *p)
{
	size_t n = sizeof(number) + number * 37 % 20000;

	*p = (struct put){.message = calloc(1, n)};
	memcpy(p->message, &number, sizeof(number));
	payload_borrow(&p->payload, &p->slices[0], SIGNAL_LOGS, 1, str_of(p->message, n));
	p->d = (struct delivery){
		.signal = SIGNAL_LOGS, .payload = &p->payload, .done = put_done, .owner = p};
	pthread_mutex_init(&p->mu, NULL);
	pthread_cond_init(&p->changed, NULL);
	disk_queue_put(f->q, &p->d);
}

/* Put numbered records in groups, and remove some, until the parent kills the process. */
static void put_until_killed(struct fixture *f)
{
	unsigned number = atomic_load(&progress->acknowledged);
	pthread_t remover;

	open_queue(f);
	assert_ok(pthread_create(&remover, NULL, remove_forever, f));
	for (;;) {
		struct put group[8];

		for (unsigned i = 0; i < 8; i++)
			put_number(f, number + i, &group[i]);
		for (unsigned i = 0; i < 8; i++) {
			assert_ok(put_end(&group[i]));
			atomic_store(&progress->acknowledged, ++number);
		}
	}
}

/*
 * Check that the queue has all records from the last removed to the last acknowledged, and remove
 * them. Return how many there were.
 */
static unsigned check_numbers(struct fixture *f)
{
	unsigned first = atomic_load(&progress->removed), count = 0, again = 0, next = 0, number;
	unsigned acknowledged = atomic_load(&progress->acknowledged);
	struct disk_record *r;

	open_queue(f);
	assert_int_equal(state_of(f).damaged, 0);
	for (; !disk_queue_take(f->q, &r, 0, NULL); count++) {
		memcpy(&number, r->payload->slices[0].bytes.p, sizeof(number));
		again += r->again;
		if (count)
			assert_int_equal(number, next);
		else
			assert_true(number <= first + 1); /* removed, and not counted yet */
		next = number + 1;
		disk_queue_remove(f->q, r);
	}
	assert_true(count ? next >= acknowledged : first + 1 >= acknowledged);
	assert_true(again <= 1);
	expect_empty(f);
	close_queue(f);
	if (next < acknowledged)
		next = acknowledged;
	atomic_store(&progress->acknowledged, next);
	atomic_store(&progress->removed, next);
	return count;
}

static void nothing_acknowledged_is_lost_by_kill_9(void **state)
{
	struct fixture *f = *state;
	uint64_t end = clock_monotonic_ns() + 8 * NS_PER_SECOND;
	unsigned rounds = 0, left = 0;

	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	assert_ptr_not_equal(progress, MAP_FAILED);
	for (; clock_monotonic_ns() < end && rounds < 60; rounds++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			put_until_killed(f);
			_exit(1);
		}
		usleep((useconds_t)(3000 + (unsigned)(clock_monotonic_ns() / 1000) % 100000));
		assert_ok(kill(pid, SIGKILL));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		left += check_numbers(f);
	}
	print_message("%u kills, %u acknowledged, %u found after kills\n", rounds,
		      atomic_load(&progress->acknowledged), left);
	assert_true(rounds > 5);
	assert_true(atomic_load(&progress->acknowledged) > rounds);
	munmap(progress, sizeof(*progress));
}

TEST_MAIN(test_with(fixture, records_come_out_in_order),
	  test_with(fixture, what_was_not_removed_is_left_for_the_next_process),
	  test_with(fixture, returned_records_are_the_next),
	  test_with(fixture, taken_records_of_a_killed_process_are_marked),
	  test_with(fixture, a_full_queue_refuses),
	  test_with(fixture, deliveries_can_wait_for_room),
	  test_with(fixture, memory_in_flight_is_bounded), test_with(fixture, a_taker_can_be_woken),
	  test_with(fixture, components_share_a_queue_and_processes_do_not),
	  test(directories_are_named_after_components),
	  test_with(fixture, payloads_that_can_be_shared_are_not_read_again),
	  test_with(fixture, a_torn_tail_is_cut_off),
	  test_with(fixture, an_unfinished_record_is_cut_off),
	  test_with(fixture, what_was_not_acknowledged_is_cut_off),
	  test_with(fixture, the_commit_of_an_earlier_boot_is_ignored),
	  test_with(fixture, garbage_after_the_last_record_is_cut_off),
	  test_with(fixture, damaged_records_are_skipped_and_counted),
	  test_with(fixture, a_damaged_mark_counts_as_taken),
	  test_with(fixture, damage_of_a_running_queue_is_found),
	  test_with(fixture, files_of_another_version_are_refused),
	  test_with(fixture, segments_are_deleted_when_they_are_consumed),
	  test_with(fixture, many_threads_put_and_take),
	  test_with(fixture, a_full_disk_refuses_until_there_is_room),
	  test_with(fixture, a_read_only_file_system_refuses_until_it_is_writable),
	  test_with(fixture, a_limit_of_file_sizes_begins_the_next_segment),
	  test_with(fixture, nothing_acknowledged_is_lost_by_kill_9))
