/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_OPTIONS_H
#define VARVE_CLI_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Options of a command, declared once in a table, which drives parsing, defaults, range checks, the
 * suggestion for a mistyped name and --help. Values are stored in the command's own struct, at
 * `offset`.
 */
enum option_type {
	OPTION_FLAG,	/* bool; takes no value */
	OPTION_TEXT,	/* const char *; NULL if neither given nor defaulted */
	OPTION_COUNT,	/* uint64_t */
	OPTION_SIZE,	/* uint64_t of bytes: 500M, 2G, 1048576 */
	OPTION_PERCENT, /* double, 0 to 100 */
	OPTION_CHOICE,	/* unsigned: index into `choices` */
	OPTION_LIST,	/* struct option_list; the option can be repeated */
};

struct option {
	const char *name; /* without dashes; NULL ends the table */
	char letter;	  /* -x, or 0 */
	enum option_type type;
	size_t offset;
	const char *value;	    /* placeholder of the value in --help: FILE */
	const char *initial;	    /* default as text; NULL: none */
	const char *const *choices; /* NULL-terminated */
	const char *help;
};

enum { OPTION_LIST_MAX = 64 };

struct option_list {
	const char *at[OPTION_LIST_MAX]; /* borrowed from argv */
	unsigned n;
};

/* A table of options. Shared tables have their own struct, embedded in that of the command. */
struct option_group {
	const char *title;
	const struct option *options; /* NULL ends the groups */
	size_t offset;		      /* of that struct in the command's */
};

/* The words of a command line that are not options. */
struct arguments {
	char **at; /* borrowed: argv, reordered */
	int n;
};

/*
 * Set the defaults in `values` and parse argv[0..argc). Options and arguments may be mixed, "--"
 * ends the options, "-" is an argument. Return 0, or -EINVAL with a correction in `e`.
 */
MUST_USE int options_parse(const struct option_group *groups, void *values, int argc, char **argv,
			   struct arguments *rest, struct err *e);

/* Append the list of options of --help, wrapped at `columns`. */
void options_help(struct buf *out, const struct option_group *groups, unsigned columns);

/* Return the candidate most similar to `typed`, or NULL if none is similar. */
const char *options_nearest(const char *typed, const char *const *candidates, size_t n);

/* Parse a number of bytes with an optional unit: "500M", "2 GiB". Return 0, -EINVAL or -ERANGE. */
MUST_USE int options_parse_size(struct str text, uint64_t *out);

#endif
