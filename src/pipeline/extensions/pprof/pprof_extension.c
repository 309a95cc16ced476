/* SPDX-License-Identifier: Apache-2.0 */
/* The pprof extension: an address that serves profiles of this process, by host.serve_profiles. */
#include "pipeline/extensions/pprof/pprof_extension.h"

#include <errno.h>
#include <stdlib.h>

struct pprof_settings {
	struct str endpoint;
};

struct pprof_instance {
	const struct pprof_settings *settings;
	struct host *host;
	void *served;
};

static int pprof_create(void **instance, const struct component_env *env, const void *settings,
			struct err *e)
{
	struct pprof_instance *p = calloc(1, sizeof(*p));

	if (!p)
		return err_errno(e, -ENOMEM, "pprof");
	*p = (struct pprof_instance){.settings = settings, .host = env->host};
	*instance = p;
	return 0;
}

static int pprof_start(void *instance, struct err *e)
{
	struct pprof_instance *p = instance;

	if (!p->host->serve_profiles)
		return 0;
	return p->host->serve_profiles(p->host->serve_profiles_arg, p->settings->endpoint.p,
				       &p->served, e);
}

static void pprof_stop(void *instance)
{
	struct pprof_instance *p = instance;

	if (p->served)
		p->host->stop_profiles(p->served);
	p->served = NULL;
}

static int pprof_check(const void *settings, struct err *e)
{
	const struct pprof_settings *s = settings;

	if (str_find(s->endpoint, ':') == s->endpoint.n)
		return err_set(e, -EINVAL, "\"endpoint\" has to be HOST:PORT, found \"%.*s\"",
			       STR_ARG(str_head(s->endpoint, 64)));
	return 0;
}

static const struct setting settings_table[] = {
	SET_STRING(struct pprof_settings, endpoint, "endpoint", "127.0.0.1:1777",
		   "Address to listen on."),
	SET_IGNORED("block_profile_fraction", "there is no profile of blocked time"),
	SET_IGNORED("mutex_profile_fraction", "locks are always sampled"),
	SET_IGNORED("save_to_file", "ask for /debug/pprof/profile?seconds=30 instead"),
	SET_IGNORED("dialer", "nothing is dialled"),
	SET_END,
};

const struct component pprof_extension = {
	.name = "pprof",
	.kind = COMPONENT_EXTENSION,
	.help = "Serves profiles of this process at /debug/pprof.",
	.settings = settings_table,
	.settings_size = sizeof(struct pprof_settings),
	.check = pprof_check,
	.create = pprof_create,
	.start = pprof_start,
	.stop = pprof_stop,
	.destroy = free,
};
