// SPDX-License-Identifier: Apache-2.0
// The address is kept for what will be here.
import { Empty, Link } from "../base/parts";

export function Dashboards() {
  return (
    <div class="page">
      <Empty title="Dashboards are not available yet">
        <p class="soft">Use Grafana dashboards with Varve as a Pyroscope data source.</p>
        <p>
          <Link class="button" to={{ path: "/" }}>
            All services
          </Link>
        </p>
      </Empty>
    </div>
  );
}
