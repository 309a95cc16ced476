#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve config, and how up and server refuse to start.
. "$SOURCE_ROOT/tests/cli/lib.sh"

run config show up
expect 'the built-in configuration is shown' 0 '^receivers:$' 'endpoint: 127.0.0.1:4040' '^  store:$'
cp out up.yaml
run config show --config up.yaml
expect_out 'what is shown is a configuration that shows the same' "$(cat up.yaml)"
run config show server --data "it's \$HOME" --listen 127.0.0.1:1 --set receivers.otlp.protocols.grpc.endpoint=127.0.0.1:2 \
	--memory-limit 300M --retention 30d --retention-size 5GiB
expect 'flags and --set change it' 0 'directory: "it.s ..HOME"' 'endpoint: "127.0.0.1:1"$' 'endpoint: 127.0.0.1:2$' \
	'limit_mib: 300' 'retention: "30d"' 'retention_bytes: "5GiB"'
run config show nosuch
expect 'an unknown name is told' 2 'no built-in configuration "nosuch"'
sed 's/endpoint/endpiont/' up.yaml >bad.yaml
run config check bad.yaml
expect 'a mistake is told with its place and what was meant' 2 \
	'bad.yaml:5:9: receiver otlp: unknown option "endpiont"; did you mean "endpoint"\?'
run config check up.yaml
expect 'a good file is fine' 0
# shellcheck disable=SC2016 # varve expands it
ENDPOINT=127.0.0.1:7 "$VARVE" config show up --set 'receivers.pyroscope.endpoint=${env:ENDPOINT}' >out 2>err
code=$?
expect 'the environment is read' 0 'endpoint: 127.0.0.1:7'
run config help memory_limiter
expect 'the settings of a component' 0 'limit_mib: .number, MiB. \[0\]'
run config help nosuch
expect 'an unknown component is told' 2 'no component "nosuch"'
run server --data data --listen 0.0.0.0:0
expect 'beyond loopback only with tokens' 2 'can be reached from other machines: give --token-file'
run server --config nosuch.yaml
expect 'a missing configuration is told' 2 'nosuch.yaml: No such file'
: >file
run server --data file/data --listen 127.0.0.1:0
expect 'a data directory that cannot be made is told' 2 'exporter store: .*file/data'
finish
