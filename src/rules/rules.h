/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_RULES_H
#define VARVE_RULES_RULES_H

#include "query/query_pool.h"
#include "rules/eval/rule_group.h"
#include "rules/rules_settings.h"
#include "store/store.h"

/*
 * The recording and alerting rules of a server: loads rule files, evaluates each group at its
 * interval, and replaces rules while they run.
 *
 *	rules_new(&rules, &options, &e);
 *	rules_load(rules, &config, files, n, &e);	// again for each reload
 *	rules_start(rules, pool, &e);
 *	...
 *	rules_stop(rules);				// before the pool and the store end
 *	rules_free(rules);
 *
 * A thread decides which groups are due, and a few threads evaluate them: groups run in parallel,
 * the rules of a group in order. Their queries are executed by the query pool, and compete there
 * with those of clients; nothing waits on a thread that receives data.
 *
 * rules_new() to rules_start(), rules_load(), rules_stop() and rules_free() are for one thread, the
 * main thread. Other functions are for any thread.
 */
struct rules;

struct rules_options {
	struct store *store;	 /* with metrics; borrowed */
	size_t memory;		 /* of states, queries and results; 0: 256 MiB */
	struct budget *rest;	 /* shared with other parts: most of `memory`; may be NULL */
	const struct log *log;	 /* borrowed */
	struct str external_url; /* if the settings have none; copied */
};

MUST_USE int rules_new(struct rules **out, const struct rules_options *o, struct err *e);

/*
 * Read all files and begin to use them and the settings: *config is taken, and set to NULL. Groups
 * that are the same go on as they are; in those that have changed, rules with the same name and
 * labels keep their state. After an error, with the place in `e`, nothing has changed.
 */
MUST_USE int rules_load(struct rules *r, struct rules_config **config, const struct str *patterns,
			uint32_t n, struct err *e);

/* Start to evaluate. Call it once, after the first rules_load(). */
MUST_USE int rules_start(struct rules *r, struct query_pool *pool, struct err *e);

/* End all evaluations soon, and the threads. Takes NULL. */
void rules_stop(struct rules *r);
void rules_free(struct rules *r); /* takes NULL */

/*
 * Wait until nothing is evaluated, and keep it so, while the pipelines are replaced. Evaluations
 * that take long are cancelled.
 */
void rules_hold(struct rules *r);
void rules_release(struct rules *r);

/* Note that rules could not be loaded, for the metrics. */
void rules_note_failure(struct rules *r);

/*
 * Hold the list of groups, which is sorted by file and name, for as long as it is read. A reader
 * also locks rule_group.mu of the group that it reads.
 */
void rules_lock(struct rules *r);
void rules_unlock(struct rules *r);
uint32_t rules_count(const struct rules *r);
struct rule_group *rules_group(const struct rules *r, uint32_t i);

/* The URL of the i-th Alertmanager, empty after the last. The caller holds the list. */
struct str rules_alertmanager_url(const struct rules *r, uint32_t i);

/* Append the metrics of rules and notifications in Prometheus' text format. */
void rules_metrics(struct rules *r, struct buf *out);

#endif
