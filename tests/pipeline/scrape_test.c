/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/receivers/scrape/scrape.h"

#include <errno.h>
#include <unistd.h>

#include "test/test.h"

struct probe {
	_Atomic unsigned runs, ended, at_once, overlaps;
	_Atomic bool block;
	uint64_t last;
	_Atomic unsigned off_grid;
	uint64_t interval;
};

static void run_probe(void *owner, const struct scrape_run *run)
{
	struct probe *p = owner;

	if (p->at_once++)
		p->overlaps++;
	if (p->last && run->time <= p->last)
		p->off_grid++;
	p->last = run->time;
	p->runs++;
	while (p->block && !scrape_cancelled(run))
		usleep(500);
	p->at_once--;
}

static void end_probe(void *owner)
{
	struct probe *p = owner;

	assert_int_equal(p->at_once, 0);
	p->ended++;
}

static struct scrape_spec probe_spec(struct probe *p, uint64_t interval_ms)
{
	p->interval = interval_ms * NS_PER_MS;
	return (struct scrape_spec){.interval = interval_ms * NS_PER_MS,
				    .run = run_probe,
				    .end = end_probe,
				    .owner = p};
}

static void wait_for_runs(struct probe *p, unsigned runs)
{
	for (int i = 0; i < 20000 && p->runs < runs; i++)
		usleep(500);
	assert_true(p->runs >= runs);
}

/* Jobs run again and again; a blocked one does not hold up the others. */
static void a_blocked_job_does_not_hold_up_others(void **state)
{
	struct probe fast = {0}, stuck = {.block = true};
	struct scrape_spec fast_spec = probe_spec(&fast, 5), stuck_spec = probe_spec(&stuck, 5);
	struct scrape_scheduler *s = NULL;
	struct scrape_job *job = NULL;

	(void)state;
	assert_int_equal(scrape_scheduler_new(&s, "test", 4, NULL), 0);
	assert_int_equal(scrape_add(s, &stuck_spec, &job), 0);
	assert_int_equal(scrape_add(s, &fast_spec, NULL), 0);
	assert_int_equal(scrape_scheduler_start(s, NULL), 0);
	wait_for_runs(&fast, 10);
	assert_int_equal(stuck.runs, 1);
	scrape_remove(s, job);
	assert_int_equal(stuck.ended, 1);
	wait_for_runs(&fast, 20);
	scrape_scheduler_stop(s);
	assert_int_equal(fast.ended, 1);
	assert_int_equal(fast.overlaps + stuck.overlaps, 0);
	assert_int_equal(fast.off_grid, 0);
	assert_int_equal(scrape_add(s, &fast_spec, NULL), -ECANCELED);
	scrape_scheduler_free(s);
}

/* Runs that would begin while the job is still running are skipped and counted. */
static void late_runs_are_skipped_and_counted(void **state)
{
	struct probe slow = {.block = true};
	struct scrape_spec spec = probe_spec(&slow, 2);
	struct scrape_scheduler *s = NULL;

	(void)state;
	assert_int_equal(scrape_scheduler_new(&s, "test", 1, NULL), 0);
	assert_int_equal(scrape_scheduler_start(s, NULL), 0);
	assert_int_equal(scrape_add(s, &spec, NULL), 0);
	wait_for_runs(&slow, 1);
	usleep(20000);
	slow.block = false;
	wait_for_runs(&slow, 3);
	assert_true(scrape_skipped(s) >= 5);
	scrape_scheduler_free(s);
	assert_int_equal(slow.ended, 1);
	assert_int_equal(slow.overlaps, 0);
}

/* Many jobs with few threads, added and removed while they run. */
static void many_jobs_share_few_threads(void **state)
{
	struct probe p[100] = {0};
	struct scrape_job *jobs[100];
	struct scrape_scheduler *s = NULL;

	(void)state;
	assert_int_equal(scrape_scheduler_new(&s, "test", 3, NULL), 0);
	assert_int_equal(scrape_scheduler_start(s, NULL), 0);
	for (unsigned i = 0; i < 100; i++) {
		struct scrape_spec spec = probe_spec(&p[i], 3 + i % 7);

		spec.delay = scrape_offset(str_of((char *)&i, sizeof(i)), spec.interval);
		assert_true(spec.delay < spec.interval);
		assert_int_equal(scrape_add(s, &spec, &jobs[i]), 0);
	}
	for (unsigned i = 0; i < 100; i++)
		wait_for_runs(&p[i], 2);
	for (unsigned i = 0; i < 100; i += 2)
		scrape_remove(s, jobs[i]);
	scrape_scheduler_free(s);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(p[i].ended, 1);
		assert_int_equal(p[i].overlaps, 0);
	}
}

/* A scheduler that was never started ends its jobs, too. */
static void jobs_end_without_a_start(void **state)
{
	struct probe p = {0};
	struct scrape_spec spec = probe_spec(&p, 5);
	struct scrape_scheduler *s = NULL;

	(void)state;
	assert_int_equal(scrape_scheduler_new(&s, "test", 4, NULL), 0);
	assert_int_equal(scrape_add(s, &spec, NULL), 0);
	scrape_scheduler_free(s);
	assert_int_equal(p.ended, 1);
	assert_int_equal(p.runs, 0);
}

TEST_MAIN(test(a_blocked_job_does_not_hold_up_others), test(late_runs_are_skipped_and_counted),
	  test(many_jobs_share_few_threads), test(jobs_end_without_a_start))
