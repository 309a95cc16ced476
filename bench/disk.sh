#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119 # functions with optional arguments
# Bytes on disk per sample, compared with Pyroscope: generated profiles of yesterday
# (tests/server/load.c -d: 550 samples on average, 8 services of 4 pods, 3,000 stacks each, most
# samples in a few of them), sent to both by push.v1. Live bytes are those that queries read: for
# Varve as `varve store stats` reports them; for Pyroscope the files of the blocks that its page of
# blocks lists, after it has merged them twice (a quarter of an hour; it merges only while profiles
# arrive, so the script keeps sending a few). The script also waits until Varve has rolled up the
# hours, some minutes after the last profile. DISK_PROFILES is the number of profiles (7,000; 78,000
# are 43 million samples). PYROSCOPE is the path of the Pyroscope program; without it the script
# compares with a reference value.
set -eu
. bench/bench.sh
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
# shellcheck source=bench/server/peer.sh
. bench/server/peer.sh
load=build-release/bench/load
profiles=${DISK_PROFILES:-7000}
patience=${DISK_WAIT:-1500} # timeout of each for merging, in seconds
trap 'kill "$SERVER" 2>/dev/null || true; peer_stop' EXIT

start_server
"$load" -d "$profiles" 127.0.0.1 "$PORT" >"$SCRATCH/ours.json"
samples=$(jq .samples "$SCRATCH/ours.json")

# live_peer: print the bytes of all blocks, and of the merged ones
live_peer() {
	curl -s "http://127.0.0.1:4040/ops/object-store/tenants/anonymous/blocks?queryFrom=now-50h&queryTo=now" |
		sed 's/<[^>]*>/ /g' | tr -s ' \n' '  ' | grep -oE '[0-9A-Z]{26} [^ ]+Z [^ ]+Z [^ ]+ [0-9]+ ' |
		awk '{ print $1, $5 }' >"$SCRATCH/blocks"
	find "$SCRATCH/peer" -type f -printf '%s %p\n' | awk -v list="$SCRATCH/blocks" '
	BEGIN { while ((getline line < list) > 0) { split(line, f); level[f[1]] = f[2] } }
	{
		n = split($2, part, "/")
		for (i = 1; i <= n; i++)
			if (part[i] in level) { all += $1; if (level[part[i]] >= 2) merged += $1 }
	}
	END { printf "%d %d", all, merged }'
}

peer=8.9
them='Pyroscope 2.x (reference value: a dense day)'
if peer_start; then
	kill -CONT "$PEER"
	"$load" -c 64 -d "$profiles" 127.0.0.1 4040 >"$SCRATCH/theirs.json"
	jq -e ".acknowledged == $profiles" "$SCRATCH/theirs.json" >/dev/null || {
		echo "the peer did not accept all profiles: $(cat "$SCRATCH/theirs.json")"
		exit 1
	}
	until=$(($(date +%s) + patience))
	while :; do
		"$load" -c 1 -r 1 -s 10 -n 1000000 -u "$SCRATCH/trickle" 127.0.0.1 4040 >/dev/null
		# shellcheck disable=SC2046 # two numbers
		set -- $(live_peer)
		[ "$1" -eq 0 ] || [ $((($1 - $2) * 100)) -gt "$1" ] || break
		[ "$(date +%s)" -lt $until ] || break
	done
	[ "$1" -gt 0 ] || {
		echo "the block list of the peer has none of its files"
		exit 1
	}
	peer=$(awk -v bytes="$1" -v n="$samples" 'BEGIN { print bytes / n }')
	them="Pyroscope 2.x (the same data, $(($2 * 100 / $1)) % of it merged twice)"
fi
until=$(($(date +%s) + patience))
while :; do # one roll-up for each hour and for the day, of 8 services
	"$VARVE" store stats "$SCRATCH/data" --json >"$SCRATCH/stats.json"
	jq -e '.sizes.rollup.count == 200' "$SCRATCH/stats.json" >/dev/null && break
	[ "$(date +%s)" -lt $until ] || break
	sleep 10
done
per_sample() { jq "$1 / $samples" "$SCRATCH/stats.json"; }
bench_report disk-live "$(per_sample .bytes_live)" 'B/sample' less "$them" "$peer" "$profiles profiles, $samples samples of one day, no spans; live bytes"
bench_report disk-all "$(per_sample .bytes_disk)" 'B/sample' less '' '' 'the same; all files'
