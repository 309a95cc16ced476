#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Alerts of a running server reach an Alertmanager and a webhook: with the texts of their templates,
# once for each change of state, also over reloads and while a receiver is away. varve alerts lists
# them.
. "$SOURCE_ROOT/tests/cli/lib.sh"
SCRATCH=$work
# shellcheck source=tests/server/server.sh
. "$SOURCE_ROOT/tests/server/server.sh"

# A receiver that writes a line for each request: its path, and the body.
cat >sink.js <<'END'
const fs = require("fs");
const server = require("http").createServer((request, response) => {
	let body = "";
	request.on("data", (chunk) => (body += chunk));
	request.on("end", () => {
		fs.appendFileSync("received", request.url + " " + body + "\n");
		response.end();
	});
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => fs.writeFileSync("port", String(server.address().port)));
END
start_sink() {
	rm -f port
	node sink.js "${1:-0}" &
	SINK=$!
	tries=100
	while ! [ -s port ] && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
	SINK_PORT=$(cat port)
}
stop_sink() {
	kill "$SINK"
	wait "$SINK" 2>/dev/null
}
# at_least COUNT REGEX: wait until so many lines match; received: and not more
at_least() {
	tries=200
	while [ "$(grep -Ec -e "$2" received)" -lt "$1" ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}
received() {
	at_least "$@" && [ "$(grep -Ec -e "$2" received)" -eq "$1" ]
}
rules() { # expression
	cat >rules.yml <<END
groups:
  - name: main
    interval: 1s
    rules:
      - alert: TooMany
        expr: label_replace($1, "job", "shop", "", "")
        labels: {severity: '{{ if gt \$value 0.2 }}page{{ else }}ticket{{ end }}'}
        annotations:
          summary: '{{ \$labels.job | toUpper }}: {{ \$value | humanizePercentage }} in {{ \$externalLabels.zone }}'
          broken: '{{ query "none" | first }}'
END
}

: >received
start_sink
rules 'vector(0.25)'
start_server --rules rules.yml --webhook "http://127.0.0.1:$SINK_PORT/hook/T0SECRET" --alertmanager \
	"http://127.0.0.1:$SINK_PORT/am/" --set service.rules.external_labels.zone=west \
	--set service.rules.resend_delay=1s
expect_that 'an Alertmanager gets the alert' at_least 1 \
	'^/am/api/v2/alerts \[\{"labels":\{"alertname":"TooMany","job":"shop","severity":"page","zone":"west"\},"annotations":\{"broken":"<error expanding template: [^"]*first\(\) called on vector with no elements>","summary":"SHOP: 25% in west"\},"startsAt":"20[^"]*","endsAt":"20[^"]*","generatorURL":"http' ||
	sed 's/^/# /' received
expect_that 'a webhook gets the alert' received 1 '^/hook/T0SECRET \{"receiver":"varve","status":"firing".*"summary":"SHOP: 25% in west"'
expect_that 'the Alertmanager gets it again' at_least 3 '^/am'
expect_that 'the webhook does not' received 1 '^/hook'

run alerts --url "$URL"
expect 'alerts are listed' 0 '^firing +0m *[0-9]+s +0\.25  TooMany\{job="shop", severity="page"\}' 'summary: SHOP: 25% in west' '^1 firing, 0 pending'
run alerts --url "$URL" --state pending
expect_that 'by state' sh -c '! grep -q TooMany out && grep -q "1 firing" out'
run alerts --url "$URL" --json
expect 'as JSON' 0 '"alerts":\[\{.*"alertname":"TooMany"'

# A reload of the settings keeps what the webhook knows, and the counters.
curl -gsS "$URL/metrics" >out
expect_that 'metrics' grep -Eq "^prometheus_notifications_sent_total\{webhook=\"http://127.0.0.1:$SINK_PORT\"\} 1" out
expect_that 'metrics have no secret' sh -c '! grep -q SECRET out'

# A receiver that is away gets the newest state when it is back.
stop_sink
rules 'vector(0.25) < 0'
kill -HUP "$SERVER"
tries=100
while ! grep -q 'notifications are not delivered' server.log && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
start_sink "$SINK_PORT"
expect_that 'the webhook gets that it is resolved' received 1 '^/hook/T0SECRET \{"receiver":"varve","status":"resolved"' ||
	sed 's/^/# /' received server.log
expect_that 'logs have no secret' sh -c '! grep -q SECRET server.log'
run alerts --url "$URL"
expect 'no alert' 0 '^0 firing, 0 pending'
expect_that 'the server stops' stop_server
expect_that 'the webhook got two messages' received 2 '^/hook'
stop_sink
run up --data data2 --webhook localhost:9093 --listen 127.0.0.1:0
expect 'a wrong URL' 2 'the "url" of a receiver has to begin with http://'
finish
