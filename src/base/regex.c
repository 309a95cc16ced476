/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcre2 with limits. The interpreter is used instead of the JIT by default: names are matched once
 * per distinct string, so compiling costs more than it saves, and match_limit is exact in the
 * interpreter.
 */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "base/regex.h"

#include <errno.h>
#include <stdlib.h>

#include <pcre2.h>

enum {
	MATCH_LIMIT = 1000000, /* steps of backtracking in one text, about 20 ms */
	DEPTH_LIMIT = 10000,   /* nested backtracking points */
	HEAP_LIMIT_KIB = 8192,
	PARENS_LIMIT = 100, /* nested groups in a pattern */
};

struct regex {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	uint32_t groups;
	uint32_t names, name_size; /* the table of the groups' names */
	PCRE2_SPTR name_table;
	struct str pattern;
	char *copy; /* of it */
};

void regex_free(struct regex *r)
{
	if (!r)
		return;
	pcre2_match_context_free(r->limits);
	pcre2_match_data_free(r->match);
	pcre2_code_free(r->code);
	free(r->copy);
	free(r);
}

static int pattern_error(struct str pattern, int code, size_t at, struct err *e)
{
	PCRE2_UCHAR text[128];

	if (pcre2_get_error_message(code, text, sizeof(text)) < 0)
		text[0] = 0;
	return err_set(e, -EINVAL, "invalid regular expression '%.*s': at character %zu: %s",
		       STR_ARG(str_head(pattern, 100)), at + 1, (const char *)text);
}

static int compile_regex(struct regex *r, struct str pattern, unsigned flags, struct err *e)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
			   (flags & REGEX_ANY_CASE ? PCRE2_CASELESS : 0) |
			   (flags & REGEX_DOT_ALL ? PCRE2_DOTALL : 0) |
			   (flags & REGEX_LINES ? PCRE2_MULTILINE : 0) |
			   (flags & REGEX_WHOLE ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0);
	int code = 0;
	size_t at = 0;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);

	if (!context)
		return err_set(e, -ENOMEM, "out of memory");
	pcre2_set_parens_nest_limit(context, PARENS_LIMIT);
	r->code = pcre2_compile((PCRE2_SPTR)(pattern.p ? pattern.p : ""), pattern.n, options, &code,
				&at, context);
	pcre2_compile_context_free(context);
	return r->code ? 0 : pattern_error(pattern, code, at, e);
}

int regex_new(struct regex **out, struct str pattern, unsigned flags, struct err *e)
{
	if (pattern.n > REGEX_PATTERN_MAX)
		return err_set(e, -EINVAL,
			       "regular expression of %zu bytes is too long: limit is %d",
			       pattern.n, REGEX_PATTERN_MAX);

	struct regex *r = calloc(1, sizeof(*r));
	int rc = r ? compile_regex(r, pattern, flags, e) : err_set(e, -ENOMEM, "out of memory");

	if (rc)
		goto out;
	rc = -ENOMEM;
	r->copy = malloc(pattern.n + 1);
	if (!r->copy) {
		err_set(e, rc, "out of memory");
		goto out;
	}
	if (pattern.n)
		memcpy(r->copy, pattern.p, pattern.n);
	r->pattern = str_of(r->copy, pattern.n);
	r->limits = pcre2_match_context_create(NULL);
	pcre2_pattern_info(r->code, PCRE2_INFO_CAPTURECOUNT, &r->groups);
	pcre2_pattern_info(r->code, PCRE2_INFO_NAMECOUNT, &r->names);
	pcre2_pattern_info(r->code, PCRE2_INFO_NAMEENTRYSIZE, &r->name_size);
	pcre2_pattern_info(r->code, PCRE2_INFO_NAMETABLE, &r->name_table);
	r->match = pcre2_match_data_create(flags & REGEX_CAPTURE ? r->groups + 1 : 1, NULL);
	if (!r->limits || !r->match) {
		err_set(e, rc, "out of memory");
		goto out;
	}
	if (flags & REGEX_COMPILED) /* on an error the interpreter is used */
		(void)pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE);
	pcre2_set_match_limit(r->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(r->limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(r->limits, HEAP_LIMIT_KIB);
	*out = take_ptr(&r);
	rc = 0;
out:
	regex_free(r);
	return rc;
}

/* Match from offset `from` on. Return as regex_match(). */
static int match_from(struct regex *r, struct str text, size_t from, uint32_t options,
		      struct err *e)
{
	int rc = pcre2_match(r->code, (PCRE2_SPTR)(text.p ? text.p : ""), text.n, from, options,
			     r->match, r->limits);

	if (rc >= 0)
		return 1;
	switch (rc) {
	case PCRE2_ERROR_NOMATCH:
		return 0;
	case PCRE2_ERROR_PARTIAL:
		return REGEX_NEEDS_MORE;
	case PCRE2_ERROR_MATCHLIMIT:
	case PCRE2_ERROR_DEPTHLIMIT:
	case PCRE2_ERROR_HEAPLIMIT:
	case PCRE2_ERROR_JIT_STACKLIMIT:
		return err_set(e, -E2BIG,
			       "the regular expression needs too many steps on '%.*s': simplify it",
			       STR_ARG(str_head(text, 60)));
	case PCRE2_ERROR_NOMEMORY:
		return err_set(e, -ENOMEM, "out of memory");
	default:
		return err_set(e, -EINVAL, "the regular expression failed (pcre2 error %d)", rc);
	}
}

int regex_match(struct regex *r, struct str text, struct err *e)
{
	return match_from(r, text, 0, 0, e);
}

struct str regex_pattern(const struct regex *r)
{
	return r->pattern;
}

uint32_t regex_group_count(const struct regex *r)
{
	return r->groups;
}

struct str regex_group_name(const struct regex *r, uint32_t group)
{
	/* An entry is the group's number in two bytes, then the name with a NUL. */
	for (uint32_t i = 0; i < r->names; i++) {
		PCRE2_SPTR entry = r->name_table + (size_t)i * r->name_size;

		if (((uint32_t)entry[0] << 8 | entry[1]) == group)
			return str_from((const char *)entry + 2);
	}
	return (struct str){0};
}

int regex_capture(struct regex *r, struct str text, size_t from, struct str *groups, struct err *e)
{
	int rc = match_from(r, text, from, 0, e);
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(r->match);
	uint32_t known = pcre2_get_ovector_count(r->match);

	for (uint32_t i = 0; rc == 1 && i <= r->groups; i++)
		groups[i] = i < known && at[2 * i] != PCRE2_UNSET
				    ? str_of(text.p + at[2 * i], at[2 * i + 1] - at[2 * i])
				    : (struct str){0};
	return rc;
}

int regex_find(struct regex *r, struct str text, size_t from, bool more, struct str *found,
	       struct err *e)
{
	int rc = match_from(r, text, from, more ? PCRE2_PARTIAL_HARD : 0, e);
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(r->match);

	if (rc == 1)
		*found = str_of(text.p + at[0], at[1] - at[0]);
	return rc;
}
