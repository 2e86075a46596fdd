import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { type EngineOptions, LOCALES, type RunningBrowser } from "./engine.ts";
import { connectMarionette, type Marionette } from "./marionette.ts";
import { startProgram } from "./program.ts";
import { type Command, createBrowser, type Send } from "./web-driver.ts";

/** Marionette's names of the commands. */
const NAMES: Record<Command, string> = {
  navigate: "WebDriver:Navigate",
  address: "WebDriver:GetCurrentURL",
  find: "WebDriver:FindElement",
  click: "WebDriver:ElementClick",
  clear: "WebDriver:ElementClear",
  type: "WebDriver:ElementSendKeys",
  text: "WebDriver:GetElementText",
  property: "WebDriver:GetElementProperty",
  attribute: "WebDriver:GetElementAttribute",
  run: "WebDriver:ExecuteScript",
  screenshot: "WebDriver:TakeScreenshot",
};

/** Disables Firefox's background requests, because the tests have no network. */
const QUIET = {
  "marionette.port": 0,
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
  "network.proxy.no_proxies_on": "localhost, 127.0.0.1",
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "app.normandy.enabled": false,
  "messaging-system.rsexperimentloader.enabled": false,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "browser.startup.page": 0,
  "browser.aboutwelcome.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.server": "",
  // Virtual authenticators in place of the security keys of this machine.
  "security.webauth.webauthn_enable_softtoken": true,
  "security.webauth.webauthn_enable_usbtoken": false,
};

const wrapped = z.object({ value: z.unknown() });

export type Firefox = RunningBrowser & {
  /** Returns script errors and policy violations of pages of this origin, from Firefox's console. */
  problems(origin: string): Promise<string[]>;
  /** Returns everything in Firefox's console, with warnings. */
  console(): Promise<string[]>;
  /** Adds a virtual authenticator in the computer, which stores passkeys and verifies its user. */
  addDevice(): Promise<void>;
};

export async function startFirefox({ language, javaScript = true, width = 1280 }: EngineOptions): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), "gatehouse-firefox-"));
  const wanted = {
    ...QUIET,
    "intl.accept_languages": `${LOCALES[language]}, ${language}`,
    "javascript.enabled": javaScript,
  };
  const lines = Object.entries(wanted).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
  writeFileSync(join(profile, "user.js"), lines.join(""));
  const args = ["--marionette", "--remote-allow-system-access", "--headless", "--no-remote", "--profile", profile];
  const { program, env } = requireDebianTool("firefox-esr");
  const firefox = startProgram(program, args, { ...env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" });
  const portFile = join(profile, "MarionetteActivePort");
  let marionette: Marionette;
  try {
    marionette = await firefox.waitFor("its port", () => tryConnect(portFile));
    await marionette.call("WebDriver:NewSession");
    await setWidth(marionette, width);
  } catch (error) {
    await firefox.end();
    rmSync(profile, { recursive: true, force: true });
    throw error;
  }
  return {
    ...createBrowser(sendBy(marionette)),
    problems: (origin) => readProblems(marionette, origin),
    console: () => readConsole(marionette, "true"),
    addDevice: () => addDevice(marionette),
    async close() {
      await marionette.call("Marionette:Quit", { flags: ["eForceQuit"] });
      marionette.close();
      await firefox.ended();
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** https://www.w3.org/TR/webauthn-3/#sctn-automation */
async function addDevice(marionette: Marionette): Promise<void> {
  const device = { protocol: "ctap2_1", transport: "internal", hasResidentKey: true, hasUserVerification: true };
  await marionette.call("WebAuthn:AddVirtualAuthenticator", {
    ...device,
    isUserConsenting: true,
    isUserVerified: true,
  });
}

/** Returns null while Firefox has not written its port or does not listen yet. */
async function tryConnect(portFile: string): Promise<Marionette | null> {
  const port = existsSync(portFile) ? readFileSync(portFile, "utf8") : "";
  return port === "" ? null : connectMarionette(Number(port)).catch(() => null);
}

function sendBy(marionette: Marionette): Send {
  return async (command, parameters, element) => {
    const id = element === undefined ? {} : { id: element };
    const response = await marionette.call(NAMES[command], { ...parameters, ...id });
    const { success, data } = wrapped.safeParse(response);
    return success ? data.value : response;
  };
}

/** Firefox's window is at least 500 pixels wide; only the viewport can be narrower. */
async function setWidth(marionette: Marionette, width: number): Promise<void> {
  await marionette.call("WebDriver:SetWindowRect", { width: Math.max(width, 500), height: 1000 });
  const script = `const { style } = gBrowser.selectedBrowser; style.minWidth = style.maxWidth = "${width}px";`;
  await asFirefox(marionette, script);
}

const messages = z.object({ value: z.array(z.string()) });

/** Reads the errors in Firefox's console whose source is this origin. */
async function readProblems(marionette: Marionette, origin: string): Promise<string[]> {
  const errors = await readConsole(marionette, "!(message.flags & Ci.nsIScriptError.warningFlag)");
  return errors.filter((line) => line.startsWith(origin));
}

/** Reads the messages in Firefox's console that meet the condition, an expression. */
async function readConsole(marionette: Marionette, condition: string): Promise<string[]> {
  const script = `return Services.console.getMessageArray()
    .filter((message) => message instanceof Ci.nsIScriptError && ${condition})
    .map((message) => message.sourceName + " " + message.category + ": " + message.errorMessage);`;
  return messages.parse(await asFirefox(marionette, script)).value;
}

/** Runs a script in Firefox's privileged context. */
async function asFirefox(marionette: Marionette, script: string): Promise<unknown> {
  await marionette.call("Marionette:SetContext", { value: "chrome" });
  const result = await marionette.call("WebDriver:ExecuteScript", { script, args: [] });
  await marionette.call("Marionette:SetContext", { value: "content" });
  return result;
}
