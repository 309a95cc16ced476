/* SPDX-License-Identifier: Apache-2.0 */
/* This program links libvarve.so's lock functions: its own waits are recorded. */
#include "sdk/hook/lock.h"
#include "sdk/preload/real.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sdk/guest_fixture.h"
#include "sdk/hook/stacks.h"
#include "test/test.h"

enum { INTERVAL_NS = 10000, HOLD_MS = 20 };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_ms(unsigned ms)
{
	struct timespec pause = {0, (long)ms * 1000000};

	nanosleep(&pause, NULL);
}

static struct timespec in_ms(clockid_t clock, unsigned ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += (long)ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/*
 * Times measured around a wait are too long if the machine is busy. A correct estimate matches in
 * one of several attempts, a wrong one in none.
 */
enum { ATTEMPTS = 6 };

static bool is_within(double estimate, double exact, double share)
{
	return estimate >= exact * (1 - share) && estimate <= exact * (1 + share);
}

static void assert_within(double estimate, double exact, double share)
{
	if (estimate < exact * (1 - share) || estimate > exact * (1 + share))
		fail_msg("%.0f is %.2f %% off %.0f", estimate, 100 * (estimate / exact - 1), exact);
}

/* Sums recorded at two places: at the waiter, and at the unlocking holder. */
static const void *waiting_place, *holding_place;
static struct {
	int64_t waited_ns, waits, held_ns, holds, elsewhere_ns;
} seen;

static void note(const struct record *r)
{
	if (r->kind == RECORD_BLOCK && guest_fixture_stack_has(r->stack, waiting_place)) {
		seen.waited_ns += r->value;
		seen.waits += r->weight;
	} else if (r->kind == RECORD_MUTEX && guest_fixture_stack_has(r->stack, holding_place)) {
		seen.held_ns += r->value;
		seen.holds += r->weight;
	} else if (r->kind == RECORD_MUTEX) {
		seen.elsewhere_ns += r->value;
	}
}

static int locks_setup(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	guest_fixture_each = note;
	lock_start();
	guest_fixture_start(VARVE_MUTEX | VARVE_BLOCK, 512 * KIB, INTERVAL_NS);
	return 0;
}

static int locks_teardown(void **state)
{
	(void)state;
	guest_fixture_stop();
	guest_fixture_each = NULL;
	return 0;
}

static struct guest_fixture_sums drain(void)
{
	struct guest_fixture_sums sums = {0};

	guest_fixture_drain(&sums);
	return sums;
}

/* A lock or signal that one thread waits for and another thread releases, repeatedly. */
struct give {
	void (*hold)(void);    /* lock */
	void (*release)(void); /* a PLACE: release */
	int (*wait)(void);     /* a PLACE: wait and lock */
	void (*done)(void);    /* unlock after the wait */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool signalled;

static void hold_mutex(void)
{
	assert_ok(pthread_mutex_lock(&mutex));
}
static PLACE void release_mutex(void)
{
	pthread_mutex_unlock(&mutex);
}
static PLACE int wait_mutex(void)
{
	return pthread_mutex_lock(&mutex);
}
static PLACE int wait_mutex_timed(void)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 5000);

	return pthread_mutex_timedlock(&mutex, &until);
}
static PLACE int wait_mutex_clock(void)
{
	struct timespec until = in_ms(CLOCK_MONOTONIC, 5000);

	return pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until);
}
static void done_mutex(void)
{
	pthread_mutex_unlock(&mutex);
}
static void hold_recursive(void)
{
	assert_ok(pthread_mutex_lock(&recursive));
	assert_ok(pthread_mutex_lock(&recursive));
}
static PLACE void release_recursive(void)
{
	pthread_mutex_unlock(&recursive);
	pthread_mutex_unlock(&recursive);
}
static PLACE int wait_recursive(void)
{
	return pthread_mutex_lock(&recursive);
}
static void done_recursive(void)
{
	pthread_mutex_unlock(&recursive);
}
static void hold_write(void)
{
	assert_ok(pthread_rwlock_wrlock(&rwlock));
}
static void hold_read(void)
{
	assert_ok(pthread_rwlock_rdlock(&rwlock));
}
static PLACE void release_rwlock(void)
{
	pthread_rwlock_unlock(&rwlock);
}
static PLACE int wait_read(void)
{
	return pthread_rwlock_rdlock(&rwlock);
}
static PLACE int wait_write(void)
{
	return pthread_rwlock_wrlock(&rwlock);
}
static PLACE int wait_read_timed(void)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 5000);

	return pthread_rwlock_timedrdlock(&rwlock, &until);
}
static PLACE int wait_write_clock(void)
{
	struct timespec until = in_ms(CLOCK_MONOTONIC, 5000);

	return pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &until);
}
static void done_rwlock(void)
{
	pthread_rwlock_unlock(&rwlock);
}
static void hold_spin(void)
{
	assert_ok(pthread_spin_lock(&spin));
}
static PLACE void release_spin(void)
{
	pthread_spin_unlock(&spin);
}
static PLACE int wait_spin(void)
{
	return pthread_spin_lock(&spin);
}
static void done_spin(void)
{
	pthread_spin_unlock(&spin);
}
static void nothing(void)
{
}
static PLACE void release_semaphore(void)
{
	sem_post(&semaphore);
}
static PLACE int wait_semaphore(void)
{
	return sem_wait(&semaphore);
}
static PLACE int wait_semaphore_timed(void)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 5000);

	return sem_timedwait(&semaphore, &until);
}
static PLACE void release_condition(void)
{
	pthread_mutex_lock(&mutex);
	signalled = true;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
}
static PLACE int wait_condition(void)
{
	pthread_mutex_lock(&mutex);
	while (!signalled)
		pthread_cond_wait(&condition, &mutex);
	signalled = false;
	pthread_mutex_unlock(&mutex);
	return 0;
}
static PLACE int wait_condition_timed(void)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 5000);

	pthread_mutex_lock(&mutex);
	while (!signalled)
		pthread_cond_timedwait(&condition, &mutex, &until);
	signalled = false;
	pthread_mutex_unlock(&mutex);
	return 0;
}
static PLACE int wait_condition_clock(void)
{
	struct timespec until = in_ms(CLOCK_MONOTONIC, 5000);

	pthread_mutex_lock(&mutex);
	while (!signalled)
		pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until);
	signalled = false;
	pthread_mutex_unlock(&mutex);
	return 0;
}

