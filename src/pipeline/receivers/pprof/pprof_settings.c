/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the settings, and their checks. */
#include "pipeline/receivers/pprof/pprof_settings.h"

#include <errno.h>

#include "base/clock.h"

#define JOB_TIMEOUT_NS (10 * NS_PER_SECOND)

static const struct setting pprof_job_table[] = {
	SET_STRING(struct scrape_config, job_name, "job_name", NULL, "The label job."),
	SET_DURATION(struct scrape_config, interval_ns, "scrape_interval", "15s",
		     "Time between two scrapes of a profile."),
	SET_DURATION(struct scrape_config, timeout_ns, "scrape_timeout", NULL,
		     "Time limit of a scrape, without the time for which the server records; "
		     "default: 10s, at most the interval."),
	SET_DURATION(struct pprof_job, delta_ns, "delta_profiling_duration", NULL,
		     "How long servers record; default: a second less than the interval."),
	SET_GROUP_ALWAYS(struct pprof_job, profiling, "profiling_config", profiling_table,
			 "Which profiles are scraped."),
	SCRAPE_REQUEST_SETTINGS,
	SET_BYTES(struct scrape_config, limits.body_size, "body_size_limit", "0",
		  "Largest profile, compressed and uncompressed; 0: 64 MiB."),
	SET_INT(struct scrape_config, limits.targets, "target_limit", "0", 0, INT64_MAX, NULL,
		"Most addresses of a job; 0: no limit."),
	SCRAPE_DISCOVERY_SETTINGS,
	SET_IGNORED("honor_labels", "labels of targets win"),
	SET_IGNORED("enable_http2", "scrapes use HTTP/1.1"),
	SET_IGNORED("clustering", "instances do not divide targets"),
	SET_IGNORED("no_proxy", "use the environment variable no_proxy"),
	SET_IGNORED("proxy_from_environment", "it is used unless there is a proxy_url"),
	SET_END,
};

static int pprof_jobs_read(const struct config_node *n, const char *what, void *to,
			   struct arena *arena, struct err *e)
{
	struct pprof_jobs *out = to;
	void *at;
	int rc = scrape_array_read(n, what, sizeof(*out->at), arena, &at, &out->n, e);
	uint32_t i = 0;

	if (rc)
		return rc;
	out->at = at;
	for (const struct config_node *child = n->first; child && !rc; child = child->next)
		rc = settings_read(pprof_job_table, child, what, &out->at[i++], arena, e);
	return rc;
}

#define SET_CONTROLLER(struct_)                                                                    \
	SET_DURATION(struct_, interval_ns, "collection_interval", "10s",                           \
		     "Time between two profiles."),                                                \
		SET_DURATION(struct_, initial_delay_ns, "initial_delay", "1s",                     \
			     "Time before the first one.")

static const struct setting remote_table[] = {
	CLIENT_SETTINGS(struct pprof_remote_settings, client, "none"),
	SET_CONTROLLER(struct pprof_remote_settings),
	SET_DURATION(struct pprof_remote_settings, timeout_ns, "timeout", "30s",
		     "Time limit of a request, besides the seconds that its URL asks for."),
	SET_IGNORED("read_buffer_size", "buffers grow as needed"),
	SET_IGNORED("write_buffer_size", "buffers grow as needed"),
	SET_IGNORED("max_idle_conns", "one connection is kept"),
	SET_IGNORED("max_idle_conns_per_host", "one connection is kept"),
	SET_IGNORED("max_conns_per_host", "one connection is kept"),
	SET_IGNORED("idle_conn_timeout", "one connection is kept"),
	SET_IGNORED("disable_keep_alives", "one connection is kept"),
	SET_END,
};

static const struct setting file_table[] = {
	SET_STRING(struct pprof_file_settings, include, "include", NULL,
		   "The files, as a pattern with *, ? and ** for any directories."),
	SET_CONTROLLER(struct pprof_file_settings),
	SET_IGNORED("timeout", "files are read as a whole"),
	SET_END,
};

static const struct setting self_table[] = {
	SET_CONTROLLER(struct pprof_self_settings),
	SET_IGNORED("timeout", "a profile takes the interval"),
	SET_IGNORED("block_profile_fraction", "there is no profile of blocked time"),
	SET_IGNORED("mutex_profile_fraction", "only CPU time is recorded"),
	SET_END,
};

const struct setting pprof_receiver_table[] = {
	SET_CUSTOM(struct pprof_settings, jobs, "scrape_configs", pprof_jobs_read, "list",
		   "The jobs; docs/collector/pprof.md lists their keys."),
	SET_GROUP(struct pprof_settings, remote, "remote", remote_table, has_remote,
		  "One URL that serves a profile."),
	SET_GROUP(struct pprof_settings, file, "file", file_table, has_file,
		  "Files with profiles; each is read once it is new or has changed."),
	SET_GROUP(struct pprof_settings, self, "self", self_table, has_self,
		  "CPU profiles of this process."),
	SET_IGNORED("server", "send pprof to the receiver pyroscope"),
	SET_IGNORED("collection_interval", "set it in remote, file or self"),
	SET_END,
};

