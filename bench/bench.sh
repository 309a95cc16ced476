# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Functions for benchmarks that are shell scripts. They begin with `. bench/bench.sh` and run in the
# root of the tree. $VARVE is the release build of the program, $SCRATCH a temporary directory.
#
#     set -- $(measure 5 "$VARVE" convert a.pb.gz -o "$SCRATCH/out")     # CPU s, wall s, peak KiB
#     bench_report convert-one "$1" s less 'go tool pprof' "$peer" 'one 200 KB pprof; CPU, best of 5'

measure() {
	build-release/bench/measure "$@"
}

# bench_report name value unit more|less peer peer_value method     (peer '': none)
bench_report() {
	awk -v name="$1" -v value="$2" -v unit="$3" -v better="$4" -v peer="$5" -v pv="$6" \
		-v method="$7" -v out="${BENCH_JSON:-/dev/null}" '
	function quote(s) { gsub(/["\\]/, "\\\\&", s); return "\"" s "\"" }
	BEGIN {
		ratio = peer == "" ? 0 : better == "more" ? value / pv : pv / value
		line = sprintf("%s: %.4g %s", name, value, unit)
		if (peer != "")
			line = line sprintf("; %s: %.4g %s; we are %.3gx", peer, pv, unit, ratio)
		print line "\n    " method
		printf "{\"name\":%s,\"value\":%.6g,\"unit\":%s,", quote(name), value, quote(unit) >> out
		if (peer != "")
			printf "\"peer\":%s,\"peer_value\":%.6g,\"ratio\":%.4g,", quote(peer), pv, ratio >> out
		else
			printf "\"peer\":null,\"peer_value\":null,\"ratio\":null," >> out
		printf "\"method\":%s}\n", quote(method) >> out
	}'
}

# bench_skip name reason
bench_skip() {
	echo "$1: SKIPPED: $2"
}

# -- one program with several settings, alternating, so that other load affects all alike ----

# add_setting name command...: define the command of `name`, which prints one number.
settings=
add_setting() {
	name=$1
	shift
	settings="$settings $name"
	printf '%s\n' "$*" >"$SCRATCH/setting-$name"
}

# run_settings rounds
run_settings() {
	for name in $settings; do
		: >"$SCRATCH/$name"
	done
	for _ in $(seq "$1"); do
		for name in $settings; do
			sh "$SCRATCH/setting-$name" >>"$SCRATCH/$name"
		done
	done
}

# Command prefix for real-time priority, so that other load does not interrupt the measurement or
# evict its caches. Empty if not permitted.
ahead=
if chrt -r 1 true 2>/dev/null; then
	# shellcheck disable=SC2034 # used by scripts that include this file
	ahead="chrt -r 1"
fi

# least NAME, median NAME: minimum and median of the numbers of NAME
least() {
	sort -n "$SCRATCH/$1" | head -1
}
median() {
	sort -n "$SCRATCH/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# pairs name base: the ratios of neighbouring runs, as "median lower-quartile upper-quartile"
pairs() {
	paste "$SCRATCH/$1" "$SCRATCH/$2" | awk '$2 > 0 { print $1 / $2 }' | sort -n |
		awk '{ v[NR] = $1 } END { printf "%.3f %.3f %.3f", v[int((NR + 1) / 2)], v[int((NR + 3) / 4)], v[int((3 * NR + 3) / 4)] }'
}

# report_ratio label name base method: report the ratio of the minima. The method also has the ratio
# of the medians, and the median and quartiles of the ratios of neighbouring runs, which other load
# hardly changes
report_ratio() {
	ratio=$(awk -v a="$(least "$2")" -v b="$(least "$3")" 'BEGIN { printf "%.4f", a / b }')
	medians=$(awk -v a="$(median "$2")" -v b="$(median "$3")" 'BEGIN { printf "%.3f", a / b }')
	# shellcheck disable=SC2046 # three numbers
	set -- "$@" $(pairs "$2" "$3")
	bench_report "$1" "$ratio" x less '' '' \
		"$4; minima $(least "$2") and $(least "$3"), ratio of medians ${medians}x, of neighbours ${5}x (quartiles ${6} to ${7})"
}
