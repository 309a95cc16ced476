/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label sets are immutable and interned in a table that only grows: readers need no lock, adding is
 * guarded by a hook_lock. Each set holds its encoding for host profilers too.
 */
#include "sdk/labels.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/str.h"
#include "sdk/hook/guest.h"
#include "sdk/hook/hook_lock.h"
#include "sdk/trace/span_thread.h"
#include "varve/varve.h"

struct label {
	struct str key, value; /* with a NUL after each */
};

struct label_set {
	uint32_t count;
	uint16_t encoded_size;
	struct label rows[LABELS_MAX];
	uint8_t *encoded; /* for host profilers; after the texts */
	char text[];
};

static struct {
	struct hook_lock lock;		 /* guards adding */
	struct label_set *_Atomic *sets; /* number - 1 */
	_Atomic uint32_t count;
	struct str keys[LABEL_KEYS_MAX]; /* for host profilers */
	_Atomic uint32_t key_count;
	size_t key_bytes;
} table;

uint32_t labels_key_count(void)
{
	return atomic_load(&table.key_count);
}

struct str labels_key(uint32_t number)
{
	return table.keys[number];
}

/*
 * Return the number of a key, added if new; LABEL_KEYS_MAX: over the limits. Called with the lock
 * held.
 */
static uint32_t intern_key(struct str key)
{
	uint32_t n = atomic_load(&table.key_count);
	char *copy;

	for (uint32_t i = 0; i < n; i++)
		if (str_eq(table.keys[i], key))
			return i;
	if (n == LABEL_KEYS_MAX || table.key_bytes + key.n > LABEL_KEYS_BYTES)
		return LABEL_KEYS_MAX;
	copy = malloc(key.n);
	if (!copy)
		return LABEL_KEYS_MAX;
	memcpy(copy, key.p, key.n);
	table.keys[n] = str_of(copy, key.n);
	table.key_bytes += key.n;
	atomic_store(&table.key_count, n + 1);
	return n;
}

/*
 * Encode {key, length, value}*, as much as a thread's record holds. Values are cut to 255 bytes,
 * between characters.
 */
static uint16_t encode_set(uint8_t *out, const struct label *rows, uint32_t count)
{
	size_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct str value = str_head(rows[i].value, UINT8_MAX);
		uint32_t key = intern_key(rows[i].key);

		value.n = str_utf8_valid(value);
		if (key == LABEL_KEYS_MAX || n + 2 + value.n > SPAN_ATTRIBUTES_BYTES)
			continue;
		out[n++] = (uint8_t)key;
		out[n++] = (uint8_t)value.n;
		memcpy(out + n, value.p, value.n);
		n += value.n;
	}
	return (uint16_t)n;
}

const char *labels_text(uint32_t set, uint32_t index, const char **value)
{
	const struct label_set *s;

	if (!set || set > atomic_load(&table.count))
		return NULL;
	s = atomic_load(&table.sets[set - 1]);
	if (!s || index >= s->count)
		return NULL;
	*value = s->rows[index].value.p;
	return s->rows[index].key.p;
}

static bool set_equals(const struct label_set *a, const struct label *rows, uint32_t count)
{
	if (a->count != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!str_eq(a->rows[i].key, rows[i].key) ||
		    !str_eq(a->rows[i].value, rows[i].value))
			return false;
	return true;
}

static const char *append_text(char **at, struct str s)
{
	char *start = *at;

	memcpy(start, s.p, s.n);
	start[s.n] = 0;
	*at += s.n + 1;
	return start;
}

static struct label_set *make_set(const struct label *rows, uint32_t count)
{
	struct label_set *s;
	size_t size = 0;
	char *at;

	for (uint32_t i = 0; i < count; i++)
		size += rows[i].key.n + 2 * rows[i].value.n + 4;
	s = malloc(sizeof(*s) + size);
	if (!s)
		return NULL;
	s->count = count;
	at = s->text;
	for (uint32_t i = 0; i < count; i++) {
		s->rows[i].key = str_of(append_text(&at, rows[i].key), rows[i].key.n);
		s->rows[i].value = str_of(append_text(&at, rows[i].value), rows[i].value.n);
	}
	s->encoded = (uint8_t *)at;
	s->encoded_size = encode_set(s->encoded, rows, count);
	return s;
}

