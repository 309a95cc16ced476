/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of the host's threads and the list of the library's own threads.
 *
 * Records live in slabs that are mapped when needed and never unmapped. Free records form a stack
 * whose head has a counter beside the index, which protects its compare-and-swap from ABA.
 */
#include "sdk/hook/guest_threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/hook/guest.h"
#include "sdk/trace/span_thread.h"

enum {
	SLAB_RECORDS = 256,
	SLABS_MAX = 1024, /* 262,144 threads at a time; others are not profiled */
	LIBRARY_THREADS_MAX = 16,
};

static struct {
	_Atomic(struct guest_thread *) slabs[SLABS_MAX];
	_Atomic uint32_t made;	    /* records in use or free */
	_Atomic uint64_t free_head; /* counter << 32 | index + 1 */
	_Atomic uint32_t ended;	    /* thread ends noticed so far */
	_Atomic uint32_t orphans;   /* records that their thread does not know yet */
	_Atomic pid_t library_tids[LIBRARY_THREADS_MAX]; /* threads of the library itself */
	struct guest_thread_callbacks callbacks;
	pthread_key_t end_key;
	pthread_once_t once;
	pthread_mutex_t scan; /* one scan at a time */
} state = {.once = PTHREAD_ONCE_INIT, .scan = PTHREAD_MUTEX_INITIALIZER};

__thread struct guest_thread *guest_self __attribute__((tls_model("initial-exec")));
__thread bool guest_own __attribute__((tls_model("initial-exec")));

static struct guest_thread *record_at(uint32_t index)
{
	struct guest_thread *slab =
		atomic_load_explicit(&state.slabs[index / SLAB_RECORDS], memory_order_acquire);

	return slab ? slab + index % SLAB_RECORDS : NULL;
}

static void push_free(struct guest_thread *t)
{
	uint64_t head = atomic_load(&state.free_head), next;

	do {
		t->next_free = (uint32_t)head;
		next = ((head >> 32) + 1) << 32 | (t->index + 1);
	} while (!atomic_compare_exchange_weak(&state.free_head, &head, next));
}

static struct guest_thread *pop_free(void)
{
	uint64_t head = atomic_load(&state.free_head), next;
	struct guest_thread *t;

	do {
		if (!(uint32_t)head)
			return NULL;
		t = record_at((uint32_t)head - 1);
		next = ((head >> 32) + 1) << 32 | t->next_free;
	} while (!atomic_compare_exchange_weak(&state.free_head, &head, next));
	return t;
}

/* Return the slab of that record, mapping it if necessary. NULL: no memory. */
static struct guest_thread *slab_for(uint32_t index)
{
	_Atomic(struct guest_thread *) *place = &state.slabs[index / SLAB_RECORDS];
	struct guest_thread *slab = atomic_load_explicit(place, memory_order_acquire), *none = NULL;
	size_t size = SLAB_RECORDS * sizeof(*slab);

	if (slab)
		return slab;
	/* the system call, because mmap() may be interposed and be the caller of this */
	slab = (struct guest_thread *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slab == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(place, &none, slab))
		return slab;
	syscall(SYS_munmap, slab, size);
	return none;
}

static struct guest_thread *make_record(void)
{
	struct guest_thread *t = pop_free(), *slab;
	uint32_t index;

	if (t)
		return t;
	index = atomic_fetch_add(&state.made, 1);
	if (index >= SLABS_MAX * SLAB_RECORDS)
		return NULL;
	slab = slab_for(index);
	if (!slab)
		return NULL;
	t = slab + index % SLAB_RECORDS;
	t->index = index;
	return t;
}

