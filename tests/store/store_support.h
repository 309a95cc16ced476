/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_STORE_SUPPORT_H
#define VARVE_TEST_STORE_SUPPORT_H

#include <ftw.h>
#include <pthread.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "signal/profile/profile_rows.h"
#include "signal/random_batch.h"
#include "signal/series.h"
#include "store/sqlite/sealed/sealed_vfs.h"
#include "store/sqlite/sqlite_store.h"
#include "test/test.h"

/*
 * Support for tests of stores: a store in a temporary directory, random batches, and an oracle. The
 * oracle is a flat list of everything acknowledged, from which expected results are computed.
 */
#define TEST_DAY ((uint64_t)20000) /* 2024-10-04 */
#define TEST_NS_PER_DAY (86400 * NS_PER_SECOND)

/* ---- a directory ---- */

static inline int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void make_directory(char out[64])
{
	snprintf(out, 64, "/tmp/varve-store-XXXXXX");
	assert_non_null(mkdtemp(out));
}

/* ---- with a key ---- */

/*
 * Open a store; in an encrypted directory if VARVE_TEST_KEY is set: the tests of the store run a
 * second time so. The key lives until the process ends.
 */
static inline struct key_ring *test_keys(void)
{
	static const uint8_t key[SEAL_KEY] = "thirty-two bytes, not all zeros";
	static struct key_ring *ring;

	if (getenv("VARVE_TEST_KEY") && !ring)
		assert_ok(key_ring_of_key(&ring, key, NULL));
	return ring;
}

/* The layer that reads database files without a store. */
static inline const struct sealed_vfs *test_vfs(void)
{
	static struct sealed_vfs *vfs;

	if (!vfs)
		assert_ok(sealed_vfs_new(&vfs, test_keys(), NULL));
	return vfs;
}

static inline sqlite3 *open_test_database(const char *path, int flags)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open_v2(path, &db, flags, sealed_vfs_name(test_vfs())), SQLITE_OK);
	return db;
}

static inline int open_test_store(struct store **out, const struct sqlite_store_options *o,
				  struct err *e)
{
	struct sqlite_store_options with_key = *o;

	if (!o->keys)
		with_key.keys = test_keys();
	return sqlite_store_open(out, &with_key, e);
}
#define sqlite_store_open open_test_store

/* ---- expected contents ---- */

struct fact {
	struct str tenant;
	struct label_set labels;
	uint64_t time, duration;
	uint8_t id[PROFILE_ID_SIZE];
	struct str stack; /* "outer;inner" */
	int64_t value;
	struct link link;
	uint64_t sample_time;
	uint32_t profile; /* number of one profile in one series */
};

struct oracle {
	struct arena arena;
	VEC(struct fact) facts; /* the first fact of each profile has value 0 and no stack */
	uint32_t profiles;
	/* Allowed difference of gauge means between oracle and store. */
	int64_t mean_tolerance;
};

static inline struct label_set copy_labels(struct arena *a, struct label_set l)
{
	struct label *at = arena_alloc(a, l.n + 1, sizeof(*at));

	for (uint32_t i = 0; i < l.n; i++) {
		assert_ok(arena_copy_str(a, l.at[i].name, &at[i].name));
		assert_ok(arena_copy_str(a, l.at[i].value, &at[i].value));
	}
	return (struct label_set){at, l.n};
}

static inline void put_location(struct buf *out, const struct profile_batch *b, uint32_t location)
{
	const struct line *l = &b->lines.at[b->locations.at[location].lines.at];
	const struct function *f = &b->functions.at[l->function];

	buf_printf(out, "%.*s@%.*s:%lld", STR_ARG(string_of(b, f->name)),
		   STR_ARG(string_of(b, f->filename)), (long long)l->line);
}

static inline struct str stack_text(struct arena *a, const struct profile_batch *b, uint32_t stack)
{
	struct buf text = {0};
	struct str out;
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);

	while (n--) {
		put_location(&text, b, locations[n]);
		buf_put_char(&text, n ? ';' : ' ');
	}
	assert_ok(arena_copy_str(a, buf_str(&text), &out));
	buf_fini(&text);
	return out;
}

