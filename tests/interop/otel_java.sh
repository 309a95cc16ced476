#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The OpenTelemetry SDK for Java sends spans, metrics and logs to the collector: gRPC and HTTP, with and without gzip.
set -eu
for tool in java javac mvn python3; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
# shellcheck source=tests/interop/otel_sdk/sink.sh
. tests/interop/otel_sdk/sink.sh
cache=${XDG_CACHE_HOME:-$HOME/.cache}/varve/maven
version=1.55.0
mkdir "$SCRATCH/java"
cat >"$SCRATCH/java/pom.xml" <<END_XML
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>interop</groupId><artifactId>interop</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>io.opentelemetry</groupId><artifactId>opentelemetry-sdk</artifactId><version>$version</version></dependency>
    <dependency><groupId>io.opentelemetry</groupId><artifactId>opentelemetry-exporter-otlp</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
END_XML
(cd "$SCRATCH/java" && timeout 300 mvn -q -B -Dmaven.repo.local="$cache" dependency:copy-dependencies -DoutputDirectory=lib) \
	>"$SCRATCH/mvn.log" 2>&1 || {
	echo 'io.opentelemetry:opentelemetry-sdk cannot be downloaded from Maven'
	exit 77
}
cat >"$SCRATCH/java/App.java" <<'END_JAVA'
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.logs.OtlpGrpcLogRecordExporter;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.concurrent.TimeUnit;

public class App {
    public static void main(String[] args) {
        boolean grpc = args[1].equals("grpc");
        String coding = args[2], url = "http://" + args[3];
        SpanExporter spans = grpc
            ? OtlpGrpcSpanExporter.builder().setEndpoint(url).setCompression(coding).build()
            : OtlpHttpSpanExporter.builder().setEndpoint(url + "/v1/traces").setCompression(coding).build();
        MetricExporter points = grpc
            ? OtlpGrpcMetricExporter.builder().setEndpoint(url).setCompression(coding).build()
            : OtlpHttpMetricExporter.builder().setEndpoint(url + "/v1/metrics").setCompression(coding).build();
        LogRecordExporter records = grpc
            ? OtlpGrpcLogRecordExporter.builder().setEndpoint(url).setCompression(coding).build()
            : OtlpHttpLogRecordExporter.builder().setEndpoint(url + "/v1/logs").setCompression(coding).build();
        Resource resource = Resource.getDefault().merge(Resource.create(Attributes.of(
            AttributeKey.stringKey("service.name"), "java", AttributeKey.stringKey("way"), args[0])));
        SdkTracerProvider traces = SdkTracerProvider.builder().setResource(resource)
            .addSpanProcessor(BatchSpanProcessor.builder(spans).build()).build();
        SdkMeterProvider metrics = SdkMeterProvider.builder().setResource(resource)
            .registerMetricReader(PeriodicMetricReader.create(points)).build();
        SdkLoggerProvider logs = SdkLoggerProvider.builder().setResource(resource)
            .addLogRecordProcessor(BatchLogRecordProcessor.builder(records).build()).build();

        Span span = traces.get("interop").spanBuilder("work").setSpanKind(SpanKind.SERVER).startSpan();
        try (Scope scope = span.makeCurrent()) {
            span.setAttribute("text", "\u00e4 <b>").setAttribute("number", 42L).setAttribute("flag", true);
            span.addEvent("retry", Attributes.of(AttributeKey.longKey("attempt"), 2L));
            span.setStatus(StatusCode.ERROR, "refused");
            logs.get("interop").logRecordBuilder().setBody("paid").setSeverity(Severity.WARN)
                .setAttribute(AttributeKey.longKey("order"), 7L).emit();
        }
        span.end();
        Meter meter = metrics.get("interop");
        meter.counterBuilder("orders").setUnit("1").build()
            .add(5, Attributes.of(AttributeKey.stringKey("kind"), "book"));
        for (long n : new long[] {1, 10, 100})
            meter.histogramBuilder("size").ofLongs().setUnit("By").build().record(n);
        if (!traces.shutdown().join(60, TimeUnit.SECONDS).isSuccess()
                | !metrics.shutdown().join(60, TimeUnit.SECONDS).isSuccess()
                | !logs.shutdown().join(60, TimeUnit.SECONDS).isSuccess())
            System.exit(1);
        System.exit(0);
    }
}
END_JAVA
(cd "$SCRATCH/java" && javac -cp 'lib/*' App.java) >"$SCRATCH/javac.log" 2>&1 || {
	cat "$SCRATCH/javac.log"
	echo 'the program does not build'
	exit 1
}
start_sink
send() { # way protocol compression address
	(cd "$SCRATCH/java" && java -cp 'lib/*:.' App "$@") >"$SCRATCH/app.log" 2>&1 || {
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
check_sink java grpc grpc_gzip http http_gzip
