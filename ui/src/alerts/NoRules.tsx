// SPDX-License-Identifier: Apache-2.0
// What to do if the server has no rules.
import { Empty } from "../base/components";

const example = `groups:
  - name: services
    rules:
      - alert: FunctionGotSlower
        expr: varve_drift_active{kind="regression"} > 1.1
        labels: {severity: ticket}
        annotations:
          summary: "{{ $labels.service }}: {{ $labels.function }} costs more"
`;

export function NoRules() {
  return (
    <Empty title="No rules">
      <p class="soft">
        The server evaluates rule files of Prometheus. Write one, for example <code>rules.yml</code>:
      </p>
      <ul class="recipes">
        <li>
          <div class="recipe">
            <pre tabIndex={0}>{example}</pre>
          </div>
        </li>
        <li>
          Check it, and start the server with it:
          <div class="recipe">
            <pre tabIndex={0}>{"varve rules check rules.yml\nvarve up --rules rules.yml"}</pre>
          </div>
        </li>
      </ul>
      <p class="soft">
        Files in <code>rules/</code> of the data directory are read without <code>--rules</code>, and
        again when they change. See <code>docs/rules.md</code> and <code>docs/alerts.md</code>.
      </p>
    </Empty>
  );
}
