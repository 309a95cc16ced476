/* SPDX-License-Identifier: Apache-2.0 */
/* The rules. docs/findings.md lists them with the precision that was measured. */
#include "query/findings/finding_rules.h"

/* Roles that have rules of their own: their time is not that of a function that it calls. */
#define OTHER_RULES                                                                                \
	(ROLE_GC | ROLE_ALLOC | ROLE_LOCK | ROLE_IDLE | ROLE_SLEEP | ROLE_PROFILER | ROLE_CHECKS)
#define NO_FUNCTION (ROLE_UNKNOWN | ROLE_INTERPRETER)

const struct finding_rule finding_rules[] = {
	{
		.name = "hot-function",
		.title = "One function uses most of the time",
		.meaning =
			"The function itself, without what it calls, uses this time. Whatever "
			"makes it faster, or makes its callers call it less, shows in the whole.",
		.advice =
			"Look at its lines (group by line) and at its callers: a better algorithm, "
			"fewer calls, a result that is kept.",
		.evidence = "called by",
		.kinds = FINDING_CPU | FINDING_WALL,
		.measure = FINDING_LARGEST_SELF,
		.excludes = OTHER_RULES,
		.no_names = NO_FUNCTION,
		.share = 0.5,
		.samples = 20,
		.saves = true,
	},
	{
		.name = "garbage-collection",
		.title = "Garbage collection",
		.meaning =
			"The runtime searches memory for objects that are not used any more. The "
			"time grows with the rate of allocation and with the number of live "
			"objects.",
		.advice = "Allocate less (see the profile of allocations), reuse buffers, or give "
			  "the collector more memory.",
		.evidence = "in",
		.kinds = FINDING_CPU | FINDING_WALL,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_GC,
		.excludes = ROLE_IDLE | ROLE_SLEEP,
		.share = 0.1,
		.samples = 20,
		.saves = true,
	},
	{
		.name = "allocation",
		.title = "Allocation of memory",
		.meaning = "This time allocates and releases memory, without garbage collection. "
			   "Short-lived objects in a loop are the usual cause.",
		.advice =
			"Move allocations out of loops, reuse temporary buffers, reserve the size "
			"that is needed.",
		.evidence = "allocated by",
		.kinds = FINDING_CPU,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_ALLOC,
		.excludes = ROLE_GC | ROLE_PROFILER | ROLE_CHECKS | ROLE_INTERPRETER,
		.share = 0.15,
		.samples = 20,
		.saves = true,
	},
	{
		.name = "allocation-site",
		.title = "One function allocates most",
		.meaning = "Most of what the program allocates is allocated by this function, in "
			   "library functions that it calls, or itself.",
		.advice = "Reuse buffers, allocate once before the loop, or process the data in "
			  "parts.",
		.evidence = "called by",
		.kinds = FINDING_ALLOC,
		.measure = FINDING_LARGEST_PLACE,
		.excludes = ROLE_PROFILER | ROLE_INTERPRETER,
		.share = 0.5,
		.samples = 20,
		.saves = true,
	},
	{
		.name = "growing-buffers",
		.title = "Buffers grow step by step",
		.meaning = "Strings, lists or tables are filled without a reserved size: each time "
			   "they are full, a larger one is allocated and the content is copied.",
		.advice = "Reserve the final size before filling: capacity of slices, builders and "
			  "maps, reserve() of vectors and strings.",
		.evidence = "filled by",
		.kinds = FINDING_CPU,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_GROWTH,
		.excludes = ROLE_GC | ROLE_PROFILER | ROLE_CHECKS | ROLE_INTERPRETER,
		.share = 0.05,
		.samples = 20,
		.saves = true,
	},
	{
		.name = "growing-buffers",
		.title = "Buffers grow step by step",
		.meaning = "Strings, lists or tables are filled without a reserved size: each time "
			   "they are full, a larger one is allocated and the content is copied.",
		.advice = "Reserve the final size before filling: capacity of slices, builders and "
			  "maps, reserve() of vectors and strings.",
		.evidence = "filled by",
		.kinds = FINDING_ALLOC,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_GROWTH,
		.excludes = ROLE_PROFILER | ROLE_INTERPRETER,
		.share = 0.25,
		.samples = 20,
		.saves = true,
	},
	{
		.name = "lock-time",
		.title = "Time in locks",
		.meaning =
			"Threads take, release or spin for locks instead of working. The lock is "
			"contended, or taken very often.",
		.advice =
			"Hold the lock for less, split it, or use data per thread. The profile of "
			"locks shows who holds it.",
		.evidence = "locked by",
		.kinds = FINDING_CPU,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_LOCK,
		.excludes = ROLE_GC | ROLE_IDLE | ROLE_PROFILER,
		.share = 0.05,
		.samples = 20,
		.saves = true,
	},
	{
		.name = "lock-wait",
		.title = "Threads wait for locks",
		.meaning = "The functions stand still in wall time because another thread holds a "
			   "lock.",
		.advice =
			"Hold the lock for less, split it, or use data per thread. The profile of "
			"locks shows who holds it.",
		.evidence = "waited for in",
		.kinds = FINDING_WALL,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_LOCK,
		.excludes = ROLE_GC | ROLE_PROFILER,
		.share = 0.1,
		.samples = 20,
		.saves = true,
	},
	{
		.name = "contended-lock",
		.title = "One place causes most lock waits",
		.meaning =
			"Most of the time that threads wait for locks belongs to the locks of this "
			"function: in a profile of mutexes it holds the lock, in a profile of "
			"blocking it waits.",
		.advice = "Do less while the lock is held, split the lock, or use data per thread.",
		.evidence = "called by",
		.kinds = FINDING_LOCK,
		.measure = FINDING_LARGEST_PLACE,
		.excludes = ROLE_IDLE | ROLE_SLEEP | ROLE_PROFILER,
		.share = 0.5,
		.saves = true,
	},
	{
		.name = "recursion",
		.title = "Deep recursion",
		.meaning =
			"The function calls itself again and again, and most of the time is its "
			"own: "
			"this is the part of the profile in which it is on the stack at least ten "
			"times.",
		.advice =
			"Keep results of calls with the same arguments, or turn the recursion into "
			"a loop. A walk over a deep tree may be as it must be.",
		.evidence = "first called by",
		.kinds = FINDING_CPU | FINDING_WALL,
		.measure = FINDING_RECURSION,
		.no_names = OTHER_RULES | NO_FUNCTION | ROLE_RUNTIME | ROLE_LIBRARY,
		.share = 0.3,
		.samples = 20,
		.least = 10,
	},
	{
		.name = "deep-stacks",
		.title = "Very deep stacks",
		.meaning = "This part of the profile has stacks of 128 frames or more. Layers of "
			   "middleware, wrappers or recursion cost time, and profilers cut such "
			   "stacks.",
		.advice = "Look for layers that can be left out. Check that the profiler records "
			  "whole stacks.",
		.evidence = "in",
		.kinds = FINDING_CPU | FINDING_WALL,
		.measure = FINDING_DEPTH,
		.excludes = ROLE_PROFILER,
		.share = 0.1,
		.samples = 20,
		.least = 128,
	},
	{
		.name = "same-work",
		.title = "The same work is called from many places",
		.meaning = "Many callers let this function do the same kind of work, none of them "
			   "most of it.",
		.advice = "Keep its results (cache), do the work once for many callers (batch), or "
			  "make the function itself cheaper: all callers gain.",
		.evidence = "called by",
		.kinds = FINDING_CPU,
		.measure = FINDING_SAME_WORK,
		.no_names = OTHER_RULES | NO_FUNCTION | ROLE_RUNTIME | ROLE_ENTRY,
		.share = 0.1,
		.samples = 50,
		.least = 5,
		.saves = true,
	},
	{
		.name = "sleeping",
		.title = "Waiting hidden in wall time",
		.meaning =
			"Threads that also do work wait in sleep or in synchronous I/O calls of "
			"the "
			"program. The CPU profile does not show this time. Threads that only wait "
			"do not count.",
		.advice = "Wait for the event itself instead of sleeping; flush, read and write "
			  "outside of requests.",
		.evidence = "waits in",
		.kinds = FINDING_WALL,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_SLEEP,
		.excludes = ROLE_PROFILER,
		.share = 0.1,
		.samples = 20,
		.of_workers = true,
		.saves = true,
	},
	{
		.name = "regex-compile",
		.title = "Regular expressions are compiled again and again",
		.meaning =
			"Compiling a regular expression is far more expensive than matching a "
			"short text, and one result serves all calls. Compilation at the start of "
			"the program does not count.",
		.advice = "Compile each expression once, into a constant or a cache.",
		.evidence = "compiled by",
		.kinds = FINDING_CPU | FINDING_ALLOC,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_REGEX,
		.excludes = ROLE_INIT | ROLE_PROFILER,
		.share = 0.02,
		.samples = 10,
		.saves = true,
	},
	{
		.name = "built-per-call",
		.title = "A serializer, template or context is built per call",
		.meaning =
			"These objects are expensive to build and meant to be built once: mappers, "
			"date formats, templates, prepared statements, streams, TLS contexts.",
		.advice =
			"Build them once and keep them, or use a cheaper function for the purpose.",
		.evidence = "built by",
		.kinds = FINDING_CPU | FINDING_ALLOC,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_BUILD,
		.excludes = ROLE_INIT | ROLE_PROFILER,
		.share = 0.03,
		.samples = 10,
		.saves = true,
	},
	{
		.name = "format-strings",
		.title = "Format strings are interpreted in the hot path",
		.meaning = "Functions such as printf() parse their format in each call, and often "
			   "allocate the result.",
		.advice = "Append texts and numbers directly, and do not format what is not "
			  "written: check the level of the log before.",
		.evidence = "formatted by",
		.kinds = FINDING_CPU,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_FORMAT,
		.excludes = ROLE_INIT | ROLE_PROFILER,
		.share = 0.1,
		.samples = 20,
		.saves = true,
	},
	{
		.name = "debug-build",
		.title = "The program is built without optimization",
		.meaning = "Functions that a compiler removes when it optimizes have time of their "
			   "own. Programs are several times slower without it, and the profile is "
			   "not that of the real program.",
		.advice =
			"Build with optimization (-O2, --release) and debug information (-g), then "
			"measure again.",
		.evidence = "called by",
		.kinds = FINDING_CPU,
		.measure = FINDING_SELF_OF_ROLE,
		.role = ROLE_UNOPTIMIZED,
		.share = 0.02,
		.samples = 10,
	},
	{
		.name = "instrumented-build",
		.title = "The program is built with checks",
		.meaning = "A sanitizer, the race detector or coverage takes part of the time. The "
			   "profile is not that of the real program.",
		.advice = "Profile a build without checks.",
		.evidence = "called by",
		.kinds = FINDING_CPU | FINDING_WALL,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_CHECKS,
		.share = 0.05,
		.samples = 10,
		.saves = true,
	},
	{
		.name = "missing-symbols",
		.title = "Names of functions are missing",
		.meaning = "Frames show addresses instead of names, so that their part of the "
			   "profile explains nothing.",
		.advice = "Build with symbols, install debug packages, or give the server the "
			  "symbols (docs/symbols.md).",
		.evidence = "called by",
		.kinds = FINDING_CPU | FINDING_WALL | FINDING_ALLOC | FINDING_LOCK,
		.measure = FINDING_SELF_OF_ROLE,
		.role = ROLE_UNKNOWN,
		.share = 0.1,
		.samples = 20,
	},
	{
		.name = "interpreter-frames",
		.title = "The profile shows the interpreter, not the program",
		.meaning =
			"The stacks have the functions of the interpreter, and none of the program "
			"that it executes.",
		.advice =
			"Let the interpreter name its frames (Python: -X perf), or use a profiler "
			"of the language.",
		.evidence = "called by",
		.kinds = FINDING_CPU | FINDING_WALL,
		.measure = FINDING_TOTAL_OF_ROLE,
		.role = ROLE_INTERPRETER,
		.excludes = ROLE_SCRIPT,
		.share = 0.5,
		.samples = 20,
	},
};
const size_t finding_rule_count = countof(finding_rules);

