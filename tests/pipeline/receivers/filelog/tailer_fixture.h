/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_FILELOG_TAILER_FIXTURE_H
#define VARVE_TESTS_FILELOG_TAILER_FIXTURE_H

/* A tailer over real files in a directory of its own, and a consumer that keeps what arrives. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <unistd.h>

#include "pipeline/receivers/filelog/log_tailer.h"
#include "signal/otlp/tree.h"
#include "test/component.h"
#include "test/test.h"

struct fixture {
	char directory[64];
	struct host host;
	struct component_env env;
	struct consumer next;
	struct config config;
	struct arena arena;
	struct filelog_settings settings;
	struct log_tailer tailer;
	bool running;
	struct buf text; /* the bodies of accepted records, each with a newline */
	bool with_attributes;
	_Atomic unsigned refuse; /* deliveries to refuse */
	_Atomic unsigned deliveries;
	int refuse_with;
	size_t taken; /* of the memory */
};

/* ---- the next consumer ---- */

static inline void take_record(struct fixture *f, struct str record)
{
	struct proto_reader r = proto_reader_of(record);
	struct attributes attributes = {0};
	struct arena arena;
	struct value body = {0};

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(5, PROTO_BYTES))
			assert_true(otlp_value_read(proto_bytes(&r), &body));
		else
			proto_skip(&r);
	}
	assert_int_equal(r.error, PROTO_OK);
	if (body.kind == VALUE_BYTES)
		buf_put_str(&f->text, STR("bytes:"));
	assert_ok(otlp_value_text(&f->text, &body));
	arena_init(&arena, NULL);
	if (f->with_attributes)
		assert_ok(otlp_attributes_read(&attributes, record, OTLP_LOG_ATTRIBUTES, &arena));
	for (uint32_t i = 0; i < attributes.list.n; i++) {
		buf_printf(&f->text, " %.*s=", STR_ARG(attributes.list.at[i].key));
		assert_ok(otlp_value_text(&f->text, &attributes.list.at[i].value));
	}
	arena_fini(&arena);
	buf_put_char(&f->text, '\n');
}

static inline bool take_delivery(void *state, struct delivery *d)
{
	struct fixture *f = state;
	struct otlp_tree tree;
	struct arena arena;
	struct err e = {0};

	f->deliveries++;
	if (f->refuse) {
		f->refuse--;
		delivery_fail(d, f->refuse_with, 0, "not now");
		return true;
	}
	arena_init(&arena, NULL);
	assert_ok_err(otlp_tree_read(&tree, d->payload, &arena, &e), &e);
	for (uint32_t i = 0; i < tree.resource_count; i++)
		for (uint32_t k = 0; k < tree.resources[i].scopes->item_count; k++)
			take_record(f, tree.resources[i].scopes->items[k].bytes);
	arena_fini(&arena);
	delivery_done(d, &(struct delivery_result){0});
	return true;
}

/* ---- the fixture ---- */

static inline int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	*state = f;
	if (!f || host_init(&f->host, 1, 64 * MIB, NULL, &e))
		return -1;
	strcpy(f->directory, "/tmp/varve-filelog-XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	f->env = (struct component_env){.id = "filelog/a", .host = &f->host};
	f->next = (struct consumer){.state = f, .consume = take_delivery};
	f->env.next[signal_index(SIGNAL_LOGS)] = &f->next;
	f->refuse_with = -EAGAIN;
	return 0;
}

static inline int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

/* End without anything that the end of a process would not do. */
static inline void tailer_kill(struct fixture *f)
{
	if (f->running) {
		log_tailer_fini(&f->tailer);
		arena_fini(&f->arena);
		config_fini(&f->config);
	}
	f->running = false;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	tailer_kill(f);
	nftw(f->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	host_fini(&f->host);
	buf_fini(&f->text);
	free(f);
	return 0;
}

/* Start a tailer of DIRECTORY/logs with these keys; `stored`: its positions are in DIRECTORY/st. */
static inline void tailer_begin(struct fixture *f, const char *keys, bool stored)
{
	char yaml[2000], storage[100];
	struct err e = {0};

	snprintf(storage, sizeof(storage), "%s/st", f->directory);
	mkdir(storage, 0700);
	snprintf(yaml, sizeof(yaml), "include: ['%s/*.log*']\n%s%s", f->directory,
		 strstr(keys, "retry_on") ? "" : "retry_on_failure: {initial_interval: 1ms}\n",
		 keys);
	f->settings = (struct filelog_settings){0};
	arena_init(&f->arena, NULL);
	assert_ok(config_init(&f->config, NULL));
	assert_ok_err(config_parse(&f->config, str_from(yaml), "test", NULL, NULL, &e), &e);
	assert_ok_err(settings_read(filelog_table, f->config.root, "filelog", &f->settings,
				    &f->arena, &e),
		      &e);
	assert_ok_err(filelog_settings_check(&f->settings, &e), &e);
	assert_ok_err(
		log_tailer_init(&f->tailer, &f->env, &f->settings, stored ? storage : NULL, &e),
		&e);
	f->running = true;
	assert_ok_err(log_tailer_load(&f->tailer, &e), &e);
	log_tailer_poll(&f->tailer);
}

/* Stop as the receiver does. */
static inline void tailer_end(struct fixture *f)
{
	log_tailer_stop(&f->tailer);
	log_tailer_run(&f->tailer);
	tailer_kill(f);
}

static const char *path_of(const struct fixture *f, const char *name)
{
	static char path[2][200];
	static unsigned turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", f->directory, name);
	return path[turn];
}

static inline void append_bytes(const struct fixture *f, const char *name, struct str bytes)
{
	int fd = open(path_of(f, name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
	close(fd);
}

static inline void append(const struct fixture *f, const char *name, const char *text)
{
	append_bytes(f, name, str_from(text));
}

static inline void move_file(const struct fixture *f, const char *from, const char *to)
{
	assert_ok(rename(path_of(f, from), path_of(f, to)));
}

/* Poll until these records have arrived, and assert that no others do. */
static inline void expect(struct fixture *f, const char *expected)
{
	for (unsigned i = 0; i < 3000 && f->text.n < strlen(expected); i++) {
		log_tailer_poll(&f->tailer);
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	for (unsigned i = 0; i < 5; i++)
		log_tailer_poll(&f->tailer);
	assert_str_equal(buf_str(&f->text), str_from(expected));
	buf_clear(&f->text);
}

#define FROM_BEGINNING "start_at: beginning\n"

#define tailer_test(name) test_with(fixture, name)

#endif
