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

/* Return the value of a label, empty if it is absent. */
struct str label_set_get(struct label_set set, struct str name);

/*
 * Series selectors in the syntax of Prometheus:
 *
 *	{service_name="checkout", env=~"prod|stage", pod!=""}
 *	checkout{env="prod"}				a service and matchers
 *	process_cpu:cpu:nanoseconds:cpu:nanoseconds{}	a profile type (4 or 5 colons) and matchers
 *	{env=prod}	a value without spaces or any of ={}!~,"'` needs no quotes
 *
 * All matchers must hold. An absent label is equal to an empty one. Regular expressions are
 * anchored at both ends. `service.name` is an alias of `service_name`. A selector is used by one
 * thread at a time (see regex.h).
 */
enum matcher_op { MATCH_EQUAL, MATCH_NOT_EQUAL, MATCH_REGEX, MATCH_NOT_REGEX };

struct matcher {
	enum matcher_op op;
	struct str name, value;
	struct regex *regex; /* for the two regex operators */
};

enum { SELECTOR_TEXT_MAX = 65536, SELECTOR_MATCHERS_MAX = 256 };

struct selector {
	struct arena arena; /* all text is copied */
	VEC(struct matcher) matchers;
};

/* Initialize a selector without matchers, which matches every series. Fini in every case. */
void selector_init(struct selector *s);
void selector_fini(struct selector *s);

/*
 * Parse the text and add its matchers; an empty text and "{}" add none. 0, -ENOMEM, or -EINVAL with
 * the position and the expected token in `e`.
 */
MUST_USE int selector_parse(struct selector *s, struct str text, struct err *e);

/* Add one matcher. 0 or -errno: -EINVAL with the position in `e` for an invalid regex. */
MUST_USE int selector_add(struct selector *s, enum matcher_op op, struct str name, struct str value,
			  struct err *e);

/* Return 1 if all matchers hold, 0 if not, or -errno (a regular expression exceeded its limit). */
MUST_USE int selector_match(const struct selector *s, struct label_set labels, struct err *e);

/*
 * Return the value that an equality matcher requires of the label, or an empty string. A store uses
 * it to look up an index.
 */
struct str selector_equal(const struct selector *s, struct str name);

#endif
