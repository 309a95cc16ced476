/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SELECTOR_H
#define VARVE_SIGNAL_SELECTOR_H

#include "base/container/vec.h"
#include "base/regex.h"

struct label {
	struct str name, value;
};

/* The labels of a series: sorted by name in byte order, each name once, no empty value. */
struct label_set {
	const struct label *at;
	uint32_t n;
};

/* The value of that label; a label that is absent reads as empty. */
struct str label_set_get(struct label_set set, struct str name);

/*
 * Which series are meant, as Prometheus says it:
 *
 *	{service_name="checkout", env=~"prod|stage", pod!=""}
 *	checkout{env="prod"}				a service and more
 *	process_cpu:cpu:nanoseconds:cpu:nanoseconds{}	a profile type and more (four colons or five)
 *	{env=prod}					values without spaces and any of ={}!~, need no quotes
 *
 * All matchers must hold. An absent label reads as empty. Regular expressions are anchored at both
 * ends. `service.name` is another spelling of `service_name`. A selector is used by one thread at a
 * time (see regex.h).
 */
enum matcher_op { MATCH_EQUAL, MATCH_NOT_EQUAL, MATCH_REGEX, MATCH_NOT_REGEX };

struct matcher {
	enum matcher_op op;
	struct str name, value;
	struct regex *regex; /* of the two regex operators */
};

enum { SELECTOR_TEXT_MAX = 65536, SELECTOR_MATCHERS_MAX = 256 };

struct selector {
	struct arena arena; /* all text is copied */
	VEC(struct matcher) matchers;
};

/* No matcher yet: every series. Fini in every case. */
void selector_init(struct selector *s);
void selector_fini(struct selector *s);

/*
 * Add the matchers of the text. 0, -ENOMEM, or -EINVAL with the character and what was expected in
 * `e`. Empty text and "{}" add none.
 */
MUST_USE int selector_parse(struct selector *s, struct str text, struct err *e);

/* Add one matcher. 0 or -errno; a bad regular expression is -EINVAL with its place in `e`. */
MUST_USE int selector_add(struct selector *s, enum matcher_op op, struct str name, struct str value,
			  struct err *e);

/* 1: the series is meant; 0: it is not; or -errno (a regular expression hit its limit). */
MUST_USE int selector_match(const struct selector *s, struct label_set labels, struct err *e);

/* The value that an equality matcher demands of the label, or empty: lets a store use an index. */
struct str selector_equal(const struct selector *s, struct str name);

#endif
