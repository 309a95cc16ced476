# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Runs Pyroscope beside our server, if $PYROSCOPE is the path of its program. It listens on loopback
# only, at its default ports, has no limits of rate or age, does not profile itself, and is stopped
# (SIGSTOP) while our server is measured. Its background work continues with its next load, and is
# counted then.
#
#     peer_start			start it; fails, with a message, if it is not available
#     peer_load FILE [options of load]	load it; the output of load goes to FILE
#     peer_stop

peer_start() {
	if [ -z "${PYROSCOPE:-}" ]; then
		bench_skip 'Pyroscope in the same run' 'PYROSCOPE is not set to its program; its values are references from a similar, quiet machine'
		return 1
	fi
	mkdir -p "$SCRATCH/peer"
	here=127.0.0.1
	(cd "$SCRATCH/peer" && exec "$PYROSCOPE" -log.level=error -usage-stats.enabled=false -self-profiling.disable-push=true \
		-distributor.ingestion-rate-limit-mb=100000 -distributor.ingestion-burst-size-mb=100000 -validation.reject-older-than=0 \
		-server.http-listen-address=$here -server.grpc-listen-address=$here -memberlist.bind-addr=$here \
		-memberlist.advertise-addr=$here -compactor.ring.instance-addr=$here -distributor.ring.instance-addr=$here \
		-ingester.lifecycler.addr=$here -overrides-exporter.ring.instance-addr=$here -query-frontend.instance-addr=$here \
		-query-scheduler.ring.instance-addr=$here -segment-writer.lifecycler.addr=$here \
		-store-gateway.sharding-ring.instance-addr=$here >"$SCRATCH/peer.log" 2>&1) &
	PEER=$!
	# Wait until it accepts profiles; it may report that it is not ready long after that.
	taken=no
	for _ in $(seq 90); do
		sleep 1
		kill -0 "$PEER" 2>/dev/null || break
		build-release/bench/load -c 1 -r 1 -s 1 $here 4040 2>/dev/null | jq -e '.acknowledged > 0' >/dev/null && taken=yes && break
	done
	if [ $taken = no ]; then
		bench_skip 'Pyroscope in the same run' "it does not accept profiles: $(tail -1 "$SCRATCH/peer.log")"
		peer_stop
		return 1
	fi
	kill -STOP "$PEER"
}

peer_load() {
	out=$1
	shift
	kill -CONT "$PEER"
	sleep 1
	build-release/bench/load "$@" -p "$PEER" 127.0.0.1 4040 >"$out"
	kill -STOP "$PEER"
}

peer_stop() {
	[ -z "${PEER:-}" ] || kill -KILL "$PEER" 2>/dev/null || true
}