static const struct {
	const char *rule;
	enum finding_language language;
	const char *hint;
} hints[] = {
	{"garbage-collection", LANGUAGE_GO,
	 "Go: raise GOGC or set GOMEMLIMIT; sync.Pool for buffers; fewer pointers in large maps."},
	{"garbage-collection", LANGUAGE_JAVA,
	 "Java: a larger heap (-Xmx) or young generation; look at the allocation profile."},
	{"garbage-collection", LANGUAGE_PYTHON,
	 "Python: gc.freeze() after the start, and a higher threshold by gc.set_threshold()."},
	{"garbage-collection", LANGUAGE_NODE,
	 "Node: --max-semi-space-size=64 for short-lived objects; avoid copies of large objects."},
	{"allocation", LANGUAGE_GO,
	 "Go: see the profile alloc_space; preallocate slices and maps."},
	{"allocation", LANGUAGE_NATIVE,
	 "C and C++: an arena or a reused buffer; jemalloc or tcmalloc for many threads."},
	{"growing-buffers", LANGUAGE_GO,
	 "Go: make([]T, 0, n), make(map[K]V, n), strings.Builder with Grow()."},
	{"growing-buffers", LANGUAGE_JAVA, "Java: new StringBuilder(n), new ArrayList<>(n)."},
	{"regex-compile", LANGUAGE_GO, "Go: a package variable with regexp.MustCompile()."},
	{"regex-compile", LANGUAGE_JAVA,
	 "Java: a static final Pattern; String.matches(), replaceAll() and split() compile anew."},
	{"regex-compile", LANGUAGE_PYTHON,
	 "Python: re.compile() once; the cache of re has 512 entries and is emptied when full."},
	{"regex-compile", LANGUAGE_NATIVE, "C++: a static const std::regex, or RE2."},
	{"built-per-call", LANGUAGE_JAVA,
	 "Java: one static ObjectMapper or Gson, java.time's DateTimeFormatter."},
	{"built-per-call", LANGUAGE_NATIVE,
	 "C++: std::to_chars() instead of string streams; keep statements and contexts."},
	{"format-strings", LANGUAGE_GO, "Go: strconv.AppendInt() and the like; slog's attributes."},
};

const char *finding_hint(const struct finding_rule *rule, enum finding_language language)
{
	for (size_t i = 0; i < countof(hints); i++)
		if (hints[i].language == language &&
		    str_eq(str_from(hints[i].rule), str_from(rule->name)))
			return hints[i].hint;
	return NULL;
}
