/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most rows of a batch are in the dictionary of the day already: the same program sent them a few
 * seconds ago. So before anything is mapped, each string, function and location gets a key, 96 bits
 * of a hash that is seeded anew in each process. Equal keys mean equal rows, so nothing else is
 * compared. A key is first compared with the key at the expected position of the sender's last
 * batch (writer_memo.h), else looked up in an index of all rows mapped before, a window at a time,
 * so that memory is prefetched while other keys are computed. Rows that are found are entered in
 * the remap as if it had mapped them; the others are mapped by the remap, and learned afterwards.
 */
#include "store/sqlite/write/writer_guess.h"

enum { WINDOW = 32 };

/*
 * Return the key of a row. Hash 0: a part of the row is not known yet, so the row cannot be known
 * either.
 */
typedef struct row_slot row_key(struct row_guess *g, uint32_t row);

/* Look up the rows of the window before `end` that are not in the memo. */
static void look_up_missed(struct guess_table *t, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < t->missed.n; i++) {
		uint32_t row = t->missed.at[i];
		struct row_slot *key = &t->keys[row];

		if (key->hash && row_index_get(t->index, *key, &t->ids[row]))
			key->node = t->ids[row] + 1;
	}
	/* rows were inserted or removed: find the position where the memo continues */
	if (t->missed.n > from && t->missed.at[t->missed.n - 1] == end - 1 && t->keys[end - 1].node)
		t->at = memo_resume(t->memo, t->at, t->keys[end - 1]);
}

/* Find the rows [first, end) of a table. Always inlined, so that `make_key` is, too. */
__attribute__((always_inline)) static inline int guess_window(struct row_guess *g,
							      struct guess_table *t, uint32_t first,
							      uint32_t end, row_key *make_key)
{
	uint32_t before = t->missed.n;
	int rc = vec_reserve(g->scratch, &t->missed, end - first);

	if (rc)
		return rc;
	for (uint32_t i = first; i < end; i++, t->at++) {
		struct row_slot due = t->at < t->memo.n ? t->memo.at[t->at] : (struct row_slot){0};
		struct row_slot key = make_key(g, i);

		if (likely(due.node && row_slot_is(due, key))) {
			t->keys[i] = due;
			t->ids[i] = due.node - 1;
		} else {
			t->keys[i] = key;
			t->missed.at[t->missed.n++] = i;
			row_index_prefetch(t->index, key);
		}
	}
	look_up_missed(t, before, end);
	return 0;
}

__attribute__((always_inline)) static inline int
guess_table_rows(struct row_guess *g, struct guess_table *t, row_key *make_key)
{
	int rc = 0;

	t->at = 1; /* after row 0, "none" */
	t->keys = arena_alloc(g->scratch, t->n, sizeof(*t->keys));
	if (!t->keys)
		return -ENOMEM;
	t->keys[0] = (struct row_slot){0};
	for (uint32_t i = 1; !rc && i < t->n; i += WINDOW)
		rc = guess_window(g, t, i, t->n - i < WINDOW ? t->n : i + WINDOW, make_key);
	return rc;
}

static struct row_slot string_key(struct row_guess *g, uint32_t row)
{
	const struct profile_batch *b = g->remap->src;
	struct str s = b->strings.at[row];
	struct bytes_key key = b->string_keys ? b->string_keys[row] : key_of_bytes(s.p, s.n);

	return (struct row_slot){.hash = key.hash, .more = key.more};
}

/*
 * Map the strings of a function to the dictionary. Return false if one is not known: then the
 * function is new.
 */
static bool mapped_function(const struct row_guess *g, uint32_t row, struct function *out)
{
	const struct function *f = &g->remap->src->functions.at[row];
	const uint32_t *strings = g->remap->strings;

	out->name = strings[f->name];
	out->system_name = strings[f->system_name];
	out->filename = strings[f->filename];
	out->start_line = f->start_line;
	return (out->name || !f->name) && (out->system_name || !f->system_name) &&
	       (out->filename || !f->filename);
}

static struct row_slot function_key(struct row_guess *g, uint32_t row)
{
	struct function f;

	if (!mapped_function(g, row, &f))
		return (struct row_slot){0};

	struct key_maker k = key_mix(key_begin(0), (uint64_t)f.name << 32 | f.system_name,
				     (uint64_t)f.start_line);

	return key_end(key_mix(k, f.filename, 0));
}

/* Map a mapping with the remap: there are few of them. */
static bool mapped_mapping(struct row_guess *g, uint32_t id, uint32_t *out)
{
	*out = g->remap->mappings[id];
	return *out || !id || !profile_remap_mapping(g->remap, id, out);
}

/*
 * Return the key of a location; none for locations with attributes, which are rare and left to the
 * remap.
 */
static struct row_slot location_key(struct row_guess *g, uint32_t row)
{
	const struct profile_batch *b = g->remap->src;
	const struct location *l = &b->locations.at[row];
	struct key_maker k;
	uint32_t mapping;

	if (l->attributes.n || !mapped_mapping(g, l->mapping, &mapping))
		return (struct row_slot){0};
	k = key_mix(key_begin(l->lines.n), l->address, mapping);
	for (uint32_t i = 0; i < l->lines.n; i++) {
		const struct line *line = &b->lines.at[l->lines.at + i];
		uint32_t function = g->remap->functions[line->function];

		if (line->function && !function)
			return (struct row_slot){0};
		k = key_mix(k, (uint64_t)function << 1 | (line->column != 0), (uint64_t)line->line);
		if (line->column)
			k = key_mix(k, (uint64_t)line->column, 0);
	}
	return key_end(k);
}

int guess_rows(struct row_guess *g, const struct memo *memo)
{
	const struct profile_batch *b = g->remap->src;
	int rc;

	g->strings.ids = g->remap->strings;
	g->functions.ids = g->remap->functions;
	g->locations.ids = g->remap->locations;
	g->strings.n = b->strings.n;
	g->functions.n = b->functions.n;
	g->locations.n = b->locations.n;
	if (memo) {
		g->strings.memo = memo->strings;
		g->functions.memo = memo->functions;
		g->locations.memo = memo->locations;
	}
	rc = guess_table_rows(g, &g->strings, string_key);
	if (!rc)
		rc = guess_table_rows(g, &g->functions, function_key);
	return rc ? rc : guess_table_rows(g, &g->locations, location_key);
}

static void learn_table(struct row_guess *g, struct guess_table *t, row_key *make_key)
{
	for (uint32_t i = 0; i < t->missed.n; i++) {
		uint32_t row = t->missed.at[i], id = t->ids[row], known;
		struct row_slot *key = &t->keys[row];

		if (key->node || !id)
			continue;
		if (!key->hash) /* parts of the row were unknown before */
			*key = make_key(g, row);
		if (!key->hash)
			continue;
		if (!row_index_get(t->index, *key, &known)) /* the batch may have it twice */
			row_index_add(t->index, *key, id);
		key->node = id + 1;
	}
}

void guess_learn(struct row_guess *g)
{
	learn_table(g, &g->strings, string_key);
	learn_table(g, &g->functions, function_key);
	learn_table(g, &g->locations, location_key);
}
