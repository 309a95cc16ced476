/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_SECRET_CONTEXT_H
#define VARVE_SIGNAL_SANITIZE_SECRET_CONTEXT_H

#include "signal/sanitize/builtin_rules.h"

/* Matchers for secrets that only the text around them gives away. See builtin_rules.h. */

keyword_matcher match_secret;	     /* at password, secret, api_key, ...: name = value */
keyword_matcher match_weak_secret;   /* at token, credential: words that are often harmless */
keyword_matcher match_code_secret;   /* at all of them, in names of functions and files */
keyword_matcher match_authorization; /* at authorization: a header with its value */
keyword_matcher match_bearer;	     /* at "bearer " */
keyword_matcher match_basic;	     /* at "basic " */
keyword_matcher match_cookie;	     /* at cookie: a header */
keyword_matcher match_url_password;  /* at ://, in front of user:password@host */
keyword_matcher match_dsn_password;  /* at @tcp( and @unix(: user:password@tcp(host) */

/* Return whether a value of a secret is a word such as "none", a placeholder, or our own token. */
bool is_no_secret(struct str value);

#endif
