#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Symbols of libvarve.so: it exports its own names and the interposed ones, calls nothing that ends
# the host or writes to its terminal, and needs few libraries.
. "$SOURCE_ROOT/tests/cli/lib.sh"
library=${LIBVARVE:?}

check() { # name command...
	name=$1
	shift
	"$@" >out 2>err
	code=$?
	[ $code = 0 ] && report ok "$name" || report 'not ok' "$name"
}

# The defined names are exactly those of exports.map.
nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | sort -u >defined
grep -vE '^(varve_[a-z0-9_]+|otel_thread_ctx_v1|_Z(n|d)[A-Za-z0-9_]+)$' defined >others
sed -n '/^global:/,/^local:/p' "$SOURCE_ROOT/src/sdk/preload/exports.map" | sed 's#/\*.*\*/##' | tr ';' '\n' |
	sed 's/[[:space:]]//g' | grep -E '^[A-Za-z_][A-Za-z0-9_]*$' | sort -u >allowed
check "no exported names except its own and interposed ones" sh -c '! grep -vxFf allowed others'
check "all public functions are exported" sh -c '
	for name in $(cat "$SOURCE_ROOT"/include/varve/*.h | grep -v "^static inline" | grep "^VARVE_API\|^varve_" | grep -oE "varve_[a-z_]+\(" | tr -d "(" | sort -u); do
		grep -qx "$name" defined || echo "$name is missing"
	done | grep . && exit 1 || exit 0'

# `make` builds everything that `make install` installs.
meson introspect --targets "$BUILD_ROOT" | jq -r '.[] | select(.installed) | .filename[0]' | sed "s#^$BUILD_ROOT/##" | sort >installed
ninja -C "$BUILD_ROOT" -t query programs | sed 's/^[ |]*//' | sort >programs
check "make builds all installed files" sh -c '[ -s installed ] && ! grep -vxFf programs installed'

# The library calls nothing that ends the host, writes to its terminal, or changes process-wide
# state.
nm -D --undefined-only "$library" | awk '{print $2}' | sed 's/@.*//' | sort -u >undefined
cat >never <<'END'
abort
_Exit
quick_exit
__assert_fail
__assert_perror_fail
printf
__printf_chk
vprintf
puts
putchar
perror
psignal
err
warn
stdout
stderr
stdin
syslog
setenv
putenv
unsetenv
chdir
umask
setlocale
system
popen
fork
signal
alarm
setitimer
END
check "no calls of functions that end the host, print or change process state" sh -c '! grep -xFf never undefined'
# exit() and _exit() are used only when no thread of the host is left, and by the interposed
# function
nm -A "$BUILD_ROOT/libvarve_sdk.a" "$BUILD_ROOT/libvarve_core.a" 2>/dev/null | grep -E ' U (exit|_exit)$' | grep -v 'src_sdk_hook_last_thread\.c\.o:' >ends || true
check "exit() is called in last_thread.c only" [ ! -s ends ]

needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sed 's/\.so.*//' | sort | tr '\n' ' ')
check "needed libraries: $needed" sh -c '
	for name in '"$needed"'; do
		case $name in libc | libm | libdeflate | ld-linux-x86-64 | ld-linux-aarch64 | libdl | libpthread) ;;
		*) echo "$name"; exit 1 ;; esac
	done'

strip -o stripped.so "$library"
size=$(stat -c %s stripped.so)
check "at most 528 KB when stripped: $size bytes" test "$size" -le 540672
check "no executable stack, all symbols bound at start" sh -c '
	readelf -lW stripped.so | grep -q "GNU_STACK.*RW " && readelf -d stripped.so | grep -q "BIND_NOW\|NOW"'
finish
