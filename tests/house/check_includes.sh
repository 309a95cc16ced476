#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The include-order check finds what it should: one wrong edge at a time, in a tree of its own.
set -eu
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
number=0
failed=0

# expect pass|fail part include what
expect() {
	number=$((number + 1))
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/$2"
	echo "#include \"$3\"" >"$tree/$2/x.c"
	if "$SOURCE_ROOT/tools/check-includes" "$tree" >"$tree/out"; then got=pass; else got=fail; fi
	if [ $got = "$1" ]; then
		echo "ok $number - $4"
	else
		echo "not ok $number - $4"
		sed 's/^/# /' "$tree/out"
		failed=1
	fi
}

echo 1..12
expect pass wire base/str.h 'downwards is allowed'
expect pass cli format/format.h 'far downwards is allowed'
expect pass base base/str.h 'the own part is allowed'
expect fail base wire/proto.h 'upwards is refused'
expect fail format query/tree/top.h 'format does not know query'
expect fail unwind symbol/elf.h 'neighbours do not know each other'
expect fail store query/tree/top.h 'store does not include query'
expect fail agent store/store.h 'agent does not include store'
expect pass query store/store.h 'query sees the interface of the store'
expect fail query store/sqlite/day.h 'query does not see an implementation of the store'
expect fail sdk net/http/http.h 'the guest takes no network'
expect fail base str.h 'an include that is not rooted at src/ is refused'
exit $failed
