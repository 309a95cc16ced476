/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_OTTL_FIXTURE_H
#define VARVE_TESTS_OTTL_FIXTURE_H

/* Runs a processor that uses OTTL over payloads, and describes what it forwards. */

#include <fcntl.h>
#include <unistd.h>

#include "../ottl/ottl_items.h"
#include "pipeline/ottl/ottl_field.h"
#include "test/component.h"
#include "test/sink.h"

struct ottl_fixture {
	struct host host;
	struct log log;
	struct test_sink sink;
	struct component_env env;
	struct arena arena;
	struct buf text;
	int pipe[2];
	struct delivery_result result;
	struct err e;
};

static int ottl_fixture_setup(void **state)
{
	struct ottl_fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f || pipe2(f->pipe, O_NONBLOCK))
		return -1;
	test_sink_init(&f->sink);
	arena_init(&f->arena, NULL);
	f->log = (struct log){.fd = f->pipe[1], .level = LOG_INFO};
	f->env = (struct component_env){.id = "ottl/1", .host = &f->host, .log = &f->log};
	return host_init(&f->host, 1, 64 * MIB, NULL, &f->e);
}

static int ottl_fixture_teardown(void **state)
{
	struct ottl_fixture *f = *state;

	test_sink_fini(&f->sink);
	buf_fini(&f->text);
	arena_fini(&f->arena);
	assert_int_equal(f->host.memory.used, 0);
	host_fini(&f->host);
	close(f->pipe[0]);
	close(f->pipe[1]);
	free(f);
	return 0;
}

static inline void ottl_note_result(struct delivery *d, const struct delivery_result *r)
{
	((struct ottl_fixture *)d->owner)->result = *r;
}

/* Pass a payload, which is released, through a processor of these settings. */
static inline void ottl_pass(struct ottl_fixture *f, const struct component *type, const char *yaml,
			     struct payload *p)
{
	struct delivery d = {
		.signal = p->signal, .payload = p, .done = ottl_note_result, .owner = f};
	struct test_component x;

	memset(f->env.next, 0, sizeof(f->env.next));
	f->env.next[signal_index(p->signal)] = &f->sink.consumer;
	test_sink_clear(&f->sink);
	assert_ok_err(test_component_new(&x, type, &f->env, yaml), &x.e);
	f->result = (struct delivery_result){.rc = 1};
	type->consume(x.instance, &d);
	assert_int_not_equal(f->result.rc, 1);
	test_component_free(&x);
	payload_release(p);
}

/* Append the name of an item, and how many events or data points it has. */
static inline void describe_item(struct ottl_fixture *f, enum signal_kind signal,
				 const struct otlp_item *item)
{
	struct ottl_value events;
	struct value body = {0};

	if (signal == SIGNAL_LOGS) {
		assert_true(otlp_value_read(ottl_find_bytes(item->bytes, 5), &body));
		assert_ok(otlp_value_text(&f->text, &body));
		return;
	}
	buf_put_str(&f->text, ottl_find_bytes(item->bytes, signal == SIGNAL_TRACES ? 5 : 1));
	if (signal == SIGNAL_METRICS) {
		buf_printf(&f->text, ":%u", item->count);
		return;
	}
	assert_ok(ottl_field_read(item->bytes, 11, FIELD_MESSAGES, &f->arena, &events));
	buf_printf(&f->text, ":%u", events.list->items.n);
}

/* Return all items that were forwarded, as text with commas. */
static inline const char *ottl_forwarded(struct ottl_fixture *f)
{
	buf_clear(&f->text);
	for (unsigned p = 0; p < f->sink.count; p++) {
		struct otlp_tree tree = test_sink_tree(&f->sink, p, &f->arena);

		for (uint32_t r = 0; r < tree.resource_count; r++)
			for (uint32_t s = 0; s < tree.resources[r].scope_count; s++) {
				struct otlp_scope *scope = &tree.resources[r].scopes[s];

				for (uint32_t i = 0; i < scope->item_count; i++) {
					buf_put_str(&f->text, f->text.n ? STR(", ") : STR(""));
					describe_item(f, tree.signal, &scope->items[i]);
				}
			}
	}
	buf_put_char(&f->text, '\0');
	return f->text.p;
}

/* Return what was logged since the last call. */
static inline const char *ottl_logged(struct ottl_fixture *f)
{
	static char text[8000];
	ssize_t n = read(f->pipe[0], text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

#endif
