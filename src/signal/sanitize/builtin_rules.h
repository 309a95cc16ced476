/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_BUILTIN_RULES_H
#define VARVE_SIGNAL_SANITIZE_BUILTIN_RULES_H

#include "signal/sanitize/sanitize.h"

/* The built-in rules and the keywords at which their matchers run. */

/* In the order of builtin_rules. A finding of a rule listed earlier wins over an overlapping one. */
enum builtin_rule_number {
	RULE_PRIVATE_KEY,
	RULE_AWS_KEY,
	RULE_GITHUB_TOKEN,
	RULE_GCP_KEY,
	RULE_GITLAB_TOKEN,
	RULE_SLACK_TOKEN,
	RULE_GRAFANA_TOKEN,
	RULE_NPM_TOKEN,
	RULE_STRIPE_KEY,
	RULE_AI_KEY,
	RULE_VAULT_TOKEN,
	RULE_AZURE_SECRET,
	RULE_OTHER_TOKEN,
	RULE_JWT,
	RULE_AUTHORIZATION,
	RULE_COOKIE,
	RULE_URL_PASSWORD,
	RULE_SECRET,
	RULE_SECRET_KEY, /* the value of an attribute whose key names a secret */
	RULE_EMAIL,
	RULE_CARD,
	RULE_IP,
	RULE_FUNCTION_NAME,
	RULE_ERROR, /* the whole text, because a rule failed */
	BUILTIN_RULES,
};

struct builtin_rule {
	const char *name;
	enum sanitize_group group;
	unsigned places;
	const char *token;
};
extern const struct builtin_rule builtin_rules[BUILTIN_RULES];

/*
 * Decide whether there is a secret at a keyword, text[at .. end). Return true with what is to be
 * replaced. The cost of a call is bounded by MATCH_REACH.
 */
typedef bool keyword_matcher(struct str text, size_t at, size_t end, struct sanitize_range *found);

enum { MATCH_REACH = 16384 };

struct builtin_keyword {
	const char *text;
	enum builtin_rule_number rule;
	keyword_matcher *match;
	keyword_matcher *in_code; /* in names of functions and files; NULL: the same */
};
extern const struct builtin_keyword builtin_keywords[];
extern const uint32_t builtin_keyword_count;

#endif