/* ---- checks ---- */

uint64_t pprof_job_seconds(const struct pprof_job *job, uint64_t interval_ns)
{
	uint64_t ns = job->delta_ns ? job->delta_ns : interval_ns - NS_PER_SECOND;

	return interval_ns < 2 * NS_PER_SECOND ? 1 : ns / NS_PER_SECOND;
}

static int check_job_times(struct pprof_job *job, struct err *e)
{
	struct scrape_config *c = &job->http;
	struct profile_choice chosen[PROFILE_KINDS + PROFILE_CUSTOM_MAX];
	uint32_t n = profiling_enabled(&job->profiling, chosen);
	const char *wrong = NULL;
	bool delta = false;

	for (uint32_t i = 0; i < n; i++)
		delta |= chosen[i].delta;
	if (!c->timeout_ns)
		c->timeout_ns = c->interval_ns < JOB_TIMEOUT_NS ? c->interval_ns : JOB_TIMEOUT_NS;
	if (!n)
		wrong = "no profile is enabled";
	else if (c->interval_ns < NS_PER_MS)
		wrong = "scrape_interval has to be above 0";
	else if (c->timeout_ns > c->interval_ns)
		wrong = "scrape_timeout is greater than scrape_interval";
	else if (delta && c->interval_ns < 2 * NS_PER_SECOND)
		wrong = "scrape_interval must be at least 2 seconds when using delta profiling";
	else if (delta && job->delta_ns && job->delta_ns <= NS_PER_SECOND)
		wrong = "delta_profiling_duration must be larger than 1 second";
	else if (delta && job->delta_ns && job->delta_ns > c->interval_ns - NS_PER_SECOND)
		wrong = "delta_profiling_duration must be at least 1 second smaller than "
			"scrape_interval";
	return wrong ? err_set(e, -EINVAL, "job \"%.*s\": %s", STR_ARG(str_head(c->job_name, 80)),
			       wrong)
		     : 0;
}

static int check_pprof_jobs(const struct pprof_jobs *jobs, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < jobs->n && !rc; i++) {
		rc = scrape_config_check(&jobs->at[i].http, e);
		for (uint32_t k = 0; k < i && !rc; k++)
			if (str_eq(jobs->at[k].http.job_name, jobs->at[i].http.job_name))
				rc = err_set(e, -EINVAL,
					     "found multiple scrape configs with job name \"%.*s\"",
					     STR_ARG(str_head(jobs->at[i].http.job_name, 80)));
		if (!rc)
			rc = check_job_times(&jobs->at[i], e);
	}
	return rc;
}

static int check_pprof_remote(const struct pprof_remote_settings *r, struct err *e)
{
	struct str url = r->client.endpoint;

	if (!str_starts(url, STR("http://")) && !str_starts(url, STR("https://")))
		return err_set(e, -EINVAL,
			       "remote: \"endpoint\" has to be the URL of a profile, such as "
			       "http://host:6060/debug/pprof/heap, found \"%.*s\"",
			       STR_ARG(str_head(url, 100)));
	if (r->interval_ns < NS_PER_MS)
		return err_set(e, -EINVAL, "remote: \"collection_interval\" has to be above 0");
	return client_settings_check(&r->client, e);
}

static int check_pprof_file(const struct pprof_file_settings *f, struct err *e)
{
	size_t stars = str_find_str(f->include, STR("**"));
	struct str rest = str_from_at(f->include, stars);

	if (!f->include.n)
		return err_set(e, -EINVAL, "file: \"include\" is required: a pattern of files");
	if (stars < f->include.n &&
	    ((stars && f->include.p[stars - 1] != '/') || !str_starts(rest, STR("**/")) ||
	     str_find_str(str_from_at(rest, 2), STR("**")) < rest.n - 2))
		return err_set(
			e, -EINVAL,
			"file: ** in \"include\" stands for any directories: write it once, as "
			"in /profiles/**/*.pprof");
	if (f->interval_ns < NS_PER_MS)
		return err_set(e, -EINVAL, "file: \"collection_interval\" has to be above 0");
	return 0;
}

int pprof_settings_check(const struct pprof_settings *s, struct err *e)
{
	int rc = check_pprof_jobs(&s->jobs, e);

	if (!rc && !s->jobs.n && !s->has_remote && !s->has_file && !s->has_self)
		rc = err_set(e, -EINVAL,
			     "nothing to scrape: configure scrape_configs, remote, file or self");
	if (!rc && s->has_remote)
		rc = check_pprof_remote(&s->remote, e);
	if (!rc && s->has_file)
		rc = check_pprof_file(&s->file, e);
	if (!rc && s->has_self && s->self.interval_ns < NS_PER_SECOND)
		rc = err_set(e, -EINVAL, "self: \"collection_interval\" has to be at least 1s");
	return rc;
}
