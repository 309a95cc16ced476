/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_LIMITS_H
#define VARVE_PIPELINE_LIMITS_H

#include <pthread.h>

#include "base/arena.h"
#include "base/buf.h"
#include "config/settings.h"
#include "pipeline/delivery.h"
#include "store/store.h"

/*
 * How much a tenant, and a token, may send (service.limits): bytes and profiles a second, series and names that are new to their
 * day. Rates are checked before a body is read and charged when it is known what it was: a sender that took more than its share waits
 * until the debt is paid, so every message that is small enough for the server passes sooner or later. What is new is reserved by the store
 * (store/quota.h); the count begins again with each day (UTC) and with the process.
 *
 * Any thread. Finding an account takes no lock once it exists; a rate is one atomic number.
 */
struct limit_settings {
	uint64_t bytes_per_second;
	int64_t profiles_per_second, series_per_day, names_per_day; /* 0: no limit */
};

enum limit_scope { LIMIT_TENANT, LIMIT_TOKEN, LIMIT_SCOPES };

struct limits_settings {
	struct limit_settings of[LIMIT_SCOPES];
	int64_t connections_per_address;
};

extern const struct setting limits_table[]; /* of struct limits_settings */

enum limit_kind { LIMIT_BYTES, LIMIT_PROFILES, LIMIT_SERIES, LIMIT_NAMES, LIMIT_KINDS };

/* More tenants and tokens than these share one account. */
enum { LIMITS_PARTIES = 16384, LIMITS_SLOTS = 2 * LIMITS_PARTIES };

struct limits_party;

struct limits {
	struct limits_settings settings;
	/* Open addressing; entries are added with mu held, and never removed. */
	_Atomic(struct limits_party *) *slots;
	pthread_mutex_t mu;
	uint32_t count; /* guarded by mu */
	_Atomic uint64_t refused[LIMIT_SCOPES][LIMIT_KINDS];
};

/* Whose limits count for a request. */
struct account {
	struct limits *limits;
	struct limits_party *party[LIMIT_SCOPES]; /* NULL: no limits of that kind */
};

/* 0 or -ENOMEM; fini in every case. */
MUST_USE int limits_init(struct limits *l, const struct limits_settings *settings);
void limits_fini(struct limits *l);

/* The account of a tenant and a token (any bytes; empty: none), in the arena. NULL: nothing is limited, or memory is out. */
struct account *limits_account(struct limits *l, struct arena *arena, struct str tenant,
			       struct str token);

/* May data come? false with *why: -EAGAIN, when to try again, and which limit. NULL is no limit. */
bool limits_admit(const struct account *a, struct delivery_result *why);

/* Data came. Takes NULL. */
void limits_charge(const struct account *a, uint64_t bytes, uint64_t profiles);

/* The quotas of a write of this account, which may be NULL. */
void limits_quotas(const struct account *a, struct store_quota *quotas[STORE_QUOTAS]);

/* Append what was refused, in Prometheus' text format. */
void limits_metrics(struct limits *l, struct buf *out);

#endif
