#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The OpenTelemetry SDK for Go sends spans, metrics and logs to the collector: gRPC and HTTP, with and without gzip.
set -eu
for tool in go python3; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
# shellcheck source=tests/interop/otel_sdk/sink.sh
. tests/interop/otel_sdk/sink.sh
mkdir "$SCRATCH/go"
cat >"$SCRATCH/go/main.go" <<'END_GO'
package main

import (
	"context"
	"log"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otellog "go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/metric"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func exporters(ctx context.Context, protocol string, gzip bool, address string) (*otlptrace.Exporter, sdkmetric.Exporter, sdklog.Exporter) {
	var spans *otlptrace.Exporter
	var points sdkmetric.Exporter
	var records sdklog.Exporter
	var err error
	if protocol == "grpc" {
		t := []otlptracegrpc.Option{otlptracegrpc.WithEndpoint(address), otlptracegrpc.WithInsecure()}
		m := []otlpmetricgrpc.Option{otlpmetricgrpc.WithEndpoint(address), otlpmetricgrpc.WithInsecure()}
		l := []otlploggrpc.Option{otlploggrpc.WithEndpoint(address), otlploggrpc.WithInsecure()}
		if gzip {
			t = append(t, otlptracegrpc.WithCompressor("gzip"))
			m = append(m, otlpmetricgrpc.WithCompressor("gzip"))
			l = append(l, otlploggrpc.WithCompressor("gzip"))
		}
		spans, err = otlptracegrpc.New(ctx, t...)
		must(err)
		points, err = otlpmetricgrpc.New(ctx, m...)
		must(err)
		records, err = otlploggrpc.New(ctx, l...)
		must(err)
		return spans, points, records
	}
	t := []otlptracehttp.Option{otlptracehttp.WithEndpoint(address), otlptracehttp.WithInsecure()}
	m := []otlpmetrichttp.Option{otlpmetrichttp.WithEndpoint(address), otlpmetrichttp.WithInsecure()}
	l := []otlploghttp.Option{otlploghttp.WithEndpoint(address), otlploghttp.WithInsecure()}
	if gzip {
		t = append(t, otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
		m = append(m, otlpmetrichttp.WithCompression(otlpmetrichttp.GzipCompression))
		l = append(l, otlploghttp.WithCompression(otlploghttp.GzipCompression))
	}
	spans, err = otlptracehttp.New(ctx, t...)
	must(err)
	points, err = otlpmetrichttp.New(ctx, m...)
	must(err)
	records, err = otlploghttp.New(ctx, l...)
	must(err)
	return spans, points, records
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	spans, points, records := exporters(ctx, os.Args[2], os.Args[3] == "gzip", os.Args[4])
	res, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "go"), attribute.String("way", os.Args[1])))
	must(err)
	traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(res))
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(points)), sdkmetric.WithResource(res))
	logs := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(records)), sdklog.WithResource(res))

	inside, span := traces.Tracer("interop").Start(ctx, "work", trace.WithSpanKind(trace.SpanKindServer))
	span.SetAttributes(attribute.String("text", "\u00e4 <b>"), attribute.Int("number", 42), attribute.Bool("flag", true))
	span.AddEvent("retry", trace.WithAttributes(attribute.Int("attempt", 2)))
	span.SetStatus(codes.Error, "refused")
	var record otellog.Record
	record.SetBody(attribute.StringValue("paid"))
	record.SetSeverity(otellog.SeverityWarn)
	record.AddAttributes(attribute.Int("order", 7))
	logs.Logger("interop").Emit(inside, record)
	span.End()

	meter := metrics.Meter("interop")
	orders, err := meter.Int64Counter("orders", metric.WithUnit("1"))
	must(err)
	orders.Add(ctx, 5, metric.WithAttributes(attribute.String("kind", "book")))
	size, err := meter.Int64Histogram("size", metric.WithUnit("By"))
	must(err)
	for _, n := range []int64{1, 10, 100} {
		size.Record(ctx, n)
	}
	must(traces.Shutdown(ctx))
	must(metrics.Shutdown(ctx))
	must(logs.Shutdown(ctx))
}
END_GO
cat >"$SCRATCH/go/go.mod" <<'END_MOD'
module interop

go 1.24

require (
	go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc v0.23.0
	go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp v0.23.0
	go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc v1.47.0
	go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp v1.47.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.47.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp v1.47.0
)
END_MOD
(cd "$SCRATCH/go" && go mod tidy) >"$SCRATCH/go.log" 2>&1 || {
	echo 'go.opentelemetry.io/otel cannot be downloaded'
	exit 77
}
(cd "$SCRATCH/go" && go build -o ../app .) >"$SCRATCH/go.log" 2>&1 || {
	cat "$SCRATCH/go.log"
	echo 'the program does not build'
	exit 1
}
start_sink
send() { # way protocol compression address
	"$SCRATCH/app" "$@" >"$SCRATCH/app.log" 2>&1 || {
		cat "$SCRATCH/app.log"
		echo "$1: the program failed"
		exit 1
	}
}
send grpc grpc none "$GRPC"
send grpc_gzip grpc gzip "$GRPC"
send http http none "$HTTP"
send http_gzip http gzip "$HTTP"
stop_sink
check_sink go grpc grpc_gzip http http_gzip
