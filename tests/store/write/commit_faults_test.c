/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commits that fail while other writes wait or are already mapped: acknowledged profiles are stored
 * once, refused ones are not stored, and a retry of a refused one is stored once. Senders form
 * pairs that send the same profiles, so that a copy is mapped while the commit of the first one is
 * written.
 */
#include <signal.h>
#include <sys/resource.h>

#include "base/thread.h"
#include "signal/profile/profile_rows.h"
#include "store/oracle.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)

enum {
	SENDERS = 8,
	PAIRS = SENDERS / 2,
	ROUNDS = 60,
	REFUSALS = 3,
	ANSWERS = 20,
	SPARE = 60000, /* enough room for small commits, but not for the heavy ones */
	MANY = 60000
};

#define HOUR (3600 * NS_PER_SECOND)

struct shared {
	struct store *store;
	_Atomic unsigned acknowledged, refused;
	_Atomic bool stop;
	_Atomic unsigned next[PAIRS]; /* twice the number of the next profile of each pair */
};

struct sender {
	struct shared *shared;
	unsigned number;
	struct oracle oracle; /* acknowledged profiles */
	struct thread thread;
};

/* Make a profile with an id and one sample of value 1 in a unique function. */
static void make_profile(struct profile_batch *b, unsigned sender, unsigned n)
{
	struct profile_builder builder;
	uint32_t location, stack;
	char name[32];

	snprintf(name, sizeof(name), "sender%u_%u", sender, n);
	assert_ok(profile_batch_init(b, NULL));
	assert_ok(profile_builder_init(&builder, b));
	assert_ok(profile_begin(&builder, STR("cpu"), STR("nanoseconds")));
	assert_ok(profile_add_frame(&builder, str_from(name), STR("n.c"), 1, &location));
	assert_ok(profile_add_stack(&builder, &location, 1, &stack));
	assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 1));
	b->profiles.at[0].time_unix_nano = FROM + (n + 1) * NS_PER_MS;
	b->profiles.at[0].id[0] = (uint8_t)(sender + 1);
	memcpy(b->profiles.at[0].id + 1, &n, sizeof(n));
}

/*
 * One sender of each pair retries a refused profile until it is acknowledged; the other gives up at
 * once.
 */
static void run_sender(void *arg)
{
	struct sender *me = arg;
	struct shared *s = me->shared;
	unsigned pair = me->number % PAIRS;
	uint64_t seed = me->number + 1;

	while (!s->stop) {
		struct profile_batch b;
		int rc;

		make_profile(&b, pair, s->next[pair]++ / 2);
		/* otherwise both of a pair would be in one commit */
		usleep(test_random(&seed, 4000));
		do {
			struct err e = {0};

			rc = put_batch(s->store, &me->oracle, STR(""), &b, FROM, NULL, &e);
			if (rc)
				s->refused++;
			else
				s->acknowledged++;
		} while (rc && me->number < PAIRS && !s->stop);
		profile_batch_fini(&b);
	}
}

/* Put profiles that make commits slow. They are in another hour and are not counted. */
static void run_heavy(void *arg)
{
	struct shared *s = arg;
	struct profile_builder builder;
	struct profile_batch b;
	uint32_t location, stack;
	uint64_t seed = 1;

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(profile_begin(&builder, STR("cpu"), STR("nanoseconds")));
	assert_ok(profile_add_frame(&builder, STR("heavy"), STR("n.c"), 1, &location));
	assert_ok(profile_add_stack(&builder, &location, 1, &stack));
	for (unsigned i = 0; i < MANY; i++)
		assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0,
					     1 + (int64_t)test_random(&seed, 1u << 30)));
	b.profiles.at[0].time_unix_nano = FROM + 2 * HOUR;
	while (!s->stop) {
		struct err e = {0};

		if (put_batch(s->store, NULL, STR(""), &b, FROM, NULL, &e))
			usleep(1000);
	}
	profile_batch_fini(&b);
}

/* Wait until `count` has grown by n, at most for a minute. */
static void wait_for(_Atomic unsigned *count, unsigned n)
{
	unsigned from = *count;

	for (unsigned i = 0; i < 60000 && *count - from < n; i++)
		usleep(1000);
	assert_true(*count - from >= n);
}

static rlim_t wal_bytes(const char *directory)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/2024-10-04.db-wal", directory);
	return stat(path, &st) ? 0 : (rlim_t)st.st_size;
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	assert_ok(getrlimit(RLIMIT_FSIZE, &limit));
	limit.rlim_cur = bytes;
	assert_ok(setrlimit(RLIMIT_FSIZE, &limit));
}

static void on_problem(void *context, const char *partition, const char *text)
{
	(void)context;
	fail_msg("partition %s: %s", partition, text);
}

/* Add the facts of profiles that are not in `to` yet. */
static void add_facts(struct oracle *to, const struct oracle *from)
{
	uint32_t known = to->facts.n;

	for (uint32_t i = 0; i < from->facts.n; i++) {
		const struct fact *f = &from->facts.at[i];
		/* a copy of the header, because the array moves as it grows */
		struct oracle before = *to;

		before.facts.n = known;
		if (!oracle_has(&before, f->tenant, f->labels, f->id))
			assert_ok(vec_push(&to->arena, &to->facts, *f));
	}
}

static void check_all(struct store *s, struct sender *senders)
{
	struct store_select all = {.from = FROM, .to = FROM + HOUR};
	struct sqlite_store_report report = {.problem = on_problem};
	struct oracle together = {0};
	uint64_t problems;
	struct err e = {0};

	for (unsigned i = 0; i < SENDERS; i++)
		add_facts(&together, &senders[i].oracle);
	check_stacks(s, &together, &all);
	assert_ok_err(sqlite_store_check(s, &report, &problems, &e), &e);
	arena_fini(&together.arena);
}

static void failing_commits_lose_no_acknowledged_data_and_store_nothing_twice(void **state)
{
	struct sqlite_store_options options = {.window_ms = 1, .manual = true};
	struct sender senders[SENDERS] = {0};
	struct shared s = {0};
	struct thread heavy;
	char directory[64];
	struct err e = {0};

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	make_directory(directory);
	options.directory = directory;
	assert_ok_err(sqlite_store_open(&s.store, &options, &e), &e);
	for (unsigned i = 0; i < SENDERS; i++) {
		senders[i].shared = &s;
		senders[i].number = i;
		assert_ok(thread_start(&senders[i].thread, "sender", run_sender, &senders[i], &e));
	}
	assert_ok(thread_start(&heavy, "heavy", run_heavy, &s, &e));
	for (unsigned i = 0; i < ROUNDS; i++) {
		wait_for(&s.acknowledged, ANSWERS);
		limit_files(wal_bytes(directory) + SPARE);
		wait_for(&s.refused, REFUSALS);
		limit_files(RLIM_INFINITY);
	}
	wait_for(&s.acknowledged, ANSWERS);
	s.stop = true;
	for (unsigned i = 0; i < SENDERS; i++)
		thread_join(&senders[i].thread);
	thread_join(&heavy);
	check_all(s.store, senders);
	s.store->ops->close(s.store);
	assert_ok_err(sqlite_store_open(&s.store, &options, &e), &e);
	check_all(s.store, senders);
	s.store->ops->close(s.store);
	for (unsigned i = 0; i < SENDERS; i++)
		arena_fini(&senders[i].oracle.arena);
	remove_tree(directory);
}

TEST_MAIN(test(failing_commits_lose_no_acknowledged_data_and_store_nothing_twice))
