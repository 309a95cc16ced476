// SPDX-License-Identifier: Apache-2.0

// Pyroscope's own generated client against a server: a profile is pushed, and every call of the
// querier is asked for it, in each protocol. Prints what is wrong; exit 1 if anything is.
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/net/http2"

	googlev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
)

const (
	typeID = "made_up:things:pieces:things:pieces"
	spanID = "00000bac2a5ab0c7"
)

type probe struct {
	protocol   string
	q          querierv1connect.QuerierServiceClient
	selector   string
	start, end int64
	failed     bool
}

func (p *probe) expect(what string, ok bool, err error, got any) {
	if err != nil || !ok {
		p.failed = true
		fmt.Printf("%s: %s: %v %v\n", p.protocol, what, err, got)
	}
}

// outer called inner for 10, and inner ran by itself for 20, in a span.
func profile(now time.Time) []byte {
	line := func(function uint64) []*googlev1.Line { return []*googlev1.Line{{FunctionId: function}} }
	p := &googlev1.Profile{
		StringTable: []string{"", "things", "pieces", "inner", "outer", "span_id", spanID},
		SampleType:  []*googlev1.ValueType{{Type: 1, Unit: 2}},
		PeriodType:  &googlev1.ValueType{Type: 1, Unit: 2},
		Period:      1,
		TimeNanos:   now.UnixNano(),
		Mapping:     []*googlev1.Mapping{{Id: 1, HasFunctions: true}},
		Function:    []*googlev1.Function{{Id: 1, Name: 3}, {Id: 2, Name: 4}},
		Location:    []*googlev1.Location{{Id: 1, MappingId: 1, Line: line(1)}, {Id: 2, MappingId: 1, Line: line(2)}},
		Sample: []*googlev1.Sample{
			{LocationId: []uint64{1, 2}, Value: []int64{10}},
			{LocationId: []uint64{1}, Value: []int64{20}, Label: []*googlev1.Label{{Key: 5, Str: 6}}},
		},
	}
	bytes, err := p.MarshalVT()
	if err != nil {
		panic(err)
	}
	return bytes
}

func (p *probe) labels(ctx context.Context, service string) {
	types, err := p.q.ProfileTypes(ctx, connect.NewRequest(&querierv1.ProfileTypesRequest{Start: p.start, End: p.end}))
	p.expect("ProfileTypes", err == nil && len(types.Msg.ProfileTypes) == 1 && types.Msg.ProfileTypes[0].ID == typeID, err, types)

	names, err := p.q.LabelNames(ctx, connect.NewRequest(&typesv1.LabelNamesRequest{
		Matchers: []string{p.selector}, Start: p.start, End: p.end}))
	p.expect("LabelNames", err == nil && len(names.Msg.Names) == 9, err, names)

	values, err := p.q.LabelValues(ctx, connect.NewRequest(&typesv1.LabelValuesRequest{
		Name: "service_name", Matchers: []string{p.selector}, Start: p.start, End: p.end}))
	p.expect("LabelValues", err == nil && len(values.Msg.Names) == 1 && values.Msg.Names[0] == service, err, values)

	series, err := p.q.Series(ctx, connect.NewRequest(&querierv1.SeriesRequest{
		Matchers: []string{p.selector}, LabelNames: []string{"service_name", "job"}, Start: p.start, End: p.end}))
	p.expect("Series", err == nil && len(series.Msg.LabelsSet) == 1 && len(series.Msg.LabelsSet[0].Labels) == 2, err, series)

	_, err = p.q.LabelValues(ctx, connect.NewRequest(&typesv1.LabelValuesRequest{Start: p.start, End: p.end}))
	p.expect("a bad request", connect.CodeOf(err) == connect.CodeInvalidArgument, nil, err)

	stats, err := p.q.GetProfileStats(ctx, connect.NewRequest(&typesv1.GetProfileStatsRequest{}))
	p.expect("GetProfileStats", err == nil && stats.Msg.DataIngested && stats.Msg.NewestProfileTime >= p.start, err, stats)
}

func (p *probe) ask() *querierv1.SelectMergeStacktracesRequest {
	return &querierv1.SelectMergeStacktracesRequest{
		ProfileTypeID: typeID, LabelSelector: p.selector, Start: p.start, End: p.end}
}

func (p *probe) flame(ctx context.Context, what string, request *querierv1.SelectMergeStacktracesRequest) {
	answer, err := p.q.SelectMergeStacktraces(ctx, connect.NewRequest(request))
	p.expect(what, err == nil && len(answer.Msg.Flamegraph.Names) == 3 && len(answer.Msg.Flamegraph.Levels) == 3 &&
		answer.Msg.Flamegraph.Total == 30, err, answer)
}