/* The threads synchronize by bytes in pipes, so that the lock is the only recorded wait. */
struct pair {
	const struct give *give;
	int held[2], begun[2], taken[2];
	unsigned rounds;
};

static void pass(int fd)
{
	assert_int_equal(write(fd, "x", 1), 1);
}

static void await(int fd)
{
	char byte;

	assert_int_equal(read(fd, &byte, 1), 1);
}

static void *hold_in_turns(void *arg)
{
	struct pair *p = arg;

	guest_thread_begin();
	for (unsigned i = 0; i < p->rounds; i++) {
		p->give->hold();
		pass(p->held[1]);
		await(p->begun[0]);
		sleep_ms(HOLD_MS);
		p->give->release();
		await(p->taken[0]);
	}
	return NULL;
}

/* Wait in turns, and return the nanoseconds measured around the waits. */
static int64_t wait_in_turns(const struct give *give, unsigned rounds)
{
	struct pair p = {.give = give, .rounds = rounds};
	int64_t waited = 0;
	pthread_t other;

	waiting_place = (const void *)give->wait;
	holding_place = (const void *)give->release;
	assert_ok(pipe(p.held));
	assert_ok(pipe(p.begun));
	assert_ok(pipe(p.taken));
	assert_ok(pthread_create(&other, NULL, hold_in_turns, &p));
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t began;

		await(p.held[0]);
		pass(p.begun[1]);
		began = now_ns();
		assert_ok(give->wait());
		waited += (int64_t)(now_ns() - began);
		give->done();
		pass(p.taken[1]);
	}
	assert_ok(pthread_join(other, NULL));
	for (unsigned i = 0; i < 2; i++) {
		close(p.held[i]);
		close(p.begun[i]);
		close(p.taken[i]);
	}
	drain();
	return waited;
}

