#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A server with and without --encrypt-key-file, by turns ($TURNS, 4): bytes of pprof that it ingests
# per CPU second at full speed, and CPU time of queries of what was stored. Reports medians and the
# difference.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
load=${LOAD:-build-release/bench/load}
trap 'kill "$SERVER" 2>/dev/null || true' EXIT
(umask 077 && openssl rand -hex 32 >"$SCRATCH/key")

cpu_ms() { cat "/proc/$SERVER/task/"*/schedstat | awk '{ n += $1 } END { printf "%.1f", n / 1e6 }'; }

# one NAME: append "MB/CPU-s, CPU ms of 300 queries" to a file of that name
one() {
	rm -rf "$SCRATCH/data"
	start_server
	"$load" -k push -c 16 -r 0 -s 8 -p "$SERVER" 127.0.0.1 "$PORT" >"$SCRATCH/load.json"
	sleep 12 # level 0 is merged
	before=$(cpu_ms)
	i=0
	while [ $i -lt 300 ]; do
		i=$((i + 1))
		# another range each time: no result is kept
		curl -s -o "$SCRATCH/flame" "$URL/api/v1/flame?query=service$((i % 4))&from=now-$((3600 + i))s&to=now"
	done
	echo "$(jq -r .mb_per_cpu_s "$SCRATCH/load.json") $(awk -v a="$before" -v b="$(cpu_ms)" 'BEGIN { print b - a }')" >>"$SCRATCH/$1"
	stop_server
}

median() { awk -v c="$2" '{ print $c }' "$SCRATCH/$1" | sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

turn=0
while [ $turn -lt "${TURNS:-4}" ]; do
	turn=$((turn + 1))
	KEY_FILE='' && one plain
	KEY_FILE=$SCRATCH/key && one sealed
done
method="medians of ${TURNS:-4} turns: push, 16 connections, full speed, durable, 8 s"
bench_report encryption-ingest "$(awk -v a="$(median plain 1)" -v b="$(median sealed 1)" 'BEGIN { printf "%.1f", (a / b - 1) * 100 }')" '% CPU' less '' '' \
	"$method; $(median plain 1) and $(median sealed 1) MB of pprof/CPU-s"
bench_report encryption-query "$(awk -v a="$(median plain 2)" -v b="$(median sealed 2)" 'BEGIN { printf "%.1f", (b / a - 1) * 100 }')" '% CPU' less '' '' \
	"flame graphs of an hour; $(median plain 2) and $(median sealed 2) ms of CPU time for 300"
