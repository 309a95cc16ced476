#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Keys that the collector's components have and ours lack: each is a warning that names it, or, where leaving it
# out would change what is received, sampled or secured, an error that says what to do.
. "$SOURCE_ROOT/tests/cli/lib.sh"
: >out
: >err

# ignored SECTION COMPONENT PREFIX KEY...: each key below PREFIX ("-": the component) is a warning
ignored() {
	section=$1 component=$2 prefix=$3
	shift 3
	missing=
	path="$section::$component"
	[ "$prefix" = - ] || path="$path::$prefix"
	set -- "$@"
	for key in "$@"; do
		"$VARVE" config check base.yaml "yaml:$path::$key: 1" >out 2>&1
		code=$?
		if [ $code != 0 ] || ! grep -q "\"$key\" is not supported and ignored: " out; then
			missing="$missing $key"
		fi
	done
	if [ -z "$missing" ]; then
		report ok "$component: $# keys below $prefix are warnings"
	else
		report 'not ok' "$component:$missing below $prefix"
	fi
}

# refused NAME REGEX YAML
refused() {
	printf '%s\n' "$3" >bad.yaml
	run config check base.yaml bad.yaml
	expect "$1" 2 "$2"
}

cat >base.yaml <<'EOF'
receivers:
  otlp: {protocols: {grpc: , http: }}
  httpcheck: {targets: [{endpoint: http://a}]}
  prometheus: {config: {scrape_configs: [{job_name: a, static_configs: [{targets: [a]}]}]}}
processors:
  memory_limiter: {limit_mib: 10}
  tail_sampling: {policies: [{name: a, type: always_sample}]}
  resourcedetection:
  filter: {metrics: {metric: ["false"]}}
exporters:
  otlp: {endpoint: "a:1", sending_queue: {batch: }}
  otlphttp: {endpoint: http://a}
  prometheus: {endpoint: "a:1"}
  prometheusremotewrite: {endpoint: http://a}
  prometheusremotewrite/b: {http: {endpoint: http://a}}
  pyroscope: {endpoint: http://a}
  file: {path: a}
  loadbalancing: {protocol: {otlp: }, resolver: {static: {hostnames: [a]}}}
extensions:
  health_check:
  zpages:
connectors:
  spanmetrics:
service:
  pipelines:
    traces: {receivers: [otlp], exporters: [otlp]}
EOF
run config check base.yaml
expect 'the configuration is valid' 0

pages='cors max_request_body_size include_metadata response_headers compression_algorithms read_timeout
	read_header_timeout write_timeout idle_timeout keep_alives_enabled transport middlewares'
server_tls='ca_file ca_pem include_system_ca_certs_pool tpm'
http_client='read_buffer_size write_buffer_size max_idle_conns max_idle_conns_per_host max_conns_per_host
	idle_conn_timeout disable_keep_alives http2_read_idle_timeout http2_ping_timeout force_attempt_http2 cookies
	middlewares'
# shellcheck disable=SC2086 # lists of keys
{
	ignored receivers otlp protocols::grpc dialer keepalive max_concurrent_streams middlewares
	ignored receivers otlp protocols::grpc::tls $server_tls
	ignored receivers httpcheck - timeout
	ignored receivers prometheus config otlp storage runtime tracing
	ignored receivers prometheus config::global scrape_failure_log_file extra_scrape_metrics rule_query_offset \
		scrape_native_histograms
	ignored processors memory_limiter - min_gc_interval_when_soft_limited max_gc_interval_when_soft_limited \
		min_gc_interval_when_hard_limited max_gc_interval_when_hard_limited
	ignored processors tail_sampling - sampling_strategy tail_storage num_shards
	ignored processors resourcedetection - ec2 eks gcp azure docker k8snode consul endpoint headers auth
	ignored processors filter metrics regexp
	ignored exporters otlp - user_agent keepalive
	ignored exporters otlp tls tpm
	ignored exporters otlp sending_queue::batch partition
	ignored exporters otlphttp - $http_client
	ignored exporters loadbalancing protocol::otlp user_agent
	ignored exporters prometheus - $pages
	ignored exporters prometheusremotewrite - $http_client compression_params
	ignored exporters prometheusremotewrite/b http $http_client compression_params
	ignored exporters pyroscope - $http_client
	ignored exporters file - compression_params
	ignored extensions health_check - $pages
	ignored extensions zpages - $pages
	ignored extensions zpages tls $server_tls
	ignored connectors spanmetrics - dimensions_cache_size
}

for key in proxy_url cookies compression_params middlewares; do
	printf 'receivers: {httpcheck: {targets: [{endpoint: http://a, %s: 1}]}}\n' $key >target.yaml
	run config check base.yaml target.yaml
	expect "httpcheck: $key of a target is a warning" 0 "target.yaml:1:.*\"$key\" is not supported and ignored: "
done

for discovery in azure gce nomad openstack zookeeper; do
	refused "discovery by $discovery is an error" "bad.yaml:1:.*${discovery}_sd_configs.*use static_configs" \
		"receivers: {prometheus: {config: {scrape_configs: [{job_name: a, ${discovery}_sd_configs: [{}]}]}}}"
done
refused 'a policy of an unknown type is an error' 'bad.yaml:1:.*type .*trace_flags' \
	'processors: {tail_sampling: {policies: [{name: a, type: trace_flags}]}}'
refused 'headers of scrapes are an error' 'unsupported features: http_headers' \
	'receivers: {prometheus: {config: {scrape_configs: [{job_name: a, http_headers: {a: b}}]}}}'
refused 'a certificate as text is an error' 'bad.yaml:1:.*"cert_pem" is not supported: write the text to a file' \
	'receivers: {otlp: {protocols: {grpc: {tls: {cert_pem: x, key_pem: y}}}}}'
for where in 'receivers: {otlp: {protocols: {grpc: {tls: {key_file: k}}}}}' \
	'receivers: {otlp: {protocols: {http: {tls: {client_ca_file: k}}}}}' 'receivers: {pyroscope: {tls: {key_file: k}}}' \
	'exporters: {prometheus: {tls: {key_file: k}}}' 'extensions: {zpages: {tls: {key_file: k}}}' \
	'extensions: {health_check: {tls: {key_file: k}}}'; do
	refused "TLS without a certificate is an error: $where" 'yaml:[0-9]+:[0-9]+:.*must include both certificate and key' "$where"
done
finish
