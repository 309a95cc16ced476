// SPDX-License-Identifier: Apache-2.0
// The first page: which services there are, what each costs, and how that went over time.
import { useMemo, useState } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { SeriesAnswer, SeriesRow, ServicesAnswer } from "../api/types";
import { useKeys } from "../base/keys";
import { AnswerNote, Link, Select, TextInput } from "../base/parts";
import { timeOf } from "../base/time";
import { sortTypes, typeName } from "../base/types";
import { formatCount, formatShare, formatValue } from "../base/units";
import { fresh, go, State } from "../url";
import { FirstStart } from "./FirstStart";
import { useMoment, useTick } from "./live";
import { chartStep } from "./moment";
import { servicesQuestion } from "./questions";
import { RangePicker } from "./RangePicker";

const sparkWidth = 220;
const sparkHeight = 34;

// Labels are quoted where a bare name would not be read as one.
export const serviceQuery = (name: string) => (/^[\w./:-]+$/.test(name) ? name : `{service_name=${JSON.stringify(name)}}`);

export function Sparkline(props: { row: SeriesRow; from: number; to: number; step: number }) {
  const { row, from, to, step } = props;
  const path = useMemo(() => {
    const greatest = Math.max(...row.points.map((p) => p[1]), 0) || 1;
    const x = (t: number) => (((t - from) / (to - from)) * sparkWidth).toFixed(1);
    const y = (v: number) => (sparkHeight - 2 - (Math.max(0, v) / greatest) * (sparkHeight - 4)).toFixed(1);
    const points = row.points;
    let line = "";
    let last = -Infinity;
    for (const [time, value] of points) {
      // Where there is no data the line falls to the ground.
      if (time - last > step * 1.5) line += `${line ? `L${x(last + step / 2)} ${y(0)}` : ""}${line ? "L" : "M"}${x(time - step)} ${y(0)}`;
      line += `L${x(time)} ${y(value)}`;
      last = time;
    }
    return line && `${line}L${x(Math.min(last + step / 2, to))} ${y(0)}`;
  }, [row, from, to, step]);
  return (
    <svg class="spark" viewBox={`0 0 ${sparkWidth} ${sparkHeight}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

function ServiceRow(props: { name: string; types: string[]; row: SeriesRow | undefined; answer: SeriesAnswer | undefined; total: number; type: string }) {
  const { name, row, answer } = props;
  const open = { ...fresh, path: "/profiles" as const, query: serviceQuery(name), type: props.type };
  return (
    <li class="service panel">
      <Link class="service-link" to={row ? open : { ...open, type: props.types[0] ?? "" }}>
        <span class="service-name clip">
          <bdi>{name}</bdi>
        </span>
        {row && answer ? <Sparkline row={row} from={answer.from} to={answer.to} step={answer.step} /> : <span class="spark soft">no {typeName(props.type)}</span>}
        <span class="service-total number">{row && answer ? formatValue(row.total, answer.unit) : "–"}</span>
        <span class="service-share number soft">{row ? formatShare(row.total, props.total) : ""}</span>
      </Link>
      <span class="service-types">
        {sortTypes(props.types).map((type) => (
          <Link key={type} class="tag" to={{ ...open, type }} title={type}>
            {typeName(type)}
          </Link>
        ))}
      </span>
    </li>
  );
}

export function Services(props: { state: State }) {
  const { state } = props;
  const [tick, refresh] = useTick(state.live);
  const [filter, setFilter] = useState("");
  const moment = useMoment(state, tick);
  const range = { from: moment.from, to: moment.to };
  const services = useAnswer<ServicesAnswer>(servicesQuestion(moment), tick);
  const types = useMemo(() => sortTypes([...new Set((services.data?.services ?? []).flatMap((s) => s.types))]), [services.data]);
  const type = types.includes(state.type) ? state.type : (types[0] ?? "");
  const series = useAnswer<SeriesAnswer>(
    type ? apiUrl("series", { ...range, query: "", type, by: ["service_name"], step: chartStep(timeOf(range.from), timeOf(range.to), 60) }) : undefined,
    tick,
  );
  const cost = useMemo(() => new Map((series.data?.rows ?? []).map((r) => [r.labels.service_name ?? "", r])), [series.data]);
  const total = series.data?.rows.reduce((n, r) => n + r.total, 0) ?? 0;
  const rows = useMemo(
    () =>
      [...(services.data?.services ?? [])]
        .filter((s) => s.name.toLowerCase().includes(filter.toLowerCase()))
        .sort((a, b) => (cost.get(b.name)?.total ?? -1) - (cost.get(a.name)?.total ?? -1) || a.name.localeCompare(b.name)),
    [services.data, cost, filter],
  );
  useKeys("Services", [
    { key: "l", help: "Live", run: () => go({ live: !state.live }) },
    { key: "g", help: "Refresh", run: refresh },
  ]);
  const empty = services.data && !services.data.services.length;
  return (
    <div class="page">
      <div class="row bar">
        <h1>Services</h1>
        {types.length > 0 && <Select label="Sort by" shown value={type} options={types.map((t) => [t, typeName(t)] as const)} onChange={(t) => go({ type: t })} />}
        {(services.data?.services.length ?? 0) > 3 && <TextInput id="search" label="Filter services" value={filter} onChange={setFilter} delay={0} />}
        <span class="spread" />
        <RangePicker range={state} onChange={go} live={state.live} onLive={(live) => go({ live })} onRefresh={refresh} />
      </div>
      <AnswerNote answer={services} what="services" />
      {series.error && <AnswerNote answer={series} />}
      {empty && <FirstStart range={state} />}
      <ul class="services">
        {rows.map((s) => (
          <ServiceRow key={s.name} name={s.name} types={s.types} row={cost.get(s.name)} answer={series.data} total={total} type={type} />
        ))}
      </ul>
      {!!rows.length && <p class="soft foot">{formatCount(rows.length, "service")}, {formatValue(total, series.data?.unit ?? "")} total</p>}
    </div>
  );
}
