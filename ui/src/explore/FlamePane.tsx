// SPDX-License-Identifier: Apache-2.0
import { Answer } from "../api/client";
import { FlameAnswer } from "../api/types";
import { State } from "../url";

export function FlamePane(props: { state: State; answer: Answer<FlameAnswer>; onSelect: (name: string) => void }) {
  return <p class="note">{props.answer.data?.nodes.shown_count} frames</p>;
}
