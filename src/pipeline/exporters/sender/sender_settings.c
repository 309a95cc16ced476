/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of queues and retries, with the names and defaults of the collector. */
#include "pipeline/exporters/sender/sender_settings.h"

#include <errno.h>
#include <math.h>

int sender_number_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	struct sender_number *out = to;

	(void)arena;
	if (n->kind != CONFIG_SCALAR || str_to_double(n->text, &out->at) || !isfinite(out->at) ||
	    out->at < 0)
		return config_fail(n, e,
				   "%s: expected a number that is not negative, found \"%.*s\"",
				   what, STR_ARG(str_head(n->text, 64)));
	out->set = true;
	return 0;
}

static const struct setting batch_table[] = {
	SET_DURATION(struct sender_batch_settings, flush_timeout_ns, "flush_timeout", "200ms",
		     "Send a batch after this time, even if it is smaller than min_size."),
	SET_INT(struct sender_batch_settings, min_size, "min_size", "8192", 0, INT64_MAX, NULL,
		"Collect until a batch has this size."),
	SET_INT(struct sender_batch_settings, max_size, "max_size", "0", 0, INT64_MAX, NULL,
		"Split larger batches; 0: never."),
	SET_STRING(struct sender_batch_settings, sizer, "sizer", NULL,
		   "What min_size and max_size count: items or bytes; default: the queue's sizer."),
	SET_IGNORED("partition", "data with different metadata is sent together"),
	SET_END,
};

const struct setting sender_queue_table[] = {
	SET_BOOL(struct sender_queue_settings, enabled, "enabled", "true",
		 "Queue data before it is sent; without it the sender of the data waits."),
	SET_INT(struct sender_queue_settings, num_consumers, "num_consumers", "10", 0, 1024, NULL,
		"Requests that are sent at the same time."),
	SET_INT(struct sender_queue_settings, queue_size, "queue_size", "1000", 0, INT64_MAX, NULL,
		"Refuse data when this much is queued."),
	SET_STRING(struct sender_queue_settings, sizer, "sizer", "requests",
		   "What queue_size counts: requests, items or bytes."),
	SET_BOOL(struct sender_queue_settings, block_on_overflow, "block_on_overflow", "false",
		 "Wait for room in a full queue instead of refusing data."),
	SET_BOOL(struct sender_queue_settings, wait_for_result, "wait_for_result", "false",
		 "Acknowledge data when it has been sent, not when it is queued."),
	SET_STRING(struct sender_queue_settings, storage, "storage", NULL,
		   "The file_storage extension that holds the queue; default: memory."),
	SET_GROUP(struct sender_queue_settings, batch, "batch", batch_table, has_batch,
		  "Merge queued requests into batches."),
	SET_END,
};

const struct setting sender_retry_table[] = {
	SET_BOOL(struct sender_retry_settings, enabled, "enabled", "true",
		 "Repeat requests that failed and may be repeated."),
	SET_DURATION(struct sender_retry_settings, initial_interval_ns, "initial_interval", "5s",
		     "Time before the first repetition."),
	SET_CUSTOM(struct sender_retry_settings, randomization_factor, "randomization_factor",
		   sender_number_read, "number", "Share of the interval that is random (0.5)."),
	SET_CUSTOM(struct sender_retry_settings, multiplier, "multiplier", sender_number_read,
		   "number", "Factor of each interval to the one before (1.5)."),
	SET_DURATION(struct sender_retry_settings, max_interval_ns, "max_interval", "30s",
		     "Upper limit of the interval."),
	SET_DURATION(struct sender_retry_settings, max_elapsed_time_ns, "max_elapsed_time", "300s",
		     "Give a request up after this time; 0: never."),
	SET_END,
};

static int find_sizer(struct str name)
{
	static const char *const names[] = {"requests", "items", "bytes"};

	for (unsigned i = 0; i < countof(names); i++)
		if (str_eq(name, str_from(names[i])))
			return (int)i;
	return -1;
}

enum sender_sizer sender_queue_sizer(const struct sender_queue_settings *q)
{
	return (enum sender_sizer)find_sizer(q->sizer);
}

/*
 * The queue's sizer counts requests unless it is set; a batch of requests has no meaning, so that
 * batches count items then.
 */
enum sender_sizer sender_batch_sizer(const struct sender_queue_settings *q)
{
	if (q->batch.sizer.n)
		return (enum sender_sizer)find_sizer(q->batch.sizer);
	return sender_queue_sizer(q) == SIZER_BYTES ? SIZER_BYTES : SIZER_ITEMS;
}

static int check_batch(const struct sender_queue_settings *q, struct err *e)
{
	const struct sender_batch_settings *b = &q->batch;

	if (b->sizer.n && find_sizer(b->sizer) < SIZER_ITEMS)
		return err_set(e, -EINVAL,
			       "\"sending_queue\": `batch` supports only `items` or `bytes` sizer");
	if (!b->flush_timeout_ns)
		return err_set(e, -EINVAL,
			       "\"sending_queue\": \"batch\": `flush_timeout` must be positive");
	if (b->max_size && b->max_size < b->min_size)
		return err_set(e, -EINVAL,
			       "\"sending_queue\": \"batch\": `max_size` must be greater than or "
			       "equal to `min_size`");
	if (sender_queue_sizer(q) == sender_batch_sizer(q) && b->min_size > q->queue_size)
		return err_set(e, -EINVAL,
			       "\"sending_queue\": `min_size` must be less than or equal to "
			       "`queue_size`");
	return 0;
}

static int check_queue(const struct sender_queue_settings *q, struct err *e)
{
	if (find_sizer(q->sizer) < 0)
		return err_set(e, -EINVAL,
			       "\"sending_queue\": \"sizer\" has to be requests, items or bytes, "
			       "found \"%.*s\"",
			       STR_ARG(str_head(q->sizer, 64)));
	if (!q->enabled)
		return 0;
	if (q->num_consumers <= 0)
		return err_set(e, -EINVAL, "\"sending_queue\": `num_consumers` must be positive");
	if (q->queue_size <= 0)
		return err_set(e, -EINVAL, "\"sending_queue\": `queue_size` must be positive");
	if (q->storage.n && q->wait_for_result)
		return err_set(e, -EINVAL,
			       "\"sending_queue\": `wait_for_result` is not supported with a "
			       "persistent queue configured with `storage`");
	if (q->has_batch && check_batch(q, e))
		return -EINVAL;
	return 0;
}

int sender_settings_check(const struct sender_settings *s, struct err *e)
{
	const struct sender_retry_settings *r = &s->retry;
	int rc = check_queue(&s->queue, e);

	if (rc || !r->enabled)
		return rc;
	if (r->randomization_factor.set && r->randomization_factor.at > 1)
		return err_set(
			e, -EINVAL,
			"\"retry_on_failure\": 'randomization_factor' must be within [0, 1]");
	if (r->max_elapsed_time_ns && r->max_elapsed_time_ns < r->initial_interval_ns)
		return err_set(e, -EINVAL,
			       "\"retry_on_failure\": 'max_elapsed_time' must not be less than "
			       "'initial_interval'");
	if (r->max_elapsed_time_ns && r->max_elapsed_time_ns < r->max_interval_ns)
		return err_set(e, -EINVAL,
			       "\"retry_on_failure\": 'max_elapsed_time' must not be less than "
			       "'max_interval'");
	return 0;
}
