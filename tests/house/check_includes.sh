#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/check-includes accepts and rejects single include lines in a temporary tree.
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
expect pass wire base/str.h 'an include of a lower part is allowed'
expect pass cli format/format.h 'an include of a much lower part is allowed'
expect pass base base/str.h 'an include of the same part is allowed'
expect fail base wire/proto.h 'an include of a higher part is rejected'
expect fail format query/tree/top.h 'format must not include query'
expect fail unwind symbol/elf.h 'parts of one level must not include each other'
expect fail store query/tree/top.h 'store must not include query'
expect fail agent store/store.h 'agent must not include store'
expect pass query store/store.h 'query can include the interface of the store'
expect fail query store/sqlite/day.h 'query must not include an implementation of the store'
expect fail sdk net/http/http.h 'sdk must not include net'
expect fail base str.h 'an include that is not rooted at src/ is rejected'
exit $failed
