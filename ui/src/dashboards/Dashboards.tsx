// SPDX-License-Identifier: Apache-2.0
import { State } from "../url";

export function Dashboards(_props: { state: State }) {
  return null;
}
