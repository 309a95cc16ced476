/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ingest limits. A rate limit stores the time at which everything sent so far is paid off (a leaky
 * bucket in one atomic number); parties live in an open-addressing table that is only appended to.
 */
#include "pipeline/admission/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"

/* An idle sender may send a burst of this much time at its rate. */
#define BURST_NS (10 * NS_PER_SECOND)
#define DEBT_MAX_NS (86400 * NS_PER_SECOND)
#define DAY_NS (86400 * NS_PER_SECOND)

/* One tenant or token. */
struct limits_party {
	uint64_t hash;
	enum limit_scope scope;
	/* The monotonic time at which all data sent so far is paid off. */
	_Atomic uint64_t paid_ns[2]; /* LIMIT_BYTES, LIMIT_PROFILES */
	_Atomic uint64_t day;
	struct store_quota quota;
	size_t name_n;
	char name[];
};

#define SETTING(scope, kind) "service.limits." scope "." kind

static const char *const setting_names[LIMIT_SCOPES][LIMIT_KINDS] = {
	[LIMIT_TENANT] = {SETTING("tenant", "bytes_per_second"),
			  SETTING("tenant", "profiles_per_second"),
			  SETTING("tenant", "series_per_day"), SETTING("tenant", "names_per_day")},
	[LIMIT_TOKEN] = {SETTING("token", "bytes_per_second"),
			 SETTING("token", "profiles_per_second"),
			 SETTING("token", "series_per_day"), SETTING("token", "names_per_day")},
};

#define RATES(series, names)                                                                       \
	SET_BYTES(struct limit_settings, bytes_per_second, "bytes_per_second", "0",                \
		  "Average rate of request bodies as sent, with bursts of ten seconds; beyond it " \
		  "429. 0: no limit."),                                                            \
		SET_INT(struct limit_settings, profiles_per_second, "profiles_per_second", "0", 0, \
			INT64_C(1) << 40, NULL, "Average rate of profiles, likewise."),            \
		SET_INT(struct limit_settings, series_per_day, "series_per_day", series, 0,        \
			INT64_C(1) << 40, NULL,                                                    \
			"New series per day (UTC); beyond it 422. 0: no limit."),                  \
		SET_INT(struct limit_settings, names_per_day, "names_per_day", names, 0,           \
			INT64_C(1) << 40, NULL, "New names of functions and files, likewise."),    \
		SET_END

static const struct setting tenant_table[] = {RATES("200000", "100000000")};
static const struct setting token_table[] = {RATES("0", "0")};

const struct setting limits_table[] = {
	SET_GROUP_ALWAYS(struct limits_settings, of[LIMIT_TENANT], "tenant", tenant_table,
			 "Limits of each tenant; without --tenants, of all senders together."),
	SET_GROUP_ALWAYS(struct limits_settings, of[LIMIT_TOKEN], "token", token_table,
			 "Limits of each token."),
	SET_INT(struct limits_settings, connections_per_address, "connections_per_address", "5000",
		0, 1 << 30, NULL,
		"Concurrent connections of an IPv4 address or an IPv6 /64; beyond it 429. 0: no "
		"limit."),
	SET_END,
};

int limits_init(struct limits *l, const struct limits_settings *settings)
{
	*l = (struct limits){.settings = *settings};
	pthread_mutex_init(&l->mu, NULL);
	l->slots = calloc(LIMITS_SLOTS, sizeof(*l->slots));
	return l->slots ? 0 : -ENOMEM;
}

void limits_fini(struct limits *l)
{
	for (uint32_t i = 0; l->slots && i < LIMITS_SLOTS; i++)
		free(atomic_load(&l->slots[i]));
	free(l->slots);
	pthread_mutex_destroy(&l->mu);
	*l = (struct limits){0};
}

/* ---- accounts ---- */

static bool is_limited(const struct limit_settings *s)
{
	return s->bytes_per_second || s->profiles_per_second || s->series_per_day ||
	       s->names_per_day;
}

static bool is_party(const struct limits_party *p, enum limit_scope scope, struct str name,
		     uint64_t hash)
{
	return p->hash == hash && p->scope == scope && str_eq(str_of(p->name, p->name_n), name);
}

