/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/server/self_metrics.h"

#include <errno.h>
#include <stdlib.h>

#include "api/metrics.h"
#include "pipeline/convert/prometheus/text_batch.h"
#include "pipeline/receivers/scrape/scrape.h"

enum {
	INTERVAL_SECONDS = 15,
	/* Types and help texts are the same each time, and stored once for each day. */
	METADATA_EVERY = 3600 / INTERVAL_SECONDS,
};

struct self_metrics {
	struct self_metrics_options o;
	struct scrape_scheduler *scheduler;
	struct buf instance, text; /* the text is reused */
	uint32_t runs;
};

static void on_delivered(struct intake *in, const struct delivery_result *result)
{
	struct host *host = in->owner;

	if (result->rc)
		log_warn(host->log, "metrics of the server itself were lost",
			 LOG_STR("err", str_from(result->reason)));
	intake_put(&host->intakes, in);
}

static int add_up(struct metric_batch *b, int64_t time, const struct label *target)
{
	struct label labels[] = {{STR("__name__"), STR("up")}, target[0], target[1]};
	struct metric_sample sample = {.time = time, .bits = metric_bits(1)};
	const char *wrong;
	int rc = metric_batch_series(b, labels, countof(labels), &sample.series, &wrong);

	return rc ? rc : vec_push(&b->arena, &b->samples, sample);
}

/* Deliver to the pipeline; the target is locked. */
static int deliver_locked(struct self_metrics *s, uint64_t time, struct err *e)
{
	const struct label target[] = {{STR("instance"), buf_str(&s->instance)},
				       {STR("job"), STR("varve")}};
	const struct text_batch_options options = {
		.time = (int64_t)(time / NS_PER_MS),
		.labels = target,
		.label_count = countof(target),
		.metadata = s->runs++ % METADATA_EVERY == 0,
	};
	struct consumer *to = s->o.target->to;
	struct delivery_result why = {0};
	struct intake *in;
	int rc;

	if (!to)
		return 0;
	buf_clear(&s->text);
	rc = metrics_write(s->o.api, &s->text);
	if (rc)
		return rc;
	if (!consumer_admit(to, s->text.n, &why))
		return err_set(e, why.rc == -EAGAIN ? -EBUSY : why.rc, "%s", why.reason);
	in = intake_get(&s->o.host->intakes);
	rc = in ? text_batch_add(&in->work->metrics, buf_str(&s->text), &options, e) : -ENOMEM;
	if (!rc)
		rc = add_up(&in->work->metrics, options.time, target);
	if (rc) {
		intake_put(&s->o.host->intakes, in);
		return rc;
	}
	in->done = on_delivered;
	in->owner = s->o.host;
	intake_deliver_metrics(in, to, s->o.tenant);
	return 0;
}

static void deliver(struct self_metrics *s, uint64_t time)
{
	struct err e = {0};
	int rc;

	pthread_mutex_lock(&s->o.target->mu);
	rc = deliver_locked(s, time, &e);
	pthread_mutex_unlock(&s->o.target->mu);
	if (rc && err_errno(&e, rc, "make them"))
		log_warn(s->o.host->log, "metrics of the server itself were lost", LOG_ERR(&e));
}

static void run_interval(void *owner, const struct scrape_run *run)
{
	deliver(owner, run->time);
}

bool self_metrics_configured(const struct config *c)
{
	const struct config_node *n = config_find(c->root, "service.telemetry.metrics.level");

	return !n || !str_eq(n->text, STR("none"));
}

int self_metrics_start(struct self_metrics **out, const struct self_metrics_options *o,
		       struct err *e)
{
	struct self_metrics *s = calloc(1, sizeof(*s));
	struct scrape_spec spec = {.interval = INTERVAL_SECONDS * NS_PER_SECOND,
				   .delay = NS_PER_SECOND,
				   .run = run_interval,
				   .owner = s};
	int rc;

	if (!s)
		return err_errno(e, -ENOMEM, "store the metrics of this process");
	s->o = *o;
	buf_put_str(&s->instance, o->instance);
	rc = buf_error(&s->instance);
	if (!rc)
		rc = scrape_scheduler_new(&s->scheduler, "self-metrics", 1, e);
	if (!rc)
		rc = scrape_add(s->scheduler, &spec, NULL);
	if (!rc)
		rc = scrape_scheduler_start(s->scheduler, e);
	*out = rc ? NULL : s;
	if (rc)
		self_metrics_stop(s);
	return rc;
}

void self_metrics_stop(struct self_metrics *s)
{
	if (!s)
		return;
	if (s->scheduler)
		scrape_scheduler_stop(s->scheduler);
	if (s->runs)
		deliver(s, clock_realtime_ns());
	scrape_scheduler_free(s->scheduler);
	buf_fini(&s->instance);
	buf_fini(&s->text);
	free(s);
}
