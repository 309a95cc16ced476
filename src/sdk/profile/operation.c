/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of single operations. */
#include "sdk/profile/operation.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "format/pprof/pprof.h"
#include "sdk/collect/window.h"
#include "sdk/export/sink_files.h"
#include "sdk/hook/guest.h"
#include "sdk/sdk.h"

enum { ID_SIZE = 33, PATH_SIZE = 4096, TYPE_SIZE = 16 };

struct operation {
	uint32_t generation;
	bool running;
	enum varve_profile kind;
	enum varve_scope scope;
	struct window *window; /* NULL for a dump of threads, which is taken at the end */
	struct varve_span *span;
	char id[ID_SIZE], type[TYPE_SIZE];
	char *path; /* NULL: no file */
};

/* Guarded by `mu`, which is never held during calls of the collector. */
static struct {
	pthread_mutex_t mu;
	struct operation slots[OPERATIONS_MAX];
} operations = {.mu = PTHREAD_MUTEX_INITIALIZER};

static struct varve_operation *operation_handle(const struct operation *o)
{
	return (struct varve_operation *)(((uintptr_t)o->generation << 8) |
					  (uintptr_t)(o - operations.slots + 1));
}

/* Move the operation out of its slot. False: the handle is of none that runs. */
static bool take_operation(const struct varve_operation *handle, struct operation *out)
{
	uintptr_t value = (uintptr_t)handle;
	size_t number = value & 0xff;
	struct operation *o;
	bool found;

	if (!number || number > OPERATIONS_MAX)
		return false;
	o = &operations.slots[number - 1];
	pthread_mutex_lock(&operations.mu);
	found = o->running && o->generation == (uint32_t)(value >> 8);
	if (found) {
		*out = *o;
		o->running = false;
		o->window = NULL;
		o->path = NULL;
	}
	pthread_mutex_unlock(&operations.mu);
	return found;
}

/* Put a complete operation into a free slot. NULL: there is none. */
static struct varve_operation *put_operation(const struct operation *o)
{
	struct varve_operation *handle = NULL;

	pthread_mutex_lock(&operations.mu);
	for (size_t i = 0; !handle && i < OPERATIONS_MAX; i++) {
		struct operation *slot = &operations.slots[i];
		uint32_t generation = slot->generation + 1;

		if (slot->running)
			continue;
		*slot = *o;
		slot->generation = generation & 0xffffff;
		slot->running = true;
		handle = operation_handle(slot);
	}
	pthread_mutex_unlock(&operations.mu);
	return handle;
}

/* -- start ------------------------------------------------------------------------------------- */

static int check_operation(struct sdk *s, enum varve_profile kind, enum varve_scope scope,
			   struct err *e)
{
	unsigned needed = kind & (VARVE_HEAP | VARVE_MMAP | VARVE_THREADCREATE);
	const char *why;

	if (!kind || (kind & (kind - 1)) || kind > VARVE_MMAP)
		return err_set(e, -EINVAL, "expected exactly one kind of profile");
	if (scope != VARVE_THIS_THREAD && scope != VARVE_PROCESS)
		return err_set(e, -EINVAL, "expected VARVE_THIS_THREAD or VARVE_PROCESS");
	if (kind == VARVE_THREADS && scope == VARVE_THIS_THREAD)
		return err_set(e, -EINVAL, "a thread dump is of the whole process");
	if (needed & ~s->profiles)
		return err_set(e, -EINVAL,
			       "this kind of profile is not enabled: add it to varve_options."
			       "profiles, or call varve_set_profiles()");
	if (watch_admit(s->watch, 0, sdk_memory(s), &why))
		return err_set(e, -EBUSY, "%s", why);
	return 0;
}

/* Set id, type and path, to which ".sealed" is appended if files are encrypted. */
static int name_operation(struct operation *o, const char *path, bool sealed, struct err *e)
{
	const char *end = sealed ? ".sealed" : "";
	struct buf type = {0};
	uint8_t random[16];
	int rc;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return err_errno(e, -EIO, "make a profile id");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(o->id + 2 * i, ID_SIZE - 2 * i, "%02x", random[i]);
	sdk_profile_names(&type, o->kind);
	snprintf(o->type, sizeof(o->type), "%.*s", STR_ARG(buf_str(&type)));
	buf_fini(&type);
	if (!path || !*path)
		return 0;
	o->path = malloc(PATH_SIZE);
	if (!o->path)
		return err_errno(e, -ENOMEM, path);
	rc = path[strlen(path) - 1] == '/'
		     ? snprintf(o->path, PATH_SIZE, "%s%s-%s.pb.gz%s", path, o->type, o->id, end)
		     : snprintf(o->path, PATH_SIZE, "%s%s", path, end);
	return rc >= PATH_SIZE ? err_errno(e, -ENAMETOOLONG, path) : 0;
}

static void free_operation(struct operation *o, struct collector *c)
{
	collect_close(c, o->window);
	free(o->path);
}

