// SPDX-License-Identifier: Apache-2.0
// Shown until data of other programs has been received: instructions to send data, as lines that
// can be copied.
import { useState } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { copyText } from "../base/clipboard";
import { Empty, Link } from "../base/components";
import { formatAge, formatRange, Range } from "../base/time";
import { fresh } from "../url";

export interface Recipe {
  title: string;
  text: string;
}

// Clients find a server at its default address by themselves. A server at another address accepts
// all protocols at one port.
export function recipes(origin: string): Recipe[] {
  const host = new URL(origin).hostname;
  const isDefault = /^http:\/\/(127\.0\.0\.1|localhost):4040$/.test(origin);
  const otlp = isDefault ? `http://${host}:4318` : origin;
  return [
    {
      title:
        "Demo: a small shop in two versions, with spans, a hot spot, a memory leak and lock contention",
      text: isDefault ? "varve demo" : `varve demo --endpoint ${origin} --url ${origin}`,
    },
    {
      title: "Any C or C++ program, without changes",
      text: `varve run --cpu --heap --locks ${isDefault ? "" : `--endpoint ${origin} `}-- ./server`,
    },
    {
      title: "A profile file of any supported format",
      text: `varve push app.pb.gz --service checkout --label env=dev${isDefault ? "" : ` --url ${origin}`}`,
    },
    {
      title: "OpenTelemetry: any OTLP profiles exporter, or a Collector",
      text: `OTEL_EXPORTER_OTLP_ENDPOINT=${otlp}${isDefault ? `   # gRPC: http://${host}:4317` : ""}`,
    },
    {
      title: "Go",
      text: `pyroscope.Start(pyroscope.Config{ApplicationName: "checkout", ServerAddress: "${origin}"})`,
    },
    {
      title: "Java",
      text: `java -javaagent:pyroscope.jar -Dpyroscope.application.name=checkout -Dpyroscope.server.address=${origin} -jar app.jar`,
    },
    {
      title: "Python",
      text: `pyroscope.configure(application_name="checkout", server_address="${origin}")`,
    },
    {
      title: "Node.js",
      text: `Pyroscope.init({ appName: "checkout", serverAddress: "${origin}" }); Pyroscope.start()`,
    },
    {
      title: "Ruby",
      text: `Pyroscope.configure { |c| c.application_name = "checkout"; c.server_address = "${origin}" }`,
    },
    {
      title: "Rust",
      text:
        `PyroscopeAgent::builder("${origin}", "checkout")` +
        ".backend(pprof_backend(PprofConfig::new().sample_rate(100))).build()?.start()?",
    },
  ];
}

function Line(props: { recipe: Recipe }) {
  const [copied, set] = useState(false);
  return (
    <li>
      <div class="soft">{props.recipe.title}</div>
      <div class="recipe">
        <pre tabIndex={0}>{props.recipe.text}</pre>
        <button
          type="button"
          aria-label={`Copy: ${props.recipe.title}`}
          onClick={() =>
            void copyText(props.recipe.text).then((done) => {
              set(done);
              setTimeout(() => set(false), 1500);
            })
          }
        >
          {copied ? "Copied" : "Copy"}
        </button>
      </div>
    </li>
  );
}

export function FirstStart(props: { range: Range }) {
  const stats = useAnswer<{ newest: number; profiles: number; others: boolean }>(apiUrl("stats"));
  if (!stats.data) return null;
  const newest = stats.data.others ? stats.data.newest : 0;
  if (newest)
    return (
      <Empty title={`No data in this range (${formatRange(props.range)})`}>
        <p>Latest profile: {formatAge(newest)}.</p>
        <p>
          <Link
            class="button"
            to={{ from: String(newest - 3600e3), to: String(newest + 60e3), live: false }}
          >
            Show latest
          </Link>
        </p>
      </Empty>
    );
  return (
    <Empty title="No data received yet">
      <p class="soft">
        Send profiles to this server, or drop a profile file on this page. Received data appears
        within seconds.
      </p>
      {stats.data.profiles > 0 && (
        <p class="soft">
          So far the server has only received{" "}
          <Link to={{ ...fresh, path: "/profiles", query: "varve", type: "" }}>
            its own profile
          </Link>
          .
        </p>
      )}
      <ul class="recipes">
        {recipes(location.origin).map((r) => (
          <Line key={r.title} recipe={r} />
        ))}
      </ul>
    </Empty>
  );
}
