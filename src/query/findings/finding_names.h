/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FINDINGS_FINDING_NAMES_H
#define VARVE_QUERY_FINDINGS_FINDING_NAMES_H

#include "query/tree/names.h"

/*
 * What is known about functions of runtimes and libraries by their names: a table of patterns for
 * each language. A name can have several roles, or none: then it belongs to the program.
 */
enum finding_role {
	ROLE_GC = 1 << 0,	   /* garbage collection */
	ROLE_ALLOC = 1 << 1,	   /* allocation and release of memory */
	ROLE_GROWTH = 1 << 2,	   /* growth of a buffer or string by copying */
	ROLE_LOCK = 1 << 3,	   /* lock and unlock, and waits for locks */
	ROLE_SLEEP = 1 << 4,	   /* waits that the program requests: sleep, fsync */
	ROLE_IDLE = 1 << 5,	   /* waits for work */
	ROLE_REGEX = 1 << 6,	   /* compiles a regular expression */
	ROLE_BUILD = 1 << 7,	   /* builds what is meant to be kept: serializers, templates */
	ROLE_FORMAT = 1 << 8,	   /* interprets a format string */
	ROLE_UNOPTIMIZED = 1 << 9, /* functions that an optimized build has no code of */
	ROLE_CHECKS = 1 << 10,	   /* sanitizers, race detector, coverage */
	ROLE_UNKNOWN = 1 << 11,	   /* an address without a name */
	ROLE_INIT = 1 << 12,	   /* runs once, at the start */
	ROLE_INTERPRETER = 1 << 13,
	ROLE_PROFILER = 1 << 14,
	ROLE_ENTRY = 1 << 15,	/* begins a thread or the program */
	ROLE_RUNTIME = 1 << 16, /* glue of a runtime, and memory copies */
	ROLE_LIBRARY = 1 << 17, /* a standard library */
	ROLE_SCRIPT = 1 << 18,	/* a frame of an interpreted language */
	ROLE_MAIN = 1 << 19,	/* the main function */
};

enum finding_language {
	LANGUAGE_ANY,
	LANGUAGE_GO,
	LANGUAGE_JAVA,
	LANGUAGE_PYTHON,
	LANGUAGE_NODE,
	LANGUAGE_NATIVE, /* C and C++ */
	LANGUAGE_RUST,
};

/* The parts of a name; profilers put file and line into it in various ways. */
struct finding_name {
	struct str function; /* without arguments; of Java also without the type of the result */
	struct str file;
};

struct finding_name finding_name_of(const struct frame_name *name);

/*
 * Return the roles of a function, and in *language that of the pattern that gave the first of them.
 */
uint32_t finding_roles(const struct frame_name *name, enum finding_language *language);

/* Return whether a function with these roles is the program's own. */
static inline bool finding_is_program(uint32_t roles)
{
	return !(roles & ~(uint32_t)(ROLE_SCRIPT | ROLE_ENTRY | ROLE_MAIN)) &&
	       (!(roles & ROLE_ENTRY) || roles & ROLE_MAIN);
}

/* Return whether `text` matches a pattern in which * stands for any text; '/' equals '.'. */
bool finding_pattern_matches(const char *pattern, struct str text);

#endif