/* Make one attempt. On a busy machine a waiter may come too late to wait in each round. */
static bool lock_is_seen(const struct give *give)
{
	enum { ROUNDS = 5 };
	int64_t waited;

	memset(&seen, 0, sizeof(seen));
	waited = wait_in_turns(give, ROUNDS);
	print_message("%lld waits, %lld holds; %lld ns of %lld, held %lld\n",
		      (long long)seen.waits / 65536, (long long)seen.holds / 65536,
		      (long long)seen.waited_ns, (long long)waited, (long long)seen.held_ns);
	return seen.waits / 65536 == ROUNDS && seen.holds / 65536 == ROUNDS &&
	       seen.held_ns == seen.waited_ns &&
	       is_within((double)seen.waited_ns, (double)waited, 0.05);
}

static void check_lock(const struct give *give)
{
	bool right = false;

	for (unsigned i = 0; i < ATTEMPTS && !right; i++)
		right = lock_is_seen(give);
	assert_true(right);
}

static void lock_waits_are_recorded_at_waiter_and_holder(void **state)
{
	static const struct give gives[] = {
		{hold_mutex, release_mutex, wait_mutex, done_mutex},
		{hold_mutex, release_mutex, wait_mutex_timed, done_mutex},
		{hold_mutex, release_mutex, wait_mutex_clock, done_mutex},
		{hold_recursive, release_recursive, wait_recursive, done_recursive},
		{hold_write, release_rwlock, wait_read, done_rwlock},
		{hold_read, release_rwlock, wait_write, done_rwlock},
		{hold_write, release_rwlock, wait_read_timed, done_rwlock},
		{hold_read, release_rwlock, wait_write_clock, done_rwlock},
		{hold_spin, release_spin, wait_spin, done_spin},
	};
	pthread_mutexattr_t kind;

	(void)state;
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &kind);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	for (unsigned i = 0; i < countof(gives); i++)
		check_lock(&gives[i]);
}

static void other_waits_are_recorded_at_the_waiter_only(void **state)
{
	static const struct give gives[] = {
		{nothing, release_semaphore, wait_semaphore, nothing},
		{nothing, release_semaphore, wait_semaphore_timed, nothing},
		{nothing, release_condition, wait_condition, nothing},
		{nothing, release_condition, wait_condition_timed, nothing},
		{nothing, release_condition, wait_condition_clock, nothing},
	};

	(void)state;
	sem_init(&semaphore, 0, 0);
	for (unsigned i = 0; i < countof(gives); i++) {
		unsigned attempt = 0;
		int64_t waited;

		do {
			memset(&seen, 0, sizeof(seen));
			waited = wait_in_turns(&gives[i], 5);
		} while (!is_within((double)seen.waited_ns, (double)waited, 0.05) &&
			 ++attempt < ATTEMPTS);
		assert_within((double)seen.waited_ns, (double)waited, 0.05);
	}
}

static pthread_barrier_t barrier;

static void *sleep_and_meet(void *arg)
{
	(void)arg;
	guest_thread_begin();
	sleep_ms(2 * HOLD_MS);
	pthread_barrier_wait(&barrier);
	sleep_ms(2 * HOLD_MS);
	return NULL;
}

static PLACE int64_t meet_and_join(pthread_t other)
{
	uint64_t began = now_ns();

	pthread_barrier_wait(&barrier);
	pthread_join(other, NULL);
	return (int64_t)(now_ns() - began);
}

