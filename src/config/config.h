/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_CONFIG_H
#define VARVE_CONFIG_CONFIG_H

#include "base/buf.h"
#include "base/container/vec.h"
#include "base/err.h"

/*
 * A configuration as a tree of text. Each node has its place in the source, so that errors can
 * report it. The format is YAML 1.2, parsed by libfyaml, with anchors, aliases and merge keys (<<).
 *
 * Values may refer to environment variables, files and YAML text: config/expand.h. References are
 * expanded when all sources have been merged, so that one in a value that another source replaces
 * is never looked up.
 *
 * The config owns all memory. One thread; several may share a config that does not change.
 */
enum config_kind { CONFIG_NULL, CONFIG_SCALAR, CONFIG_LIST, CONFIG_MAP };

struct config_node {
	enum config_kind kind;
	bool quoted; /* of a scalar: never read as null */
	bool raw;    /* of a scalar: contains a $, and has not been expanded */
	/* Of a scalar; of a map or list that was expanded from ${...}: its YAML. Else empty. */
	struct str text;
	struct str key;	   /* in a map */
	struct str source; /* the file or other source, for errors */
	/* Of the key in a map, else of the value. Counted from 1; 0: unknown. */
	uint32_t line, column;
	uint32_t value_line, value_column; /* of a scalar, also in a map */
	struct config_node *first;	   /* of the children */
	struct config_node *next;	   /* child of the same parent */
	struct config *config;		   /* for config_warn() */
};

struct config {
	struct arena arena;
	struct config_node *root; /* a map */
	uint32_t nodes;		  /* made so far, including copies for aliases */
	uint32_t expansions;	  /* of references, made so far */
	/* Limits, which the caller may raise after config_init(). */
	size_t text_max;
	uint32_t nodes_max, list_max;
	bool allow_unset;      /* set by the caller after config_init() */
	VEC(struct str) files; /* that were read, including those of ${file:PATH}, each once */
	/* What is ignored, deprecated or not set, as "source:line:column: ...", each once. */
	VEC(struct str) warnings;
};

#define CONFIG_TEXT_MAX (1 * MIB)
enum {
	CONFIG_DEPTH_MAX = 48,
	CONFIG_NODES_MAX = 100000, /* also limits the expansion of nested aliases */
	CONFIG_MAP_MAX = 2000,	   /* entries of a map; initially of a list, too */
	CONFIG_VALUE_MAX = 65536,
	CONFIG_EXPANSIONS_MAX = 10000,
	CONFIG_WARNINGS_MAX = 1000,
};

/* Return the value of an environment variable, or NULL if it is unset. */
typedef const char *config_env(void *arg, const char *name);

/* Make an empty map. Return 0 or -ENOMEM. Call config_fini() in every case. */
MUST_USE int config_init(struct config *c, struct budget *budget);
void config_fini(struct config *c);

/*
 * Parse the text and expand its references; its map becomes the root. `source` names it in errors:
 * a file, "built-in". `env` NULL: the environment of the process. Return 0, -ENOMEM, or -EINVAL
 * with "source:line:column: ..." in `e`.
 */
MUST_USE int config_parse(struct config *c, struct str text, const char *source, config_env *env,
			  void *env_arg, struct err *e);

/* The same for text whose dollar signs have no meaning: references are not expanded. */
MUST_USE int config_parse_plain(struct config *c, struct str text, const char *source,
				struct err *e);

/*
 * Append the text of a regular file, which is UTF-8 and at most `max` bytes. Return 0 or -errno
 * with the path in `e`, and the name of a similar file if there is none.
 */
MUST_USE int config_read_text(struct buf *text, const char *path, size_t max, struct err *e);

/*
 * Read a source and merge it into the configuration, as the OpenTelemetry Collector does: maps are
 * merged key by key; any other value, also a list or null, replaces the earlier one. References are
 * left for config_expand(). `uri` is a path or "file:PATH", "env:NAME" (a variable that contains
 * YAML) or "yaml:TEXT". After an error the configuration is as before.
 */
MUST_USE int config_merge(struct config *c, const char *uri, struct err *e);

/*
 * Set one value. `path` is the keys, separated by dots (or by "::", if a key contains a dot);
 * missing maps on the path are created. `value` is YAML, whose references are left for
 * config_expand(). Errors are those of config_parse(), without line and column.
 */
MUST_USE int config_set(struct config *c, struct str path, struct str value, struct err *e);

/* Expand the references that config_merge() and config_set() left. Errors as config_parse(). */
MUST_USE int config_expand(struct config *c, struct err *e);

/* Return the value of a key, or NULL; NULL if `map` is NULL or not a map. */
const struct config_node *config_get(const struct config_node *map, struct str key);

/* Follow a path of keys separated by dots. Return the value or NULL. */
const struct config_node *config_find(const struct config_node *from, const char *path);

/* Append the node as YAML. */
void config_print(struct buf *out, const struct config_node *node);

/* Set the error "source:line:column: TEXT" and return -EINVAL. `n` may be NULL. */
int config_fail(const struct config_node *n, struct err *e, const char *fmt, ...) PRINTF_LIKE(3, 4);

/*
 * Add "source:line:column: TEXT" to the warnings of the node's config, unless it is there already.
 * `n` may be NULL: nothing is added.
 */
void config_warn(const struct config_node *n, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Return the entry of `names` that is most similar to a mistyped word, for "did you mean", or NULL.
 * The names are `count` pointers of type const char *, `stride` bytes apart.
 */
const char *config_suggest(struct str word, const void *names, size_t count, size_t stride);

/*
 * The rest of an error about an unknown word: ` "WORD"; did you mean "NAME"?`, or if no name is
 * similar, ` "WORD"; expected one of A, B, C`, as long as it fits into CONFIG_HINT_MAX.
 */
enum { CONFIG_HINT_MAX = 320 };
struct config_hint {
	char text[CONFIG_HINT_MAX];
};
struct config_hint config_hint(struct str word, const void *names, size_t count, size_t stride);

#endif
