# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Shared code of the server tests. $VARVE is the program, $SCRATCH the directory of the test.
#
#     start_server [options]	start a server on free ports with data in $SCRATCH/data; sets
#				$SERVER (its pid), $URL (http://127.0.0.1:port), $PORT, $OTLP_GRPC
#				and $OTLP_HTTP (address:port)
#				the server profiles itself only if $SELF_PROFILE is on, and stores its
#				own metrics only if $SELF_METRICS is on; $KEY_FILE is the file of its
#				master keys, if it is set
#     stop_server [signal]	stop the server and wait; fails if its exit status after TERM is not 0

# Upper bound for start and stop in tenths of a second: generous, for sanitizers on busy machines.
SERVER_PATIENCE=${SERVER_PATIENCE:-300}

start_server() {
	self=--no-self-profile # tests count what they have sent
	[ "${SELF_PROFILE:-off}" = off ] || self=
	[ "${SELF_METRICS:-off}" != off ] || self="$self --no-self-metrics"
	: >"$SCRATCH/server.log" # so that the "ready" line of a previous server is not found
	"$VARVE" server --data "$SCRATCH/data" --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 \
		--otlp-http 127.0.0.1:0 $self ${KEY_FILE:+--encrypt-key-file "$KEY_FILE"} "$@" 2>"$SCRATCH/server.log" &
	SERVER=$!
	tries=$SERVER_PATIENCE
	while ! grep -q 'msg=ready' "$SCRATCH/server.log"; do
		tries=$((tries - 1))
		if [ $tries -eq 0 ] || ! kill -0 $SERVER 2>/dev/null; then
			echo "# the server did not start:"
			sed 's/^/# /' "$SCRATCH/server.log"
			return 1
		fi
		sleep 0.1
	done
	URL=http://$(ready_field http)
	PORT=${URL##*:}
	OTLP_GRPC=$(ready_field otlp_grpc)
	OTLP_HTTP=$(ready_field otlp_http)
	export URL PORT OTLP_GRPC OTLP_HTTP
}

ready_field() {
	sed -n "s/.*msg=ready.* $1=\\([^ ]*\\).*/\\1/p" "$SCRATCH/server.log" | tail -1
}

stop_server() {
	kill "-${1:-TERM}" "$SERVER"
	wait "$SERVER" 2>/dev/null
	status=$?
	[ "${1:-TERM}" = KILL ] || [ $status -eq 0 ] || {
		echo "# the server ended with $status:"
		tail -20 "$SCRATCH/server.log" | sed 's/^/# /'
		return 1
	}
}
