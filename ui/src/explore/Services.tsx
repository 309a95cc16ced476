// SPDX-License-Identifier: Apache-2.0
// The start page: all services, what changed, and the worst change first.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Answer, apiUrl, useAnswer } from "../api/client";
import { SeriesAnswer, ServicesAnswer } from "../api/types";
import { useKeys } from "../base/keys";
import { AnswerNote, Select, TextInput } from "../base/components";
import { matchesWords } from "../base/Picker";
import { timeOf } from "../base/time";
import { sortTypes, typeName } from "../base/profile_types";
import { formatCount, formatValue, grouped } from "../base/units";
import { PromAnswer } from "../promql/prom_answer";
import { cameBack, formatUrl, go, State } from "../url";
import { FirstStart } from "./FirstStart";
import { useResolvedState, useTick } from "./refresh";
import { chartStep } from "./resolve_times";
import { servicesQuery } from "./queries";
import { RangePicker } from "./RangePicker";
import {
  DriftAnswer,
  driftsOf,
  leastErrors,
  numbersOf,
  orderOf,
  requestsOf,
  requestsUrl,
  ServiceNumbers,
} from "./service_numbers";
import { ServiceTable, sortOptions, sparkWidth, Units } from "./ServiceTable";

export { serviceQuery, Sparkline } from "./ServiceTable";

const part = 50; // rows shown at first
const totalSteps = 40; // of a query for totals
const memoryType = "memory:inuse_space:";

const settled = (answer: Answer<unknown>) => (!!answer.data && !answer.stale) || !!answer.error;

// Query all numbers of all services. `shown`: whether there is anything to show.
function useNumbers(resolved: State, types: readonly string[], shown: boolean, tick: number) {
  const [from, to] = [timeOf(resolved.from), timeOf(resolved.to)];
  const valid = shown && to > from;
  const type = types.includes(resolved.type) ? resolved.type : (types[0] ?? "");
  const memory = types.find((t) => t.startsWith(memoryType)) ?? "";
  const series = (what: string, end: number, spread = false) =>
    what && valid
      ? apiUrl("series", {
          from: end - (to - from),
          to: end,
          query: "",
          type: what,
          by: ["service_name"],
          spread,
          step: chartStep(from, to, spread ? sparkWidth : totalSteps),
        })
      : undefined;
  const chart = useAnswer<SeriesAnswer>(series(type, to, true), tick);
  const cost = useAnswer<SeriesAnswer>(series(type, to), tick);
  const costBefore = useAnswer<SeriesAnswer>(series(type, from), tick);
  const heap = useAnswer<SeriesAnswer>(series(memory, to), tick);
  const heapBefore = useAnswer<SeriesAnswer>(series(memory, from), tick);
  const spans = (end: number) => (valid ? requestsUrl(end, to - from) : undefined);
  const requests = useAnswer<PromAnswer>(spans(to), tick);
  const requestsBefore = useAnswer<PromAnswer>(spans(from), tick);
  const drift = useAnswer<DriftAnswer>(valid ? apiUrl("drift", { from, to }) : undefined, tick);

  const ofType = (answer: Answer<SeriesAnswer>, what: string) =>
    answer.data?.type === what ? answer.data : undefined;
  const now = ofType(cost, type);
  const before = ofType(costBefore, type);
  const [memoryNow, memoryBefore] = [ofType(heap, memory), ofType(heapBefore, memory)];
  const source = useMemo(
    () => ({
      seconds: (now ? now.to - now.from : to - from) / 1000,
      requests: { now: requestsOf(requests.data), before: requestsOf(requestsBefore.data) },
      cost: { now, before },
      memory: { now: memoryNow, before: memoryBefore },
      drifts: driftsOf(drift.data),
    }),
    [now, before, memoryNow, memoryBefore, requests.data, requestsBefore.data, drift.data],
  );
  const units: Units = {
    type,
    cost: now?.unit ?? "nanoseconds",
    gauge: !!now?.gauge,
    memory: memoryNow?.unit ?? "bytes",
  };
  return {
    source,
    units,
    chart: ofType(chart, type),
    cost,
    // the order depends on all of these
    ready:
      [cost, costBefore, requests, requestsBefore, drift].every(settled) &&
      (!memory || settled(heap)),
  };
}

// Return the services in the order of the state. It changes only with the sort, the type, the range
// or a refresh, not with live updates.
function useOrder(
  list: readonly ServiceNumbers[],
  compare: (a: ServiceNumbers, b: ServiceNumbers) => number,
  key: string,
  ready: boolean,
): ServiceNumbers[] {
  const ranked = useRef<{ key: string; names: string[] }>({ key: "", names: [] });
  if (ready && ranked.current.key !== key)
    ranked.current = { key, names: [...list].sort(compare).map((s) => s.name) };
  const places = new Map(ranked.current.names.map((name, i) => [name, i]));
  const place = (s: ServiceNumbers) => places.get(s.name) ?? places.size;
  return [...list].sort((a, b) => place(a) - place(b));
}

