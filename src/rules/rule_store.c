/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/rule_store.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "query/promql/promql_store.h"

enum { RETRY_MS = 50 };

/* One call that another thread finishes. */
struct call {
	pthread_mutex_t mu;
	pthread_cond_t ended;
	bool done;
	int rc;
};

static void call_init(struct call *c)
{
	*c = (struct call){0};
	pthread_mutex_init(&c->mu, NULL);
	pthread_cond_init(&c->ended, NULL);
}

static void call_end(struct call *c, int rc)
{
	pthread_mutex_lock(&c->mu);
	c->rc = rc;
	c->done = true;
	pthread_cond_signal(&c->ended);
	pthread_mutex_unlock(&c->mu);
}

static int call_wait(struct call *c)
{
	pthread_mutex_lock(&c->mu);
	while (!c->done)
		pthread_cond_wait(&c->ended, &c->mu);
	pthread_mutex_unlock(&c->mu);
	pthread_mutex_destroy(&c->mu);
	pthread_cond_destroy(&c->ended);
	return c->rc;
}

/* Wait before another attempt. Return false when it is time to give up. */
static bool may_retry(struct rule_store *s, uint64_t deadline_ns)
{
	const struct timespec pause = {.tv_nsec = RETRY_MS * NS_PER_MS};

	if (atomic_load(&s->io.cancelled) || clock_monotonic_ns() > deadline_ns)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/* ---- queries ---- */

struct query {
	struct query_job job; /* first */
	struct call call;
	struct rule_store *s;
	struct str tenant;
	uint64_t deadline_ns;
	rule_work *work;
	void *arg;
	struct err *e;
};

static bool is_cancelled(void *arg)
{
	const struct store_limits *l = arg;

	l->pause(l->deadline_ns, l->cancelled);
	return atomic_load(l->cancelled);
}

static void run_job(struct query_job *job)
{
	struct query *q = (struct query *)job;
	struct rule_store *s = q->s;
	struct store_limits limits = {.deadline_ns = q->deadline_ns,
				      .cancelled = &s->io.cancelled,
				      .pause = query_pool_pause,
				      .budget = s->budget};
	const struct promql_options options = {.deadline_ns = q->deadline_ns,
					       .timeout_ns = s->timeout_ns,
					       .is_canceled = is_cancelled,
					       .cancel_arg = &limits,
					       .budget = s->budget};
	struct promql_store source;

	promql_store_init(&source, s->store, q->tenant, &limits);
	call_end(&q->call, q->work(q->arg, &source.source, &options, q->e));
}

static int store_run(struct rule_io *io, struct str tenant, rule_work *work, void *arg,
		     struct err *e)
{
	struct rule_store *s = (struct rule_store *)io;
	struct query q = {.job.run = run_job,
			  .s = s,
			  .tenant = tenant,
			  .deadline_ns = clock_monotonic_ns() + s->timeout_ns,
			  .work = work,
			  .arg = arg,
			  .e = e};

	call_init(&q.call);
	while (query_pool_submit(s->pool, &q.job))
		if (!may_retry(s, q.deadline_ns)) {
			call_end(&q.call, err_set(e, -EAGAIN, "too many queries are waiting"));
			break;
		}
	return call_wait(&q.call);
}

/* ---- writes ---- */

struct write {
	struct store_write write; /* first */
	struct call call;
	struct err *e;
};

static void write_done(struct store_write *w, int rc, const struct err *e)
{
	struct write *write = w->owner;

	if (rc && e)
		err_set(write->e, rc, "%s", e->text);
	else if (!rc && w->rejected)
		rc = err_set(write->e, -ERANGE, "%u samples were refused: %s", w->rejected,
			     w->reason);
	call_end(&write->call, rc);
}

static int write_once(struct rule_store *s, struct str tenant, const struct metric_batch *batch,
		      struct err *e)
{
	struct write w = {.write = {.tenant = tenant,
				    .metrics = batch,
				    .received = clock_realtime_ns(),
				    .done = write_done},
			  .e = e};
	int rc;

	w.write.owner = &w;
	call_init(&w.call);
	rc = s->store->ops->put(s->store, &w.write, e);
	if (rc < 0)
		call_end(&w.call, rc);
	return call_wait(&w.call);
}

static int store_write(struct rule_io *io, struct str tenant, const struct metric_batch *batch,
		       struct err *e)
{
	struct rule_store *s = (struct rule_store *)io;
	uint64_t deadline = clock_monotonic_ns() + s->timeout_ns;
	struct err last = {0};
	int rc;

	while ((rc = write_once(s, tenant, batch, &last)) == -EAGAIN && may_retry(s, deadline))
		last = (struct err){0};
	return rc ? err_set(e, rc, "%s", last.text[0] ? last.text : strerror(-rc)) : 0;
}

void rule_store_init(struct rule_store *s, struct store *store, struct query_pool *pool,
		     struct budget *budget)
{
	*s = (struct rule_store){.io = {.run = store_run, .write = store_write},
				 .store = store,
				 .pool = pool,
				 .budget = budget,
				 .timeout_ns = 30 * NS_PER_SECOND};
}
