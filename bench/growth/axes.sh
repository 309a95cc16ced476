# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2086,SC2119,SC2154 # options in variables; functions with optional arguments; variables of lib.sh
# Tables by axis: services, stacks, series, linked spans, days. Each line fills a server, writes at
# a fixed rate, restarts the server and queries it.

# method WHAT AXIS [EXTRA...]: print how the table is measured, and its head. EXTRA are columns of
# this axis only
explained=
method() {
	[ -n "$explained" ] || cat <<-'END'
		Tables by axis. Each line fills a server over 16 connections at full speed: profiles stored and lost (refused or failed), CPU ms of the
		server per profile, including merging, and its ratio to the first line; live bytes per sample. Then profiles are written at a fixed
		rate for 10 s: ms from the time a profile was due to the acknowledgement (p50, p99), profiles lost; peak MB so far. After a restart: ms
		of the first acknowledgement, of the first flame graph of one service and of the median of 30; peak MB of the restarted server.

	END
	explained=yes base=''
	echo "$1; pace $rate profiles/s"
	axis=$2
	shift 2
	row "$axis" stored lost CPU/prof ratio B/sample ack-p50 ack-p99 lost MB-write 1st-ack 1st-flm warm-flm MB-query "$@"
}

row() {
	printf '%9s %8s %6s %8s %6s %8s %8s %8s %5s %8s %8s %8s %8s %8s' "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "$9" "${10}" "${11}" "${12}" "${13}" "${14}"
	shift 14
	[ $# -eq 0 ] || printf ' %9s' "$@"
	echo
}

# filled PROFILES BEFORE: wait until all are merged; set $each_ms (CPU per profile, since CPU time
# BEFORE) and $bytes (per sample)
filled() {
	quiet
	each_ms=$(divide $(($(cpu_ms) - $2)) "$1")
	bytes=$("$VARVE" store stats "$SCRATCH/data" --json | jq '.bytes_live / .samples * 100 | round / 100')
}

# line LABEL OPTIONS-OF-FILL...: measure and print a line of a table. $shape, $rate, $from and
# $service define the writes and queries; $more is a function that sets $extra, the cells of this
# axis only. $even: CPU and bytes have been measured before
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
	method "services with 2,000 stacks and 100 samples per profile. CPU and bytes are those of $each profiles per service, in every line. Where these
  are less than 4,000 profiles, a separate server gets them for several groups of services in sequence" services
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
	method 'stacks of a service: two services, 500 samples per profile; last column: different stacks sent to each' stacks stacks
}
stacks() {
	shape="-S 2 -P 2 -K $1 -m 500"
	profiles=${GROWTH_PROFILES:-4000}
	[ $profiles -ge $(($1 / 250)) ] || profiles=$(($1 / 250))
	line "$1" $bound -N $profiles
}

query_series() {
	query pod 30 "$(flame 'service0%7Bpod%3D%22pod-1%22%7D' "$from")"
	query labels 30 "/api/v1/label-values?name=pod&query=service0&from=$from"
	query by_pod 3 "/api/v1/series?query=service0&$cpu&from=$from&by=pod"
	extra="$(of pod p50) $(of labels first) $(of labels p50) $(of by_pod p50)"
	complain pod labels by_pod
}
series_head() {
	from=now-1h service=service0 more=query_series rate=200
	method 'series (pods) of one service with 2,000 stacks and 100 samples per profile; last columns: flame graph of one pod (median of 30), first and
  median query of label values, values by pod over time (median of 3)' series pod-flm 1st-label label by-pod
}
series() {
	shape="-S 1 -P $1 -K 2000 -m 100"
	profiles=${GROWTH_PROFILES:-32000}
	[ $profiles -ge "$1" ] || profiles=$1
	line "$1" $bound -N $profiles
}

# by_ids NAME FIELD PARAMETER: query by each id that load printed
by_ids() {
	name=$1 field=$2 parameter=$3
	set --
	for id in $(jq -r ".${field}[]" "$SCRATCH/fill.json"); do
		set -- "$@" "$(flame $service "$from")&$parameter=$id"
	done
	query "$name" $# "$@"
}
query_spans() {
	by_ids trace traces trace
	by_ids span spans span
	query list 3 "/api/v1/spans?query=$service&$cpu&from=$from&n=50"
	extra="$(of trace first) $(of trace p50) $(of span p50) $(of list p50)"
	complain trace span list
}
spans_head() {
	from=now-2d service=service1 more=query_spans rate=50
	samples=$((${GROWTH_PROFILES:-6000} * 500))
	method "spans with samples: two services of four pods, $samples samples of yesterday in profiles of 500, distributed evenly over the spans, five
  spans per trace; last columns: flame graph of a trace (first, and median of 32 traces), of a span (median of 32), the 50 most expensive spans (median of 3)" \
		spans 1st-trace trace span list
}
spans() {
	shape="-S 2 -P 4 -K 2000 -m 500 -L $((samples > $1 ? samples / $1 : 1))"
	line "$1" -d $((samples / 500)) $bound
}

days_head() {
	from=now-366d service=service1 more='' rate=200
	method 'days of 20 services with 2,000 stacks and 100 samples per profile: 400 profiles per day, but at most 14,400' days
}
days() {
	shape='-S 20 -P 2 -K 2000 -m 100'
	line "$1" -d $(($1 * 400 < 14400 ? $1 * 400 : 14400)) -D "$1" $bound
}
