#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: sh bench/collector/otelcol.sh
# Builds the OpenTelemetry Collector that bench/collector.sh compares with, from its Go modules, outside the tree,
# and prints the path of the program:
#
#     OTELCOL=$(sh bench/collector/otelcol.sh) make bench B=collector
set -eu
version=${1:-0.159.0}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/varve/otelcol/$version-bench
if [ ! -x "$cache/otelcol" ]; then
	mkdir -p "$cache/build"
	core=go.opentelemetry.io/collector
	contrib=github.com/open-telemetry/opentelemetry-collector-contrib
	cat >"$cache/build.yaml" <<END_YAML
dist: {name: otelcol, output_path: $cache/build, version: $version}
receivers:
  - gomod: $core/receiver/otlpreceiver v$version
processors:
  - gomod: $core/processor/batchprocessor v$version
  - gomod: $core/processor/memorylimiterprocessor v$version
  - gomod: $contrib/processor/transformprocessor v$version
exporters:
  - gomod: $core/exporter/otlpexporter v$version
  - gomod: $core/exporter/nopexporter v$version
extensions:
  - gomod: $contrib/extension/storage/filestorage v$version
END_YAML
	{
		GOBIN=$cache go install $core/cmd/builder@v"$version"
		"$cache/builder" --config "$cache/build.yaml" --skip-compilation
		(cd "$cache/build" && go build -o "$cache/otelcol.new" .)
		mv "$cache/otelcol.new" "$cache/otelcol"
	} >&2
fi
echo "$cache/otelcol"