static inline bool oracle_has(const struct oracle *o, struct str tenant, struct label_set labels,
			      const uint8_t *id)
{
	static const uint8_t none[PROFILE_ID_SIZE];

	if (memcmp(id, none, sizeof(none)) == 0)
		return false;
	for (uint32_t i = 0; i < o->facts.n; i++) {
		const struct fact *f = &o->facts.at[i];
		bool same = memcmp(f->id, id, sizeof(f->id)) == 0 && str_eq(f->tenant, tenant) &&
			    f->labels.n == labels.n;

		for (uint32_t k = 0; same && k < labels.n; k++)
			same = str_eq(f->labels.at[k].value, labels.at[k].value);
		if (same)
			return true;
	}
	return false;
}

static inline void oracle_add_sample(struct oracle *o, const struct store_write *w, uint32_t i,
				     struct fact f, int64_t scale)
{
	const struct profile_batch *b = w->batch;
	uint32_t values = b->sample_values_at[i], values_n = b->sample_values_at[i + 1] - values;
	uint32_t times = b->sample_times_at[i], times_n = b->sample_times_at[i + 1] - times;

	f.stack = stack_text(&o->arena, b, b->sample_stack[i]);
	f.link = b->links.at[b->sample_link[i]];
	for (uint32_t k = 0; k < (values_n > times_n ? values_n : times_n); k++) {
		f.value = (k < values_n ? b->values.at[values + k] : 1) * scale;
		f.sample_time = k < times_n ? b->times.at[times + k] : 0;
		assert_ok(vec_push(&o->arena, &o->facts, f));
	}
}

/* Record an acknowledged write. */
static inline void oracle_add(struct oracle *o, const struct store_write *w)
{
	uint32_t known = o->facts.n;

	for (uint32_t s = 0; s < w->series->series.n; s++) {
		const struct series *row = &w->series->series.at[s];
		const struct profile *p = &w->batch->profiles.at[row->profile];
		struct oracle before = *o;
		struct fact f = {.labels = copy_labels(&o->arena, row->labels),
				 .time = p->time_unix_nano ? p->time_unix_nano : w->received,
				 .duration = p->duration_nano,
				 .profile = o->profiles};

		before.facts.n = known;
		assert_ok(arena_copy_str(&o->arena, w->tenant, &f.tenant));
		memcpy(f.id, p->id, sizeof(f.id));
		if (oracle_has(&before, w->tenant, row->labels, p->id))
			continue;
		o->profiles++;
		assert_ok(vec_push(&o->arena, &o->facts, f));
		for (uint32_t i = p->sample_first; i < p->sample_first + p->sample_count; i++)
			if (w->series->of_sample[i] == s)
				oracle_add_sample(o, w, i, f, row->scale);
	}
}

/* ---- writing ---- */

struct waiter {
	pthread_mutex_t mu;
	pthread_cond_t done;
	int pending, rc;
	struct err error;
};

static inline void waiter_init(struct waiter *w)
{
	*w = (struct waiter){0};
	pthread_mutex_init(&w->mu, NULL);
	pthread_cond_init(&w->done, NULL);
}

static inline void waiter_done(struct store_write *w, int rc, const struct err *e)
{
	struct waiter *wait = w->owner;

	pthread_mutex_lock(&wait->mu);
	wait->pending--;
	if (rc) {
		wait->rc = rc;
		wait->error = *e;
	}
	pthread_cond_signal(&wait->done);
	pthread_mutex_unlock(&wait->mu);
}

static inline int waiter_wait(struct waiter *w)
{
	pthread_mutex_lock(&w->mu);
	while (w->pending)
		pthread_cond_wait(&w->done, &w->mu);
	pthread_mutex_unlock(&w->mu);
	return w->rc;
}

/*
 * Put a batch and wait. Return the result of the store; record an acknowledged batch in the oracle
 * (may be NULL).
 */
static inline int put_batch(struct store *s, struct oracle *o, struct str tenant,
			    const struct profile_batch *b, uint64_t received, uint32_t *duplicates,
			    struct err *e)
{
	struct waiter wait;
	struct series_map map = {0};
	struct arena arena;
	struct store_write w = {.tenant = tenant,
				.batch = b,
				.series = &map,
				.received = received,
				.done = waiter_done,
				.owner = &wait};
	int rc;

