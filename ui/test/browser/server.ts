// SPDX-License-Identifier: Apache-2.0
// A real server for browser tests, on free ports, stopped after the tests.
import { ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { atEnd } from "../tap";
import { program, run, temporary } from "./pages";

export class Server {
  private child: ChildProcess | null = null;
  url = "";

  constructor(
    readonly data = join(temporary(), "data"),
    private readonly options: string[] = [],
  ) {
    atEnd(() => this.stop());
  }

  // `port` 0: any free port; a restart passes the previous one.
  async start(port = 0): Promise<this> {
    const args = [
      "server",
      "--data",
      this.data,
      "--listen",
      `127.0.0.1:${port}`,
      "--otlp-grpc",
      "127.0.0.1:0",
      "--otlp-http",
      "127.0.0.1:0",
      "--no-self-profile",
      "--no-self-metrics",
      ...this.options,
    ];
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    this.child = child;
    this.url = await new Promise<string>((found, failed) => {
      let log = "";
      child.stderr!.on("data", (bytes: Buffer) => {
        log += bytes.toString();
        const line = /msg=ready http=(\S+)/.exec(log);
        if (line) found(`http://${line[1]}`);
      });
      child.on("exit", () => failed(new Error(`the server ended: ${log}`)));
    });
    return this;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  async stop() {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.on("exit", done));
    child.kill("SIGTERM");
    await ended;
  }

  push(file: string, service: string, ...args: string[]) {
    run("push", file, "--service", service, "--url", this.url, "--quiet", ...args);
  }

  query(...args: string[]): string {
    return run("query", ...args, "--url", this.url);
  }
}
