/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_SETTINGS_H
#define VARVE_CONFIG_SETTINGS_H

#include "config/config.h"

/*
 * What can be set, as tables. Parsing, defaults, range checks and help read them; nothing else knows
 * the options.
 *
 *	struct limiter_options { uint64_t interval_ns; int64_t limit_mib; };
 *
 *	static const struct setting options[] = {
 *		SET_DURATION(struct limiter_options, interval_ns, "check_interval", "1s",
 *			     "How often to look."),
 *		SET_INT(struct limiter_options, limit_mib, "limit_mib", "0", 0, 1 << 30, "MiB",
 *			"Refuse over it; 0: a share of the machine."),
 *		SET_END,
 *	};
 */
enum setting_type {
	SETTING_STRING,	  /* struct str */
	SETTING_BOOL,	  /* bool */
	SETTING_INT,	  /* int64_t */
	SETTING_BYTES,	  /* uint64_t; 4194304, 4MiB, 64 KB */
	SETTING_DURATION, /* uint64_t, nanoseconds; 200ms, 1h30m, 0, 7d */
	SETTING_LIST,	  /* struct setting_list, of texts */
	SETTING_MAP,	  /* struct setting_map, text to text */
	SETTING_GROUP,	  /* a table of its own; its struct stands in ours */
};

struct setting_list {
	const struct str *at;
	uint32_t n;
};

struct setting_pair {
	struct str name, value;
};

struct setting_map {
	const struct setting_pair *at;
	uint32_t n;
};

struct setting {
	const char *name;
	enum setting_type type;
	const char *fallback; /* the default, as text; NULL: empty, zero */
	const char *unit;     /* for help; may be NULL */
	const char *help;
	size_t offset;		       /* in the struct that is filled */
	int64_t min, max;	       /* of SETTING_INT */
	const struct setting *options; /* of SETTING_GROUP */
	size_t present; /* SETTING_GROUP: offset of a bool that says whether it is there at all; 0: none */
};

#define SET_FIELD(type_, struct_, field_, name_, default_, help_, ...)                             \
	{                                                                                          \
		.name = (name_), .type = (type_), .fallback = (default_), .help = (help_),         \
		.offset = offsetof(struct_, field_), __VA_ARGS__                                   \
	}
#define SET_STRING(s, f, name, fallback, help) SET_FIELD(SETTING_STRING, s, f, name, fallback, help)
#define SET_BOOL(s, f, name, fallback, help) SET_FIELD(SETTING_BOOL, s, f, name, fallback, help)
#define SET_INT(s, f, name, fallback, low, high, unit_, help)                                      \
	SET_FIELD(SETTING_INT, s, f, name, fallback, help, .min = (low), .max = (high),            \
		  .unit = (unit_))
#define SET_BYTES(s, f, name, fallback, help) SET_FIELD(SETTING_BYTES, s, f, name, fallback, help)
#define SET_DURATION(s, f, name, fallback, help)                                                   \
	SET_FIELD(SETTING_DURATION, s, f, name, fallback, help)
#define SET_LIST(s, f, name, fallback, help) SET_FIELD(SETTING_LIST, s, f, name, fallback, help)
#define SET_MAP(s, f, name, help) SET_FIELD(SETTING_MAP, s, f, name, NULL, help)
/* A group whose struct has its `bool present` as a member `present_`; the group must not be first. */
#define SET_GROUP(s, f, name, table, present_, help)                                               \
	SET_FIELD(SETTING_GROUP, s, f, name, NULL, help, .options = (table),                       \
		  .present = offsetof(s, present_))
#define SET_GROUP_ALWAYS(s, f, name, table, help)                                                  \
	SET_FIELD(SETTING_GROUP, s, f, name, NULL, help, .options = (table))
#define SET_END                                                                                    \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/*
 * Fill `out` from a map (NULL or null: all defaults). `what` is for errors: "receiver otlp".
 * Texts are the config's or the arena's. 0, -ENOMEM, or -EINVAL with the place, and a suggestion
 * for a mistyped key.
 */
MUST_USE int settings_read(const struct setting *table, const struct config_node *map,
			   const char *what, void *out, struct arena *arena, struct err *e);

/* The table for people: names, types, defaults, help; `indent` levels deep. */
void settings_help(struct buf *out, const struct setting *table, unsigned indent);

/* Values of text. 0 or -EINVAL. */
MUST_USE int setting_parse_bool(struct str text, bool *out);
MUST_USE int setting_parse_bytes(struct str text, uint64_t *out);
MUST_USE int setting_parse_duration(struct str text, uint64_t *out);

#endif