	waiter_init(&wait);
	arena_init(&arena, NULL);
	assert_ok(series_map_init(&map, b, &series_limits_default, &arena));
	wait.pending = 1;
	rc = s->ops->put(s, &w, e);
	if (rc >= 0)
		rc = waiter_wait(&wait);
	if (rc && e)
		*e = wait.error;
	if (!rc && o)
		oracle_add(o, &w);
	if (duplicates)
		*duplicates = w.duplicates;
	arena_fini(&arena);
	return rc;
}

/* ---- random profiles ---- */

static inline int support_profile(struct profile_builder *b, uint64_t *seed, uint64_t time,
				  bool with_id)
{
	static const char *const types[][4] = {{"cpu", "nanoseconds", "cpu", "nanoseconds"},
					       {"inuse_space", "bytes", "space", "bytes"},
					       {"goroutine", "count", "goroutine", "count"}};
	unsigned type = test_random(seed, 3);
	char service[32], pod[32];
	struct keyvalue kv[] = {
		{STR("service.name"), VALUE_OF_STR(test_text(service, sizeof(service), "service_",
							     test_random(seed, 3)))},
		{STR("pod"),
		 VALUE_OF_STR(test_text(pod, sizeof(pod), "pod_", test_random(seed, 3)))},
	};
	struct profile row = {.time_unix_nano = time, .duration_nano = 10 * NS_PER_SECOND};
	int rc = profile_add_resource(b, kv, 2);

	for (unsigned i = 0; with_id && i < 16; i++)
		row.id[i] = (uint8_t)test_random(seed, 256);
	if (!rc)
		rc = profile_add_scope(b, STR("scope"), STR(""), NULL, 0);
	if (!rc)
		rc = profile_add_string(b, str_from(types[type][0]), &row.sample_type.type);
	if (!rc)
		rc = profile_add_string(b, str_from(types[type][1]), &row.sample_type.unit);
	if (!rc)
		rc = profile_add_string(b, str_from(types[type][2]), &row.period_type.type);
	if (!rc)
		rc = profile_add_string(b, str_from(types[type][3]), &row.period_type.unit);
	return rc ? rc : profile_add_profile(b, &row, NULL, 0);
}

static inline int support_sample(struct profile_builder *b, uint64_t *seed)
{
	struct profile_batch *batch = b->batch;
	struct link link = {.trace_id = {1, (uint8_t)test_random(seed, 4)},
			    .span_id = {2, (uint8_t)test_random(seed, 6)}};
	uint32_t stack, link_id = 0, n = test_random(seed, 3) + 1;
	unsigned shape = test_random(seed, 10);
	int rc = random_stack(b, seed, &stack);

	if (!rc && test_random(seed, 4) == 0)
		rc = profile_add_link(b, &link, &link_id);
	if (rc || shape < 7)
		return rc ? rc
			  : profile_add_sample(b, stack, link_id, NULL, 0,
					       (int64_t)test_random(seed, 1000) - 50);
	for (uint32_t i = 0; !rc && i < n; i++) {
		rc = vec_push(&batch->arena, &batch->times, 1000 + test_random(seed, 1000));
		if (!rc && shape == 8)
			rc = vec_push(&batch->arena, &batch->values, 1 + test_random(seed, 9));
	}
	return rc ? rc : profile_sample_end(batch, stack, link_id);
}

/* Make `profiles` profiles with times in [from, to), some with an id. */
static inline void support_batch(struct profile_batch *b, uint64_t *seed, uint32_t profiles,
				 uint32_t samples, uint64_t from, uint64_t to)
{
	struct profile_builder builder;

	assert_ok(profile_batch_init(b, NULL));
	assert_ok(profile_builder_init(&builder, b));
	for (uint32_t p = 0; p < profiles; p++) {
		uint64_t range = (to - from) / NS_PER_SECOND;
		uint64_t time = from + test_random(seed, (uint32_t)range) * NS_PER_SECOND +
				test_random(seed, 1000000);
		uint32_t n = test_random(seed, samples + 1);

		assert_ok(support_profile(&builder, seed, time, test_random(seed, 2)));
		for (uint32_t i = 0; i < n; i++)
			assert_ok(support_sample(&builder, seed));
	}
}

