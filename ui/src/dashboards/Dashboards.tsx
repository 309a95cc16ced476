// SPDX-License-Identifier: Apache-2.0
// The address is kept for what will be here.
import { Empty, Link } from "../base/parts";

export function Dashboards() {
  return (
    <div class="page">
      <Empty title="There are no dashboards yet">
        <p class="soft">This address is kept for them. Until then Grafana's dashboards work with Varve as a Pyroscope data source.</p>
        <p>
          <Link class="button" to={{ path: "/" }}>
            To the services
          </Link>
        </p>
      </Empty>
    </div>
  );
}
