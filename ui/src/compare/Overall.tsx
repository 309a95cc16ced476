// SPDX-License-Identifier: Apache-2.0
// The summary line of a comparison, and a note if the sides cannot be compared.
import { DiffAnswer } from "../api/types";
import { typeName } from "../base/profile_types";
import { formatValue } from "../base/units";
import { State } from "../url";
import { deltaText, overallText } from "./changes";
import { describeSides, sameSides } from "./sides";
import { PairTypes, typesNote } from "./PairTypes";
import { countsText, Scaling } from "./scaling";

// Return why there is little to compare; "" if there is no problem.
export function problemOf(state: State, answer: DiffAnswer | undefined, types: PairTypes): string {
  if (sameSides(state))
    return "Both sides are the same selection. Choose another time range, label, service or file for one of them.";
  if (types.ready && !types.chosen) return "Neither side has data in its time range.";
  const note = typesNote(types);
  if (note || !answer) return note;
  const name = typeName(answer.type);
  if (!answer.before.total && !answer.after.total)
    return `Neither side has ${name} in its time range.`;
  for (const side of ["before", "after"] as const)
    if (!answer[side].total)
      return side === "before"
        ? `Before has no ${name} in its time range: all functions of the other side are new.`
        : `After has no ${name} in its time range: all functions of the other side are gone.`;
  if (!answer.before.kept || !answer.after.kept) return "No samples of one side match the filters.";
  const { grew, shrank, new: fresh, gone } = answer.changes;
  return grew + shrank + fresh + gone ? "" : "No differences: both sides have the same data.";
}

function Counts(props: { answer: DiffAnswer }) {
  const { changes } = props.answer;
  return (
    <span class="soft">
      {(["grew", "shrank", "new", "gone"] as const)
        .map((kind) => `${changes[kind].toLocaleString("en-US")} ${kind}`)
        .join(", ")}
      , {changes.same.toLocaleString("en-US")} the same
    </span>
  );
}

export function Overall(props: {
  state: State;
  answer: DiffAnswer | undefined;
  types: PairTypes;
  scaling: Scaling | undefined;
}) {
  const { state, answer, types } = props;
  const problem = problemOf(state, answer, types);
  const words = describeSides(state);
  const delta = answer ? answer.after.kept - answer.before.kept : 0;
  return (
    <>
      {!answer && !problem && <div class="overall" /> /* reserves the space */}
      {answer && (answer.before.total !== 0 || answer.after.total !== 0) && (
        <div class="row overall" role="status">
          <span class="overall-change">{overallText(answer)}</span>
          {!answer.normalised && (
            <span class={delta > 0 ? "grew" : delta < 0 ? "shrank" : "soft"}>
              {delta ? deltaText(answer) : "no change"}
            </span>
          )}
          <span class="soft">
            {typeName(answer.type)}
            {answer.gauge ? ", mean over the range" : ""}
            {props.scaling && ` per ${props.scaling.per} (${countsText(props.scaling)})`}
          </span>
          {words && (
            <span class="overall-what">
              <bdi>{words}</bdi>
            </span>
          )}
          <Counts answer={answer} />
          {(answer.before.kept !== answer.before.total ||
            answer.after.kept !== answer.after.total) && (
            <span class="soft">
              after filters, of {formatValue(answer.before.total, answer.unit)} and{" "}
              {formatValue(answer.after.total, answer.unit)}
            </span>
          )}
        </div>
      )}
      {answer?.warnings?.map((text) => (
        <p class="note warn" key={text}>
          {text}
        </p>
      ))}
      {problem && (
        <p class="note warn" role="status">
          {problem}
        </p>
      )}
    </>
  );
}
