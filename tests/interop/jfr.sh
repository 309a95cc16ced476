#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# New recordings by the JDK's Flight Recorder and by async-profiler: every sample that `jfr summary`
# counts is decoded, with the program's methods in the stacks.
set -eu
here=$SOURCE_ROOT/tests/interop/jfr
# shellcheck source=tests/interop/jfr/maven.sh
. "$here/maven.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failed=0

# holds WHAT COMMAND...: check that the command succeeds
holds() {
	number=$((number + 1))
	what=$1
	shift
	if "$@"; then
		echo "ok $number - $what"
	else
		echo "not ok $number - $what"
		failed=1
	fi
}

skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# events FILE NAME: print the number of events by the JDK's tool
events() {
	"$jfr" summary "$1" | awk -v name="$2" '$1 == name { print $2 }'
}

# total FILE TYPE: print the sum of the sample type
total() {
	"$VARVE" convert "$1" -q --type "$2" -t folded | awk '{ sum += $NF } END { printf "%.0f", sum }'
}

# same FILE EVENT TYPE PERIOD WHAT: check that events times period equal the sum of the type
same() {
	count=$(events "$1" "$2")
	[ "${count:-0}" -gt 0 ] || count=-1 # no events is a failure
	sum=$(total "$1" "$3")
	echo "# $2: $count events, $3: $sum"
	holds "$5" [ "$sum" = "$((${count:-0} * $4))" ]
}

# shellcheck disable=SC2317 # called by holds
has_methods() {
	"$VARVE" convert "$1" -q --type cpu -t folded | grep -q 'Work\.run;Work\.walk;'
}

# shellcheck disable=SC2317
makes_valid_otlp() {
	"$VARVE" convert "$1" -q -o "$work/made.otlp" && "$VARVE" check "$work/made.otlp" >/dev/null
}

if ! command -v java >/dev/null || ! command -v javac >/dev/null; then
	echo '1..0 # SKIP no JDK here'
	exit 0
fi
jfr=$(dirname "$(readlink -f "$(command -v javac)")")/jfr
[ -x "$jfr" ] || jfr=$(command -v jfr)
javac -d "$work" "$here/Work.java"

echo 1..7
if java -cp "$work" -XX:StartFlightRecording=settings=profile,filename="$work/jdk.jfr" \
	Work 4 2 12 100 >"$work/log" 2>&1; then
	same "$work/jdk.jfr" jdk.ExecutionSample cpu 10000000 "the JDK's samples are all there"
	same "$work/jdk.jfr" jdk.ObjectAllocationSample alloc_sample_objects 1 "the JDK's allocations"
	holds 'stacks have their methods' has_methods "$work/jdk.jfr"
else
	for what in samples allocations stacks; do skip "$what" 'the JVM does not record'; done
fi

library=$(agent "$work") || library=
if [ -n "$library" ] && java -cp "$work" \
	"-agentpath:$library=start,event=itimer,interval=1ms,alloc=16k,jfr,file=$work/ap.jfr" \
	Work 4 2 12 100 >"$work/log" 2>&1 && [ -s "$work/ap.jfr" ]; then
	same "$work/ap.jfr" jdk.ExecutionSample cpu 1000000 "async-profiler's samples are all there"
	same "$work/ap.jfr" jdk.ObjectAllocationInNewTLAB alloc_in_new_tlab_objects 1 'allocations'
	holds 'stacks have their methods' has_methods "$work/ap.jfr"
	holds 'what we make of it is valid OTLP' makes_valid_otlp "$work/ap.jfr"
else
	for what in samples allocations stacks otlp; do
		skip "async-profiler: $what" 'it cannot be downloaded from Maven, or does not run'
	done
fi
exit $failed