const scrolled = new Map<string, number>(); // position by address
const mostPositions = 100;

// Keep the scroll position of the page for the way back.
function useScroll(state: State, ready: boolean) {
  const url = formatUrl(state);
  const wanted = useRef(cameBack() ? scrolled.get(url) : undefined);
  useLayoutEffect(() => {
    if (!ready || wanted.current === undefined) return;
    window.scrollTo(0, wanted.current);
    wanted.current = undefined;
  }, [ready]);
  useEffect(() => {
    const keep = () => {
      if (scrolled.size >= mostPositions) scrolled.clear();
      scrolled.set(url, window.scrollY);
    };
    if (!ready) return;
    window.addEventListener("scroll", keep, { passive: true });
    return () => window.removeEventListener("scroll", keep);
  }, [url, ready]);
}

export function Services(props: { state: State }) {
  const { state } = props;
  const [first, setFirst] = useState(false);
  const [tick, refresh] = useTick(state.live || first);
  const [sorts, sort] = useState(0);
  const resolved = useResolvedState(state, tick);
  const services = useAnswer<ServicesAnswer>(servicesQuery(resolved), tick);
  const names = services.data?.services ?? [];
  useEffect(() => services.data && setFirst(!services.data.others), [services.data]);
  const types = useMemo(
    () => sortTypes([...new Set(names.flatMap((s) => s.types))]),
    [services.data],
  );
  const { source, units, chart, cost, ready } = useNumbers(
    resolved,
    types,
    !!services.data?.others && names.length > 0,
    tick,
  );
  const list = useMemo(() => names.map(numbersOf(source)), [services.data, source]);
  const least = useMemo(() => leastErrors(list), [list]);
  const order = useOrder(
    list,
    orderOf(state.services, least),
    `${units.type} ${state.from} ${state.to} ${state.services} ${sorts}`,
    ready,
  );
  const [listed, setListed] = useState(false); // stays during a refresh
  useEffect(() => {
    if (ready) setListed(true);
  }, [ready]);
  useScroll(state, listed);
  const charts = useMemo(
    () => new Map((chart?.rows ?? []).map((r) => [r.labels.service_name ?? "", r])),
    [chart],
  );
  const found = order.filter((s) => matchesWords(s.name, state.find.trim()));
  const shown = state.all ? found : found.slice(0, part);
  const total = shown.reduce((sum, s) => sum + s.total, 0);
  const again = () => {
    refresh();
    sort((n) => n + 1);
  };
  useKeys("Services", [
    { key: "l", help: "Live", run: () => go({ live: !state.live }) },
    { key: "g", help: "Refresh", run: again },
  ]);
  const empty = services.data && (!services.data.others || !names.length);
  return (
    <div class="page">
      <div class="row bar">
        <h1>Services</h1>
        {!empty && types.length > 0 && (
          <>
            <Select
              label="Cost"
              shown
              value={units.type}
              options={types.map((t) => [t, typeName(t)] as const)}
              onChange={(t) => go({ type: t })}
            />
            <Select
              label="Sort by"
              shown
              value={state.services}
              options={sortOptions(units)}
              onChange={(by) => go({ services: by })}
            />
          </>
        )}
        {!empty && (names.length > 3 || state.find) && (
          <TextInput
            id="search"
            label="Filter services"
            value={state.find}
            onChange={(find) => go({ find }, "replace")}
          />
        )}
        <span class="spread" />
        <RangePicker
          range={state}
          onChange={go}
          live={state.live}
          onLive={(live) => go({ live })}
          onRefresh={again}
        />
      </div>
      <AnswerNote answer={services} what="services" />
      {cost.error && <AnswerNote answer={cost} />}
      {empty ? (
        <FirstStart range={state} />
      ) : (
        services.data && (
          <ServiceTable
            services={listed ? shown : []}
            pending={listed ? 0 : Math.min(names.length, part)}
            charts={charts}
            answer={chart}
            units={units}
            least={least}
            sort={state.services}
          />
        )
      )}
      {!empty && listed && (
        <div class="row soft foot">
          {shown.length < found.length && (
            <button type="button" onClick={() => go({ all: true })}>
              Show {grouped(found.length - shown.length)} more
            </button>
          )}
          <span role="status">
            {shown.length < names.length ? `${grouped(shown.length)} of ` : ""}
            {formatCount(names.length, "service")}, {formatValue(total, units.cost)} total. Changes
            against the range of the same length before; grey: within the sampling error
          </span>
        </div>
      )}
    </div>
  );
}
