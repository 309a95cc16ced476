#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119
# Control of 1,000 connected instances on loopback: a lease reaches all of them, all confirm it, and it
# ends everywhere by itself.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

# patiently COMMAND...: repeat until it succeeds, at most for a minute
# shellcheck disable=SC2317 # called by expect_that
patiently() {
	tries=600
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

start_server
export VARVE_URL="$URL"
"$INSTANCES" "$PORT" 1000 fleet 150 >fleet 2>&1 &
fleet=$!
expect_that '1,000 instances report' patiently grep -q '^connected 1000$' fleet
run control fleet --cpu-hz 200 --for 40s --reason 'all of them' --wait 30
expect 'all of them confirm the lease' 0 '^fleet: applied by 1000 instances, refused by 0, no answer of 0$'
curl -s "$URL/api/v1/control?service=fleet" >state
expect_that 'the list of instances is bounded' test "$(grep -o '"instance":"instance-' state | wc -l)" -le 1000
expect_that 'all are counted' grep -q '"instance_count":1000' state
wait $fleet
expect_that 'all instances end the lease by themselves' test $? = 0
expect_that 'each applied it and ended it' grep -q '^applied 1000 ended 1000$' fleet
sed 's/^/# /' fleet
curl -s "$URL/metrics" >metrics
expect_that 'metrics count the instances' grep -q '^varve_control_instances 1000$' metrics
expect_that 'the server ends on SIGTERM' stop_server
finish
