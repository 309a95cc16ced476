# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2086,SC2119,SC2154 # options in variables; functions with optional arguments; variables of lib.sh
# How one large service, expensive queries and a small memory limit affect others.

# watch NAME: for ten seconds, measure the latency of /ready and of writes of small services; until
# finish
others='-S 8 -P 2 -K 2000 -m 100 -f 1000'
watch() {
	behind query "$1-ready" -r 100 -s 10 0 /ready
	behind send "$1-acks" -c 16 -r 100 -s 10 $others
}

# note: append the results of both watches to files. compare NAME: report the medians of all notes
note() {
	for name in quiet-ready quiet-acks busy-ready busy-acks; do
		of $name 'p50 // .p50_ms' >>"$SCRATCH/$name-p50"
		of $name 'p99 // .p99_ms' >>"$SCRATCH/$name-p99"
	done
	lost busy-acks >>"$SCRATCH/busy-lost"
	of large p99_ms >>"$SCRATCH/large-ack"
	lost large >>"$SCRATCH/large-lost"
	peak_mb >>"$SCRATCH/peak"
	complain small quiet-ready quiet-acks busy-ready busy-acks
}
compare() {
	for what in ready acks; do
		busy=$(median busy-$what-p99) quiet=$(median quiet-$what-p99)
		figure "$1-$what" "$(divide "$busy" "$quiet")" x '<= 2' \
			"$what p99: $busy ms with the large service, $quiet without (p50 $(median busy-$what-p50), $(median quiet-$what-p50))"
	done
	figure "$1-lost" "$(sort -n "$SCRATCH/busy-lost" | tail -1)" '' '<= 0' 'writes of others: lost'
	figure "$1-large-lost" "$(median large-lost)" '' '' 'the large service: profiles lost'
	figure "$1-ack" "$(median large-ack)" ms '' 'the large service: p99 of acknowledgements'
	figure "$1-peak" "$(median peak)" MB '' 'peak memory'
	rm -f "$SCRATCH"/quiet-* "$SCRATCH"/busy-* "$SCRATCH"/large-* "$SCRATCH/peak"
}

# fill_large STACKS: start a server with one service of that many stacks
fill_large() {
	large="-S 1 -P 2 -K $1"
	fresh
	send fill -c 8 $bound -N $(($1 < 12500 ? 100 : $1 / 125)) -m 500 $large
	complain fill
	echo "  $1 stacks: $(of fill stacks) of them were sent in $(of fill acknowledged) profiles that were stored, $(lost fill) lost"
}

opening_head() {
	echo 'opening: one service with that many stacks is on disk, and the server was restarted. Other clients request /ready and write to 8 small services,'
	echo '  each 100 times per second for 10 s; ms from the time each was due. First without the large service; then again while it is written to'
	echo '  (20 profiles of 500 samples, 2 connections) and queried for the first time (flame graph), 1 s after the others began. Median of 3 restarts'
}

# open_once: restart the server, watch it without and with the large service; append the results to
# files
open_once() {
	start_server
	send small -c 8 -N 400 -s 60 $others
	watch quiet
	finish
	watch busy
	sleep 1
	behind send large -c 2 -N 20 -s 60 -m 500 $large
	behind query large-flame 1 "$(flame service0 now-1h)"
	finish
	of large-flame first >>"$SCRATCH/large-first"
	note
	stop
	complain large large-flame
}
opening() {
	fill_large "$1"
	quiet
	stop
	for _ in 1 2 3; do
		open_once
	done
	figure "opening-$1-flame" "$(median large-first)" ms '' 'the large service: first flame graph'
	compare "opening-$1"
}

full_head() {
	echo 'full: one service has as many stacks as its dictionary can hold; it continues with new ones over 2 connections, at full speed. Other clients'
	echo '  request /ready and write to 8 small services, each 100 times per second for 10 s, first without it; ms from the time each was due'
}
full() {
	fill_large "$1"
	send small -c 8 -N 400 -s 60 $others
	watch quiet
	finish
	behind send large -c 2 -s 10 -m 400 $large # another mean makes other samples
	watch busy
	finish
	note
	stop
	compare "full-$1"
}

diffs_head() {
	echo 'diffs: three clients repeatedly query the difference of all services (two hours compared with one, with flame graph); meanwhile other queries'
	echo '  run 5 times per second for 20 s, one kind after the other; from the time each was due. Services with 2,000 stacks, 20 profiles of 100 samples each'
}
diffs() {
	fresh
	send fill -c 16 $bound -N $(($1 * 20)) -S "$1" -P 2 -K 2000 -m 100
	quiet
	diff="/api/v1/diff?before=&after=&$cpu&before_from=now-2h&before_to=now&after_from=now-1h&after_to=now&flame=1&max_nodes=8192"
	for client in 1 2 3; do
		behind query "diff$client" -s 62 0 "$diff"
	done
	sleep 1
	query services -r 5 -s 20 0 '/api/v1/services?from=now-1h'
	query labels -r 5 -s 20 0 '/api/v1/label-values?name=pod&from=now-1h'
	query flame -r 5 -s 20 0 "$(flame service1 now-1h)"
	finish
	echo "  $1 services: $(of fill acknowledged) profiles stored ($(lost fill) lost); diffs answered $(sum answered diff1 diff2 diff3), refused $(sum refused diff1 diff2 diff3), median $(of diff1 p50) ms"
	for what in services labels flame; do
		figure "diffs-$1-$what" "$(of $what p99)" ms '< 200' "$what: p99 of $(of $what answered) answers ($(of $what refused) refused; p50 $(of $what p50) ms)"
	done
	figure "diffs-$1-peak" "$(peak_mb)" MB '' 'peak memory'
	stop
	complain fill diff1 diff2 diff3 services labels flame
}

# sum FIELD NAME...: print the sum over several results
sum() {
	field=$1
	shift
	for name; do
		of "$name" "$field"
	done | awk '{ n += $1 } END { print n }'
}

small_head() {
	echo 'small: --memory-limit 128M; services with 2,000 stacks send 50 profiles/s of 100 samples for 30 s, and the flame graph of one is queried 5 times per second'
}
small() {
	fresh --memory-limit 128M
	behind send acks -c 16 -r 50 -s 30 -S "$1" -P 2 -K 2000 -m 100
	sleep 1
	query flame -r 5 -s 29 0 "$(flame service1 now-1h)"
	finish
	echo "  $1 services: $(of acks acknowledged) profiles stored"
	figure "small-$1-lost" "$(lost acks)" '' '' 'profiles lost'
	figure "small-$1-ack" "$(of acks p99_ms)" ms '' "acknowledgement: p99 (p50 $(of acks p50_ms) ms)"
	figure "small-$1-refused" "$(of flame refused)" '' '' "queries refused, of $(($(of flame answered) + $(of flame refused)))"
	figure "small-$1-flame" "$(of flame p99)" ms '' "flame graph: p99 (p50 $(of flame p50) ms)"
	figure "small-$1-peak" "$(peak_mb)" MB '' 'peak memory'
	stop
	complain acks flame
}