static void waits_for_barriers_and_threads_are_recorded(void **state)
{
	unsigned attempt = 0;
	pthread_t other;
	int64_t waited;

	(void)state;
	waiting_place = (const void *)meet_and_join;
	assert_ok(pthread_barrier_init(&barrier, NULL, 2));
	do {
		memset(&seen, 0, sizeof(seen));
		assert_ok(pthread_create(&other, NULL, sleep_and_meet, NULL));
		waited = meet_and_join(other);
		drain();
	} while ((!is_within((double)seen.waited_ns, (double)waited, 0.05) ||
		  seen.waits / 65536 != 2) &&
		 ++attempt < ATTEMPTS);
	assert_within((double)seen.waited_ns, (double)waited, 0.05);
	assert_int_equal(seen.waits / 65536, 2);
}

static void a_timeout_is_recorded_without_a_holder(void **state)
{
	struct timespec until;
	struct guest_fixture_sums sums;

	(void)state;
	hold_mutex();
	until = in_ms(CLOCK_REALTIME, HOLD_MS);
	assert_int_equal(pthread_mutex_timedlock(&mutex, &until), ETIMEDOUT);
	done_mutex();
	sums = drain();
	assert_int_equal(sums.records[RECORD_BLOCK], 1);
	assert_true(sums.value[RECORD_BLOCK] > HOLD_MS * 1000000 / 2);
	assert_int_equal(sums.records[RECORD_MUTEX], 0);
}

/* Each call on each kind of mutex returns the same through the interposed functions and libc's. */
static void mutexes_of_each_kind_return_as_in_libc(void **state)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;

	(void)state;
	for (unsigned on = 0; on < 2; on++) {
		guest_fixture_set(on ? VARVE_MUTEX | VARVE_BLOCK : VARVE_CPU);
		pthread_mutexattr_init(&a);
		pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
		assert_ok(pthread_mutex_init(&m, &a));
		assert_int_equal(pthread_mutex_unlock(&m), EPERM);
		assert_ok(pthread_mutex_lock(&m));
		assert_int_equal(pthread_mutex_lock(&m), EDEADLK);
		assert_int_equal(pthread_mutex_destroy(&m), EBUSY);
		assert_ok(pthread_mutex_unlock(&m));
		assert_ok(pthread_mutex_destroy(&m));

		pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
		assert_ok(pthread_mutex_init(&m, &a));
		assert_ok(pthread_mutex_lock(&m));
		assert_ok(pthread_mutex_lock(&m));
		assert_ok(pthread_mutex_unlock(&m));
		assert_int_equal(pthread_mutex_destroy(&m), EBUSY);
		assert_ok(pthread_mutex_unlock(&m));
		assert_int_equal(pthread_mutex_unlock(&m), EPERM);
		assert_ok(pthread_mutex_destroy(&m));

		pthread_mutexattr_settype(&a, PTHREAD_MUTEX_NORMAL);
		assert_ok(pthread_mutex_init(&m, &a));
		assert_ok(pthread_mutex_lock(&m));
		assert_int_equal(pthread_mutex_trylock(&m), EBUSY);
		assert_int_equal(pthread_mutex_destroy(&m), EBUSY);
		assert_ok(pthread_mutex_unlock(&m));
		assert_ok(pthread_mutex_trylock(&m));
		assert_ok(pthread_mutex_unlock(&m));
		assert_ok(pthread_mutex_destroy(&m));

		pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
		assert_ok(pthread_mutex_init(&m, &a));
		assert_ok(pthread_mutex_lock(&m));
		assert_int_equal(pthread_mutex_trylock(&m), EBUSY);
		assert_ok(pthread_mutex_unlock(&m));
		assert_ok(pthread_mutex_destroy(&m));
	}
}

static void *lock_and_die(void *m)
{
	assert_ok(pthread_mutex_lock(m));
	return NULL;
}

static void a_dead_owner_is_reported(void **state)
{
	(void)state;
	for (unsigned on = 0; on < 2; on++) {
		pthread_mutexattr_t a;
		pthread_mutex_t m;
		pthread_t t;

		guest_fixture_set(on ? VARVE_MUTEX | VARVE_BLOCK : VARVE_CPU);
		pthread_mutexattr_init(&a);
		pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
		assert_ok(pthread_mutex_init(&m, &a));
		assert_ok(pthread_create(&t, NULL, lock_and_die, &m));
		assert_ok(pthread_join(t, NULL));
		assert_int_equal(pthread_mutex_lock(&m), EOWNERDEAD);
		assert_ok(pthread_mutex_consistent(&m));
		assert_ok(pthread_mutex_unlock(&m));
		assert_ok(pthread_mutex_lock(&m));
		assert_ok(pthread_mutex_unlock(&m));
		assert_ok(pthread_mutex_destroy(&m));
	}
}

