#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve config, and the errors with which up and server refuse to start.
. "$SOURCE_ROOT/tests/cli/lib.sh"

run config show up
expect 'the built-in configuration is shown' 0 '^receivers:$' 'endpoint: 127.0.0.1:4040' '^  store:$'
cp out up.yaml
run config show --config up.yaml
expect_out 'the shown configuration can be loaded and shows the same' "$(cat up.yaml)"
run config show up --brief
expect_not 'without defaults it is short' grep -q spike_limit_mib out
run config show up --set exporters.store.retention=null
expect 'a value of null is the default' 0 'retention: "*0'
run config show server --data "it's \$HOME" --listen 127.0.0.1:1 --set receivers.otlp.protocols.grpc.endpoint=127.0.0.1:2 \
	--memory-limit 300M --retention 30d --retention-size 5GiB
expect 'flags and --set change the configuration' 0 'directory: "it.s ..HOME"' 'endpoint: "127.0.0.1:1"$' 'endpoint: 127.0.0.1:2$' \
	'limit_mib: 300' 'retention: "30d"' 'retention_bytes: "5GiB"'
run config show nosuch
expect 'an unknown name is reported' 2 'no built-in configuration "nosuch"'
sed 's/endpoint/endpiont/' up.yaml >bad.yaml
run config check bad.yaml
expect 'an error has its position and a suggestion' 2 \
	'bad.yaml:5:9: receiver otlp: unknown option "endpiont"; did you mean "endpoint"\?'
sed 's|^  store:|  store/2: {directory: other}\n&|; s|exporters: .store.|exporters: [store, store/2]|' up.yaml >two.yaml
run config check two.yaml
expect 'two stores are rejected with their position' 2 \
	'two.yaml:[0-9]*:3: exporter "store": a configuration can have one store only, and has "store/2"'
sed 's/^  api:/  apy:/' up.yaml >bad.yaml
run config check bad.yaml
expect 'the API section is validated' 2 'bad.yaml:.*unknown key "apy"; did you mean "api"'
run config check up.yaml
expect 'a valid file is accepted' 0
# shellcheck disable=SC2016 # varve expands it
ENDPOINT=127.0.0.1:7 "$VARVE" config show up --set 'receivers.pyroscope.endpoint=${env:ENDPOINT}' >out 2>err
code=$?
expect 'environment variables are expanded' 0 'endpoint: 127.0.0.1:7'
run config show up --set 'receivers.pyroscope.endpoint=${env:NO_SUCH_VARIABLE}'
expect 'an environment variable that is not set is an error' 2 'NO_SUCH_VARIABLE is not set: set it, give a default .*--allow-unset'
run config show up --allow-unset --set 'exporters.store.directory=x${env:NO_SUCH_VARIABLE}'
expect 'or empty with a note' 0 'directory: x$' 'NO_SUCH_VARIABLE is not set'
printf 'receivers:\n  pyroscope: {endpoint: 127.0.0.1:9}\nexporters:\n  store: {retention: 3d}\n' >more.yaml
run config show --config up.yaml --config more.yaml
expect 'several files are merged' 0 'endpoint: 127.0.0.1:9$' 'retention: 3d' 'directory: ' 'endpoint: 127.0.0.1:4317$'
OVERRIDE='exporters: {store: {retention: 4d}}' "$VARVE" config show --config up.yaml --config env:OVERRIDE \
	--config 'yaml:receivers::pyroscope::endpoint: 127.0.0.1:8' >out 2>err
code=$?
expect 'sources are environment variables and text, too' 0 'endpoint: 127.0.0.1:8$' 'retention: 4d' 'directory: '
run config check up.yaml --config http://127.0.0.1/x.yaml
expect 'other schemes are reported' 2 'scheme "http" is not supported; expected a file, env:NAME or yaml:TEXT'
run config help memory_limiter
expect 'the settings of a component' 0 'limit_mib: .number, MiB. \[0\]'
run config help nosuch
expect 'an unknown component is reported' 2 'no component "nosuch"'
run server --data data --listen 0.0.0.0:0
expect 'listening beyond loopback needs tokens' 2 'can be reached from other machines: give --token-file'
run server --config nosuch.yaml
expect 'a missing configuration is reported' 2 'nosuch.yaml: No such file'
: >file
run server --data file/data --listen 127.0.0.1:0
expect 'a data directory that cannot be created is reported' 2 'exporter store: .*file/data'
finish
