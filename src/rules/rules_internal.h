/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_RULES_INTERNAL_H
#define VARVE_RULES_RULES_INTERNAL_H

#include "base/workers.h"
#include "rules/rule_list.h"
#include "rules/rule_store.h"
#include "rules/rules.h"

/* Private to rules*.c: groups with their schedule. */

/* A group and when it is due. Guarded by rules.mu, except while it runs. */
struct slot {
	struct work work; /* first */
	struct rules *owner;
	struct rule_group *group;
	int64_t next_ms, run_ms;
	unsigned runs; /* until it is restored */
	bool running;
	bool ended; /* removed by a reload: its series become stale when it is due */
};

struct rules {
	struct store *store;
	const struct log *log;
	struct budget budget;
	struct str default_url; /* malloc'ed */
	struct rule_store io;
	struct workers workers;
	struct thread scheduler;
	bool started, loaded;

	pthread_mutex_t mu; /* guards what follows */
	pthread_cond_t changed;
	struct slot **slots; /* sorted by file and name; ended ones last */
	uint32_t n, active;  /* active: without those that have ended */
	uint32_t running;
	bool stopping, paused;
	struct rules_config *config;
	struct rule_settings settings; /* of all groups */
	struct label *external_labels;
	struct notifier *notifier;
	uint64_t loads, load_failures;
	int64_t loaded_ms;
	bool load_ok;
};

/* Return the first time after time_ms at which the group is due. */
int64_t rules_next_time(const struct rule_group *g, int64_t time_ms);

/* Wait until no group is evaluated, and keep it so until rules_resume(). The caller holds mu. */
void rules_pause(struct rules *r);
void rules_resume(struct rules *r);

#endif
