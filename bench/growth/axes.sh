# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2086,SC2119,SC2154 # options in variables; functions with optional arguments; variables of lib.sh
# Tables by axis: more services, stacks, series, linked spans, days. Each line fills a server, writes at a pace, restarts it and asks.

# method WHAT AXIS [EXTRA...]: how a table is made, and its head. EXTRA are columns of this axis alone
told=
method() {
	[ -n "$told" ] || cat <<-'END'
		Tables by axis. Each line is filled over 16 connections at full speed: profiles kept and lost (refused or failed), CPU ms of the server for each until
		it has merged them, and the ratio of that to the first line; live bytes a sample. Then it is written to at a pace for 10 s: ms to the acknowledgement from
		when a profile was due (p50, p99), profiles lost; peak MB so far. Restarted: ms of the first acknowledgement, of the first flame graph of one service and of
		the median one of 30; peak MB of the restarted server.

	END
	told=yes base=''
	echo "$1; pace $rate profiles/s"
	axis=$2
	shift 2
	row "$axis" kept lost CPU/prof ratio B/sample ack-p50 ack-p99 lost MB-write 1st-ack 1st-flm warm-flm MB-query "$@"
}

row() {
	printf '%9s %8s %6s %8s %6s %8s %8s %8s %5s %8s %8s %8s %8s %8s' "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "$9" "${10}" "${11}" "${12}" "${13}" "${14}"
	shift 14
	[ $# -eq 0 ] || printf ' %9s' "$@"
	echo
}

# filled PROFILES BEFORE: wait until they are merged; sets $each_ms (CPU for each, since it was BEFORE) and $bytes (for each sample)
filled() {
	quiet
	each_ms=$(divide $(($(cpu_ms) - $2)) "$1")
	bytes=$("$VARVE" store stats "$SCRATCH/data" --json | jq '.bytes_live / .samples * 100 | round / 100')
}

# line LABEL OPTIONS-OF-FILL...: one line of a table. $shape, $rate, $from and $service say what is sent and asked; $more is a function that sets
# $extra, the cells of this axis alone. $even: CPU and bytes were measured before
even=
line() {
	label=$1 extra=
	shift
	fresh
	start=$(cpu_ms)
	send fill -c 16 "$@" $shape
	[ -n "$even" ] || filled "$(of fill acknowledged)" "$start"
	base=${base:-$each_ms}
	send paced -c 16 -r $rate -s 10 $shape
	peak=$(peak_mb)
	stop
	start_server
	send one -c 1 -N 1 -s 60 $shape
	query first 1 "$(flame $service "$from")"
	query warm 30 "$(flame $service "$from")"
	[ -z "$more" ] || $more
	peak_query=$(peak_mb)
	stop
	row "$label" "$(of fill acknowledged)" "$(lost fill)" "$each_ms" "$(divide "$each_ms" "$base")" "$bytes" "$(of paced p50_ms)" "$(of paced p99_ms)" \
		"$(lost paced)" "$peak" "$(of one p99_ms)" "$(of first first)" "$(of warm p50)" "$peak_query" $extra
	complain fill paced one first warm
}

services_head() {
	from=now-1h service=service1 more='' rate=200 each=8
	method "services, of 2,000 stacks and 100 samples a profile. CPU and bytes: of $each profiles for each service, in every line. Where that is less than 4,000
  profiles, a server of its own gets them for one group of so many services after the other" services
}
services() {
	shape="-S $1 -P 2 -K 2000 -m 100"
	profiles=${GROWTH_PROFILES:-4000} even=
	groups=$((profiles / ($1 * each)))
	if [ $groups -gt 1 ]; then
		even=yes
		fresh
		start=$(cpu_ms)
		for group in $(seq $groups); do
			send group -c 16 $bound -N $(($1 * each)) -f $((group * $1)) $shape
		done
		filled $((groups * $1 * each)) "$start"
		stop
	fi
	[ $groups -ge 1 ] || profiles=$(($1 * each))
	line "$1" $bound -N $profiles
	even=
}

count_stacks() { extra=$(($(of fill stacks) / 2)); }
stacks_head() {
	from=now-1h service=service1 more=count_stacks rate=50
	method 'stacks of a service: two services, 500 samples a profile; last column: different stacks that each was sent' stacks stacks
}
stacks() {
	shape="-S 2 -P 2 -K $1 -m 500"
	profiles=${GROWTH_PROFILES:-4000}
	[ $profiles -ge $(($1 / 250)) ] || profiles=$(($1 / 250))
	line "$1" $bound -N $profiles
}

ask_series() {
	query pod 30 "$(flame 'service0%7Bpod%3D%22pod-1%22%7D' "$from")"
	query labels 30 "/api/v1/label-values?name=pod&query=service0&from=$from"
	query by_pod 3 "/api/v1/series?query=service0&$cpu&from=$from&by=pod"
	extra="$(of pod p50) $(of labels first) $(of labels p50) $(of by_pod p50)"
	complain pod labels by_pod
}
series_head() {
	from=now-1h service=service0 more=ask_series rate=200
	method 'series (pods) of one service, of 2,000 stacks and 100 samples a profile; last columns: flame graph of one pod (median of 30), first and median values of the
  label, values by pod over time (median of 3)' series pod-flm 1st-label label by-pod
}
series() {
	shape="-S 1 -P $1 -K 2000 -m 100"
	profiles=${GROWTH_PROFILES:-32000}
	[ $profiles -ge "$1" ] || profiles=$1
	line "$1" $bound -N $profiles
}

# by_ids NAME FIELD PARAMETER: look up each id that load named
by_ids() {
	name=$1 field=$2 parameter=$3
	set --
	for id in $(jq -r ".${field}[]" "$SCRATCH/fill.json"); do
		set -- "$@" "$(flame $service "$from")&$parameter=$id"
	done
	query "$name" $# "$@"
}
ask_spans() {
	by_ids trace traces trace
	by_ids span spans span
	query list 3 "/api/v1/spans?query=$service&$cpu&from=$from&n=50"
	extra="$(of trace first) $(of trace p50) $(of span p50) $(of list p50)"
	complain trace span list
}
spans_head() {
	from=now-2d service=service1 more=ask_spans rate=50
	samples=$((${GROWTH_PROFILES:-6000} * 500))
	method "spans that samples have links to: two services of four pods, $samples samples of yesterday in profiles of 500, evenly over so many spans, five spans in a
  trace; last columns: flame graph of a trace (first, and median of 32 traces), of a span (median of 32), the 50 most expensive spans (median of 3)" \
		spans 1st-trace trace span list
}
spans() {
	shape="-S 2 -P 4 -K 2000 -m 500 -L $((samples > $1 ? samples / $1 : 1))"
	line "$1" -d $((samples / 500)) $bound
}

days_head() {
	from=now-366d service=service1 more='' rate=200
	method 'days, of 20 services with 2,000 stacks and 100 samples a profile: 400 profiles a day, but not more than 14,400' days
}
days() {
	shape='-S 20 -P 2 -K 2000 -m 100'
	line "$1" -d $(($1 * 400 < 14400 ? $1 * 400 : 14400)) -D "$1" $bound
}
