/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_SETTINGS_H
#define VARVE_CONFIG_SETTINGS_H

#include "config/config.h"

/*
 * Tables of options. Parsing, defaults, range checks and help are driven by them; options are
 * declared nowhere else.
 *
 *	struct limiter_options { uint64_t interval_ns; int64_t limit_mib; };
 *
 *	static const struct setting options[] = {
 *		SET_DURATION(struct limiter_options, interval_ns, "check_interval", "1s",
 *			     "Interval between two checks."),
 *		SET_INT(struct limiter_options, limit_mib, "limit_mib", "0", 0, 1 << 30, "MiB",
 *			"Refuse data over this limit; 0: a share of the machine."),
 *		SET_END,
 *	};
 */
enum setting_type {
	SETTING_STRING,	  /* struct str */
	SETTING_BOOL,	  /* bool */
	SETTING_INT,	  /* int64_t */
	SETTING_BYTES,	  /* uint64_t; 4194304, 4MiB, 64 KB */
	SETTING_DURATION, /* uint64_t, nanoseconds; 200ms, 1h30m, 0, 7d */
	SETTING_LIST,	  /* struct setting_list, of strings */
	SETTING_MAP,	  /* struct setting_map, string to string */
	SETTING_GROUP,	  /* a nested table, whose struct is a member of ours */
	SETTING_CUSTOM,	  /* read by a function; zero bytes if it is not configured */
	SETTING_IGNORED,  /* accepted with a warning */
};

/*
 * Fill the member `to` of the settings from a value that is not null. `what` is the prefix of
 * errors. Return 0, -ENOMEM or the result of config_fail().
 */
typedef int setting_reader(const struct config_node *n, const char *what, void *to,
			   struct arena *arena, struct err *e);

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
	const char *fallback; /* the default, as text; NULL: empty or zero */
	const char *unit;     /* for help; may be NULL; of SETTING_CUSTOM: its type */
	const char *help;
	size_t offset;		       /* in the struct that is filled */
	int64_t min, max;	       /* of SETTING_INT */
	const struct setting *options; /* of SETTING_GROUP */
	setting_reader *read;	       /* of SETTING_CUSTOM */
	/* Offset of a bool that is set if the setting is configured, also with null; 0: none. */
	size_t present;
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
/* A group; `present_` is the bool of struct setting's `present`, not the first member of `s`. */
#define SET_GROUP(s, f, name, table, present_, help)                                               \
	SET_FIELD(SETTING_GROUP, s, f, name, NULL, help, .options = (table),                       \
		  .present = offsetof(s, present_))
#define SET_GROUP_ALWAYS(s, f, name, table, help)                                                  \
	SET_FIELD(SETTING_GROUP, s, f, name, NULL, help, .options = (table))
#define SET_CUSTOM(s, f, name, reader, type_, help)                                                \
	SET_FIELD(SETTING_CUSTOM, s, f, name, NULL, help, .read = (reader), .unit = (type_))
/*
 * A key that the OpenTelemetry Collector has and this program does not need or support. A
 * configuration that sets it gets a warning: KEY is not supported and ignored: WHY.
 */
#define SET_IGNORED(name_, why_)                                                                   \
	{                                                                                          \
		.name = (name_), .type = SETTING_IGNORED, .help = (why_)                           \
	}
/* A key that the collector has and that cannot be ignored: `reader` fails and says why. */
#define SET_REFUSED(name_, reader_)                                                                \
	{                                                                                          \
		.name = (name_), .type = SETTING_CUSTOM, .read = (reader_),                        \
		.unit = "not supported", .help = ""                                                \
	}
#define SET_END                                                                                    \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/*
 * Fill `out` from a map (NULL or null: all defaults). `what` is the prefix of errors: "receiver
 * otlp". Strings belong to the config or the arena. Return 0, -ENOMEM, or -EINVAL with an error
 * that names the place and suggests a name for a mistyped key.
 */
MUST_USE int settings_read(const struct setting *table, const struct config_node *map,
			   const char *what, void *out, struct arena *arena, struct err *e);

/* Append the help text: names, types, defaults and help of all options. */
void settings_help(struct buf *out, const struct setting *table, unsigned indent);

#endif
