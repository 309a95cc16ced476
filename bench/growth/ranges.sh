# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2086,SC2119,SC2154 # options in variables; functions with optional arguments; variables of lib.sh
# Queries over long ranges and over many services.

# costed NAME COUNT PATH...: query, and set $cost to the CPU time of the server per response, which
# does not depend on other load
costed() {
	start=$(cpu_ms)
	query "$@"
	cost=$(divide $(($(cpu_ms) - start)) "$(of "$1" answered)")
}

# whole NAME SELECTOR DAYS: query the flame graph of the last whole days, 20 times. Each range ends
# at another second after midnight, where there is no data: so no response comes from the result
# cache, and no range cuts through a day
whole() {
	name=$1 selector=$2 begin=$((midnight - $3 * 86400))
	set --
	for second in $(seq 20); do
		set -- "$@" "$(flame "$selector" $begin $((midnight + second)))"
	done
	costed "$name" 20 "$@"
}

# rolled_up GROUPS: wait until each chunk of an hour has its roll-up and that many groups have one
# for the day. The worker begins two minutes after the last write
rolled_up() {
	for _ in $(seq 60); do
		"$VARVE" store stats "$SCRATCH/data" --json | jq -e ".sizes | (.level0.count // 0) == 0 and .rollup.count == .points.count + $1" >/dev/null && return 0
		sleep 5
	done
	echo '  the roll-ups were not finished after 5 minutes'
}

month_head() {
	echo 'month: 20 services with 2,000 stacks send 20 profiles of 100 samples for each day (the last one is yesterday), each pod one day after the other,'
	echo '  16 connections, full speed. After the roll-ups and a restart, flame graphs of whole days: median of 20'
}
month() {
	midnight=$(($(date +%s) / 86400 * 86400))
	fresh
	send fill -c 16 -d $(($1 * 400)) -D "$1" -i $bound -S 20 -P 2 -K 2000 -m 100
	rolled_up $(($1 * 20))
	peak=$(peak_mb)
	stop
	echo "  $1 days: $(of fill acknowledged) profiles stored, $(of fill profiles_per_s) per second"
	figure "month-$1-lost" "$(lost fill)" '' '<= 0' 'profiles lost'
	figure "month-$1-ack" "$(of fill p99_ms)" ms '' "acknowledgement: p99 (p50 $(of fill p50_ms) ms)"
	figure "month-$1-peak" "$peak" MB '' 'peak memory while writing'
	start_server
	query all-first 1 "$(flame '' $((midnight - $1 * 86400)) $midnight)"
	whole one service1 1
	cost_one=$cost
	whole month service1 "$1"
	figure "month-$1-ratio" "$(divide "$(of month p50)" "$(of one p50)")" x '<= 3' \
		"one service: $1 days $(of month p50) ms (CPU $cost), one day $(of one p50) ms (CPU $cost_one)"
	figure "month-$1-ratio-cpu" "$(divide "$cost" "$cost_one")" x '<= 3' 'the same in CPU time, which does not depend on other load'
	whole all '' "$1"
	figure "month-$1-all" "$(of all p50)" ms '< 500' "20 services, $1 days (CPU $cost ms; first $(of all-first first), p99 $(of all p99) ms)"
	figure "month-$1-peak-query" "$(peak_mb)" MB '' 'peak memory after the restart'
	stop
	complain fill all-first one month all
}

merged_head() {
	echo 'merged: the flame graph of all services over the last hour; 2,000 stacks and 20 profiles of 100 samples each. After a restart: median of 5'
}
merged() {
	fresh
	send fill -c 16 $bound -N $(($1 * 20)) -S "$1" -P 2 -K 2000 -m 100
	quiet
	stop
	start_server
	costed all 5 "$(flame '' now-1h)"
	echo "  $1 services: $(of fill acknowledged) profiles stored, $(lost fill) lost"
	figure "merged-$1" "$(of all p50)" ms '< 2000' "all services (CPU $cost ms; first $(of all first) ms, $(of all refused) refused)"
	figure "merged-$1-peak" "$(peak_mb)" MB '' 'peak memory after the restart'
	stop
	complain fill all
}
