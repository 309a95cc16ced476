/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_OPTIONS_H
#define VARVE_CLI_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Options of a command, declared once in a table: its rows drive parsing, defaults, range checks,
 * the nearest name for a typo and --help. Values land in the command's own struct, at `offset`.
 */
enum option_type {
	OPTION_FLAG,	/* bool; takes no value */
	OPTION_TEXT,	/* const char *, NULL when not given and without a default */
	OPTION_COUNT,	/* uint64_t */
	OPTION_SIZE,	/* uint64_t of bytes: 500M, 2G, 1048576 */
	OPTION_PERCENT, /* double, 0 to 100 */
	OPTION_CHOICE,	/* unsigned: which of `choices` */
	OPTION_LIST,	/* struct option_list: can be given several times */
};

struct option {
	const char *name; /* without dashes; NULL ends the table */
	char letter;	  /* -x, or 0 */
	enum option_type type;
	size_t offset;
	const char *value;	    /* what stands for the value in --help: FILE */
	const char *initial;	    /* the default, as text; NULL: none */
	const char *const *choices; /* NULL-terminated */
	const char *help;
};

enum { OPTION_LIST_MAX = 64 };

struct option_list {
	const char *at[OPTION_LIST_MAX]; /* borrowed from argv */
	unsigned n;
};

/* Tables that commands share live in a struct of their own inside the command's. */
struct option_group {
	const char *title;
	const struct option *options; /* NULL ends the groups */
	size_t offset;		      /* of that struct */
};

/* What a command line gave beside options. */
struct arguments {
	char **at; /* borrowed: argv, rearranged */
	int n;
};

/*
 * Set the defaults in `values` and parse argv[0..argc). Options and arguments may be mixed, "--"
 * ends the options, "-" is an argument. 0, or -EINVAL with what to write instead in `e`.
 */
MUST_USE int options_parse(const struct option_group *groups, void *values, int argc, char **argv,
			   struct arguments *rest, struct err *e);

/* The part of --help that lists the options, fitted to `columns`. */
void options_help(struct buf *out, const struct option_group *groups, unsigned columns);

/* The candidate nearest to `typed` if it is near enough to be meant, or NULL. */
const char *options_nearest(const char *typed, const char *const *candidates, size_t n);

/* "2 GiB" as the text of a number of bytes that is used in --max-memory. */
MUST_USE int options_parse_size(struct str text, uint64_t *out);

#endif