/* Return the slot that holds the party, or the free slot where it belongs. */
static uint32_t find_party_slot(struct limits *l, enum limit_scope scope, struct str name,
				uint64_t hash)
{
	uint32_t at = (uint32_t)hash % LIMITS_SLOTS;

	for (;; at = (at + 1) % LIMITS_SLOTS) {
		struct limits_party *p = atomic_load_explicit(&l->slots[at], memory_order_acquire);

		if (!p || is_party(p, scope, name, hash))
			return at;
	}
}

static struct limits_party *make_party(struct limits *l, enum limit_scope scope, struct str name,
				       uint64_t hash)
{
	const struct limit_settings *s = &l->settings.of[scope];
	struct limits_party *p = calloc(1, sizeof(*p) + name.n);

	if (!p)
		return NULL;
	p->hash = hash;
	p->scope = scope;
	p->quota.series.max = (uint64_t)s->series_per_day;
	p->quota.series.setting = setting_names[scope][LIMIT_SERIES];
	p->quota.series.refused = &l->refused[scope][LIMIT_SERIES];
	p->quota.names.max = (uint64_t)s->names_per_day;
	p->quota.names.setting = setting_names[scope][LIMIT_NAMES];
	p->quota.names.refused = &l->refused[scope][LIMIT_NAMES];
	p->name_n = name.n;
	memcpy(p->name, name.n ? name.p : "", name.n);
	return p;
}

static struct limits_party *add_party(struct limits *l, enum limit_scope scope, struct str name,
				      uint64_t hash)
{
	struct limits_party *p;
	uint32_t at;

	pthread_mutex_lock(&l->mu);
	if (l->count >= LIMITS_PARTIES - LIMIT_SCOPES) { /* no name of a tenant or token is "/" */
		name = STR("/");
		hash = hash_bytes(name.p, name.n);
	}
	at = find_party_slot(l, scope, name, hash);
	p = atomic_load_explicit(&l->slots[at], memory_order_relaxed);
	if (!p) {
		p = make_party(l, scope, name, hash);
		l->count += p != NULL;
		atomic_store_explicit(&l->slots[at], p, memory_order_release);
	}
	pthread_mutex_unlock(&l->mu);
	return p;
}

/* Restart the counts of new series and names with the first request of a day. */
static void begin_day(struct limits_party *p)
{
	uint64_t today = clock_realtime_ns() / DAY_NS, day = atomic_load(&p->day);

	if (day == today || !atomic_compare_exchange_strong(&p->day, &day, today))
		return;
	atomic_store(&p->quota.series.used, 0);
	atomic_store(&p->quota.names.used, 0);
}

static struct limits_party *find_party(struct limits *l, enum limit_scope scope, struct str name)
{
	uint64_t hash = hash_bytes(name.p, name.n);
	struct limits_party *p = atomic_load_explicit(
		&l->slots[find_party_slot(l, scope, name, hash)], memory_order_acquire);

	if (!p)
		p = add_party(l, scope, name, hash);
	if (p)
		begin_day(p);
	return p;
}

struct account *limits_account(struct limits *l, struct arena *arena, struct str tenant,
			       struct str token)
{
	bool by_tenant = is_limited(&l->settings.of[LIMIT_TENANT]);
	bool by_token = token.n && is_limited(&l->settings.of[LIMIT_TOKEN]);
	struct account *a;

	if (!by_tenant && !by_token)
		return NULL;
	a = arena_zalloc(arena, 1, sizeof(*a));
	if (!a)
		return NULL;
	a->limits = l;
	if (by_tenant)
		a->party[LIMIT_TENANT] = find_party(l, LIMIT_TENANT, tenant);
	if (by_token)
		a->party[LIMIT_TOKEN] = find_party(l, LIMIT_TOKEN, token);
	return a;
}

bool limits_permit_service(const struct account *a, struct str service)
{
	struct str rest = a ? a->services : (struct str){0};

	if (!rest.n)
		return true;
	while (rest.n)
		if (str_eq(str_cut(&rest, ','), service))
			return true;
	return false;
}

