#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Logs: the cost of writing $LINES records (3,000,000) by bench/logs/log_load.c, bytes on disk, memory,
# and searches. The generator runs on the same cores. The peer's figures are reference values:
# VictoriaLogs on a similar machine with records of the same kind.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
trap 'kill "$SERVER" 2>/dev/null || true' EXIT
lines=${LINES:-3000000}
peer='VictoriaLogs (reference)'

start_server
cpu_ns() { cat "/proc/$SERVER/task/"*/schedstat | awk '{ n += $1 } END { printf "%.0f", n }'; }
before=$(cpu_ns)
build-release/bench/log_load "$PORT" "$lines" 8 >"$SCRATCH/load.json"
sleep 15 # commits are merged after ten seconds
after=$(cpu_ns)
method="$lines records of 76 bytes of text, 187 on the wire; 8 connections at full speed, durable; merges included"
bench_report logs-cost "$(awk -v n="$lines" -v a="$before" -v b="$after" 'BEGIN { printf "%.0f", n / (b - a) * 1e9 }')" \
	records/CPU-s more "$peer" 102000 "$method"
bench_report logs-memory "$(awk '/VmHWM/ { print $2 / 1024 }' "/proc/$SERVER/status")" MB less "$peer" 438 "$method; peak resident memory"
bytes=$(cat "$SCRATCH"/data/*.db* | wc -c)
bench_report logs-bytes "$(awk -v n="$lines" -v b="$bytes" 'BEGIN { printf "%.2f", b / n }')" B/record less "$peer" 46.7 "$method; all files"

# ask NAME PEER PATH: the best of nine elapsed times, and that CPU time of the server
ask() {
	best=999999 cpu=999999
	for _ in 1 2 3 4 5 6 7 8 9; do
		from=$(cpu_ns)
		ms=$(curl -sf -o /dev/null -w '%{time_total}' "$URL$3" | awk '{ print $1 * 1000 }')
		used=$(awk -v a="$from" -v b="$(cpu_ns)" 'BEGIN { print (b - a) / 1e6 }')
		best=$(awk -v a="$best" -v b="$ms" 'BEGIN { print a < b ? a : b }')
		cpu=$(awk -v a="$cpu" -v b="$used" 'BEGIN { print a < b ? a : b }')
	done
	bench_report "logs-$1" "$best" ms less "$peer" "$2" "over HTTP, $lines records, best of nine"
	[ "$1" != regex ] || bench_report logs-regex-cpu "$cpu" ms less "$peer" 567 'CPU time of the server, best of nine'
}
ask rare-word 12 '/api/v1/logs?text=kraken'
ask newest-common 289 '/api/v1/logs?text=request&limit=20'
ask regex 295 '/api/v1/logs/counts?step=1m&regex=user%20%5B0-9%5D%2B7%20failed%20after%209'
ask errors-by-minute 6 '/api/v1/logs/counts?service=service-3&severity=error&step=1m'
stop_server
