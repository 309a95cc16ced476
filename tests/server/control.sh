#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2119
# Control of real programs by the server: they apply a lease, confirm it, return by themselves, take
# profiles on demand, and keep their own limits. Who may is a matter of tokens.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

# patiently COMMAND...: repeat until it succeeds, at most for a minute
# shellcheck disable=SC2317 # called by expect_that
patiently() {
	tries=300
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.2
	done
}
# instance_has SERVICE REGEX: whether the list of instances has such a row
# shellcheck disable=SC2317
instance_has() { "$VARVE" control "$1" 2>>err | grep -Eq "$1 .*$2"; }
# event_says REGEX
# shellcheck disable=SC2317
event_says() { curl -s -H "Authorization: Bearer $all" "$URL/api/v1/events?service=$service" | grep -Eq "$1"; }
pids=

cat >burn.c <<'C'
#include <time.h>
int main(void)
{
	volatile unsigned long n = 0;
	for (time_t end = time(NULL) + 240; time(NULL) < end;)
		for (int i = 0; i < 10000000; i++)
			n += (unsigned long)i;
	return 0;
}
C
cc -g -O1 -o burn burn.c
# busy SERVICE [NAME=VALUE...]: start a program that uses the CPU and exports to $endpoint
busy() {
	name=$1
	shift
	env "$@" "$VARVE" run -e "$endpoint" -s "$name" --no-summary -- ./burn >"busy.$name" 2>&1 &
	pids="$pids $!"
}

# ---- without tokens, on loopback
all=none
service=shop
(umask 077 && openssl rand -hex 32 >key)
start_server --sender-key-file key
export VARVE_URL="$URL"
endpoint=http://$OTLP_GRPC
busy shop
endpoint=http://$OTLP_HTTP
busy capped VARVE_CONTROL_MAX_HZ=150 VARVE_CONTROL_PROFILES=cpu VARVE_CONTROL_MAX_SECONDS=60
busy closed VARVE_CONTROL=off
busy sealed VARVE_KEY_FILE=key
endpoint=$URL
busy pyro VARVE_PROTOCOL=pyroscope
expect_that 'an instance with OTLP over gRPC reports' patiently instance_has shop ' 100 cpu,heap'
expect_that 'an instance with OTLP over HTTP reports' patiently instance_has capped ' 100 cpu,heap'
expect_that 'an instance with /ingest reports' patiently instance_has pyro ' 100 cpu,heap'
run control shop --cpu-hz 400 --profiles cpu,wall --for 20s --reason 'a slow request'
expect 'a lease is applied and confirmed' 0 'shop: applied by 1 instances, refused by 0, no answer of 0'
expect_that 'the instance reports what it profiles now' instance_has shop ' 400 cpu,wall +applied'
expect_that 'other services are as before' instance_has capped ' 100 cpu,heap +none'
expect_that 'the change is an event of the service' event_says '"action":"control.set".*cpu_hz=400 profiles=cpu,wall for 20 s on 1 instances: a slow request'
expect_that 'the instance returns by itself when the time is over' patiently instance_has shop ' 100 cpu,heap +ended'
expect_that 'the end is an event, too' patiently event_says '"action":"control.expired"'

run control shop --cpu-hz 300 --for 60s
expect 'another lease is applied' 0 'applied by 1'
run control shop --end
expect 'it is ended before its time' 0 'shop: the change is ended'
expect_that 'the instance returns to its own settings' patiently instance_has shop ' 100 cpu,heap +ended'

run control capped --cpu-hz 200
expect 'a rate above the ceiling of the process is refused by it' 1 'refused by 1' '200 Hz is above control.max_cpu_hz \(150\)'
run control capped --profiles cpu,heap
expect 'so are kinds that it does not permit' 1 'control.profiles'
run control capped --cpu-hz 150 --for 300s
expect 'so is a time that is too long' 1 'longer than control.max_seconds'
expect_that 'it profiles as before' instance_has capped ' 100 cpu,heap +refused'
run control closed --cpu-hz 200
expect 'a process with control off does not take part' 2 'no instance of closed reports'
run control shop --cpu-hz 1001
expect 'an impossible rate is an error' 2 'cpu_hz: expected a number from 1 to 1000'