static void unlock_again(void *m)
{
	pthread_mutex_unlock(m);
}

static void *wait_for_ever(void *arg)
{
	guest_thread_begin();
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock_again, &mutex);
	pass(*(int *)arg);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(1);
	return NULL;
}

static void a_waiting_thread_can_be_cancelled(void **state)
{
	int ready[2];
	pthread_t t;
	void *result;

	(void)state;
	assert_ok(pipe(ready));
	assert_ok(pthread_create(&t, NULL, wait_for_ever, &ready[1]));
	await(ready[0]);
	assert_ok(pthread_cancel(t));
	assert_ok(pthread_join(t, &result));
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_ok(pthread_mutex_lock(&mutex));
	assert_ok(pthread_mutex_unlock(&mutex));
	close(ready[0]);
	close(ready[1]);
}

static void nothing_is_recorded_while_disabled_or_uncontended(void **state)
{
	static const struct give give = {hold_mutex, release_mutex, wait_mutex, done_mutex};
	struct guest_fixture_sums sums;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		hold_mutex();
		done_mutex();
	}
	sums = drain();
	assert_int_equal(sums.records[RECORD_BLOCK] + sums.records[RECORD_MUTEX], 0);
	guest_fixture_set(VARVE_HEAP);
	wait_in_turns(&give, 2);
	assert_int_equal(seen.waited_ns + seen.held_ns + seen.elsewhere_ns, 0);
}

/* Compare the sums of one kind with the true waits. */
static bool is_estimate(const struct guest_fixture_sums *sums, enum record_kind kind, int64_t exact,
			int count)
{
	double delay = (double)sums->value[kind] / (double)exact;
	double waits = (double)sums->weight[kind] / 65536 / count;

	print_message("%d waits, %d recorded, delay %+.1f %%, waits %+.1f %%\n", count,
		      (int)sums->records[kind], 100 * (delay - 1), 100 * (waits - 1));
	return sums->records[kind] <= count / 4 && is_within(delay, 1, 0.12) &&
	       is_within(waits, 1, 0.15);
}

/*
 * Make waits that are shorter than the interval, most of which are not recorded; the sum estimates
 * all of them. One attempt: return true if the estimates are close.
 */
static bool estimate_short_waits(const void *lock)
{
	struct guest_fixture_sums sums;
	int64_t exact = 0;
	int count = 0;

	for (uint64_t end = now_ns() + 1500000000u; now_ns() < end;) {
		uint64_t took, wanted = 1000 + (uint64_t)(count % 7) * 1000;
		struct lock_wait w;

		lock_wait_begin(&w, lock);
		while (now_ns() < w.began_ns + wanted)
			;
		took = now_ns() - w.began_ns;
		if (lock)
			lock_unlocking(lock, __builtin_return_address(0));
		if (took > 3 * wanted)
			continue; /* preempted: this wait does not count, recorded or not */
		exact += (int64_t)took;
		count++;
		lock_wait_end(&w, lock != NULL, __builtin_return_address(0));
	}
	sums = drain();
	if (lock && !is_estimate(&sums, RECORD_MUTEX, exact, count))
		return false;
	return sums.records[RECORD_BLOCK] >= 1000 && is_estimate(&sums, RECORD_BLOCK, exact, count);
}

static void short_waits_are_estimated_without_bias(void **state)
{
	bool right = false;

	(void)state;
	for (int i = 0; i < ATTEMPTS && !right; i++)
		right = estimate_short_waits(NULL);
	assert_true(right);
}

