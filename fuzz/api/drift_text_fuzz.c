/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of the file of drift events, and names of functions in it: what was read is the same after
 * it was written and read again, and the key of a key is the same key.
 */
#include "api/drift/drift_log.h"
#include "fuzz.h"
#include "query/drift/drift_name.h"

struct fuzz_seen {
	struct drift_log *log;
	unsigned events;
};

static void check_name(struct str name)
{
	struct buf key = {0}, again = {0}, plain = {0};

	drift_name_key(&key, name);
	FUZZ_CHECK(key.n <= DRIFT_NAME_MAX);
	FUZZ_CHECK(key.n || !name.n || name.p[0] == '.' || name.p[0] == '[' || name.p[0] == ':');
	drift_name_key(&again, buf_str(&key));
	FUZZ_CHECK(again.n <= key.n);
	drift_name_plain(&plain, name);
	FUZZ_CHECK(plain.n <= key.n);
	buf_fini(&key);
	buf_fini(&again);
	buf_fini(&plain);
}

static void check_links(const struct drift_event *at)
{
	struct buf out = {0};

	drift_event_page(&out, at);
	drift_event_diff(&out, at);
	for (size_t i = 0; i < out.n; i++)
		FUZZ_CHECK((uint8_t)out.p[i] > ' ' && (uint8_t)out.p[i] < 127);
	drift_event_text(&out, at);
	FUZZ_CHECK(!buf_error(&out));
	buf_fini(&out);
}

static int see_event(void *ctx, const struct drift_event *at)
{
	struct fuzz_seen *seen = ctx;
	struct buf text = {0};
	struct json_writer w = json_writer_to(&text, 0);
	struct drift_event copy;
	struct arena arena;
	struct json doc;

	seen->events++;
	FUZZ_CHECK(at->function_n && at->function_n <= DRIFT_EVENT_FUNCTIONS);
	for (uint32_t i = 0; i < at->function_n; i++)
		check_name(at->functions[i].name);
	check_links(at);
	drift_event_put(&w, at, true);
	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	FUZZ_CHECK(!json_parse(&doc, buf_str(&text), NULL));
	FUZZ_CHECK(!drift_event_read(&copy, json_root(&doc), NULL));
	FUZZ_CHECK(copy.kind == at->kind && copy.since == at->since && copy.id == at->id);
	FUZZ_CHECK(copy.function_n == at->function_n);
	FUZZ_CHECK(drift_log_add(seen->log, at) >= 0);
	arena_fini(&arena);
	buf_fini(&text);
	return 0;
}

static int see_checked(void *ctx, const struct drift_checked *at)
{
	(void)ctx;
	FUZZ_CHECK(at->service.n);
	return 0;
}

static void count_event(void *ctx, const struct drift_event *at)
{
	FUZZ_CHECK(at->function_n && at->function_n <= DRIFT_EVENT_FUNCTIONS);
	++*(unsigned *)ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_seen seen = {0};
	const struct drift_text_visitor v = {see_event, see_checked, &seen};
	struct str text = str_of((const char *)data, size);
	struct err e = {0};
	unsigned kept = 0;

	FUZZ_CHECK(!drift_log_new(&seen.log, NULL, NULL, NULL));
	check_name(text);
	if (drift_text_read(text, &v, &e))
		FUZZ_CHECK(e.text[0]);
	drift_log_each(seen.log, count_event, &kept);
	FUZZ_CHECK(kept <= seen.events);
	drift_log_free(seen.log);
	return 0;
}
