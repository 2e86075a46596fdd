import { z } from "zod";
import { SETTINGS_API } from "#app/routes/api/settings-calls.server.ts";
import type { Bench, Finding } from "../bench.ts";
import type { HttpResponse } from "../http-client.ts";
import { ratePerSecond } from "../load.ts";
import { basicAuthorization, signIn } from "../sign-in-flow.ts";
import { median, ratios } from "../statistics.ts";

const LEAST = 0.8;
const NEXT_TOKEN = "x-api-next-token";

/** An access token, and the next token of the settings API. */
type Caller = { accessToken: string; chainToken: string };

/** Measures calls of the settings API per second, each with a new token, compared with the userinfo endpoint. */
export async function measureSettingsApi(bench: Bench): Promise<Finding> {
  const { options, gatehouse } = bench;
  const load = { clients: options.clients, seconds: options.effort.loadSeconds / 2 };
  const callers: Caller[] = [];
  for (let n = 0; n < options.clients; n += 1) callers.push(await openSettings(bench));
  const settings = new URL(`${SETTINGS_API}/userinfo`, gatehouse.url);
  const engine = new URL("/userinfo", gatehouse.url);
  const call = () =>
    withOne(callers, async (caller) => {
      const next = (await callApi(bench, settings, caller.chainToken)).headers[NEXT_TOKEN];
      caller.chainToken = z.string().parse(next);
    });
  const compare = () => withOne(callers, ({ accessToken }) => callApi(bench, engine, accessToken));

  const calls: number[] = [];
  const references: number[] = [];
  await ratePerSecond(load, call);
  await ratePerSecond(load, compare);
  for (let round = 0; round < options.effort.rounds; round += 1) {
    calls.push(await ratePerSecond(load, call));
    references.push(await ratePerSecond(load, compare));
  }
  const ratio = ratios(calls, references);
  return {
    what: "a call of the settings' API, with a new token each time",
    unit: "per second",
    ours: median(calls),
    reference: { what: "the engine's user info in the same server", value: median(references) },
    ratio,
    target: { text: `≥ ${LEAST}`, met: ratio.median >= LEAST },
    details: { calls, references, clients: options.clients },
  };
}

const opened = z.object({ url: z.url() });

async function openSettings(bench: Bench): Promise<Caller> {
  const { accessToken } = await signIn(bench.http, bench.service, bench.nextUser());
  const response = await bench.http.send(new URL(`${SETTINGS_API}/token`, bench.gatehouse.url), {
    method: "POST",
    headers: {
      authorization: basicAuthorization(bench.service.application),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ access_token: accessToken }).toString(),
  });
  if (response.status !== 200) throw new Error(`No settings were opened: ${response.status} ${response.body}`);
  const { url } = opened.parse(JSON.parse(response.body));
  return { accessToken, chainToken: new URL(url).searchParams.get("t") ?? "" };
}

/** Tokens are single-use: removes the caller from the list during its call. */
async function withOne(callers: Caller[], work: (caller: Caller) => Promise<unknown>): Promise<void> {
  const caller = callers.shift();
  if (!caller) throw new Error("more clients than users");
  await work(caller);
  callers.push(caller);
}

async function callApi({ http }: Bench, url: URL, token: string): Promise<HttpResponse> {
  const response = await http.send(url, { headers: { authorization: `Bearer ${token}` } });
  if (response.status === 200) return response;
  throw new Error(`${url.pathname} responded ${response.status}: ${response.body.slice(0, 500)}`);
}