static void holders_are_sampled_for_short_lock_waits(void **state)
{
	bool right = false;

	(void)state;
	for (int i = 0; i < ATTEMPTS && !right; i++)
		right = estimate_short_waits(&mutex);
	assert_true(right);
	assert_in_range(atomic_load(&lock_slot_of(&mutex)->rate.halvings), 2, 11);
}

/* Many threads, one mutex: it excludes, and its structure is intact afterwards. */
static int64_t shared_count;

static void *count_up(void *arg)
{
	(void)arg;
	guest_thread_begin();
	for (unsigned i = 0; i < 200000; i++) {
		pthread_mutex_lock(&mutex);
		shared_count++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void mutexes_exclude_with_and_without_recording(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (unsigned on = 0; on < 2; on++) {
		guest_fixture_set(on ? VARVE_MUTEX | VARVE_BLOCK : VARVE_CPU);
		shared_count = 0;
		for (unsigned i = 0; i < countof(threads); i++)
			assert_ok(pthread_create(&threads[i], NULL, count_up, NULL));
		for (unsigned i = 0; i < countof(threads); i++)
			assert_ok(pthread_join(threads[i], NULL));
		assert_int_equal(shared_count, 4 * 200000);
		drain();
	}
	assert_ok(pthread_mutex_trylock(&mutex));
	assert_ok(pthread_mutex_unlock(&mutex));
}

/* Compare the words of the structure after the same calls of libc's and our functions. */
static void a_mutex_has_the_same_state_as_with_libc(void **state)
{
	pthread_mutex_t ours = PTHREAD_MUTEX_INITIALIZER, theirs = PTHREAD_MUTEX_INITIALIZER;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_ok(pthread_mutex_lock(&ours));
		assert_ok(real.pthread_mutex_lock(&theirs));
		assert_memory_equal(&ours, &theirs, sizeof(ours));
		assert_ok(pthread_mutex_unlock(&ours));
		assert_ok(real.pthread_mutex_unlock(&theirs));
		assert_memory_equal(&ours, &theirs, sizeof(ours));
	}
	/* a mutex with the waiter flag set */
	assert_ok(pthread_mutex_lock(&ours));
	ours.__data.__lock = 2;
	assert_ok(pthread_mutex_unlock(&ours));
	assert_memory_equal(&ours, &theirs, sizeof(ours));
	/* an unlocked mutex: invalid, but it happens */
	assert_ok(pthread_mutex_unlock(&ours));
	assert_ok(real.pthread_mutex_unlock(&theirs));
	assert_memory_equal(&ours, &theirs, sizeof(ours));
	assert_ok(pthread_mutex_lock(&ours));
	assert_ok(pthread_mutex_unlock(&ours));
}

/* A mutex held by the forking thread is held by it in the child, too. */
static void a_forked_child_keeps_its_locks(void **state)
{
	int status;
	pid_t child;

	(void)state;
	hold_mutex();
	child = fork();
	if (!child) {
		guest_forked();
		_exit(pthread_mutex_unlock(&mutex) || pthread_mutex_lock(&mutex) ||
		      mutex.__data.__owner != getpid() || pthread_mutex_unlock(&mutex));
	}
	done_mutex();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

TEST_MAIN(test_with(locks, lock_waits_are_recorded_at_waiter_and_holder),
	  test_with(locks, other_waits_are_recorded_at_the_waiter_only),
	  test_with(locks, waits_for_barriers_and_threads_are_recorded),
	  test_with(locks, a_timeout_is_recorded_without_a_holder),
	  test_with(locks, mutexes_of_each_kind_return_as_in_libc),
	  test_with(locks, a_dead_owner_is_reported),
	  test_with(locks, a_waiting_thread_can_be_cancelled),
	  test_with(locks, nothing_is_recorded_while_disabled_or_uncontended),
	  test_with(locks, short_waits_are_estimated_without_bias),
	  test_with(locks, holders_are_sampled_for_short_lock_waits),
	  test_with(locks, mutexes_exclude_with_and_without_recording),
	  test_with(locks, a_mutex_has_the_same_state_as_with_libc),
	  test_with(locks, a_forked_child_keeps_its_locks))
