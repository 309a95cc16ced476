/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most rows of a batch are in the dictionary of the day already: the same program sent them a few
 * seconds ago. So before anything is mapped, the hash of each string, function and location is looked
 * up in a table of what was mapped before, many at a time, so that the memory is on its way while
 * others are hashed. What is found goes to the remap as if it had been asked for; what is not takes the
 * usual way, and is remembered. Rows are known by 96 bits of a hash that is seeded anew in each
 * process: nothing is compared.
 */
#include "store/sqlite/writer_guess.h"

enum { AHEAD = 32, LINES_MAX = 8 };

/* Look up a window of rows whose keys are made, and note what is found. */
static void find_window(const struct stack_index *x, struct stack_slot *keys, uint32_t *ids,
			uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (keys[i].hash)
			keys[i].node = stack_index_get(x, keys[i], &ids[i]);
}

#define EACH_WINDOW(index, keys, ids, n, make_key)                                                 \
	for (uint32_t first = 1; first < (n); first += AHEAD) {                                    \
		uint32_t end = (n)-first < AHEAD ? (n) : first + AHEAD;                            \
                                                                                                   \
		for (uint32_t i = first; i < end; i++) {                                           \
			make_key;                                                                  \
			stack_index_prefetch(index, (keys)[i]);                                    \
		}                                                                                  \
		find_window(index, keys, ids, first, end);                                         \
	}

static void guess_strings(struct guess *g)
{
	const struct profile_batch *b = g->remap->src;

	EACH_WINDOW(g->strings, g->string_keys, g->remap->strings, b->strings.n,
		    g->string_keys[i] = stack_index_key(b->strings.at[i].p, b->strings.at[i].n))
}

/* A string that is not known makes its function new for sure: no key. */
static struct stack_slot function_key(const struct guess *g, const struct function *f)
{
	const uint32_t *strings = g->remap->strings;
	uint64_t fields[] = {(uint64_t)strings[f->name] << 32 | strings[f->system_name],
			     strings[f->filename], (uint64_t)f->start_line};

	if ((f->name && !strings[f->name]) || (f->system_name && !strings[f->system_name]) ||
	    (f->filename && !strings[f->filename]))
		return (struct stack_slot){0};
	return stack_index_key(fields, sizeof(fields));
}

static void guess_functions(struct guess *g)
{
	const struct profile_batch *b = g->remap->src;

	EACH_WINDOW(g->functions, g->function_keys, g->remap->functions, b->functions.n,
		    g->function_keys[i] = function_key(g, &b->functions.at[i]))
}

/* Mappings and attributes are few: they take the usual way. Rows that are not usual get no key. */
static struct stack_slot location_key(struct guess *g, const struct location *l)
{
	const struct profile_batch *b = g->remap->src;
	uint64_t fields[2 + 3 * LINES_MAX];
	uint32_t mapping, n = 2;

	if (l->attributes.n || l->lines.n > LINES_MAX ||
	    profile_remap_mapping(g->remap, l->mapping, &mapping))
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

static void guess_locations(struct guess *g)
{
	const struct profile_batch *b = g->remap->src;

	EACH_WINDOW(g->locations, g->location_keys, g->remap->locations, b->locations.n,
		    g->location_keys[i] = location_key(g, &b->locations.at[i]))
}

int guess_rows(struct guess *g, struct arena *scratch)
{
	const struct profile_batch *b = g->remap->src;

	g->string_keys = arena_alloc(scratch, b->strings.n, sizeof(*g->string_keys));
	g->function_keys = arena_alloc(scratch, b->functions.n, sizeof(*g->function_keys));
	g->location_keys = arena_alloc(scratch, b->locations.n, sizeof(*g->location_keys));
	if (!g->string_keys || !g->function_keys || !g->location_keys)
		return -ENOMEM;
	guess_strings(g);
	guess_functions(g);
	guess_locations(g);
	return 0;
}

static void learn(struct stack_index *x, const struct stack_slot *keys, const uint32_t *ids,
		  uint32_t n)
{
	uint32_t known;

	for (uint32_t i = 1; i < n; i++) /* a batch may say the same twice */
		if (keys[i].hash && !keys[i].node && ids[i] && !stack_index_get(x, keys[i], &known))
			stack_index_add(x, keys[i], ids[i]);
}

void guess_learn(struct guess *g)
{
	const struct profile_batch *b = g->remap->src;

	/* keys of functions and locations could not be made while their parts were unknown */
	for (uint32_t i = 1; i < b->functions.n; i++)
		if (!g->function_keys[i].hash && g->remap->functions[i])
			g->function_keys[i] = function_key(g, &b->functions.at[i]);
	for (uint32_t i = 1; i < b->locations.n; i++)
		if (!g->location_keys[i].hash && g->remap->locations[i])
			g->location_keys[i] = location_key(g, &b->locations.at[i]);
	learn(g->strings, g->string_keys, g->remap->strings, b->strings.n);
	learn(g->functions, g->function_keys, g->remap->functions, b->functions.n);
	learn(g->locations, g->location_keys, g->remap->locations, b->locations.n);
}
