/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process context: a mapping with a header, which points to an encoded ProcessContext on the
 * heap.
 */
#include "sdk/trace/process_context.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sdk/export/otlp_parts.h"
#include "sdk/labels.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

/* The start of the mapping, version 2. */
struct context_header {
	char signature[8];
	uint32_t version, payload_size;
	_Atomic uint64_t published_ns; /* CLOCK_BOOTTIME; 0: being written */
	uint64_t payload;
};

static struct {
	struct context_header *header;
	void *payload;
	pid_t pid;     /* process that published it */
	uint32_t keys; /* number of label keys in it */
} published;

/* Write an AnyValue with a list of the first `count` keys. */
static int encode_keys(struct proto_writer *w, uint32_t count)
{
	size_t end = proto_mark(w);

	for (uint32_t i = count; i-- > 0;) {
		size_t value = proto_mark(w);

		proto_put_bytes(w, 1, labels_key(i));
		proto_put_header(w, 1, value);
	}
	proto_put_header(w, 5, end);
	return proto_writer_error(w);
}

/*
 * Encode ProcessContext { resource = 1, attributes = 2 }; the attributes say how thread contexts
 * are encoded. *out is allocated.
 */
static int encode_context(void **out, uint32_t *size, const struct keyvalue *resource,
			  uint32_t count, uint32_t key_count)
{
	struct keyvalue schema = {STR("threadlocal.schema_version"),
				  VALUE_OF_STR(STR("tlsdesc_v1_dev"))};
	struct keyvalue keys = {STR("threadlocal.attribute_key_map"), {.kind = VALUE_LIST}};
	struct proto_writer w, list;
	struct str bytes;
	int rc;

	proto_writer_init(&w, NULL);
	proto_writer_init(&list, NULL);
	rc = encode_keys(&list, key_count);
	keys.value.s = proto_writer_str(&list);
	otlp_put_keyvalue(&w, 2, &keys);
	otlp_put_keyvalue(&w, 2, &schema);
	otlp_put_resource(&w, resource, count);
	rc = rc ? rc : proto_writer_error(&w);
	bytes = proto_writer_str(&w);
	*out = rc ? NULL : malloc(bytes.n);
	if (*out) {
		memcpy(*out, bytes.p, bytes.n);
		*size = (uint32_t)bytes.n;
	}
	proto_writer_fini(&list);
	proto_writer_fini(&w);
	return *out ? 0 : -ENOMEM;
}

/* Map `size` bytes of a memfd named OTEL_CTX or, if there is none, of anonymous memory. */
static void *map_header(size_t size)
{
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	void *p = MAP_FAILED;

	if (fd < 0)
		fd = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0) {
		if (!ftruncate(fd, (off_t)size))
			p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		close(fd);
	}
	if (p == MAP_FAILED)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (madvise(p, size, MADV_DONTFORK)) {
		munmap(p, size);
		return NULL;
	}
	return p;
}

/* Has another SDK of this process published a context? */
static bool is_published_by_other(void)
{
	static const char *const names[] = {"[anon_shmem:OTEL_CTX]", "[anon:OTEL_CTX]",
					    "/memfd:OTEL_CTX"};
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4400];
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps))
		for (size_t i = 0; i < countof(names); i++)
			found |= strstr(line, names[i]) != NULL;
	if (maps)
		fclose(maps);
	return found;
}

int context_publish(const struct keyvalue *resource, uint32_t count, struct err *e)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t n, keys = labels_key_count();
	struct context_header *h;
	void *payload;

	if (published.header)
		return err_set(e, -EALREADY, "the process context is already published");
	if (is_published_by_other())
		return err_set(e, -EEXIST, "another SDK has published the process context");
	if (encode_context(&payload, &n, resource, count, keys))
		return err_errno(e, -ENOMEM, "publish the process context");
	h = map_header(size);
	if (!h) {
		free(payload);
		return err_errno(e, -ENOMEM, "publish the process context");
	}
	memcpy(h->signature, "OTEL_CTX", sizeof(h->signature));
	h->version = 2;
	h->payload_size = n;
	h->payload = (uint64_t)(uintptr_t)payload;
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store(&h->published_ns, clock_read_ns(CLOCK_BOOTTIME));
	/* Readers watch for this call, even on kernels that cannot name mappings. */
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, h, size, "OTEL_CTX");
	published.header = h;
	published.payload = payload;
	published.pid = getpid();
	published.keys = keys;
	return 0;
}

/*
 * Update as OTEP 4719 says: the time is 0 during the change and then differs from the last one;
 * readers are notified by prctl() as at first.
 */
void context_refresh(const struct keyvalue *resource, uint32_t count)
{
	struct context_header *h = published.header;
	uint32_t n, keys = labels_key_count();
	uint64_t before, now;
	void *payload, *old = published.payload;

	if (!h || keys == published.keys || encode_context(&payload, &n, resource, count, keys))
		return;
	before = atomic_exchange(&h->published_ns, 0);
	now = clock_read_ns(CLOCK_BOOTTIME);
	atomic_thread_fence(memory_order_seq_cst);
	h->payload = (uint64_t)(uintptr_t)payload;
	h->payload_size = n;
	published.payload = payload;
	published.keys = keys;
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store(&h->published_ns, now > before ? now : before + 1);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, h, (size_t)sysconf(_SC_PAGESIZE), "OTEL_CTX");
	free(old);
}

void context_withdraw(void)
{
	if (!published.header)
		return;
	if (published.pid == getpid()) { /* a forked child does not have the mapping */
		atomic_store(&published.header->published_ns, 0);
		atomic_thread_fence(memory_order_seq_cst);
		munmap(published.header, (size_t)sysconf(_SC_PAGESIZE));
	}
	free(published.payload);
	published.header = NULL;
	published.payload = NULL;
}
