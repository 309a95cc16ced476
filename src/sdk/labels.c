/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/labels.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/str.h"
#include "sdk/guest.h"
#include "sdk/hook_lock.h"
#include "varve/varve.h"

struct label {
	struct str key, value; /* NUL-terminated behind */
};

struct label_set {
	uint32_t count;
	struct label rows[LABELS_MAX];
	char text[];
};

static struct {
	struct hook_lock lock;		 /* guards adding */
	struct label_set *_Atomic *sets; /* number - 1 */
	_Atomic uint32_t count;
} table;

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

static bool same_set(const struct label_set *a, const struct label *rows, uint32_t count)
{
	if (a->count != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!str_eq(a->rows[i].key, rows[i].key) ||
		    !str_eq(a->rows[i].value, rows[i].value))
			return false;
	return true;
}

static const char *put_text(char **at, struct str s)
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
		size += rows[i].key.n + rows[i].value.n + 2;
	s = malloc(sizeof(*s) + size);
	if (!s)
		return NULL;
	s->count = count;
	at = s->text;
	for (uint32_t i = 0; i < count; i++) {
		s->rows[i].key = str_of(put_text(&at, rows[i].key), rows[i].key.n);
		s->rows[i].value = str_of(put_text(&at, rows[i].value), rows[i].value.n);
	}
	return s;
}

/* The number of a set with these rows, new or not. Called with the lock held. 0 is the empty one; negative: -ENOMEM, -ENOSPC. */
static int find_set(const struct label *rows, uint32_t count)
{
	uint32_t n = atomic_load(&table.count);
	struct label_set *s;

	if (!count)
		return 0;
	for (uint32_t i = n; i-- > 0;) /* the latest are the likeliest */
		if (same_set(atomic_load(&table.sets[i]), rows, count))
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

/* The rows of the set with this one in place of what its key had. Sorted by key, so that order does not make another set. */
static int change(uint32_t set, struct label row, bool remove)
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
	return find_set(rows, n);
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
			set = change(t->labels, row, !value);
			hook_unlock(&table.lock);
		}
		if (set >= 0)
			t->labels = (uint32_t)set;
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
}

void labels_forked(void)
{
	table.lock = (struct hook_lock){0};
}
