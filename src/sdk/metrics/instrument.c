/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making instruments and series. Attribute sets are interned. A series is found by the hash of its
 * attributes in a table of its instrument, which readers use without a lock: entries are only
 * added, and a table that was replaced by a larger one stays readable.
 */
#include "sdk/metrics/instrument.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "base/err.h"
#include "sdk/attributes.h"
#include "sdk/hook/guest.h"
#include "sdk/metrics/metric_shard.h"
#include "sdk/sdk.h"

struct metric_registry metric_registry;

enum { SET_BUCKETS = 1024, TABLE_FIRST = 16, EXPONENTIAL_EXEMPLARS = 8 };

static struct {
	struct hook_lock lock; /* guards making instruments, series and sets */
	struct attribute_set *sets[SET_BUCKETS];
} makers;

static const double default_bounds[] = {0,   5,	  10,	25,   50,   75,	  100,	250,
					500, 750, 1000, 2500, 5000, 7500, 10000};

/* Allocate zeroed memory that is never freed. NULL: no memory, or over METRICS_BYTES_MAX. */
static void *metric_alloc(size_t size)
{
	void *p;

	size = (size + 63) & ~(size_t)63;
	if (atomic_load(&metric_registry.bytes) + size > METRICS_BYTES_MAX)
		return NULL;
	p = aligned_alloc(64, size);
	if (!p)
		return NULL;
	atomic_fetch_add(&metric_registry.bytes, size);
	return memset(p, 0, size);
}

/* -- series ------------------------------------------------------------------------------------ */

/* Return the interned set; NULL: no memory. Requires the lock. */
static const struct attribute_set *intern_attributes(const uint8_t *bytes, size_t n, uint64_t hash)
{
	struct attribute_set **bucket = &makers.sets[hash % SET_BUCKETS], *set;

	for (set = *bucket; set; set = set->next)
		if (set->hash == hash && set->n == n && (!n || !memcmp(set->bytes, bytes, n)))
			return set;
	set = metric_alloc(sizeof(*set) + n);
	if (!set)
		return NULL;
	set->hash = hash;
	set->n = n;
	if (n)
		memcpy(set->bytes, bytes, n);
	set->next = *bucket;
	*bucket = set;
	return set;
}

static size_t cells_size(const struct varve_instrument *i)
{
	switch (i->kind) {
	case VARVE_HISTOGRAM:
		return METRIC_SHARDS * i->histogram_stride;
	case VARVE_EXPONENTIAL_HISTOGRAM:
		return METRIC_SLOW_SHARDS * sizeof(struct exponential_shard);
	case VARVE_GAUGE:
		return sizeof(struct metric_cell);
	default:
		/* the total of an observable sum is set as a whole */
		return (i->observable ? 1 : METRIC_SHARDS) * sizeof(struct metric_cell);
	}
}

static uint32_t exemplar_count(const struct varve_instrument *i)
{
	switch (i->kind) {
	case VARVE_HISTOGRAM:
		return i->bound_count + 1;
	case VARVE_EXPONENTIAL_HISTOGRAM:
		return EXPONENTIAL_EXEMPLARS;
	default:
		return i->observable ? 0 : 1;
	}
}

void series_reset(struct varve_series *s)
{
	const struct varve_instrument *i = s->instrument;

	if (s->cells)
		memset((void *)s->cells, 0, cells_size(i));
	for (uint32_t k = 0; s->histogram && k < METRIC_SHARDS; k++) {
		struct histogram_shard *shard = histogram_shard_of(s, k);

		memset((void *)shard, 0, i->histogram_stride);
		atomic_store(&shard->min, bits_of(INFINITY));
		atomic_store(&shard->max, bits_of(-INFINITY));
	}
	for (uint32_t k = 0; s->exponential && k < METRIC_SLOW_SHARDS; k++) {
		s->exponential[k].lock = (struct hook_lock){0};
		exponential_reset(&s->exponential[k].values);
	}
	atomic_store(&s->touched, false);
	atomic_store(&s->observed, 0);
	exemplars_reset(&s->exemplars);
	atomic_store(&s->start_unix_ns, clock_realtime_ns());
}

