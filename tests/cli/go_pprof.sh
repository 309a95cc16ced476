#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `varve top` and `go tool pprof -top` print the same flat and cum of each function of each fixture.
. "$SOURCE_ROOT/tests/cli/lib.sh"
fixtures=$SOURCE_ROOT/../shared/fixtures/pprof

agree() { # file type name [options of both]
	file=$1 type=$2 name=$3
	shift 3
	flags=
	for option in "$@"; do flags="$flags -${option#--}"; done
	# shellcheck disable=SC2086
	go tool pprof -top -symbolize=none -sample_index="$type" -unit="$unit" -nodecount=1000000 \
		-nodefraction=0 -edgefraction=0 $flags "$file" 2>err |
		awk -v unit="$unit" 'on { flat = $1; cum = $4; sub("[a-zA-Z]*$", "", flat);
			sub("[a-zA-Z]*$", "", cum); n = $0;
			for (i = 0; i < 5; i++) sub("^ *[^ ]+ +", "", n);
			sub(" \\(inline\\)$", "", n); sub(" \\(partial-inline\\)$", "", n);
			printf "%s %s %s\n", flat, cum, n } $1 == "flat" { on = 1 }' | LC_ALL=C sort >theirs
	"$VARVE" top --exact -n 0 --type "$type" --json "$@" "$file" 2>>err |
		jq -r '.rows[] | select(.total != 0 or .self != 0) | "\(.self) \(.total) \(.name)"' |
		LC_ALL=C sort >ours
	cp theirs out
	if [ -s theirs ] && cmp -s ours theirs; then
		report ok "$name: $(wc -l <ours) functions agree"
	else
		report 'not ok' "$name"
		diff theirs ours | sed 's/^/# /' | head -20
	fi
}

if ! command -v go >/dev/null || ! command -v jq >/dev/null; then
	skip 'agreement with go tool pprof' 'no go or no jq'
	finish
fi
if [ ! -d "$fixtures" ]; then
	skip 'agreement with go tool pprof' 'no fixtures'
	fixtures=
fi
export PPROF_TMPDIR="$work"
own=$SOURCE_ROOT/examples/checkout.pb.gz

unit=nanoseconds
agree "$own" cpu 'examples/checkout, cpu'
agree "$own" cpu 'with --focus' --focus=compress
agree "$own" cpu 'with --ignore' --ignore=mallocgc
agree "$own" cpu 'with --hide' --hide=runtime
agree "$own" cpu 'with --show' --show=encoding

# Drop frames by the expressions in the profile, with their callees, including inlined frames.
with_drop_frames() { # drop keep
	"$VARVE" convert "$own" -t otlp-json |
		jq --arg drop "$1" --arg keep "$2" '(.dictionary.stringTable | length) as $s |
			(.dictionary.attributeTable | length) as $a |
			.dictionary.stringTable += ["pprof.profile.drop_frames", "pprof.profile.keep_frames"] |
			.dictionary.attributeTable += [{keyStrindex: $s, value: {stringValue: $drop}},
				{keyStrindex: ($s + 1), value: {stringValue: $keep}}] |
			.resourceProfiles[].scopeProfiles[].profiles[].attributeIndices += [$a, $a + 1]' |
		"$VARVE" convert - -f otlp-json -o dropped.pb.gz
	go tool pprof -raw dropped.pb.gz 2>/dev/null >raw
}
with_drop_frames 'runtime\..*' 'runtime\.mallocgc'
agree dropped.pb.gz cpu 'drop_frames and keep_frames'
agree dropped.pb.gz cpu 'drop_frames with --focus' --focus=mallocgc
agree dropped.pb.gz cpu 'drop_frames with --ignore' --ignore=memmove
with_drop_frames 'compress/.*|strings.ToLower|main\..*|net.*|reflect.*|encoding/json.*state|sort' ''
agree dropped.pb.gz cpu 'drop_frames of methods, which are cut at their first bracket'
with_drop_frames '.*' ''
agree dropped.pb.gz cpu 'drop_frames of everything'
with_drop_frames 'runtime\.(' ''
agree dropped.pb.gz cpu 'drop_frames that is no regular expression'
with_drop_frames 'runtime\..*' '('
agree dropped.pb.gz cpu 'keep_frames that is no regular expression'

[ -n "$fixtures" ] || finish
agree "$fixtures/cpu.pb.gz" cpu 'cpu.pb.gz'
agree "$fixtures/go.cpu.labels.pprof" cpu 'go.cpu.labels.pprof'
agree "$fixtures/profile_java" cpu 'profile_java'
agree "$fixtures/profile_rust" cpu 'profile_rust'
agree "$fixtures/single_group_with_optional_span_id.pb.gz" cpu 'span ids'
unit=microseconds
agree "$fixtures/nodejs-wall.pb.gz" wall 'nodejs-wall'
agree "$fixtures/profile_nodejs" wall 'profile_nodejs'
unit=bytes
agree "$fixtures/heap.pb.gz" inuse_space 'heap.pb.gz, inuse_space'
agree "$fixtures/heap" alloc_space 'heap, alloc_space'
unit=count
agree "$fixtures/heap" alloc_objects 'heap, alloc_objects'
agree "$fixtures/profile_python" samples 'profile_python'
agree "$fixtures/pyspy-1.pb.gz" samples 'pyspy-1'
finish