static void begin_record(struct guest_thread *t, pid_t tid, bool orphan)
{
	uint32_t index = t->index;

	memset(t, 0, offsetof(struct guest_thread, pcs)); /* the rest is touched when used */
	t->index = index;
	t->generation = atomic_load(&guest.generation);
	t->random = (uint64_t)tid * UINT64_C(0x9E3779B97F4A7C15) ^ (uintptr_t)t ^
		    (uint64_t)time(NULL) << 20;
	atomic_store(&t->orphan, orphan);
	atomic_store(&t->tid, tid);
}

/* Return the record that guest_scan_threads() made for this thread, or NULL. */
static struct guest_thread *adopt_orphan(pid_t tid)
{
	uint32_t made = atomic_load(&state.made);

	for (uint32_t i = 0; atomic_load(&state.orphans) && i < made; i++) {
		struct guest_thread *t = record_at(i);

		if (t && atomic_load(&t->tid) == tid && atomic_exchange(&t->orphan, false)) {
			atomic_fetch_sub(&state.orphans, 1);
			return t;
		}
	}
	return NULL;
}

NO_INLINE struct guest_thread *guest_register_thread(void)
{
	int saved_errno = errno;
	pid_t tid = (pid_t)syscall(SYS_gettid);
	struct guest_thread *t = adopt_orphan(tid);

	if (!t) {
		t = make_record();
		if (t)
			begin_record(t, tid, false);
	}
	if (t)
		atomic_store(&t->spans, span_thread_record());
	guest_self = t;
	errno = saved_errno;
	return t;
}

/*
 * Free a record. Called by the thread at its exit or by the collector; the one that resets `tid`
 * does it.
 */
static void end_record(struct guest_thread *t, pid_t tid)
{
	if (!atomic_compare_exchange_strong(&t->tid, &tid, 0))
		return;
	if (state.callbacks.ended)
		state.callbacks.ended(t);
	if (atomic_exchange(&t->orphan, false))
		atomic_fetch_sub(&state.orphans, 1);
	push_free(t);
}

static void on_thread_exit(void *record)
{
	struct guest_thread *t = record;

	atomic_fetch_add(&state.ended, 1);
	if (t == guest_self) {
		if (state.callbacks.returned)
			state.callbacks.returned(t, __builtin_return_address(0));
		guest_self = NULL;
		guest_own = true; /* calls by later key destructors pass through */
		end_record(t, atomic_load(&t->tid));
	}
}

static void make_exit_key(void)
{
	if (pthread_key_create(&state.end_key, on_thread_exit))
		state.end_key = (pthread_key_t)-1;
}

void guest_set_thread_callbacks(const struct guest_thread_callbacks *callbacks)
{
	pthread_once(&state.once, make_exit_key);
	state.callbacks = *callbacks;
}

/* Find the bounds of this thread's stack. Not for hooks, because pthread_getattr_np() allocates. */
static void note_stack(struct guest_thread *t)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	if (!pthread_attr_getstack(&attributes, &low, &size)) {
		atomic_store(&t->stack_low, (uint64_t)(uintptr_t)low);
		atomic_store(&t->stack_high, (uint64_t)(uintptr_t)low + size);
	}
	pthread_attr_destroy(&attributes);
}

void guest_thread_begin(void)
{
	struct guest_thread *t = guest_self;

	if (guest_own)
		return;
	if (!t || t->generation != atomic_load(&guest.generation))
		t = guest_register_thread();
	if (!t)
		return;
	atomic_fetch_add(&t->depth, 1); /* allocations made here are not recorded */
	note_stack(t);
	prctl(PR_GET_NAME, t->name);
	pthread_once(&state.once, make_exit_key);
	if (state.end_key != (pthread_key_t)-1)
		pthread_setspecific(state.end_key, t);
	if (state.callbacks.began)
		state.callbacks.began(t);
	guest_leave(t);
}