run capture shop --seconds 2 --kind cpu -o cpu.pb.gz
expect 'a profile on demand is brought back' 0 'cpu.pb.gz: [0-9]+ bytes of'
run top cpu.pb.gz
expect 'it has the function that runs' 0 '%.*main'
run capture shop --seconds 2 --kind wall --all -o shop
expect 'a profile of another kind of all instances' 0 'shop-[0-9a-f-]+.pb.gz: '
run capture sealed --seconds 2 --kind cpu -o sealed.pb.gz
expect 'an instance that encrypts what it sends brings one back, too' 0 'sealed.pb.gz: [0-9]+ bytes of'
run top sealed.pb.gz
expect 'which the server has opened' 0 '%.*main'
run capture capped --seconds 2 --kind heap -o heap.pb.gz
expect 'a kind that the process does not permit is refused' 1 'control.profiles'
run capture shop --seconds 200 --kind cpu -o long.pb.gz
expect 'the limits of the process apply' 1 'max_seconds'
expect_not 'then there is no file' test -e long.pb.gz
run control pyro --cpu-hz 300 --for 60s --reason 'over a restart'
expect 'a lease is in effect when the server stops' 0 'applied by 1'
expect_that 'the server ends on SIGTERM' stop_server
start_server --listen "127.0.0.1:$PORT"
curl -s "$URL/api/v1/control?service=pyro" >out
expect_that 'the next server knows the lease' grep -q '"reason":"over a restart"' out
expect_that 'the instance keeps it' patiently instance_has pyro ' 300 cpu,heap +applied'
run control pyro --end
expect 'it can be ended' 0 'pyro: the change is ended'
expect_that 'then the instance returns to its own settings' patiently instance_has pyro ' 100 cpu,heap +ended'
run audit data/audit.log
expect 'the audit log is intact' 0 'lines are intact'
expect_that 'it has who and what' grep -q '"actor":"anonymous","address":"127.0.0.1:[0-9]*","action":"control.capture","object":"shop"' data/audit.log
expect_that 'the server ends on SIGTERM' stop_server
for pid in $pids; do kill "$pid"; done
for pid in $pids; do wait "$pid" 2>/dev/null; done

# ---- with tokens
pids=
for who in write read control; do
	"$VARVE" token new --file tokens --scope $who --name "$who" >token.$who 2>>err
	eval "$who=\$(cat token.$who)"
done
"$VARVE" token new --file tokens --scope control --name other --service other >token.other 2>>err
"$VARVE" token new --file tokens --scope admin --name admin >token.admin 2>>err
all=$(cat token.admin)
start_server --token-file tokens
export VARVE_URL="$URL"
expect_that 'the events of an earlier process are still listed' event_says '"action":"control.set"'
endpoint=http://$OTLP_HTTP
# shellcheck disable=SC2154 # set by eval
busy shop VARVE_HEADERS="authorization=Bearer $write"
export VARVE_TOKEN_FILE=token.admin
expect_that 'an instance reports with a token to write' patiently instance_has shop ' 100 cpu,heap'
for who in read write; do
	run control shop --cpu-hz 200 --token-file token.$who
	expect "a token to $who does not permit control" 2 'does not have the scope control'
	run capture shop -o x --token-file token.$who
	expect "nor profiles on demand ($who)" 2 'does not have the scope control'
done
run control shop --cpu-hz 200 --token-file token.other
expect 'nor does a token for another service' 2 'does not permit to control this service'
expect_that 'the instance profiles as before' instance_has shop ' 100 cpu,heap +none'
run control shop --cpu-hz 200 --for 5s --token-file token.control
expect 'a token with the scope control does' 0 'applied by 1'
expect_that 'the audit log names the token by its id' grep -Eq '"actor":"token [0-9a-f]{12} control".*"action":"control.set"' data/audit.log
expect_that 'and has refused attempts' grep -q '"action":"access.refused".*no scope control' data/audit.log
expect_not 'no file and no log has a token' grep -rq -e "$write" -e "$all" data/audit.log server.log tokens
expect_that 'the server ends on SIGTERM' stop_server
for pid in $pids; do kill "$pid"; done
for pid in $pids; do wait "$pid" 2>/dev/null; done

# ---- open to other machines without tokens: control is off
"$VARVE" server --data "$SCRATCH/open" --listen 0.0.0.0:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 --insecure --no-self-profile 2>open.log &
SERVER=$!
patiently grep -q 'msg=ready' open.log
URL=http://127.0.0.1:$(sed -n 's/.* http=[^ ]*:\([0-9]*\) .*/\1/p' open.log | tail -1)
unset VARVE_TOKEN_FILE
run control shop --cpu-hz 200 --url "$URL"
expect 'a server that everybody may use does not control' 2 'to control instances, give --token-file'
kill "$SERVER"
wait "$SERVER"
finish
