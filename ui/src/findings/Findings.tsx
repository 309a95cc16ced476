// SPDX-License-Identifier: Apache-2.0
// The list of findings. Each links to the flame graph at its frames, and to the callers and callees
// of its functions.
import { Answer } from "../api/client";
import { AnswerNote, Empty, Link } from "../base/components";
import { typeName } from "../base/profile_types";
import { formatCount, formatShare, formatValue } from "../base/units";
import { cleanName } from "../flame/text/names";
import { State } from "../url";
import { Finding, FindingsAnswer, framesOf, FunctionRow } from "./finding_links";
import "./findings.css";

const mostFunctions = 8; // of a finding in the answer; there may be more

function FunctionLink(props: { row: FunctionRow }) {
  const { row } = props;
  return (
    <Link
      to={{ view: "sandwich", function: row.name, zoom: [] }}
      title={`${cleanName(row.name)}  ${cleanName(row.file || row.module)}\nCallers and callees`}
    >
      <bdi>{cleanName(row.name)}</bdi>
    </Link>
  );
}

function Evidence(props: { finding: Finding; whole: number; unit: string }) {
  const { finding, whole, unit } = props;
  if (!finding.evidence.length) return null;
  return (
    <table class="finding-evidence">
      <caption class="soft">{finding.evidence_title}</caption>
      <tbody>
        {finding.evidence.map((row) => (
          <tr key={`${row.name}\t${row.module}\t${row.file}`}>
            <td class="number">{formatValue(row.value, unit)}</td>
            <td class="number share">{formatShare(row.value, whole)}</td>
            <td class="finding-name">
              <FunctionLink row={row} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FindingItem(props: { state: State; finding: Finding; answer: FindingsAnswer }) {
  const { state, finding, answer } = props;
  const value = formatValue(finding.value, answer.unit);
  return (
    <li class="finding panel">
      <div class="row finding-head">
        <h2>{finding.title}</h2>
        <strong>{formatShare(finding.value, answer.kept)}</strong>
        <span class="soft">
          {finding.saves ? `at most ${value} can be saved` : `${value} of the profile`}
        </span>
        <span class="spread" />
        <Link class="button" to={framesOf(state, finding)} title="The stacks with these functions">
          {finding.functions.length < mostFunctions
            ? `Show ${formatCount(finding.frames, "frame")}`
            : "Show the largest frames"}
        </Link>
      </div>
      <p class="finding-functions">
        {finding.functions.map((row, i) => (
          <span key={`${row.name}\t${row.module}\t${row.file}`}>
            <FunctionLink row={row} />
            {i + 1 < finding.functions.length ? ", " : ""}
          </span>
        ))}
      </p>
      <div>
        <p>{finding.meaning}</p>
        <p>
          {finding.advice} {finding.hint}
        </p>
      </div>
      <Evidence finding={finding} whole={answer.kept} unit={answer.unit} />
    </li>
  );
}

// Return why the list is empty.
function reason(answer: FindingsAnswer): string {
  const type = typeName(answer.type);
  if (!answer.rules) return `No rule applies to ${type}. Choose CPU or wall-clock time, allocations or locks.`;
  return (
    `None of ${answer.rules} rules found its pattern in ${type}. ` +
    "Rules report nothing if there are too few samples to be sure."
  );
}

export function Findings(props: { state: State; answer: Answer<FindingsAnswer> }) {
  const { data } = props.answer;
  return (
    <section class="findings" aria-label="Findings">
      <AnswerNote answer={props.answer} what="the findings" />
      {data?.warnings?.map((text) => (
        <p class="note warn" key={text}>
          {text}
        </p>
      ))}
      {data && !data.findings.length && (
        <Empty title="No findings">
          <p class="soft">{reason(data)}</p>
        </Empty>
      )}
      {data && (
        <ul>
          {data.findings.map((finding) => (
            <FindingItem
              key={`${finding.rule} ${finding.functions[0]?.name}`}
              state={props.state}
              finding={finding}
              answer={data}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
