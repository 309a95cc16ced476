#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The installed library: found by pkg-config, used by the examples of docs/sdk.md, which are
# compiled and run, and loaded by dlopen().
. "$SOURCE_ROOT/tests/cli/lib.sh"

DESTDIR=$work/root meson install -C "$BUILD_ROOT" --no-rebuild --quiet >out 2>err
code=$?
expect 'the library is installed' 0
config=$(dirname "$(find root -name varve.pc)")
prefix=$(sed -n 's/^prefix=//p' "$config/varve.pc")
export PKG_CONFIG_SYSROOT_DIR="$work/root" PKG_CONFIG_PATH="$work/$config"
library=$(dirname "$(find "$work/root" -name libvarve.so)")
flags() { pkg-config --cflags --libs varve; }
expect_that 'header, C++ header and library are installed' test -f "root$prefix/include/varve/varve.h" -a \
	-f "root$prefix/include/varve/varve.hpp" -a -f "$library/libvarve.so"

# Fenced blocks of C and C++: whole programs are run, parts are compiled inside a function.
awk '/^```(c|cpp)$/ { n++; file = "block" n (/cpp/ ? ".cpp" : ".c"); inside = 1; next }
	/^```$/ { inside = 0 }
	inside { print > file }' "$SOURCE_ROOT/docs/sdk.md"
count=0
for block in block*; do
	count=$((count + 1))
	case $block in *.cpp) compiler="g++ -std=c++17" ;; *) compiler="gcc -std=gnu17" ;; esac
	if grep -q 'main(' "$block"; then
		# shellcheck disable=SC2046,SC2086 # words
		$compiler -Wall -Wextra -Werror -o "$block.program" "$block" $(flags) >out 2>err
		code=$?
		expect "docs/sdk.md, $block compiles and links as documented" 0
		mkdir -p here
		(cd here && LD_LIBRARY_PATH=$library timeout 60 "../$block.program") >out 2>err </dev/null
		code=$?
		expect "docs/sdk.md, $block runs" 0
	else
		{
			printf '#include <string.h>\n#include <varve/varve.h>\nvoid work(const char *id);\n'
			printf 'void part(struct varve_context context, struct varve_context previous, const char *id, int rc);\n'
			printf 'void part(struct varve_context context, struct varve_context previous, const char *id, int rc)\n{\n(void)previous, (void)rc;\n'
			cat "$block"
			printf '}\n'
		} >part.c
		# shellcheck disable=SC2046 # words
		gcc -fsyntax-only -Wall -Werror part.c $(pkg-config --cflags varve) >out 2>err
		code=$?
		expect "docs/sdk.md, $block compiles" 0
	fi
done
expect_that "docs/sdk.md has examples: $count" test $count -ge 4
run top here/out/cpu.pb.gz
expect 'the first example is profiled as documented' 0 'prime_sum'

# A program that loads the library at run time.
cat >late.c <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <varve/varve.h>
static int profiles;
static void count(void *arg, enum varve_profile kind, const void *pprof, size_t size, uint64_t start, uint64_t duration)
{
	(void)arg, (void)pprof, (void)size, (void)start, (void)duration;
	profiles += kind == VARVE_CPU;
}
int main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	struct varve_options o = {.profiles = VARVE_CPU | VARVE_HEAP | VARVE_MUTEX | VARVE_BLOCK, .cpu_hz = 200, .on_profile = count};
	int (*start)(const struct varve_options *) = library ? (int (*)(const struct varve_options *))dlsym(library, "varve_start") : NULL;
	void (*stop)(void) = library ? (void (*)(void))dlsym(library, "varve_stop") : NULL;
	if (!start || !stop)
		return fprintf(stderr, "%s\n", dlerror()), 1;
	for (int round = 0; round < 2; round++) {
		clock_t until = clock() + CLOCKS_PER_SEC / 4;
		if (start(&o))
			return 2;
		while (clock() < until)
			;
		stop();
	}
	dlclose(library);
	printf("%d profiles\n", profiles);
	return profiles < 2;
}
END_C
# shellcheck disable=SC2046 # words
gcc -O1 -Wall -Werror -o late late.c $(pkg-config --cflags varve) -ldl >out 2>err
timeout 60 ./late "$library/libvarve.so" >out 2>err
code=$?
expect 'loaded by dlopen(), it profiles CPU time, can be stopped, restarted and closed' 0 '[2-9] profiles'
finish
