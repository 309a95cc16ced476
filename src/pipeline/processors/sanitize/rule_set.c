/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions are searched in windows of 16 KiB that overlap, so that a long text costs no more than
 * its length; a match that is longer than the overlap and crosses the end of a window is not found.
 * What a match may cost is limited by base/regex.h.
 *
 * A hash is "h1_" and 26 characters of base 32: the first 128 bits of the HMAC-SHA-256 of the name of
 * the rule, a zero byte, and the value. "1" is the version of this format.
 */
#include "pipeline/processors/sanitize/rule_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

enum { WINDOW = 16384, OVERLAP = 256, HASH_BYTES = 16 };

/* ---- matching ---- */

/* Search one window that begins at `from`, from `at` on. */
static int find_in_window(struct regex *expression, struct arena *arena, struct str text,
			  size_t from, size_t at, struct sanitize_range *found)
{
	struct str window = str_head(str_from_at(text, from), WINDOW);
	struct str *groups = arena_alloc(arena, regex_group_count(expression) + 1, sizeof(*groups));
	int rc;

	if (!groups)
		return -ENOMEM;
	rc = regex_capture(expression, window, at - from, groups, NULL);
	if (rc == 1) {
		found->from = (size_t)(groups[0].p - text.p);
		found->to = found->from + groups[0].n;
	}
	return rc;
}

static int find_by_expression(void *state, uint32_t rule, struct str text, size_t at,
			      struct sanitize_range *found)
{
	struct rule_run *r = state;
	struct regex *expression = r->scratch->regexes[rule];
	size_t from = at > OVERLAP && text.n > WINDOW ? at - OVERLAP : 0;

	while (at <= text.n) {
		int rc = find_in_window(expression, r->run.arena, text, from, at, found);

		if (rc || text.n - from <= WINDOW)
			return rc;
		at = from + WINDOW - OVERLAP;
		from = at - OVERLAP;
	}
	return 0;
}

static int hash_by_key(void *state, const char *rule, struct str value, char *out, size_t *n)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
	const struct rule_run *r = state;
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned size = 0, bits = 0, have = 0;
	size_t name = strlen(rule) + 1;
	char *text = arena_alloc(r->run.arena, name + value.n, 1);

	if (!text)
		return -ENOMEM;
	memcpy(text, rule, name);
	memcpy(text + name, value.p, value.n);
	if (!HMAC(EVP_sha256(), r->set->key, (int)r->set->key_size, (const unsigned char *)text,
		  name + value.n, digest, &size))
		return -EIO;
	memcpy(out, "h1_", *n = 3);
	for (unsigned i = 0; i < HASH_BYTES; i++) {
		bits = bits << 8 | digest[i];
		for (have += 8; have >= 5; have -= 5)
			out[(*n)++] = digits[bits >> (have - 5) & 31];
	}
	out[(*n)++] = digits[bits << (5 - have) & 31];
	return 0;
}

/* ---- runs ---- */

int rule_run_start(struct rule_run *r, struct rule_set *s)
{
	uint32_t rules = sanitizer_rule_count(s->z);

	*r = (struct rule_run){.set = s, .scratch = scratch_take(&s->pool)};
	if (!r->scratch)
		return -ENOMEM;
	r->run = (struct sanitize_run){
		.z = s->z,
		.arena = &r->scratch->arena,
		.user = {.find = find_by_expression, .hash = hash_by_key, .state = r},
		.counts = arena_zalloc(&r->scratch->arena, rules, sizeof(*r->run.counts)),
	};
	if (r->run.counts)
		return 0;
	rule_run_end(r);
	return -ENOMEM;
}

void rule_run_end(struct rule_run *r)
{
	if (r->scratch)
		scratch_give(&r->set->pool, r->scratch);
	r->scratch = NULL;
}

/* ---- life cycle ---- */

static int read_hash_key(struct rule_set *s, struct str path, struct err *e)
{
	char name[4096];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%.*s", STR_ARG(path));
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, s->key, sizeof(s->key));
	if (n < 0) {
		int rc = -errno;

		if (fd >= 0)
			close(fd);
		err_errno(e, rc, "read");
		err_prefix(e, "hash_key_file %s", name);
		return rc;
	}
	close(fd);
	while (n > 0 && (s->key[n - 1] == '\n' || s->key[n - 1] == '\r'))
		n--;
	s->key_size = (size_t)n;
	if (n < HASH_KEY_MIN)
		return err_set(e, -EINVAL, "hash_key_file %s: %zd bytes are too few: need %d", name,
			       n, HASH_KEY_MIN);
	return 0;
}

int rule_set_init(struct rule_set *s, const struct sanitize_settings *settings, unsigned cache_bits,
		  struct budget *budget, struct err *e)
{
	const struct sanitize_rule_list *rules = &settings->rules;
	int rc = 0;

	*s = (struct rule_set){0};
	scratch_pool_init(&s->pool, budget);
	s->rules = calloc(rules->n + 1, sizeof(*s->rules));
	if (!s->rules)
		return err_errno(e, -ENOMEM, "rules");
	for (uint32_t i = 0; i < rules->n && !rc; i++) {
		uint32_t index;

		s->rules[i] = rules->at[i].rule;
		rc = scratch_pool_add(&s->pool, rules->at[i].pattern, REGEX_CAPTURE, &index, e);
	}
	if (!rc && settings->hash_key_file.n)
		rc = read_hash_key(s, settings->hash_key_file, e);
	if (rc)
		return rc;
	return sanitizer_new(
		&s->z,
		&(struct sanitize_options){.groups = sanitize_settings_groups(settings),
					   .rules = s->rules,
					   .rule_count = rules->n,
					   .cache_bits = cache_bits},
		e);
}

void rule_set_fini(struct rule_set *s)
{
	sanitizer_free(s->z);
	scratch_pool_fini(&s->pool);
	free(s->rules);
	OPENSSL_cleanse(s->key, sizeof(s->key));
}
