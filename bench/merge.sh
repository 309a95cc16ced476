#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Merges 1,000 heap profiles of Go's runtime into one, compared with `go tool pprof -proto`. Both
# run on one core and alternate, so that other load affects both.
set -eu
. bench/bench.sh

if ! command -v go >/dev/null; then
	bench_skip merge 'go is not installed'
	exit 0
fi
mkdir -p "$SCRATCH/in"
go build -o "$SCRATCH/profiles" bench/merge/main.go
"$SCRATCH/profiles" "$SCRATCH/in" 1000
pprof=$(go tool -n pprof) # the tool itself, without the `go` command

core=''
command -v taskset >/dev/null && core='taskset -c 0'

# best A B: the smaller number
best() {
	awk "BEGIN { print ($1 < $2) ? $1 : $2 }"
}

cpu=1e9 wall=1e9 peer_cpu=1e9 peer_wall=1e9
# shellcheck disable=SC2046,SC2086 # three words each
for _ in 1 2 3; do
	set -- $(measure 3 $core "$VARVE" convert "$SCRATCH"/in/*.pb.gz -o "$SCRATCH/merged.pb.gz")
	cpu=$(best "$cpu" "$1") wall=$(best "$wall" "$2") peak=$3
	set -- $(PPROF_TMPDIR=$SCRATCH measure 1 $core "$pprof" -symbolize=none -proto -output="$SCRATCH/go.pb.gz" "$SCRATCH"/in/*.pb.gz)
	peer_cpu=$(best "$peer_cpu" "$1") peer_wall=$(best "$peer_wall" "$2") peer_peak=$3
done
method="1,000 heap profiles of Go's runtime, $(du -ch "$SCRATCH"/in/*.pb.gz | tail -1 | cut -f1) compressed, into one; one core, best of 9 (peer: 3)"
bench_report merge-wall "$wall" s less 'go tool pprof -proto' "$peer_wall" "$method; wall time"
bench_report merge-cpu "$cpu" s less 'go tool pprof -proto' "$peer_cpu" "$method; CPU time of all threads"
bench_report merge-memory "$peak" KiB less 'go tool pprof -proto' "$peer_peak" "$method; peak resident memory"

# both results must have the same sum of each sample type
for f in merged go; do
	"$pprof" -symbolize=none -raw "$SCRATCH/$f.pb.gz" 2>/dev/null |
		awk '/^Locations/ { exit } / [0-9]+: [0-9 ]*$/ { for (i = 1; i <= 4; i++) { sub(/:/, "", $i); s[i] += $i } }
			END { printf "%.0f %.0f %.0f %.0f\n", s[1], s[2], s[3], s[4] }' >"$SCRATCH/$f.sums"
done
cmp "$SCRATCH/merged.sums" "$SCRATCH/go.sums" || {
	echo "merge: the sums differ: $(cat "$SCRATCH/merged.sums") and $(cat "$SCRATCH/go.sums")"
	exit 1
}
