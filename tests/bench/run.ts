import { join } from "node:path";
import { freePort } from "#tests/support/free-port.ts";
import { bareProvider, startBarePage, startBareProvider } from "./bare-servers.ts";
import { type Bench, type Finding, startServer } from "./bench.ts";
import { createUserCycle, type Gatehouse, gatehouseService, PROGRAM } from "./gatehouse.ts";
import type { HttpClient } from "./http-client.ts";
import { repeat } from "./load.ts";
import { type Program, startMeasured } from "./measured-process.ts";
import { measureCleanUp } from "./measures/clean-up.ts";
import { measureColdStart } from "./measures/cold-start.ts";
import { measureFirstSignIn } from "./measures/first-sign-in.ts";
import { measureLoginCost, measurePasskeyCost } from "./measures/login-cost.ts";
import { measureLoginPage, openLoginPage } from "./measures/login-page.ts";
import { measureLoginThroughput } from "./measures/login-throughput.ts";
import { measureMemory } from "./measures/memory.ts";
import { measureOpenLoop } from "./measures/open-loop.ts";
import { weighLoginPage } from "./measures/page-weight.ts";
import { measureProtocolEndpoints } from "./measures/protocol-endpoints.ts";
import { measureRefusals } from "./measures/refusals.ts";
import { measureResetRequests } from "./measures/reset-request.ts";
import { measureSecondStep } from "./measures/second-step.ts";
import { measureSettingsApi } from "./measures/settings-api.ts";
import type { Options } from "./options.ts";
import { BUNDLES } from "./references.ts";
import { type Service, signIn } from "./sign-in-flow.ts";

const IDLE_MEGABYTES = 160;
const LOADED_MEGABYTES = 280;

/** Input of a run. */
export type Setting = { options: Options; folder: string; gatehouse: Gatehouse; http: HttpClient };

/** Prints progress to standard error. */
export function logProgress(what: string): void {
  console.error(`bench: ${what}`);
}

/** Runs all measurements. */
export async function measureAll(setting: Setting): Promise<Finding[]> {
  const { options, folder, gatehouse, http } = setting;
  const bareUrl = new URL(`http://localhost:${await freePort()}`);
  logProgress("measuring cold starts");
  const product = { url: gatehouse.url, program: productProgram(setting) };
  const bareStart = { url: bareUrl, program: bareProvider(folder, bareUrl, gatehouse.application) };
  const coldStart = await measureColdStart(http, { product, bare: bareStart, starts: options.effort.starts });

  logProgress("measuring the first sign-in after a restore");
  const firstSignIn = await measureFirstSignIn(setting, productProgram(setting));

  const bench = await startProduct(setting);
  const idle = await measureMemory(bench.product, "idle", IDLE_MEGABYTES);
  const bare = await startBareProvider(http, folder, gatehouse.application);
  const { response: page } = await openLoginPage(bench);
  const barePage = await startBarePage(http, folder, page.body);
  const hasher = startMeasured({
    file: join(BUNDLES, "nothing.js"),
    env: { NODE_ENV: "production" },
    logFile: join(folder, "hasher.log"),
  });

  logProgress("warming up");
  await warmUp(bench, bench.service);
  await warmUp(bench, bare.service);
  logProgress("measuring concurrent sign-ins");
  const throughput = await measureLoginThroughput(bench, hasher);
  logProgress("measuring sign-ins at fixed rates");
  const openLoop = await measureOpenLoop(bench);
  logProgress("measuring consecutive sign-ins");
  const cost = await measureLoginCost(bench, bare);
  logProgress("measuring sign-ins by passkey");
  const passkeyCost = await measurePasskeyCost(bench);
  logProgress("measuring protocol endpoints");
  const endpoints = await measureProtocolEndpoints(bench, bare);
  const refusals = await measureRefusals(bench);
  logProgress("measuring password reset requests");
  const resets = await measureResetRequests(bench);
  logProgress("measuring codes of an authenticator app");
  const secondStep = await measureSecondStep(bench);
  logProgress("measuring the settings API");
  const settingsApi = await measureSettingsApi(bench);
  logProgress("measuring the login page");
  const pages = await measureLoginPage(bench, barePage);
  const weights = await weighLoginPage(bench);
  logProgress("removing expired rows during login page requests");
  const cleanUp = await measureCleanUp(bench);
  const loaded = await measureMemory(bench.product, "after load", LOADED_MEGABYTES);
  return [
    throughput,
    ...openLoop,
    cost,
    passkeyCost,
    ...endpoints,
    ...refusals,
    ...resets,
    secondStep,
    settingsApi,
    pages,
    ...weights,
    coldStart,
    firstSignIn,
    idle,
    loaded,
    ...cleanUp,
  ];
}

/** Runs the measurements of the endpoints that programs call. */
export async function measureEndpoints(setting: Setting): Promise<Finding[]> {
  const bench = await startProduct(setting);
  const bare = await startBareProvider(setting.http, setting.folder, setting.gatehouse.application);
  logProgress("measuring protocol endpoints");
  return measureProtocolEndpoints(bench, bare);
}

/** Runs the measurements of sign-ins at fixed rates. */
export async function measureRates(setting: Setting): Promise<Finding[]> {
  const bench = await startProduct(setting);
  logProgress("warming up");
  await warmUp(bench, bench.service);
  logProgress("measuring sign-ins at fixed rates");
  return measureOpenLoop(bench);
}

/** Runs the measurement of sign-ins by passkey. */
export async function measurePasskeys(setting: Setting): Promise<Finding[]> {
  const bench = await startProduct(setting);
  logProgress("warming up");
  await warmUp(bench, bench.service);
  logProgress("measuring sign-ins by passkey");
  return [await measurePasskeyCost(bench)];
}

/** Starts the product and returns the input of the measurements. */
export async function startProduct(setting: Setting): Promise<Bench> {
  const { options, gatehouse, http } = setting;
  const product = await startServer(http, gatehouse.url, productProgram(setting));
  return {
    options,
    gatehouse,
    http,
    product,
    service: gatehouseService(gatehouse),
    nextUser: createUserCycle(gatehouse),
  };
}

/** Signs users in until the server runs compiled code. */
export async function warmUp({ options, http, nextUser }: Bench, service: Service): Promise<void> {
  const { clients, effort } = options;
  await repeat({ clients, times: effort.warmUpSignIns }, () => signIn(http, service, nextUser()));
}

function productProgram({ folder, gatehouse }: Setting): Program {
  return { file: PROGRAM, args: ["serve"], env: gatehouse.env, logFile: join(folder, "gatehouse.log") };
}
