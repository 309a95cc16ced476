# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034 # variables are used by scripts that include this file
# Functions of the sections of bench/growth.sh.
load=build-release/bench/load
ask=build-release/bench/ask
cpu='type=process_cpu:cpu:nanoseconds:cpu:nanoseconds'
bound="-s ${GROWTH_SECONDS:-600} -e 20" # limits of each fill: seconds, and failed writes

# send NAME [options of load]: run load; its output goes to NAME.json, its first error to NAME.err
send() {
	name=$1
	shift
	"$load" "$@" -p "$SERVER" 127.0.0.1 "$PORT" >"$SCRATCH/$name.json" 2>"$SCRATCH/$name.err" || true
}

# query NAME [-r N] [-s N] COUNT PATH...: the same for ask; each path gets the prefix $URL
query() {
	name=$1
	shift
	for argument; do
		shift
		case $argument in
		/*) argument=$URL$argument ;;
		esac
		set -- "$@" "$argument"
	done
	"$ask" "$@" >"$SCRATCH/$name.json" 2>"$SCRATCH/$name.err" || true
}

# flame SELECTOR FROM [TO]: print the path of a flame graph. With a relative time each query has
# another range, so no response comes from the result cache
flame() {
	echo "/api/v1/flame?query=$1&$cpu&from=$2${3:+&to=$3}&max_nodes=8192"
}

# of NAME FIELD: print a number of NAME.json, or "-"
of() {
	number=$(jq -r ".$2 // empty" "$SCRATCH/$1.json" 2>/dev/null || true)
	echo "${number:--}"
}

# lost NAME: print the number of writes that were refused or failed
lost() {
	of "$1" 'refused + .failed'
}

# complain NAME...: print their errors
complain() {
	for name; do
		[ ! -s "$SCRATCH/$name.err" ] || printf '    ! %s: %s\n' "$name" "$(grep . "$SCRATCH/$name.err" | tail -1 | cut -c 1-300)"
	done
}

# behind FUNCTION [arguments]: run it in the background, until finish
behind() {
	"$@" &
	pids="$pids $!"
}
pids=
finish() {
	# shellcheck disable=SC2086 # several words
	wait $pids || true
	pids=
}

cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$SERVER/stat"; }
peak_mb() { awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$SERVER/status"; }

# quiet: wait until the server has merged all data; it begins ten seconds after the last write
quiet() {
	sleep 11
	for _ in $(seq 60); do
		before=$(cpu_ms)
		sleep 2
		[ $(($(cpu_ms) - before)) -gt 40 ] || return 0
	done
}

# fresh [options of the server]: start a server on an empty directory
fresh() {
	rm -rf "$SCRATCH/data"
	start_server "$@"
}
stop() {
	stop_server
	SERVER=
}

# divide A B: print the quotient, or "-" if one of them is not a number
divide() {
	awk -v a="$1" -v b="$2" 'BEGIN { if (a == "-" || b == "-" || b + 0 == 0) print "-"; else printf "%.2f", a / b }'
}

# figure NAME VALUE UNIT GOAL WHAT: print a result, also as JSON; GOAL is for example "<= 2", or
# empty
figure() {
	met=
	[ -z "$4" ] || met=$(awk -v value="$2" -v goal="$4" 'BEGIN {
		split(goal, part)
		print value != "-" && (part[1] == "<" ? value + 0 < part[2] : value + 0 <= part[2]) ? "met" : "MISSED"
	}')
	printf '  %-74s %10s %-4s%s\n' "$5" "$2" "$3" "${4:+  goal $4${3:+ $3}: $met}"
	[ "$2" = - ] || bench_report "growth-$1" "$2" "$3" less '' '' "$5${4:+; goal $4 $3}" >/dev/null
}
