/* SPDX-License-Identifier: Apache-2.0 */
/* The receiver: a thread that tails. */
#include "pipeline/receivers/filelog/filelog_receiver.h"

#include <errno.h>
#include <stdlib.h>

#include "base/thread.h"
#include "pipeline/receivers/filelog/log_tailer.h"

struct filelog {
	struct log_tailer tailer;
	struct thread thread;
};

static void filelog_destroy(void *instance)
{
	struct filelog *r = instance;

	log_tailer_fini(&r->tailer);
	free(r);
}

/* Find the directory of the extension `storage`, if it is configured. */
static int filelog_storage(const struct component_env *env, struct str id, const char **out,
			   struct err *e)
{
	const struct extension *x;

	*out = NULL;
	if (!id.n)
		return 0;
	x = component_extension(env, id, e);
	if (!x) {
		err_prefix(e, "\"storage\"");
		return -EINVAL;
	}
	if (!x->type->directory)
		return err_set(
			e, -EINVAL,
			"\"storage\": extension \"%.*s\" stores no data; it has to be the id of "
			"a file_storage extension",
			STR_ARG(id));
	*out = x->type->directory(x->instance);
	return 0;
}

static int filelog_create(void **instance, const struct component_env *env, const void *settings,
			  struct err *e)
{
	const struct filelog_settings *s = settings;
	struct filelog *r = calloc(1, sizeof(*r));
	const char *storage;
	int rc;

	if (!r)
		return err_errno(e, -ENOMEM, "filelog");
	rc = filelog_storage(env, s->storage, &storage, e);
	if (rc) {
		free(r);
		return rc;
	}
	rc = log_tailer_init(&r->tailer, env, s, storage, e);
	if (rc)
		filelog_destroy(r);
	else
		*instance = r;
	return rc;
}

static void filelog_thread(void *arg)
{
	log_tailer_run(arg);
}

static int filelog_start(void *instance, struct err *e)
{
	struct filelog *r = instance;
	int rc = log_tailer_load(&r->tailer, e);

	return rc ? rc : thread_start(&r->thread, "filelog", filelog_thread, &r->tailer, e);
}

static void filelog_stop(void *instance)
{
	struct filelog *r = instance;

	log_tailer_stop(&r->tailer);
	thread_join(&r->thread);
}

const struct component filelog_receiver = {
	.name = "filelog",
	.aliases = (const char *const[]){"file_log", NULL},
	.kind = COMPONENT_RECEIVER,
	.signals = SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Tails files and makes log records of their lines.",
	.settings = filelog_table,
	.settings_size = sizeof(struct filelog_settings),
	.check = filelog_settings_check,
	.create = filelog_create,
	.start = filelog_start,
	.stop = filelog_stop,
	.destroy = filelog_destroy,
};
