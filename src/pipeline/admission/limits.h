/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_ADMISSION_LIMITS_H
#define VARVE_PIPELINE_ADMISSION_LIMITS_H

#include <pthread.h>

#include "base/arena.h"
#include "base/buf.h"
#include "config/settings.h"
#include "pipeline/delivery.h"
#include "store/store.h"

/*
 * Ingest limits per tenant and per token (service.limits): bytes and profiles per second, new
 * series and new names per day. Rates are checked before a body is read and charged once its size
 * and content are known. A sender that exceeds its rate has to wait until its debt is paid off, so
 * every message that is small enough for the server is accepted eventually. New series and names
 * are reserved by the store (store/quota.h); their counts restart with each day (UTC) and process.
 *
 * Any thread. Finding an existing account takes no lock; a rate is one atomic number.
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

/* The settings of struct limits_settings. */
extern const struct setting limits_table[];

enum limit_kind { LIMIT_BYTES, LIMIT_PROFILES, LIMIT_SERIES, LIMIT_NAMES, LIMIT_KINDS };

/* Tenants and tokens beyond this number share one account. */
enum { LIMITS_PARTIES = 16384, LIMITS_SLOTS = 2 * LIMITS_PARTIES };

struct limits_party;

struct limits {
	struct limits_settings settings;
	/* Open addressing; entries are added with mu held and never removed. */
	_Atomic(struct limits_party *) *slots;
	pthread_mutex_t mu;
	uint32_t count; /* guarded by mu */
	_Atomic uint64_t refused[LIMIT_SCOPES][LIMIT_KINDS];
};

/* The tenant and token whose limits apply to a request. */
struct account {
	struct limits *limits;
	struct limits_party *party[LIMIT_SCOPES]; /* NULL: no limits of that scope */
	/*
	 * The only services that may be written, separated by commas; empty: all. Set by admission,
	 * from the token.
	 */
	struct str services;
};

/* Return 0 or -ENOMEM; call limits_fini() in either case. */
MUST_USE int limits_init(struct limits *l, const struct limits_settings *settings);
void limits_fini(struct limits *l);

/*
 * Return the account of a tenant and a token (any bytes; empty: none), allocated in the arena; NULL
 * when nothing is limited or without memory.
 */
struct account *limits_account(struct limits *l, struct arena *arena, struct str tenant,
			       struct str token);

/*
 * Return whether the rates allow more data; if not, fill *why with -EAGAIN, the time to wait and
 * the name of the limit. A NULL account has no limits.
 */
bool limits_admit(const struct account *a, struct delivery_result *why);

/* Return whether the account, which may be NULL, permits to write data of a service. */
bool limits_permit_service(const struct account *a, struct str service);

/* Charge received data to the account, which may be NULL. */
void limits_charge(const struct account *a, uint64_t bytes, uint64_t profiles);

/* Set the quotas of a write for this account, which may be NULL. */
void limits_quotas(const struct account *a, struct store_quota *quotas[STORE_QUOTAS]);

/* Append the counters of refusals in Prometheus text format. */
void limits_metrics(struct limits *l, struct buf *out);

#endif
