/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_CONFIG_H
#define VARVE_CONFIG_CONFIG_H

#include "base/buf.h"
#include "base/container/vec.h"
#include "base/err.h"

/*
 * A configuration as a tree of text, each node with the place it stands at, so that whoever finds a
 * mistake in it can say where. YAML 1.2 by libfyaml, with anchors, aliases and merge keys (<<).
 *
 * In values ${env:NAME} and ${NAME} are the environment's (empty when unset, as the collector has
 * it), ${env:NAME:-text} has a default, and $$ is a dollar sign.
 *
 * All memory is the config's. One thread; read-only use may be shared.
 */
enum config_kind { CONFIG_NULL, CONFIG_SCALAR, CONFIG_LIST, CONFIG_MAP };

struct config_node {
	enum config_kind kind;
	bool quoted;	   /* of a scalar: never taken for null, a number or a boolean */
	struct str text;   /* of a scalar */
	struct str key;	   /* in a map */
	struct str source; /* the file, or what else it comes from */
	uint32_t line,
		column; /* of the key in a map, else of the value; from 1; 0: there is none */
	struct config_node *first,
		*next; /* children, in their order; the next of the same parent */
};

struct config {
	struct arena arena;
	struct config_node *root; /* a map */
	uint32_t nodes;		  /* made so far, aliases counted */
};

#define CONFIG_TEXT_MAX (1 * MIB)
enum {
	CONFIG_DEPTH_MAX = 48,
	CONFIG_NODES_MAX = 100000, /* also bounds what aliases of aliases blow up to */
	CONFIG_MAP_MAX = 2000,
	CONFIG_VALUE_MAX = 65536,
};

/* Where ${env:NAME} looks; NULL for a name that is unset. */
typedef const char *config_env(void *arg, const char *name);

/* An empty map. 0 or -ENOMEM; fini in every case. */
MUST_USE int config_init(struct config *c, struct budget *budget);
void config_fini(struct config *c);

/*
 * Read the text; its map becomes the root. `source` names it in errors: a file, "built-in". `env`
 * NULL: the process's own. 0, -ENOMEM, or -EINVAL with "source:line:column: ..." in `e`.
 */
MUST_USE int config_parse(struct config *c, struct str text, const char *source, config_env *env,
			  void *env_arg, struct err *e);

/* The same for a file. */
MUST_USE int config_load(struct config *c, const char *path, struct err *e);

/*
 * Override one value: `path` is keys with dots (or "::", if a key has a dot in it) between them, and what
 * is missing on the way is made; `value` is YAML. Errors as above, without line and column.
 */
MUST_USE int config_set(struct config *c, struct str path, struct str value, struct err *e);

/* The value of that key in a map, or NULL; NULL for all that is no map. */
const struct config_node *config_get(const struct config_node *map, struct str key);

/* The same along a path with dots. */
const struct config_node *config_find(const struct config_node *from, const char *path);

/* Append as YAML. */
void config_print(struct buf *out, const struct config_node *node);

/* "source:line:column: TEXT" into `e`; returns -EINVAL. `n` may be NULL. */
int config_fail(const struct config_node *n, struct err *e, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * The one of `names` that `word` was probably meant to be, or NULL. Tells "did you mean".
 * names[i] is read at `stride` bytes from one to the next, and is a const char *.
 */
const char *config_suggest(struct str word, const void *names, size_t count, size_t stride);

#endif
