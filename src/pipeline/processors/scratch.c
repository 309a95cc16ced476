/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of memory and regular expressions: as many as threads that work at the same time. */
#include "pipeline/processors/scratch.h"

#include <errno.h>
#include <stdlib.h>

#define SCRATCH_KEPT MIB /* of memory in a scratch of the pool */

void scratch_pool_init(struct scratch_pool *pool, struct budget *budget)
{
	*pool = (struct scratch_pool){.budget = budget};
	pthread_mutex_init(&pool->mu, NULL);
}

static void scratch_free(struct scratch *s, uint32_t regexes)
{
	for (uint32_t i = 0; i < regexes; i++)
		regex_free(s->regexes[i]);
	arena_fini(&s->arena);
	free(s);
}

void scratch_pool_fini(struct scratch_pool *pool)
{
	while (pool->first) {
		struct scratch *s = pool->first;

		pool->first = s->next;
		scratch_free(s, pool->pattern_count);
	}
	free(pool->patterns);
	pthread_mutex_destroy(&pool->mu);
}

int scratch_pool_add(struct scratch_pool *pool, struct str pattern, unsigned flags, uint32_t *index,
		     struct err *e)
{
	struct scratch_pattern *patterns;
	struct regex *compiled;
	int rc;

	if (pool->pattern_count == SCRATCH_PATTERNS_MAX)
		return err_set(e, -EINVAL, "more than %d regular expressions",
			       SCRATCH_PATTERNS_MAX);
	rc = regex_new(&compiled, pattern, flags, e);
	if (rc)
		return rc;
	regex_free(compiled);
	patterns = reallocarray(pool->patterns, pool->pattern_count + 1, sizeof(*patterns));
	if (!patterns)
		return err_errno(e, -ENOMEM, "regular expression");
	pool->patterns = patterns;
	*index = pool->pattern_count++;
	patterns[*index] = (struct scratch_pattern){pattern, flags};
	return 0;
}

static struct scratch *scratch_new(const struct scratch_pool *pool)
{
	struct scratch *s = calloc(1, sizeof(*s) + pool->pattern_count * sizeof(struct regex *));
	uint32_t i;
	int rc = 0;

	if (!s)
		return NULL;
	arena_init(&s->arena, pool->budget);
	for (i = 0; i < pool->pattern_count && !rc; i++)
		rc = regex_new(&s->regexes[i], pool->patterns[i].text, pool->patterns[i].flags,
			       NULL);
	if (!rc)
		return s;
	scratch_free(s, i);
	return NULL;
}

struct scratch *scratch_take(struct scratch_pool *pool)
{
	struct scratch *s;

	pthread_mutex_lock(&pool->mu);
	s = pool->first;
	if (s)
		pool->first = s->next;
	pthread_mutex_unlock(&pool->mu);
	return s ? s : scratch_new(pool);
}

void scratch_give(struct scratch_pool *pool, struct scratch *s)
{
	if (!s)
		return;
	arena_reset(&s->arena);
	if (arena_bytes(&s->arena) > SCRATCH_KEPT) {
		arena_fini(&s->arena);
		arena_init(&s->arena, pool->budget);
	}
	pthread_mutex_lock(&pool->mu);
	s->next = pool->first;
	pool->first = s;
	pthread_mutex_unlock(&pool->mu);
}

bool scratch_match(const struct scratch *s, uint32_t index, struct str text)
{
	return regex_match(s->regexes[index], text, NULL) == 1;
}
