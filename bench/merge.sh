#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Merging 1,000 heap profiles that Go's runtime wrote into one, against `go tool pprof -proto`.
set -eu
. bench/bench.sh

if ! command -v go >/dev/null; then
	bench_skip merge 'go is not installed'
	exit 0
fi
mkdir -p "$SCRATCH/in"
go build -o "$SCRATCH/profiles" bench/merge/main.go
"$SCRATCH/profiles" "$SCRATCH/in" 1000
pprof=$(go tool -n pprof) # the tool itself, without `go` around it

# shellcheck disable=SC2046 # three words
set -- $(measure 3 "$VARVE" convert "$SCRATCH"/in/*.pb.gz -o "$SCRATCH/merged.pb.gz")
cpu=$1 wall=$2 peak=$3
# shellcheck disable=SC2046
set -- $(PPROF_TMPDIR=$SCRATCH measure 1 "$pprof" -symbolize=none -proto -output="$SCRATCH/go.pb.gz" "$SCRATCH"/in/*.pb.gz)
method="1,000 heap profiles of Go's runtime, $(du -ch "$SCRATCH"/in/*.pb.gz | tail -1 | cut -f1) compressed, into one"
bench_report merge-wall "$wall" s less 'go tool pprof -proto' "$2" "$method; wall time, best of 3 (peer: 1)"
bench_report merge-cpu "$cpu" s less 'go tool pprof -proto' "$1" "$method; CPU time of all threads, best of 3 (peer: 1)"
bench_report merge-memory "$peak" KiB less 'go tool pprof -proto' "$3" "$method; peak resident memory"

# the two say the same: sums of each sample type
for f in merged go; do
	"$pprof" -symbolize=none -raw "$SCRATCH/$f.pb.gz" 2>/dev/null |
		awk '/^Locations/ { exit } / [0-9]+: [0-9 ]*$/ { for (i = 1; i <= 4; i++) { sub(/:/, "", $i); s[i] += $i } }
			END { printf "%.0f %.0f %.0f %.0f\n", s[1], s[2], s[3], s[4] }' >"$SCRATCH/$f.sums"
done
cmp "$SCRATCH/merged.sums" "$SCRATCH/go.sums" || {
	echo "merge: the sums differ: $(cat "$SCRATCH/merged.sums") and $(cat "$SCRATCH/go.sums")"
	exit 1
}
