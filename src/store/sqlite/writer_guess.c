/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most rows of a batch are in the dictionary of the day already: the same program sent them a few
 * seconds ago. So before anything is mapped, each string, function and location is held against the
 * row that stood there in the sender's last batch (writer_memo.h). Those that are not the same are looked
 * up by hash in a table of all that was mapped before, many at a time, so that the memory is on its way
 * while others are hashed; there a row is known by 96 bits of a hash that is seeded anew in each process,
 * and nothing is compared. What is found goes to the remap as if it had been asked for; what is not
 * takes the usual way, and is remembered.
 */
#include "store/sqlite/writer_guess.h"

enum { WINDOW = 32, LINES_MAX = 8 };

typedef bool same_row(struct guess *g, uint32_t row, uint32_t id);
typedef struct stack_slot row_key(struct guess *g, uint32_t row);

/* Rows [first, end) of a table. Always inlined, so that the functions of the table are, too. */
__attribute__((always_inline)) static inline int guess_window(struct guess *g,
							      struct guess_table *t, uint32_t first,
							      uint32_t end, same_row *same,
							      row_key *make_key)
{
	uint32_t before = t->missed.n;
	int rc = vec_reserve(g->scratch, &t->missed, end - first);

	if (rc)
		return rc;
	for (uint32_t i = first; i < end; i++, t->at++) {
		uint32_t id = t->at < t->memo.n ? t->memo.at[t->at] : 0;
		struct missed_row *m = &t->missed.at[t->missed.n];

		if (likely(id && same(g, i, id))) {
			t->ids[i] = id;
			continue;
		}
		*m = (struct missed_row){.key = make_key(g, i), .row = i};
		stack_index_prefetch(t->index, m->key);
		t->missed.n++;
	}
	for (uint32_t i = before; i < t->missed.n; i++) {
		struct missed_row *m = &t->missed.at[i];

		m->known = m->key.hash && stack_index_get(t->index, m->key, &t->ids[m->row]);
	}
	/* rows came between or were left out: find the place where the memo goes on */
	if (t->missed.n > before && t->missed.at[t->missed.n - 1].row == end - 1 && t->ids[end - 1])
		t->at = memo_resume(t->memo, t->at, t->ids[end - 1]);
	return 0;
}

/* ---- strings ---- */

static bool same_string(struct guess *g, uint32_t row, uint32_t id)
{
	return str_eq(g->remap->dst->batch->strings.at[id], g->remap->src->strings.at[row]);
}

static struct stack_slot string_key(struct guess *g, uint32_t row)
{
	struct str s = g->remap->src->strings.at[row];

	return stack_index_key(s.p, s.n);
}

/* Have the bytes of the next strings come near. */
static void prefetch_strings(const struct guess *g)
{
	const struct guess_table *t = &g->strings;
	const struct str *rows = g->remap->dst->batch->strings.at;

	for (uint32_t i = t->at; i < t->at + WINDOW && i < t->memo.n; i++)
		__builtin_prefetch(rows[t->memo.at[i]].p);
}

static int guess_strings(struct guess *g)
{
	uint32_t n = g->remap->src->strings.n;
	int rc = 0;

	for (uint32_t i = 1; !rc && i < n; i += WINDOW) {
		prefetch_strings(g);
		rc = guess_window(g, &g->strings, i, n - i < WINDOW ? n : i + WINDOW, same_string,
				  string_key);
	}
	return rc;
}

/* ---- functions ---- */

/* The function with strings of the dictionary. A string that is not known makes it new for sure: false. */
static bool mapped_function(const struct guess *g, uint32_t row, struct function *out)
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

static bool same_function(struct guess *g, uint32_t row, uint32_t id)
{
	const struct function *d = &g->remap->dst->batch->functions.at[id];
	struct function f;

	return mapped_function(g, row, &f) && f.name == d->name &&
	       f.system_name == d->system_name && f.filename == d->filename &&
	       f.start_line == d->start_line;
}

static struct stack_slot function_key(struct guess *g, uint32_t row)
{
	struct function f;

	if (!mapped_function(g, row, &f))
		return (struct stack_slot){0};

	uint64_t fields[] = {(uint64_t)f.name << 32 | f.system_name, f.filename,
			     (uint64_t)f.start_line};

	return stack_index_key(fields, sizeof(fields));
}