func (p *probe) stacks(ctx context.Context) {
	p.flame(ctx, "SelectMergeStacktraces", p.ask())

	span, err := p.q.SelectMergeSpanProfile(ctx, connect.NewRequest(&querierv1.SelectMergeSpanProfileRequest{
		ProfileTypeID: typeID, LabelSelector: p.selector, Start: p.start, End: p.end, SpanSelector: []string{spanID}}))
	p.expect("SelectMergeSpanProfile", err == nil && len(span.Msg.Flamegraph.Levels) == 2 && span.Msg.Flamegraph.Total == 20, err, span)

	merged, err := p.q.SelectMergeProfile(ctx, connect.NewRequest(&querierv1.SelectMergeProfileRequest{
		ProfileTypeID: typeID, LabelSelector: p.selector, Start: p.start, End: p.end}))
	total := int64(0)
	if err == nil {
		for _, s := range merged.Msg.Sample {
			total += s.Value[0]
		}
	}
	p.expect("SelectMergeProfile", total == 30 && len(merged.Msg.Sample) == 2, err, merged)

	diff, err := p.q.Diff(ctx, connect.NewRequest(&querierv1.DiffRequest{Left: p.ask(), Right: p.ask()}))
	p.expect("Diff", err == nil && diff.Msg.Flamegraph.LeftTicks == 30 && diff.Msg.Flamegraph.RightTicks == 30, err, diff)
}

func (p *probe) overTime(ctx context.Context) {
	request := &querierv1.SelectSeriesRequest{ProfileTypeID: typeID, LabelSelector: p.selector,
		Start: p.start, End: p.end, Step: 5, GroupBy: []string{"service_name"},
		ExemplarType: typesv1.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL}
	answer, err := p.q.SelectSeries(ctx, connect.NewRequest(request))
	ok := err == nil && len(answer.Msg.Series) == 1 && len(answer.Msg.Series[0].Points) == 1 &&
		answer.Msg.Series[0].Points[0].Value == 30 && len(answer.Msg.Series[0].Points[0].Exemplars) == 1
	p.expect("SelectSeries", ok, err, answer)
	if !ok {
		return
	}
	single := p.ask()
	single.ProfileIdSelector = []string{answer.Msg.Series[0].Points[0].Exemplars[0].ProfileId}
	p.flame(ctx, "a single profile", single)

	heatmap, err := p.q.SelectHeatmap(ctx, connect.NewRequest(&querierv1.SelectHeatmapRequest{
		ProfileTypeID: typeID, LabelSelector: p.selector, Start: p.start, End: p.end, Step: 15,
		QueryType:    querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN,
		ExemplarType: typesv1.ExemplarType_EXEMPLAR_TYPE_SPAN}))
	ok = err == nil && len(heatmap.Msg.Series) == 1 && len(heatmap.Msg.Series[0].Slots) == 1 &&
		len(heatmap.Msg.Series[0].Slots[0].Exemplars) == 1
	p.expect("SelectHeatmap", ok, err, heatmap)
	if ok {
		x := heatmap.Msg.Series[0].Slots[0].Exemplars[0]
		p.expect("a span without a trace", x.SpanId == spanID && x.TraceId == "" && x.Value == 20, nil, x)
	}
}

// For Go's compiler: the ends of stacks only.
func (p *probe) forPGO(ctx context.Context) {
	request := p.ask()
	request.Format = querierv1.ProfileFormat_PROFILE_FORMAT_PPROF
	request.StackTraceSelector = &typesv1.StackTraceSelector{GoPgo: &typesv1.GoPGO{KeepLocations: 1, AggregateCallees: true}}
	answer, err := p.q.SelectMergeStacktraces(ctx, connect.NewRequest(request))
	p.expect("go_pgo", err == nil && len(answer.Msg.Pprof.Profile.Sample) == 1 &&
		answer.Msg.Pprof.Profile.Sample[0].Value[0] == 30, err, answer)
}

func run(protocol string, client *http.Client, url string, options ...connect.ClientOption) bool {
	ctx, now := context.Background(), time.Now()
	service := "probe " + protocol
	p := &probe{protocol: protocol, q: querierv1connect.NewQuerierServiceClient(client, url, options...),
		selector: fmt.Sprintf("{service_name=%q}", service),
		start:    now.UnixMilli(), end: now.Add(5 * time.Second).UnixMilli()}
	pusher := pushv1connect.NewPusherServiceClient(client, url, options...)
	_, err := pusher.Push(ctx, connect.NewRequest(&pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{{
		Labels: []*typesv1.LabelPair{{Name: "__name__", Value: "made_up"},
			{Name: "service_name", Value: service}, {Name: "job", Value: "test"}},
		Samples: []*pushv1.RawSample{{RawProfile: profile(now)}}}}}))
	p.expect("Push", err == nil, err, nil)
	p.labels(ctx, service)
	p.stacks(ctx)
	p.overTime(ctx)
	p.forPGO(ctx)
	return !p.failed
}

func main() {
	url := os.Args[1]
	plain := &http2.Transport{AllowHTTP: true,
		DialTLSContext: func(ctx context.Context, network, address string, _ *tls.Config) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}}
	good := run("Connect", http.DefaultClient, url)
	good = run("Connect with gzip", http.DefaultClient, url, connect.WithSendGzip()) && good
	good = run("Connect in JSON", http.DefaultClient, url, connect.WithProtoJSON()) && good
	good = run("gRPC-web", http.DefaultClient, url, connect.WithGRPCWeb()) && good
	good = run("gRPC over HTTP/1.1", http.DefaultClient, url, connect.WithGRPC()) && good
	good = run("gRPC", &http.Client{Transport: plain}, url, connect.WithGRPC()) && good
	if !good {
		os.Exit(1)
	}
}
