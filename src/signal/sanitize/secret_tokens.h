/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_SECRET_TOKENS_H
#define VARVE_SIGNAL_SANITIZE_SECRET_TOKENS_H

#include "signal/sanitize/builtin_rules.h"

/* Matchers for secrets that are recognized by their own form. See builtin_rules.h. */

/* Tokens of a fixed shape, by the table in secret_tokens.c. */
keyword_matcher match_token_shape;

keyword_matcher match_github_token; /* at ghp_ and its kind; checks the checksum */
keyword_matcher match_openai_key;   /* at the infix of all keys */
keyword_matcher match_azure_secret; /* at Q~ */
keyword_matcher match_slack_hook;   /* at the host of webhooks */
keyword_matcher match_jwt;	    /* at eyJ */
keyword_matcher match_private_key;  /* at -----BEGIN */

#endif