/*
 * Return the number of the set with these rows, added if new; 0 for the empty set; -ENOMEM or
 * -ENOSPC. Called with the lock held.
 */
static int intern_set(const struct label *rows, uint32_t count)
{
	uint32_t n = atomic_load(&table.count);
	struct label_set *s;

	if (!count)
		return 0;
	for (uint32_t i = n; i-- > 0;) /* recent sets are the most likely */
		if (set_equals(atomic_load(&table.sets[i]), rows, count))
			return (int)i + 1;
	if (n == LABEL_SETS_MAX)
		return -ENOSPC;
	if (!table.sets)
		table.sets = calloc(LABEL_SETS_MAX, sizeof(*table.sets));
	s = table.sets ? make_set(rows, count) : NULL;
	if (!s)
		return -ENOMEM;
	atomic_store(&table.sets[n], s);
	atomic_store(&table.count, n + 1);
	return (int)n + 1;
}

/*
 * Return the number of the set that has this row in place of the old value of its key. Rows are
 * sorted by key, so that their order does not make different sets. Called with the lock held.
 */
static int change_label(uint32_t set, struct label row, bool remove)
{
	struct label rows[LABELS_MAX + 1];
	const struct label_set *old =
		set && set <= atomic_load(&table.count) ? atomic_load(&table.sets[set - 1]) : NULL;
	uint32_t n = 0, at = 0;

	for (uint32_t i = 0; old && i < old->count; i++)
		if (!str_eq(old->rows[i].key, row.key))
			rows[n++] = old->rows[i];
	if (!remove) {
		if (n == LABELS_MAX)
			return -ENOSPC;
		while (at < n && str_cmp(rows[at].key, row.key) < 0)
			at++;
		memmove(&rows[at + 1], &rows[at], (n - at) * sizeof(*rows));
		rows[at] = row;
		n++;
	}
	return intern_set(rows, n);
}

/* Show the set to host profilers. Inside a hook, so that the set is not freed meanwhile. */
static void publish_set(uint32_t set)
{
	const struct label_set *s = set ? atomic_load(&table.sets[set - 1]) : NULL;

	span_set_attributes(s ? s->encoded : (const uint8_t *)"", s ? s->encoded_size : 0);
}

int varve_label(const char *key, const char *value)
{
	struct label row = {{key, key ? strnlen(key, LABEL_TEXT_MAX + 1) : 0},
			    {value, value ? strnlen(value, LABEL_TEXT_MAX + 1) : 0}};
	int saved_errno = errno, set = -ENOTCONN;
	struct guest_thread *t;

	if (!row.key.n || row.key.n > LABEL_TEXT_MAX || row.value.n > LABEL_TEXT_MAX ||
	    str_utf8_valid(row.key) != row.key.n || str_utf8_valid(row.value) != row.value.n)
		return -EINVAL;
	t = guest_enter();
	if (t) {
		set = -EAGAIN;
		if (hook_lock(&table.lock)) {
			set = change_label(t->labels, row, !value);
			hook_unlock(&table.lock);
		}
		if (set >= 0) {
			atomic_store_explicit(&t->labels, (uint32_t)set, memory_order_relaxed);
			publish_set((uint32_t)set);
		}
		guest_leave(t);
	}
	errno = saved_errno;
	return set < 0 ? set : 0;
}

void labels_stop(void)
{
	for (uint32_t i = atomic_exchange(&table.count, 0); i-- > 0;)
		free(atomic_load(&table.sets[i]));
	free((void *)table.sets);
	table.sets = NULL;
	for (uint32_t i = atomic_exchange(&table.key_count, 0); i-- > 0;)
		free((char *)table.keys[i].p);
	table.key_bytes = 0;
}

void labels_forked(void)
{
	table.lock = (struct hook_lock){0};
}