int guest_own_start(struct thread *t, const char *name, void (*run)(void *arg), void *arg,
		    struct err *e)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = thread_start(t, name, run, arg, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

void guest_own_begin(void)
{
	pid_t none, tid = (pid_t)syscall(SYS_gettid);

	guest_own = true;
	for (unsigned i = 0; i < LIBRARY_THREADS_MAX; i++) {
		none = 0;
		if (atomic_compare_exchange_strong(&state.library_tids[i], &none, tid))
			return;
	}
}

void guest_own_end(void)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	for (unsigned i = 0; i < LIBRARY_THREADS_MAX; i++)
		if (atomic_load(&state.library_tids[i]) == tid)
			atomic_store(&state.library_tids[i], 0);
}

uint64_t guest_own_cpu_ns(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < LIBRARY_THREADS_MAX; i++) {
		pid_t tid = atomic_load(&state.library_tids[i]);

		if (tid)
			sum += clock_read_ns(clock_of_thread(tid));
	}
	return sum;
}

void guest_each_thread(void (*each)(void *arg, struct guest_thread *t), void *arg)
{
	uint32_t made = atomic_load(&state.made);

	for (uint32_t i = 0; i < made; i++) {
		struct guest_thread *t = record_at(i);

		if (t && atomic_load(&t->tid) && t->generation == atomic_load(&guest.generation))
			each(arg, t);
	}
}

static bool is_library_thread(pid_t tid)
{
	for (unsigned i = 0; i < LIBRARY_THREADS_MAX; i++)
		if (atomic_load(&state.library_tids[i]) == tid)
			return true;
	return false;
}

/* Thread ids, sorted. */
struct tid_list {
	pid_t *at;
	uint32_t n, capacity;
};

static int compare_tids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* List all threads of the process but the library's. False: /proc cannot be read. */
static bool list_tids(struct tid_list *list)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;

	if (!tasks)
		return false;
	while ((entry = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || is_library_thread(tid))
			continue;
		if (list->n == list->capacity) {
			uint32_t capacity = list->capacity ? list->capacity * 2 : 256;
			pid_t *grown = realloc(list->at, capacity * sizeof(*grown));

			if (!grown)
				break;
			list->at = grown;
			list->capacity = capacity;
		}
		list->at[list->n++] = tid;
	}
	closedir(tasks);
	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), compare_tids);
	return true;
}

/*
 * Free the record if its thread is gone: not in the list, and, because the list may be older than
 * the thread, unknown to the kernel.
 */
static void end_if_gone(void *arg, struct guest_thread *t)
{
	const struct tid_list *list = arg;
	pid_t tid = atomic_load(&t->tid);

	if (tid && (!list->n || !bsearch(&tid, list->at, list->n, sizeof(tid), compare_tids)) &&
	    tgkill(getpid(), tid, 0) && errno == ESRCH)
		end_record(t, tid);
}

static void list_known_tid(void *arg, struct guest_thread *t)
{
	struct tid_list *known = arg;

	if (known->n < known->capacity)
		known->at[known->n++] = atomic_load(&t->tid);
}

/* Does the thread have a record that it knows? */
static bool has_own_record(pid_t tid)
{
	uint32_t made = atomic_load(&state.made);

	for (uint32_t i = 0; i < made; i++) {
		struct guest_thread *t = record_at(i);

		if (t && atomic_load(&t->tid) == tid && !atomic_load(&t->orphan))
			return true;
	}
	return false;
}

/* Free a record that its thread will never adopt, unless it has adopted it meanwhile. */
static void drop_orphan(struct guest_thread *t, pid_t tid)
{
	if (atomic_exchange(&t->orphan, false)) {
		atomic_fetch_sub(&state.orphans, 1);
		end_record(t, tid);
	}
}

/*
 * Drop an orphan whose thread has registered itself at the same time, or turned out to be a thread
 * of the library that had not called guest_own_begin() yet.
 */
static void drop_duplicate_orphan(void *arg, struct guest_thread *t)
{
	pid_t tid = atomic_load(&t->tid);

	(void)arg;
	if (tid && atomic_load(&t->orphan) && (has_own_record(tid) || is_library_thread(tid)))
		drop_orphan(t, tid);
}

