/* SPDX-License-Identifier: Apache-2.0 */
/* A profile takes the interval, less a second in which it is delivered. */
#include "pipeline/receivers/pprof/profile_self.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/receivers/pprof/profile_delivery.h"

enum { SELF_LABELS = 3 };

struct profile_self {
	const struct pprof_self_settings *settings;
	struct host *host;
	struct keyvalue labels[SELF_LABELS];
	struct profile_source source;
};

static void run_self(void *owner, const struct scrape_run *run)
{
	struct profile_self *s = owner;
	uint64_t seconds = s->settings->interval_ns / NS_PER_SECOND;
	struct fetched_profile p = {.time = run->time};
	struct err e = {0};
	int rc;

	if (seconds > 1)
		seconds--;
	rc = s->host->take_profile(s->host->serve_profiles_arg, (unsigned)seconds, run->cancelled,
				   &p.body, &e);
	if (!rc)
		rc = profile_deliver(&s->source, &p, run, &e);
	else
		buf_fini(&p.body);
	profile_source_report(&s->source, run, rc, &e);
}

int profile_self_new(struct profile_self **out, const struct component_env *env,
		     const struct pprof_self_settings *settings, struct err *e)
{
	struct profile_self *s = calloc(1, sizeof(*s));

	if (!s)
		return err_set(e, -ENOMEM, "out of memory");
	s->settings = settings;
	s->host = env->host;
	s->labels[0] = (struct keyvalue){STR("service_name"), VALUE_OF_STR(STR("varve"))};
	s->labels[1] = (struct keyvalue){STR("job"), VALUE_OF_STR(str_from(env->id))};
	s->labels[2] = (struct keyvalue){STR("__name__"), VALUE_OF_STR(STR("process_cpu"))};
	s->source = (struct profile_source){.env = env,
					    .what = "target",
					    .name = STR("self"),
					    .labels = s->labels,
					    .label_count = SELF_LABELS};
	profile_source_counters(&s->source);
	*out = s;
	return 0;
}

void profile_self_free(struct profile_self *s)
{
	free(s);
}

int profile_self_start(struct profile_self *s, struct scrape_scheduler *scheduler, struct err *e)
{
	int rc;

	if (!s->host->take_profile)
		return 0;
	s->host->want_profiles(s->host->serve_profiles_arg);
	rc = scrape_add(scheduler,
			&(struct scrape_spec){.interval = s->settings->interval_ns,
					      .delay = s->settings->initial_delay_ns,
					      .run = run_self,
					      .owner = s},
			NULL);
	return rc ? err_set(e, rc, "cannot start to profile this process") : 0;
}