static int guess_functions(struct guess *g)
{
	uint32_t n = g->remap->src->functions.n;
	int rc = 0;

	for (uint32_t i = 1; !rc && i < n; i += WINDOW)
		rc = guess_window(g, &g->functions, i, n - i < WINDOW ? n : i + WINDOW,
				  same_function, function_key);
	return rc;
}

/* ---- locations ---- */

/* Mappings are few: they take the usual way. */
static bool mapped_mapping(struct guess *g, uint32_t id, uint32_t *out)
{
	*out = g->remap->mappings[id];
	return *out || !id || !profile_remap_mapping(g->remap, id, out);
}

static bool same_lines(const struct guess *g, struct list a, struct list b)
{
	const struct line *x = g->remap->src->lines.at + a.at;
	const struct line *y = g->remap->dst->batch->lines.at + b.at;
	const uint32_t *functions = g->remap->functions;

	if (a.n != b.n)
		return false;
	for (uint32_t i = 0; i < a.n; i++)
		if (functions[x[i].function] != y[i].function ||
		    (!y[i].function && x[i].function) || x[i].line != y[i].line ||
		    x[i].column != y[i].column)
			return false;
	return true;
}

/* Rows that are not usual, with attributes, take the usual way. */
static bool same_location(struct guess *g, uint32_t row, uint32_t id)
{
	const struct location *l = &g->remap->src->locations.at[row];
	const struct location *d = &g->remap->dst->batch->locations.at[id];
	uint32_t mapping;

	return l->address == d->address && !l->attributes.n && !d->attributes.n &&
	       mapped_mapping(g, l->mapping, &mapping) && mapping == d->mapping &&
	       same_lines(g, l->lines, d->lines);
}

static struct stack_slot location_key(struct guess *g, uint32_t row)
{
	const struct profile_batch *b = g->remap->src;
	const struct location *l = &b->locations.at[row];
	uint64_t fields[2 + 3 * LINES_MAX];
	uint32_t mapping, n = 2;

	if (l->attributes.n || l->lines.n > LINES_MAX || !mapped_mapping(g, l->mapping, &mapping))
		return (struct stack_slot){0};
	fields[0] = l->address;
	fields[1] = (uint64_t)mapping << 32 | l->lines.n;
	for (uint32_t i = 0; i < l->lines.n; i++) {
		const struct line *line = &b->lines.at[l->lines.at + i];
		uint32_t function = g->remap->functions[line->function];

		if (line->function && !function)
			return (struct stack_slot){0};
		fields[n++] = function;
		fields[n++] = (uint64_t)line->line;
		fields[n++] = (uint64_t)line->column;
	}
	return stack_index_key(fields, n * sizeof(*fields));
}

static int guess_locations(struct guess *g)
{
	uint32_t n = g->remap->src->locations.n;
	int rc = 0;

	for (uint32_t i = 1; !rc && i < n; i += WINDOW)
		rc = guess_window(g, &g->locations, i, n - i < WINDOW ? n : i + WINDOW,
				  same_location, location_key);
	return rc;
}

/* ---- all ---- */

int guess_rows(struct guess *g, const struct memo *memo)
{
	int rc;

	g->strings.ids = g->remap->strings;
	g->functions.ids = g->remap->functions;
	g->locations.ids = g->remap->locations;
	g->strings.at = g->functions.at = g->locations.at = 1; /* behind "none" */
	if (memo) {
		g->strings.memo = memo->strings;
		g->functions.memo = memo->functions;
		g->locations.memo = memo->locations;
	}
	rc = guess_strings(g);
	if (!rc)
		rc = guess_functions(g);
	return rc ? rc : guess_locations(g);
}

static void learn(struct guess *g, struct guess_table *t, row_key *make_key)
{
	for (uint32_t i = 0; i < t->missed.n; i++) {
		struct missed_row *m = &t->missed.at[i];
		uint32_t id = t->ids[m->row], known;

		if (m->known || !id)
			continue;
		if (!m->key.hash) /* it could not be made while parts of the row were unknown */
			m->key = make_key(g, m->row);
		if (m->key.hash &&
		    !stack_index_get(t->index, m->key, &known)) /* the batch may say it twice */
			stack_index_add(t->index, m->key, id);
	}
}

void guess_learn(struct guess *g)
{
	learn(g, &g->strings, string_key);
	learn(g, &g->functions, function_key);
	learn(g, &g->locations, location_key);
}
