# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Collectors for tests. $VARVE is the program, $SCRATCH the directory of the test.
#
#     start_collector [options]	start a collector in $SCRATCH and wait until it is ready; sets
#				$COLLECTOR (its pid) and $COLLECTOR_LOG. With $NAME, several can run:
#				the log is $SCRATCH/$NAME.log. It serves its metrics only
#				with METRICS=1: tests that run at the same time share the port
#     collector_address N	print the N-th listening address of the collector started last
#     stop_collector [signal [pid]]	stop it and wait; fails if its exit status is not 0

# Upper bound for the start in tenths of a second: generous, for sanitizers on busy machines.
COLLECTOR_PATIENCE=${COLLECTOR_PATIENCE:-300}

start_collector() {
	COLLECTOR_LOG=$SCRATCH/${NAME:-collector}.log
	: >"$COLLECTOR_LOG"
	[ -n "${METRICS:-}" ] || set -- "$@" --set service::telemetry::metrics::level=none
	"$VARVE" collector "$@" 2>"$COLLECTOR_LOG" &
	COLLECTOR=$!
	collector_tries=$COLLECTOR_PATIENCE
	while ! grep -q 'msg="Everything is ready' "$COLLECTOR_LOG"; do
		collector_tries=$((collector_tries - 1))
		if [ $collector_tries -eq 0 ] || ! kill -0 $COLLECTOR 2>/dev/null; then
			echo "# the collector did not start:"
			sed 's/^/# /' "$COLLECTOR_LOG"
			return 1
		fi
		sleep 0.1
	done
}

collector_address() {
	sed -n 's/.*msg="Everything is ready.* addresses="\{0,1\}\([^"=]*\)"\{0,1\} ms=.*/\1/p' "$COLLECTOR_LOG" | cut -d' ' -f"$1"
}

stop_collector() {
	kill "-${1:-TERM}" "${2:-$COLLECTOR}"
	wait "${2:-$COLLECTOR}" 2>/dev/null
	status=$?
	[ $status -eq 0 ] || {
		echo "# the collector ended with $status:"
		tail -20 "$COLLECTOR_LOG" | sed 's/^/# /'
		return 1
	}
}