/* Make a series and put it into the list of its instrument. NULL: no memory. Requires the lock. */
static struct varve_series *make_series(struct varve_instrument *i, const struct attribute_set *set)
{
	size_t cells = cells_size(i), exemplars = exemplar_count(i) * sizeof(struct exemplar);
	size_t head = (sizeof(struct varve_series) + 63) & ~(size_t)63;
	char *at = metric_alloc(head + cells + exemplars);
	struct varve_series *s = (struct varve_series *)(void *)at;

	if (!s)
		return NULL;
	s->instrument = i;
	s->set = set;
	at += head;
	if (i->kind == VARVE_HISTOGRAM)
		s->histogram = at;
	else if (i->kind == VARVE_EXPONENTIAL_HISTOGRAM)
		s->exponential = (struct exponential_shard *)(void *)at;
	else
		s->cells = (struct metric_cell *)(void *)at;
	exemplars_init(&s->exemplars, (struct exemplar *)(void *)(at + cells), exemplar_count(i));
	series_reset(s);
	s->next = atomic_load(&i->series);
	atomic_store(&i->series, s);
	atomic_fetch_add(&i->series_count, 1);
	return s;
}

/* Return the series of these bytes, or NULL. Without a lock. */
static struct varve_series *find_series(const struct varve_instrument *i, const uint8_t *bytes,
					size_t n, uint64_t hash)
{
	const struct series_table *t = atomic_load_explicit(&i->table, memory_order_acquire);
	struct varve_series *s;

	if (!t)
		return NULL;
	for (uint32_t at = (uint32_t)hash;; at++) {
		s = atomic_load_explicit(&t->slots[at & t->mask], memory_order_acquire);
		if (!s)
			return NULL;
		if (s->set->hash == hash && s->set->n == n && !memcmp(s->set->bytes, bytes, n))
			return s;
	}
}

static void put_into_table(struct series_table *t, struct varve_series *s)
{
	uint32_t at = (uint32_t)s->set->hash;

	while (atomic_load(&t->slots[at & t->mask]))
		at++;
	atomic_store_explicit(&t->slots[at & t->mask], s, memory_order_release);
}

/* Make room for one more series in the table. Requires the lock. */
static struct series_table *grow_table(struct varve_instrument *i)
{
	struct series_table *old = atomic_load(&i->table), *t;
	uint32_t size = old ? old->mask + 1 : TABLE_FIRST;

	if (old && atomic_load(&i->series_count) * 2 < size)
		return old;
	size = old ? size * 2 : size;
	t = metric_alloc(sizeof(*t) + size * sizeof(t->slots[0]));
	if (!t)
		return NULL;
	t->mask = size - 1;
	t->older = old;
	for (uint32_t k = 0; old && k <= old->mask; k++)
		if (atomic_load(&old->slots[k]))
			put_into_table(t, atomic_load(&old->slots[k]));
	atomic_store_explicit(&i->table, t, memory_order_release);
	return t;
}

/* Return the series for what exceeds a limit. Requires the lock. */
static struct varve_series *overflow_series(struct varve_instrument *i)
{
	struct varve_attribute mark = varve_bool("otel.metric.overflow", 1);
	struct varve_series *s = atomic_load(&i->overflow);
	const struct attribute_set *set;
	uint8_t bytes[ATTRIBUTES_BYTES];
	size_t n;

	if (s)
		return s;
	attributes_encode(bytes, &n, &mark, 1);
	set = intern_attributes(bytes, n, hash_bytes(bytes, n));
	s = set ? make_series(i, set) : NULL;
	atomic_store(&i->overflow, s);
	return s;
}

/* Requires the lock. */
static struct varve_series *add_series(struct varve_instrument *i, const uint8_t *bytes, size_t n,
				       uint64_t hash)
{
	struct varve_series *s = n ? find_series(i, bytes, n, hash) : atomic_load(&i->plain);
	uint32_t configured = atomic_load(&metric_registry.series_max);
	uint32_t most = configured ? configured : SERIES_DEFAULT;
	const struct attribute_set *set;
	struct series_table *t;

	if (s)
		return s;
	/* one of them is the overflow series itself */
	if (n && atomic_load(&i->series_count) + !atomic_load(&i->overflow) >= most)
		return overflow_series(i);
	t = n ? grow_table(i) : NULL;
	set = t || !n ? intern_attributes(bytes, n, hash) : NULL;
	s = set ? make_series(i, set) : NULL;
	if (!s)
		return n ? overflow_series(i) : NULL;
	if (n)
		put_into_table(t, s);
	else
		atomic_store_explicit(&i->plain, s, memory_order_release);
	return s;
}

