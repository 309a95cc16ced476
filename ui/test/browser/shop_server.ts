// SPDX-License-Identifier: Apache-2.0
// A server with the data of the shop, shared by the tests of traces and logs.
import { Server } from "./server";
import { sendShopLogs, sendShopSamples, sendShopSpans, shopData, ShopData } from "./shop_data";

export interface ShopServer {
  server: Server;
  data: ShopData;
  from: number; // ms; time of the first request
  to: number;
}

const requests = 120;
let known: Promise<ShopServer> | null = null;

export function shopServer(): Promise<ShopServer> {
  known ??= (async () => {
    const server = await new Server().start();
    const to = Math.floor(Date.now() / 1000) * 1000 - 120_000;
    const from = to - 30 * 60_000;
    const data = shopData(from, to, requests);
    await sendShopSpans(server.url, data.spans);
    await sendShopLogs(server.url, data.logs);
    await sendShopSamples(server.url, data);
    return { server, data, from, to };
  })();
  return known;
}
