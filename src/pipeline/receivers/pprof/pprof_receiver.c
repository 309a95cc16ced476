/* SPDX-License-Identifier: Apache-2.0 */
/* The component: a scheduler, a job for each scrape config, and the other sources. */
#include "pipeline/receivers/pprof/pprof_receiver.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/receivers/pprof/profile_files.h"
#include "pipeline/receivers/pprof/profile_job.h"
#include "pipeline/receivers/pprof/profile_remote.h"
#include "pipeline/receivers/pprof/profile_self.h"

struct pprof_receiver {
	struct scrape_scheduler *scheduler;
	struct profile_remote *remote;
	struct profile_files *files;
	struct profile_self *self;
	uint32_t job_count;
	struct profile_job *jobs[];
};

static void pprof_receiver_stop(void *instance)
{
	struct pprof_receiver *r = instance;

	if (r->scheduler)
		scrape_scheduler_stop(r->scheduler);
}

static void pprof_receiver_destroy(void *instance)
{
	struct pprof_receiver *r = instance;

	pprof_receiver_stop(r);
	scrape_scheduler_free(r->scheduler);
	for (uint32_t i = 0; i < r->job_count; i++)
		profile_job_free(r->jobs[i]);
	profile_remote_free(r->remote);
	profile_files_free(r->files);
	profile_self_free(r->self);
	free(r);
}

static int pprof_receiver_create(void **instance, const struct component_env *env,
				 const void *settings, struct err *e)
{
	const struct pprof_settings *s = settings;
	struct pprof_receiver *r = calloc(1, sizeof(*r) + s->jobs.n * sizeof(struct profile_job *));
	int rc;

	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	/* A CPU profile holds a thread for most of its interval. */
	rc = scrape_scheduler_new(&r->scheduler, "pprof", SCRAPE_THREADS_MAX, e);
	for (uint32_t i = 0; i < s->jobs.n && !rc; i++) {
		rc = profile_job_new(&r->jobs[i], env, &s->jobs.at[i], e);
		r->job_count += !rc;
	}
	if (!rc && s->has_remote)
		rc = profile_remote_new(&r->remote, env, &s->remote, e);
	if (!rc && s->has_file)
		rc = profile_files_new(&r->files, env, &s->file, e);
	if (!rc && s->has_self)
		rc = profile_self_new(&r->self, env, &s->self, e);
	if (rc) {
		pprof_receiver_destroy(r);
		return rc;
	}
	*instance = r;
	return 0;
}

static int pprof_receiver_start(void *instance, struct err *e)
{
	struct pprof_receiver *r = instance;
	int rc = 0;

	for (uint32_t i = 0; i < r->job_count && !rc; i++)
		rc = profile_job_start(r->jobs[i], r->scheduler, e);
	if (!rc && r->remote)
		rc = profile_remote_start(r->remote, r->scheduler, e);
	if (!rc && r->files)
		rc = profile_files_start(r->files, r->scheduler, e);
	if (!rc && r->self)
		rc = profile_self_start(r->self, r->scheduler, e);
	return rc ? rc : scrape_scheduler_start(r->scheduler, e);
}

static int check_pprof_receiver(const void *settings, struct err *e)
{
	return pprof_settings_check(settings, e);
}

const struct component pprof_receiver = {
	.name = "pprof",
	.kind = COMPONENT_RECEIVER,
	.signals = SIGNAL_PROFILES,
	.form = FORM_DECODED,
	.help = "Scrapes profiles that services serve over HTTP, as Go's net/http/pprof.",
	.settings = pprof_receiver_table,
	.settings_size = sizeof(struct pprof_settings),
	.check = check_pprof_receiver,
	.create = pprof_receiver_create,
	.start = pprof_receiver_start,
	.stop = pprof_receiver_stop,
	.destroy = pprof_receiver_destroy,
};
