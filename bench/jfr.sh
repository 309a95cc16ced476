# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Converts a recording of more than 50 MB to pprof, compared with async-profiler's own converter.
# The recording is one that async-profiler takes of a small program, concatenated until it is large
# enough. Chunks are independent, so this resembles an hour of recording.
set -eu
. bench/bench.sh
. tests/interop/jfr/maven.sh

if ! command -v javac >/dev/null; then
	bench_skip jfr-convert 'no JDK is installed'
	exit 0
fi
if ! converter=$(jar jfr-converter) || ! library=$(agent "$SCRATCH"); then
	bench_skip jfr-convert "async-profiler's jars cannot be downloaded from Maven"
	exit 0
fi
javac -d "$SCRATCH" tests/interop/jfr/Work.java
java -cp "$SCRATCH" "-agentpath:$library=start,event=itimer,interval=200us,alloc=512k,jfr,file=$SCRATCH/one.jfr" \
	Work 8 4 24 3000 >/dev/null 2>&1 || true
if [ ! -s "$SCRATCH/one.jfr" ]; then
	bench_skip jfr-convert 'async-profiler does not run on this machine'
	exit 0
fi
copies=$((55000000 / $(wc -c <"$SCRATCH/one.jfr") + 1))
for _ in $(seq $copies); do
	cat "$SCRATCH/one.jfr"
done >"$SCRATCH/many.jfr"
size=$(($(wc -c <"$SCRATCH/many.jfr") / 1000000))

# best A B: the smaller number
best() {
	awk "BEGIN { print ($1 < $2) ? $1 : $2 }"
}

# The recording has cpu and alloc events. jfrconv converts one type per run (cpu by default) and
# writes pprof without gzip, so varve does the same.
ours=1e9 ours_cpu=1e9 cpu=1e9 alloc=1e9
# shellcheck disable=SC2046 # several words each
for _ in 1 2 3; do
	set -- $(measure 2 "$VARVE" convert "$SCRATCH/many.jfr" -q -t pprof-raw -o "$SCRATCH/ours.pb")
	ours=$(best "$ours" "$1") ours_peak=$3
	set -- $(measure 2 "$VARVE" convert "$SCRATCH/many.jfr" --type cpu -q -t pprof-raw -o "$SCRATCH/ours.pb")
	ours_cpu=$(best "$ours_cpu" "$1")
	set -- $(measure 1 java -jar "$converter" --cpu -o pprof "$SCRATCH/many.jfr" "$SCRATCH/cpu.pprof")
	cpu=$(best "$cpu" "$1") peer_peak=$3
	set -- $(measure 1 java -jar "$converter" --alloc -o pprof "$SCRATCH/many.jfr" "$SCRATCH/alloc.pprof")
	alloc=$(best "$alloc" "$1")
done
bench_report jfr-convert "$ours" s less 'jfrconv, one run per type' \
	"$(awk "BEGIN { print $cpu + $alloc }")" \
	"recording of $size MB, $copies chunks -> pprof with all its types; CPU seconds, best of 6 (peer: 3), alternating; jfrconv needs two runs: cpu and alloc"
bench_report jfr-convert-cpu "$ours_cpu" s less 'jfrconv --cpu' "$cpu" \
	'the same recording; both convert cpu only (varve: --type cpu)'
bench_report jfr-convert-all-cpu "$ours" s less 'jfrconv --cpu' "$cpu" \
	'the same, but varve converts all types, jfrconv cpu only'
bench_report jfr-convert-memory "$((ours_peak / 1024))" MiB less jfrconv "$((peer_peak / 1024))" \
	'the same recording, peak memory, all types'
