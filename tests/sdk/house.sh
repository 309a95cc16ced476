#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What libvarve.so shows and needs: its own names and those it stands in front of, nothing that ends or talks over its host, few libraries.
. "$SOURCE_ROOT/tests/cli/lib.sh"
library=${LIBVARVE:?}

check() { # name command...
	name=$1
	shift
	"$@" >out 2>err
	code=$?
	[ $code = 0 ] && report ok "$name" || report 'not ok' "$name"
}

# Defined names: those of exports.map, and no others.
nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | sort -u >defined
grep -vE '^(varve_[a-z0-9_]+|otel_thread_ctx_v1|_Z(n|d)[A-Za-z0-9_]+)$' defined >others
sed -n '/^global:/,/^local:/p' "$SOURCE_ROOT/src/sdk/preload/exports.map" | sed 's#/\*.*\*/##' | tr ';' '\n' |
	sed 's/[[:space:]]//g' | grep -E '^[A-Za-z_][A-Za-z0-9_]*$' | sort -u >allowed
check "names that are not its own or interposed: none" sh -c '! grep -vxFf allowed others'
check "the public functions are there" sh -c '
	for name in $(grep -oE "varve_[a-z_]+\(" "$SOURCE_ROOT/include/varve/varve.h" | tr -d "(" | sort -u); do
		case $name in *_) continue ;; esac # inline
		grep -qx "$name" defined || echo "$name is missing"
	done | grep . && exit 1 || exit 0'

# `make` builds all that `make install` puts somewhere.
meson introspect --targets "$BUILD_ROOT" | jq -r '.[] | select(.installed) | .filename[0]' | sed "s#^$BUILD_ROOT/##" | sort >installed
ninja -C "$BUILD_ROOT" -t query programs | sed 's/^[ |]*//' | sort >programs
check "what is installed is built by make" sh -c '[ -s installed ] && ! grep -vxFf programs installed'

# What it calls: nothing that ends the host, writes to its terminal, or changes what is the process's own.
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
check "it never ends, talks over or changes its host" sh -c '! grep -xFf never undefined'
# exit() and _exit(): when no thread of the host is left, and the interposed one
nm -A "$BUILD_ROOT/libvarve_sdk.a" "$BUILD_ROOT/libvarve_core.a" 2>/dev/null | grep -E ' U (exit|_exit)$' | grep -v 'src_sdk_last_thread\.c\.o:' >ends || true
check "it ends a process in one place only: last_thread.c" [ ! -s ends ]

needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sed 's/\.so.*//' | sort | tr '\n' ' ')
check "libraries it brings along: $needed" sh -c '
	for name in '"$needed"'; do
		case $name in libc | libm | libdeflate | ld-linux-x86-64 | ld-linux-aarch64 | libdl | libpthread) ;;
		*) echo "$name"; exit 1 ;; esac
	done'

strip -o stripped.so "$library"
size=$(stat -c %s stripped.so)
check "at most 440 KB when stripped: $size bytes" test "$size" -le 450560
check "no stack that can be executed, all is bound at start" sh -c '
	readelf -lW stripped.so | grep -q "GNU_STACK.*RW " && readelf -d stripped.so | grep -q "BIND_NOW\|NOW"'
finish