struct varve_series *series_of(struct varve_instrument *instrument,
			       const struct varve_attribute *attributes, size_t count)
{
	uint8_t bytes[ATTRIBUTES_BYTES];
	struct varve_series *s = NULL;
	struct guest_call call;
	uint64_t hash;
	size_t n = 0;
	bool fits = true;

	if (!instrument)
		return NULL;
	if (attributes && count)
		fits = attributes_encode(bytes, &n, attributes, count);
	hash = n ? hash_bytes(bytes, n) : 0;
	if (fits)
		s = n ? find_series(instrument, bytes, n, hash)
		      : atomic_load_explicit(&instrument->plain, memory_order_acquire);
	if (likely(s))
		return s;
	call = guest_call_begin();
	if (hook_lock(&makers.lock)) {
		s = fits ? add_series(instrument, bytes, n, hash) : overflow_series(instrument);
		hook_unlock(&makers.lock);
	}
	guest_call_end(call);
	return s;
}

struct varve_series *varve_bind(struct varve_instrument *instrument,
				const struct varve_attribute *attributes, size_t count)
{
	return series_of(instrument, attributes, count);
}

/* -- instruments ------------------------------------------------------------------------------- */

static bool name_is_valid(const char *name)
{
	size_t n = name ? strnlen(name, INSTRUMENT_NAME_MAX + 1) : 0;

	if (!n || n > INSTRUMENT_NAME_MAX || !isalpha((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isascii((unsigned char)name[i]) ||
		    (!isalnum((unsigned char)name[i]) && !strchr("_.-/", name[i])))
			return false;
	return true;
}

static int check_bounds(const struct varve_instrument_options *o, struct err *e)
{
	if (o->kind != VARVE_HISTOGRAM || !o->bounds)
		return 0;
	if (o->bound_count > BOUNDS_MAX)
		return err_set(e, -EINVAL, "metric %s: %zu bounds, at most %d are allowed", o->name,
			       o->bound_count, BOUNDS_MAX);
	for (size_t i = 0; i < o->bound_count; i++)
		if (!isfinite(o->bounds[i]) || (i && o->bounds[i] <= o->bounds[i - 1]))
			return err_set(
				e, -EINVAL,
				"metric %s: bound number %zu is not finite, or not above the "
				"one before it",
				o->name, i + 1);
	return 0;
}

static int check_instrument(const struct varve_instrument_options *o, struct err *e)
{
	if (!o || o->kind < VARVE_COUNTER || o->kind > VARVE_EXPONENTIAL_HISTOGRAM)
		return err_set(e, -EINVAL, "metric: unknown kind of instrument");
	if (!name_is_valid(o->name))
		return err_set(e, -EINVAL,
			       "metric \"%.64s\": a name is a letter, then letters, digits and "
			       "_.-/, at most %d characters",
			       o->name ? o->name : "", INSTRUMENT_NAME_MAX);
	if (strnlen(o->unit ? o->unit : "", 64) > 63)
		return err_set(e, -EINVAL, "metric %s: the unit is longer than 63 characters",
			       o->name);
	if (o->observe && (o->kind == VARVE_HISTOGRAM || o->kind == VARVE_EXPONENTIAL_HISTOGRAM))
		return err_set(e, -EINVAL, "metric %s: a histogram cannot be observable", o->name);
	return check_bounds(o, e);
}

static char *append_name(char *at, struct str *out, const char *text, size_t n)
{
	if (n)
		memcpy(at, text, n);
	text_repair(at, n);
	*out = str_of(at, n);
	return at + n + 1;
}

static struct varve_instrument *make_instrument(const struct varve_instrument_options *o)
{
	bool fixed = o->kind == VARVE_HISTOGRAM;
	const double *bounds = o->bounds ? o->bounds : default_bounds;
	uint32_t count = (uint32_t)(!fixed	? 0
				    : o->bounds ? o->bound_count
						: countof(default_bounds));
	size_t unit = text_length(o->unit, 63),
	       n = text_length(o->description, INSTRUMENT_TEXT_MAX);
	size_t name = strlen(o->name);
	struct varve_instrument *i =
		metric_alloc(sizeof(*i) + count * sizeof(double) + name + unit + n + 3);
	char *at = (char *)(i + 1);

	if (!i)
		return NULL;
	i->kind = o->kind;
	i->real = o->real || fixed || o->kind == VARVE_EXPONENTIAL_HISTOGRAM;
	i->bound_count = count;
	i->bounds = (double *)(void *)at;
	if (count)
		memcpy(at, bounds, count * sizeof(double));
	at = append_name(at + count * sizeof(double), &i->name, o->name, name);
	at = append_name(at, &i->unit, o->unit, unit);
	append_name(at, &i->description, o->description, n);
	i->histogram_stride =
		(sizeof(struct histogram_shard) + (count + 1) * sizeof(uint64_t) + 63) &
		~(size_t)63;
	i->arg = o->arg;
	i->observable = o->observe != NULL;
	atomic_store(&i->observe, o->observe);
	return i;
}

static bool same_instrument(const struct varve_instrument *i,
			    const struct varve_instrument_options *o)
{
	bool real = o->real || o->kind == VARVE_HISTOGRAM || o->kind == VARVE_EXPONENTIAL_HISTOGRAM;

	return i->kind == o->kind && i->real == real && i->observable == (o->observe != NULL) &&
	       str_eq(i->unit, str_from(o->unit ? o->unit : ""));
}

/* Names are compared without case, as OpenTelemetry requires. Requires the lock. */
static struct varve_instrument *find_instrument(const char *name)
{
	uint32_t n = atomic_load(&metric_registry.count);

	for (uint32_t k = 0; k < n; k++) {
		struct varve_instrument *i = atomic_load(&metric_registry.instruments[k]);

		if (!strcasecmp(i->name.p, name))
			return i;
	}
	return NULL;
}

/* Requires the lock. */
static struct varve_instrument *add_instrument(const struct varve_instrument_options *o,
					       struct err *e)
{
	struct varve_instrument *i = find_instrument(o->name);
	uint32_t n = atomic_load(&metric_registry.count);

	if (i && !same_instrument(i, o)) {
		(void)!err_set(e, -EINVAL,
			       "metric %s: it exists already with another kind, type or unit",
			       o->name);
		return NULL;
	}
	if (i)
		return i;
	if (n == INSTRUMENTS_MAX) {
		(void)!err_set(e, -ENOSPC, "metric %s: more than %d instruments", o->name,
			       INSTRUMENTS_MAX);
		return NULL;
	}
	i = make_instrument(o);
	if (!i) {
		(void)!err_errno(e, -ENOMEM, o->name);
		return NULL;
	}
	atomic_store(&metric_registry.instruments[n], i);
	atomic_store_explicit(&metric_registry.count, n + 1, memory_order_release);
	return i;
}

struct varve_instrument *varve_instrument_new(const struct varve_instrument_options *options)
{
	struct guest_call call = guest_call_begin();
	struct err *e = sdk_clear_error();
	struct varve_instrument *i = NULL;

	if (!check_instrument(options, e)) {
		if (hook_lock(&makers.lock)) {
			i = add_instrument(options, e);
			hook_unlock(&makers.lock);
		} else {
			(void)!err_errno(e, -EAGAIN, options->name);
		}
	}
	guest_call_end(call);
	return i;
}

static struct varve_instrument *usual_instrument(enum varve_instrument_kind kind, const char *name,
						 const char *unit, const char *description)
{
	struct varve_instrument_options o = {.kind = kind,
					     .name = name,
					     .unit = unit,
					     .description = description,
					     .real = kind == VARVE_GAUGE};

	return varve_instrument_new(&o);
}

struct varve_instrument *varve_counter(const char *name, const char *unit, const char *description)
{
	return usual_instrument(VARVE_COUNTER, name, unit, description);
}

struct varve_instrument *varve_up_down_counter(const char *name, const char *unit,
					       const char *description)
{
	return usual_instrument(VARVE_UP_DOWN_COUNTER, name, unit, description);
}

struct varve_instrument *varve_gauge(const char *name, const char *unit, const char *description)
{
	return usual_instrument(VARVE_GAUGE, name, unit, description);
}

struct varve_instrument *varve_histogram(const char *name, const char *unit,
					 const char *description)
{
	return usual_instrument(VARVE_HISTOGRAM, name, unit, description);
}

void instruments_forked(void)
{
	makers.lock = (struct hook_lock){0};
}