/* ---- comparison with the oracle ---- */

struct pair {
	struct str text;
	int64_t value;
};

struct pairs {
	struct arena arena;
	VEC(struct pair) at;
};

static inline int compare_pairs(const void *a, const void *b)
{
	return str_cmp(((const struct pair *)a)->text, ((const struct pair *)b)->text);
}

/* Sort the pairs, add up equal texts, and drop sums of 0. */
static inline void pairs_finish(struct pairs *p)
{
	uint32_t n = 0;

	if (p->at.n)
		qsort(p->at.at, p->at.n, sizeof(*p->at.at), compare_pairs);
	for (uint32_t i = 0; i < p->at.n;) {
		struct pair sum = p->at.at[i];

		for (i++; i < p->at.n && str_eq(p->at.at[i].text, sum.text); i++)
			sum.value += p->at.at[i].value;
		if (sum.value)
			p->at.at[n++] = sum;
	}
	p->at.n = n;
}

static inline void pairs_equal(const struct pairs *found, const struct pairs *expected)
{
	for (uint32_t i = 0; i < found->at.n && i < expected->at.n; i++) {
		const struct pair *a = &found->at.at[i], *b = &expected->at.at[i];

		if (!str_eq(a->text, b->text) || a->value != b->value)
			fail_msg("row %u is \"%.*s\" %lld, expected \"%.*s\" %lld", i,
				 STR_ARG(a->text), (long long)a->value, STR_ARG(b->text),
				 (long long)b->value);
	}
	assert_int_equal(found->at.n, expected->at.n);
}

/* Compare like pairs_equal(), but allow small differences; a missing row counts as 0. */
static inline void pairs_near(const struct pairs *found, const struct pairs *expected,
			      int64_t tolerance)
{
	uint32_t i = 0, k = 0;

	while (i < found->at.n || k < expected->at.n) {
		int order = i == found->at.n ? 1
			    : k == expected->at.n
				    ? -1
				    : compare_pairs(&found->at.at[i], &expected->at.at[k]);
		int64_t a = order <= 0 ? found->at.at[i].value : 0;
		int64_t b = order >= 0 ? expected->at.at[k].value : 0;
		struct str text = order <= 0 ? found->at.at[i].text : expected->at.at[k].text;

		if (a - b > tolerance || b - a > tolerance)
			fail_msg("\"%.*s\" is %lld, expected %lld", STR_ARG(text), (long long)a,
				 (long long)b);
		i += order <= 0;
		k += order >= 0;
	}
}

static inline void pairs_add(struct pairs *p, struct str text, int64_t value)
{
	struct pair pair = {.value = value};

	assert_ok(arena_copy_str(&p->arena, text, &pair.text));
	assert_ok(vec_push(&p->arena, &p->at, pair));
}

static inline struct str node_text(struct arena *a, const struct stack_tree *t, uint32_t node)
{
	uint32_t path[256], n = 0;
	struct buf text = {0};
	struct str out;

	for (; node; node = t->nodes.at[node].parent)
		path[n++] = t->nodes.at[node].location;
	while (n--) {
		put_location(&text, &t->dictionary, path[n]);
		buf_put_char(&text, n ? ';' : ' ');
	}
	assert_ok(arena_copy_str(a, buf_str(&text), &out));
	buf_fini(&text);
	return out;
}

static inline bool fact_selected(const struct fact *f, const struct store_select *s)
{
	if (!str_eq(f->tenant, s->tenant) || f->time < s->from || f->time >= s->to)
		return false;
	if (s->profile_id && memcmp(f->id, s->profile_id, sizeof(f->id)) != 0)
		return false;
	return !s->selector || selector_match(s->selector, f->labels, NULL) == 1;
}

static inline bool fact_linked(const struct fact *f, const struct store_select *s)
{
	static const struct link none;
	bool span = !s->span_count;

	if (!s->span_count && !s->trace_id)
		return true;
	if (memcmp(&f->link, &none, sizeof(none)) == 0)
		return false;
	for (uint32_t i = 0; i < s->span_count; i++)
		span |= memcmp(f->link.span_id, s->spans[i], 8) == 0;
	return span && (!s->trace_id || memcmp(f->link.trace_id, s->trace_id, 16) == 0);
}

#endif
