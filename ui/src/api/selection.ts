// SPDX-License-Identifier: Apache-2.0
// Converts the state of a view into the parameters of a query.
import { isRelative } from "../base/time";
import { State } from "../url";
import { Params } from "./transport";

export interface Matcher {
  name: string;
  op: "=" | "!=" | "=~" | "!~";
  value: string;
}

export interface Selector {
  service: string;
  matchers: Matcher[];
}

const quoted = /^"((?:[^"\\]|\\.)*)"/;

// Parse a selector such as checkout{env="prod"}. Returns null for text that only the server's
// parser may understand.
export function parseSelector(text: string): Selector | null {
  const open = text.indexOf("{");
  const selector: Selector = {
    service: (open < 0 ? text : text.slice(0, open)).trim(),
    matchers: [],
  };
  if (open < 0) return selector;
  let rest = text.slice(open + 1).trimStart();
  while (rest && rest[0] !== "}") {
    const head = /^([^\s=!~{},"]+)\s*(=~|!~|!=|=)\s*/.exec(rest);
    if (!head) return null;
    const value = quoted.exec(rest.slice(head[0].length));
    if (!value) return null;
    selector.matchers.push({
      name: head[1],
      op: head[2] as Matcher["op"],
      value: JSON.parse(value[0]) as string,
    });
    rest = rest
      .slice(head[0].length + value[0].length)
      .trimStart()
      .replace(/^,\s*/, "");
  }
  return rest.trim() === "}" ? selector : null;
}

export function formatSelector(s: Selector): string {
  const matchers = s.matchers.map((m) => `${m.name}${m.op}${JSON.stringify(m.value)}`).join(",");
  return matchers ? `${s.service}{${matchers}}` : s.service;
}

// selects all services; an empty query means that nothing is selected yet
export const allServices = "{}";

// Whether the state selects any data.
export const isChosen = (s: State) =>
  s.query !== "" || s.file !== "" || s.span !== "" || s.trace !== "" || s.traces !== "";

export const serviceOf = (query: string) => parseSelector(query)?.service ?? query;

// Set the required value of a label; undefined removes the matcher.
export function withMatcher(query: string, name: string, value: string | undefined): string {
  const s = parseSelector(query);
  if (!s) return query;
  s.matchers = s.matchers.filter((m) => m.name !== name);
  if (value !== undefined) s.matchers.push({ name, op: "=", value });
  return formatSelector(s);
}

// The range of a file: none (the whole file), unless an absolute range is selected.
export const fileRange = (s: State) =>
  isRelative(s.from) || isRelative(s.to) ? {} : { from: s.from, to: s.to };

// The parameters that select data, for all queries over one selection.
export function selectionParams(s: State): Params {
  const spans = {
    span: s.span,
    trace: s.trace,
    traces: s.traces,
    children: s.children && (s.span !== "" || s.traces !== ""),
  };
  const when = {
    time_from: s.time_from,
    time_to: s.time_to,
    phase_step: s.phase_step,
    phase_from: s.phase_from,
    phase_to: s.phase_to,
  };
  return s.file
    ? { file: s.file, query: s.query, type: s.type, ...fileRange(s), ...spans, ...when }
    : { query: s.query, type: s.type, from: s.from, to: s.to, ...spans, ...when };
}

// Remove span, trace and heat map filters: they select samples within profiles, and a timeline
// shows whole profiles.
export const wholeProfiles = (s: State): State => ({
  ...s,
  span: "",
  trace: "",
  traces: "",
  children: false,
  time_from: "",
  time_to: "",
  phase_step: "",
  phase_from: "",
  phase_to: "",
});

// Functions in which a thread waits, as the outermost callee or below it: of the kernel interface, of
// libc, and of the runtimes of Go, Java, .NET, Node.js, Python and Ruby.
const waiting = [
  "_*(libc_)?(epoll_p?wait2?|p?poll|p?select|sigtimedwait|sigwaitinfo|accept4?|nanosleep|clock_nanosleep(_time64)?)",
  "_*futex(_abstimed)?_wait\\w*|_*pthread_cond_(timed|clock)?wait\\w*|_*lll_lock_wait\\w*|sem_(timed)?wait",
  "runtime\\.(gopark|notesleep|notetsleepg?|futexsleep|netpoll|usleep|stopm|mPark)",
  ".*\\.(Unsafe\\.park|Object\\.wait0?|Thread\\.sleep0?|EPoll\\.wait|LockSupport\\.park\\w*)",
  "System\\.Threading\\.(Thread\\.Sleep\\w*|WaitHandle\\.Wait\\w*|Monitor\\.Wait)",
  "\\(idle\\)|uv__io_poll|std::thread::park|std::sys::.*::futex_wait|Kernel#sleep|time\\.sleep",
].join("|");

// The expression of stacks that are excluded.
export const ignoreOf = (s: State): string =>
  [s.ignore, s.busy && `^(${waiting})$`].filter(Boolean).join("|");

// The parameters that filter stacks and frames of the selection.
export function filterParams(s: State): Params {
  return { focus: s.focus, ignore: ignoreOf(s), hide: s.hide, invert: s.invert, group: s.group };
}

// The two sides of a comparison.
export function sideParams(s: State): Params {
  const before = s.before_file
    ? { before_file: s.before_file }
    : {
        before: s.before || s.query,
        before_from: s.before_from || s.from,
        before_to: s.before_to || s.to,
      };
  const after = s.file
    ? { after_file: s.file }
    : { after: s.query, after_from: s.from, after_to: s.to };
  return { ...before, ...after, type: s.type };
}