/* Make a record for each thread in `all` that is not in `known`. */
static void register_unknown_threads(const struct tid_list *all, const struct tid_list *known)
{
	for (uint32_t i = 0; i < all->n; i++) {
		struct guest_thread *t;

		if (known->n &&
		    bsearch(&all->at[i], known->at, known->n, sizeof(pid_t), compare_tids))
			continue;
		t = make_record();
		if (!t)
			return;
		atomic_fetch_add(&state.orphans, 1);
		begin_record(t, all->at[i], true);
		if (has_own_record(all->at[i]) || is_library_thread(all->at[i]))
			drop_orphan(t, all->at[i]); /* it registered itself meanwhile */
		else if (state.callbacks.began)
			state.callbacks.began(t);
	}
}

void guest_scan_threads(void)
{
	struct tid_list all = {0}, known = {0};

	pthread_mutex_lock(&state.scan);
	if (list_tids(&all)) {
		guest_each_thread(end_if_gone, &all);
		if (atomic_load(&state.orphans))
			guest_each_thread(drop_duplicate_orphan, NULL);
		known.capacity = atomic_load(&state.made);
		known.at = calloc(known.capacity + 1, sizeof(*known.at));
		if (known.at) {
			guest_each_thread(list_known_tid, &known);
			qsort(known.at, known.n, sizeof(*known.at), compare_tids);
			register_unknown_threads(&all, &known);
		}
		free(known.at);
	}
	free(all.at);
	pthread_mutex_unlock(&state.scan);
}

/*
 * Is the thread a zombie, or gone? A first thread that ends before the others stays in the list as
 * a zombie. *status is its exit status (the last field of stat; see wait(2)), or 0.
 */
static bool is_zombie(pid_t tid, int *status)
{
	char path[64], text[1024];
	const char *last;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	*status = 0;
	if (n <= 0)
		return true; /* gone meanwhile */
	text[n] = 0;
	last = strrchr(text, ' ');
	if (last)
		*status = (int)strtol(last, NULL, 10) >> 8;
	return strstr(text, ") Z ") != NULL;
}

bool guest_is_last_thread(void)
{
	struct guest_call call = guest_call_begin();
	pid_t self = (pid_t)syscall(SYS_gettid);
	struct tid_list all = {0};
	bool last = list_tids(&all);
	int status;

	for (uint32_t i = 0; last && i < all.n; i++)
		last = all.at[i] == self || is_zombie(all.at[i], &status);
	free(all.at);
	guest_call_end(call);
	return last;
}

uint32_t guest_threads_ended(void)
{
	return atomic_load(&state.ended);
}

bool guest_host_has_ended(int *status)
{
	struct tid_list all = {0};
	bool gone;

	/* the first thread has the process's id and stays in the list until the process ends */
	gone = list_tids(&all) && all.n == 1 && all.at[0] == getpid() &&
	       is_zombie(all.at[0], status);
	free(all.at);
	return gone;
}

void guest_threads_forked(void)
{
	uint32_t made = atomic_load(&state.made);

	pthread_mutex_init(&state.scan, NULL); /* a holder does not exist in the child */
	for (unsigned i = 0; i < LIBRARY_THREADS_MAX; i++)
		atomic_store(&state.library_tids[i], 0);
	for (uint32_t i = 0; i < made; i++) {
		struct guest_thread *t = record_at(i);

		if (!t || t == guest_self || !atomic_load(&t->tid))
			continue;
		atomic_store(&t->depth, 0);
		atomic_store(&t->tid, 0);
		push_free(t);
	}
	atomic_store(&state.orphans, 0);
	if (guest_self) {
		atomic_store(&guest_self->tid, (pid_t)syscall(SYS_gettid));
		guest_self->has_cpu_timer = false; /* timers are not inherited */
	}
}
