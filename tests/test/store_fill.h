/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_STORE_FILL_H
#define VARVE_TEST_STORE_FILL_H

/*
 * Put profiles, each described by a line of text, into any store; done() may be called on any
 * thread.
 */

#include <pthread.h>

#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "store/store.h"
#include "test/test.h"

/* One profile of one series. */
struct fill {
	const char *tenant;
	const char *type;   /* profile type; becomes __profile_type__ and its parts */
	const char *labels; /* "service_name=a,env=prod" */
	uint64_t time, duration;
	const char *id; /* up to 16 characters, or NULL */
	/*
	 * "main;work 3, main;idle 4 @2 #0a": value, then time, then span byte. A frame may have a
	 * module, as in "main;work|/usr/bin/app".
	 */
	const char *samples;
	uint64_t received;
};

struct fill_wait {
	pthread_mutex_t mu;
	pthread_cond_t done;
	bool is_done;
	int rc;
};

static UNUSED void fill_done(struct store_write *w, int rc, const struct err *e)
{
	struct fill_wait *wait = w->owner;

	(void)e;
	pthread_mutex_lock(&wait->mu);
	wait->is_done = true;
	wait->rc = rc;
	pthread_cond_signal(&wait->done);
	pthread_mutex_unlock(&wait->mu);
}

/* Put the write and wait for its result. */
static UNUSED int store_put_wait(struct store *s, struct store_write *w)
{
	struct fill_wait wait = {.mu = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
	struct err e = {0};
	int rc;

	w->owner = &wait;
	w->done = fill_done;
	rc = s->ops->put(s, w, &e);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&wait.mu);
	while (!wait.is_done)
		pthread_cond_wait(&wait.done, &wait.mu);
	pthread_mutex_unlock(&wait.mu);
	return wait.rc;
}

static UNUSED int fill_label_cmp(const void *a, const void *b)
{
	return str_cmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

/* Return the sorted labels of the series, including those of the profile type. */
static UNUSED struct label_set fill_labels(struct arena *a, const struct fill *f)
{
	static const char *const parts[] = {"__name__", "__type__", "__unit__", "__period_type__",
					    "__period_unit__"};
	struct label *at = arena_zalloc(a, 64, sizeof(*at));
	struct str rest = str_from(f->labels), type = str_from(f->type);
	uint32_t n = 0;

	assert_non_null(at);
	at[n++] = (struct label){STR("__profile_type__"), type};
	for (unsigned i = 0; i < countof(parts); i++) {
		struct str value = str_cut(&type, ':');

		if (value.n)
			at[n++] = (struct label){str_from(parts[i]), value};
	}
	while (rest.n) {
		struct str value = str_cut(&rest, ',');
		struct str name = str_cut(&value, '=');

		at[n++] = (struct label){name, value};
		if (str_eq(name, STR("service_name")))
			at[n++] = (struct label){STR("__service_name__"), value};
	}
	qsort(at, n, sizeof(*at), fill_label_cmp);
	return (struct label_set){at, n};
}

/* Add a location for "work" or "work|/usr/bin/app". */
static UNUSED uint32_t fill_frame(struct profile_builder *b, struct str text)
{
	struct str name = str_cut(&text, '|');
	struct function f = {0};
	struct mapping m = {0};
	struct line line = {0};
	struct location_parts at = {.lines = &line, .line_count = 1};
	uint32_t id;

	assert_ok(profile_add_string(b, name, &f.name));
	assert_ok(profile_add_function(b, &f, &line.function));
	assert_ok(profile_add_string(b, text, &m.filename));
	if (text.n)
		assert_ok(profile_add_mapping(b, &m, NULL, 0, &at.mapping));
	assert_ok(profile_add_location(b, &at, &id));
	return id;
}

static UNUSED uint32_t fill_stack(struct profile_builder *b, struct str folded)
{
	uint32_t locations[64], n = 0, stack;

	while (folded.n)
		locations[63 - n++] = fill_frame(b, str_cut(&folded, ';'));
	assert_ok(profile_add_stack(b, locations + 64 - n, n, &stack));
	return stack;
}

static UNUSED void fill_sample(struct profile_builder *b, struct str text)
{
	struct str rest = str_trim(text), folded = str_cut(&rest, ' '), word;
	struct link link = {0};
	int64_t value;
	uint64_t number;
	uint32_t link_id = 0, stack = fill_stack(b, folded);

	assert_ok(str_to_i64(str_cut(&rest, ' '), &value));
	assert_ok(vec_push(&b->batch->arena, &b->batch->values, value));
	while (rest.n) {
		word = str_cut(&rest, ' ');
		if (word.p[0] == '@') {
			assert_ok(str_to_u64(str_from_at(word, 1), 10, &number));
			assert_ok(vec_push(&b->batch->arena, &b->batch->times, number));
		} else {
			assert_ok(str_to_u64(str_from_at(word, 1), 16, &number));
			link.span_id[7] = (uint8_t)number;
			link.trace_id[15] = (uint8_t)(number >> 4);
			assert_ok(profile_add_link(b, &link, &link_id));
		}
	}
	assert_ok(profile_sample_end(b->batch, stack, link_id));
}

/* Put the profile. Return the result of the store; `duplicates` may be NULL. */
static UNUSED int store_fill(struct store *s, const struct fill *f, uint32_t *duplicates)
{
	struct profile_batch batch;
	struct profile_builder b;
	struct series_map map = {0};
	struct str rest = str_from(f->samples);
	struct store_write w = {.tenant = str_from(f->tenant ? f->tenant : ""),
				.batch = &batch,
				.series = &map,
				.received = f->received};
	struct profile *p;
	int rc;

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_begin(&b, STR("x"), STR("y")));
	while (rest.n)
		fill_sample(&b, str_cut(&rest, ','));
	p = &batch.profiles.at[0];
	p->time_unix_nano = f->time;
	p->duration_nano = f->duration;
	if (f->id)
		memcpy(p->id, f->id, min_size(strlen(f->id), sizeof(p->id)));
	map.of_sample = arena_zalloc(&batch.arena, batch.sample_count + 1, sizeof(uint32_t));
	assert_non_null(map.of_sample);
	assert_ok(vec_push(&batch.arena, &map.series,
			   (struct series){fill_labels(&batch.arena, f), 0, 1}));
	rc = store_put_wait(s, &w);
	if (duplicates)
		*duplicates = w.duplicates;
	profile_batch_fini(&batch);
	return rc;
}

#endif