static int start_operation(struct sdk *s, struct operation *o, const char *path, struct err *e)
{
	pid_t tid = o->scope == VARVE_THIS_THREAD ? gettid() : 0;
	int rc = check_operation(s, o->kind, o->scope, e);

	rc = rc ? rc : name_operation(o, path, s->keys != NULL, e);
	if (rc || o->kind == VARVE_THREADS)
		return rc;
	rc = collect_open_thread(s->collector, o->kind, tid, &o->window);
	return rc ? err_errno(e, rc, "begin a profile") : 0;
}

struct varve_operation *varve_profile_start(enum varve_profile kind, enum varve_scope scope,
					    const char *path)
{
	struct operation o = {.kind = kind, .scope = scope, .span = varve_span_current()};
	struct guest_call call;
	struct varve_operation *handle = NULL;
	struct err *e;
	struct sdk *s;

	/* samples of this thread alone need its record, which else the next scan makes */
	if (sdk_is_running() &&
	    (!guest_self || guest_self->generation != atomic_load(&guest.generation)))
		guest_thread_begin();
	call = guest_call_begin();
	e = sdk_clear_error();
	s = sdk_acquire();
	if (!s) {
		(void)!err_set(e, -ENOTCONN, "the library does not run");
	} else {
		if (!start_operation(s, &o, path, e)) {
			handle = put_operation(&o);
			if (!handle)
				(void)!err_set(e, -EBUSY, "%d profiles of operations run already",
					       OPERATIONS_MAX);
		}
		if (!handle)
			free_operation(&o, s->collector);
		sdk_release(s);
	}
	guest_call_end(call);
	return handle;
}

/* -- stop -------------------------------------------------------------------------------------- */

static int collect_operation(struct sdk *s, const struct operation *o, struct profile_batch *out,
			     struct err *e)
{
	if (o->kind == VARVE_THREADS)
		return collect_threads(s->collector, out, e);
	collect_end(s->collector, o->window);
	return collect_batch(s->collector, o->window, o->kind, out, e);
}

/* Encode the batch; for one thread without memory in use, which is not of one thread. */
static int encode_operation(struct sdk *s, const struct operation *o,
			    const struct profile_batch *batch, struct buf *pprof, struct err *e)
{
	struct encode_options options = {0};
	struct profile_batch sums; /* has the strings of `batch` */
	int rc;

	if (o->scope == VARVE_PROCESS)
		return pprof_encode(pprof, batch, &options, e);
	rc = profile_batch_init(&sums, &s->budget);
	rc = rc ? rc : sink_keep_sums(&sums, batch);
	rc = rc ? rc : pprof_encode(pprof, &sums, &options, e);
	profile_batch_fini(&sums);
	return rc;
}

static int finish_operation(struct sdk *s, struct operation *o, struct buf *pprof, struct err *e)
{
	struct profile_batch batch;
	int rc = profile_batch_init(&batch, &s->budget);

	rc = rc ? rc : collect_operation(s, o, &batch, e);
	rc = rc ? rc : encode_operation(s, o, &batch, pprof, e);
	if (!rc && o->path)
		rc = s->keys ? sink_replace_sealed(o->path, buf_str(pprof), s->keys, e)
			     : sink_replace_file(o->path, buf_str(pprof), e);
	profile_batch_fini(&batch);
	return rc;
}

static void describe_operation(const struct operation *o)
{
	struct varve_context running;
	struct varve_span *span =
		varve_context_of(o->span, &running) ? varve_span_current() : o->span;

	varve_span_set_str(span, "profile.id", o->id);
	varve_span_set_str(span, "profile.type", o->type);
	if (o->path)
		varve_span_set_str(span, "profile.file", o->path);
}

int varve_profile_stop(struct varve_operation *operation, void **pprof, size_t *size)
{
	struct guest_call call = guest_call_begin();
	struct err *e = sdk_clear_error();
	struct sdk *s = operation ? sdk_acquire() : NULL;
	struct operation o;
	struct buf out = {0};
	int rc = -ENOENT;

	if (pprof) {
		*pprof = NULL;
		*size = 0;
	}
	if (s && take_operation(operation, &o)) {
		rc = finish_operation(s, &o, &out, e);
		if (!rc)
			describe_operation(&o);
		free_operation(&o, s->collector);
	}
	sdk_release(s);
	if (!rc && pprof) {
		*pprof = out.p;
		*size = out.n;
	} else {
		buf_fini(&out);
	}
	guest_call_end(call);
	return rc;
}

/* -- the library's stop, and fork -------------------------------------------------------------- */

void operations_stop(struct collector *c)
{
	for (size_t i = 0; i < OPERATIONS_MAX; i++) {
		struct operation *slot = &operations.slots[i], o;

		if (!take_operation(operation_handle(slot), &o))
			continue;
		free_operation(&o, c);
	}
}

void operations_forked(struct collector *c)
{
	pthread_mutex_init(&operations.mu, NULL); /* its owner does not exist here */
	operations_stop(c);
}