/* ---- rates ---- */

static uint64_t rate_of(const struct limits *l, enum limit_scope scope, enum limit_kind kind)
{
	const struct limit_settings *s = &l->settings.of[scope];

	return kind == LIMIT_BYTES ? s->bytes_per_second : (uint64_t)s->profiles_per_second;
}

/* Return how long a sender has to wait, in nanoseconds. */
static uint64_t debt_of(struct limits_party *p, enum limit_kind kind, uint64_t now)
{
	uint64_t paid = atomic_load_explicit(&p->paid_ns[kind], memory_order_relaxed);

	return paid > now + BURST_NS ? paid - now - BURST_NS : 0;
}

bool limits_admit(const struct account *a, struct delivery_result *why)
{
	uint64_t now = a ? clock_monotonic_ns() : 0;

	for (unsigned scope = 0; a && scope < LIMIT_SCOPES; scope++)
		for (unsigned kind = LIMIT_BYTES; a->party[scope] && kind <= LIMIT_PROFILES;
		     kind++) {
			uint64_t rate = rate_of(a->limits, scope, kind);
			uint64_t debt = rate ? debt_of(a->party[scope], kind, now) : 0;

			if (!debt)
				continue;
			atomic_fetch_add_explicit(&a->limits->refused[scope][kind], 1,
						  memory_order_relaxed);
			*why = (struct delivery_result){
				.rc = -EAGAIN, .retry_after_ms = (uint32_t)(debt / NS_PER_MS) + 1};
			snprintf(why->reason, sizeof(why->reason), "%s (%llu) is reached",
				 setting_names[scope][kind], (unsigned long long)rate);
			return false;
		}
	return true;
}

static void charge_rate(struct limits_party *p, enum limit_kind kind, uint64_t rate, uint64_t n)
{
	double cost = (double)n / (double)rate * (double)NS_PER_SECOND;
	uint64_t now = clock_monotonic_ns(), paid = atomic_load(&p->paid_ns[kind]), next;

	do {
		next = (paid > now ? paid : now) +
		       (cost < (double)DEBT_MAX_NS ? (uint64_t)cost : DEBT_MAX_NS);
	} while (!atomic_compare_exchange_weak(&p->paid_ns[kind], &paid, next));
}

void limits_charge(const struct account *a, uint64_t bytes, uint64_t profiles)
{
	const uint64_t n[] = {[LIMIT_BYTES] = bytes, [LIMIT_PROFILES] = profiles};

	for (unsigned scope = 0; a && scope < LIMIT_SCOPES; scope++)
		for (unsigned kind = LIMIT_BYTES; a->party[scope] && kind <= LIMIT_PROFILES;
		     kind++) {
			uint64_t rate = rate_of(a->limits, scope, kind);

			if (rate && n[kind])
				charge_rate(a->party[scope], kind, rate, n[kind]);
		}
}

void limits_quotas(const struct account *a, struct store_quota *quotas[STORE_QUOTAS])
{
	_Static_assert((int)LIMIT_SCOPES == (int)STORE_QUOTAS, "a quota for each scope");
	for (unsigned i = 0; i < LIMIT_SCOPES; i++) {
		struct limits_party *p = a ? a->party[i] : NULL;

		quotas[i] = p && (p->quota.series.max || p->quota.names.max) ? &p->quota : NULL;
	}
}

/* ---- metrics ---- */

void limits_metrics(struct limits *l, struct buf *out)
{
	buf_printf(out, "# HELP varve_limit_refused_total Requests and writes refused, by limit.\n"
			"# TYPE varve_limit_refused_total counter\n");
	for (unsigned scope = 0; scope < LIMIT_SCOPES; scope++)
		for (unsigned kind = 0; kind < LIMIT_KINDS; kind++)
			buf_printf(out, "varve_limit_refused_total{limit=\"%s\"} %llu\n",
				   setting_names[scope][kind] + sizeof("service.limits.") - 1,
				   (unsigned long long)atomic_load(&l->refused[scope][kind]));
}
