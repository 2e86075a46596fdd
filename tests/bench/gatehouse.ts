import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { ROOT } from "#tests/support/source-tree.ts";
import { addUsers, type PasskeyUser, type Users } from "./gatehouse-users.ts";
import type { Browser, HttpResponse } from "./http-client.ts";
import type { Application, BenchUser, Service } from "./sign-in-flow.ts";

/** The built program. */
export const PROGRAM = join(ROOT, "build/main.js");

const PASSWORD = "Ledger-Window-27-Oak";
const REDIRECT_URI = "http://localhost/bench/callback";
const SETTINGS_RETURN_URI = "http://localhost/bench/profile";

/** An installation of the product that is not running. */
export type Gatehouse = Users & {
  url: URL;
  env: NodeJS.ProcessEnv;
  application: Application;
  password: string;
};

/** Cost of a stored argon2id hash: memory in KiB, passes, threads. */
type HashCost = { memoryKib: number; passes: number; parallelism: number };

const FLOOR: HashCost = { memoryKib: 19_456, passes: 2, parallelism: 1 };

/** Sets up an installation in an empty database: one client and one user by commands, the other users in bulk. */
export async function setUpGatehouse(databaseUrl: string, port: number): Promise<Gatehouse> {
  const url = new URL(`http://localhost:${port}`);
  const env = environment(url, databaseUrl);
  const command = (args: string[], input = "") => runCommand(env, args, input);
  const added = await command([
    "client",
    "add",
    "--id",
    "bench",
    "--name",
    "Bench",
    "--redirect-uri",
    REDIRECT_URI,
    ...["openid", "profile", "email", "offline"].flatMap((scope) => ["--scope", scope]),
    "--first-party",
    "--everyone",
    "--may-open-settings",
    "--settings-return-uri",
    SETTINGS_RETURN_URI,
    "--json",
  ]);
  const { client_id: clientId, client_secret: clientSecret } = credentials.parse(JSON.parse(added));
  const first = "anna.berg";
  await command(["user", "add", first, "--display-name", "Anna Berg", "--password-stdin"], PASSWORD);
  const { usernames, ...others } = await addUsers(env, { first, password: PASSWORD });
  return {
    url,
    env,
    application: { clientId, clientSecret, redirectUri: REDIRECT_URI },
    ...others,
    usernames: [first, ...usernames],
    password: PASSWORD,
  };
}

const credentials = z.object({ client_id: z.string(), client_secret: z.string() });

/** Returns an environment as in production, without tuning for speed. */
function environment(url: URL, databaseUrl: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: "production",
    ISSUER: url.origin,
    HOST: "127.0.0.1",
    PORT: url.port,
    DATABASE_URL: databaseUrl,
    SECRET_KEYS: "a secret key that only the bench knows",
    APP_URL: "http://localhost/app",
    IMPRINT_URL: "http://localhost/imprint",
    TRUST_PROXY: "127.0.0.1/32",
  };
}

/** Runs a command; resolves to its output. */
export async function runCommand(env: NodeJS.ProcessEnv, args: readonly string[], input = ""): Promise<string> {
  const running = promisify(execFile)(process.execPath, [PROGRAM, ...args], { env });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

/** Returns the path of the SQLite file. */
export function databaseFileOf({ env }: Gatehouse): string {
  return (env["DATABASE_URL"] ?? "").replace(/^sqlite:/, "");
}

/** Returns the cost of a stored hash; null if it is not argon2id (PHC string format). */
export function costOf(storedHash: string): HashCost | null {
  const [, memoryKib, passes, parallelism] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(storedHash) ?? [];
  if (parallelism === undefined) return null;
  return { memoryKib: Number(memoryKib), passes: Number(passes), parallelism: Number(parallelism) };
}

/** Returns true if the hash cost is at least the required minimum. */
export function isCostlyEnough(cost: HashCost | null): boolean {
  return (
    cost !== null &&
    cost.memoryKib >= FLOOR.memoryKib &&
    cost.passes >= FLOOR.passes &&
    cost.parallelism >= FLOOR.parallelism
  );
}

/** Returns a function that cycles through the users, each time with a new IP address. */
export function createUserCycle({ usernames, password }: Gatehouse): () => BenchUser {
  let count = 0;
  return () => {
    count += 1;
    const username = usernames[count % usernames.length] ?? "";
    return { username, password, address: `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}` };
  };
}

/** Describes the sign-in at Gatehouse: its login page and form. */
export function gatehouseService({ url, application }: Gatehouse): Service {
  return {
    issuer: url,
    authorizationPath: "/oauth2/auth",
    tokenPath: "/oauth2/token",
    application,
    identify: async (browser, page, user) => postLogin(browser, await openLogin(browser, page), user),
  };
}

/** Describes the sign-in by passkey: the login page, and the form that its script sends. */
export function passkeyService(gatehouse: Gatehouse): Service {
  const { passkeyUsers } = gatehouse;
  let count = 0;
  return {
    ...gatehouseService(gatehouse),
    async identify(browser, page) {
      count += 1;
      const user = passkeyUsers[count % passkeyUsers.length];
      if (!user) throw new Error("the installation has no users with passkeys");
      return postPasskey(browser, await openLogin(browser, page), user);
    },
  };
}

/** Answers the challenge of a login page. */
function postPasskey(browser: Browser, page: HttpResponse, { id, key }: PasskeyUser): Promise<HttpResponse> {
  const element = /<passkey-sign-in[^>]*>/.exec(page.body)?.[0] ?? "";
  const challenge = attribute(element, "challenge") ?? "";
  const relyingPartyId = attribute(element, "rp-id") ?? "";
  const userHandle = Buffer.from(id, "utf8").toString("base64url");
  const response = key.assert({ relyingPartyId, challenge }, { uv: true, be: true, bs: true, userHandle });
  return postForm(browser, page, "/login/passkey", { assertion: JSON.stringify(response) });
}

/** Loads the login page. Throws if the status is not 200. */
export async function openLogin(browser: Browser, page: URL): Promise<HttpResponse> {
  const response = await browser.get(page);
  if (response.status === 200) return response;
  throw new Error(`There is no login page: ${response.status} ${response.body.slice(0, 500)}`);
}

/** Fills in and submits the form of a login page. */
export function postLogin(
  browser: Browser,
  page: HttpResponse,
  { username, password }: Omit<BenchUser, "address">,
): Promise<HttpResponse> {
  return postForm(browser, page, "/login/native", { username, password });
}

/** Fills in and submits the form of a page that posts to this path. */
export function postForm(
  browser: Browser,
  page: HttpResponse,
  path: string,
  typed: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const { action, hidden } = readForm(page.body, path);
  return browser.post(new URL(action, page.url), new URLSearchParams({ ...hidden, ...typed }));
}

/** Uses regular expressions, because parsing each page would cost more than the server's work. */
function readForm(html: string, path: string): { action: string; hidden: Record<string, string> } {
  const form = html.match(/<form.*?<\/form>/gs)?.find((one) => attribute(one, "action") === path);
  const action = form && attribute(form, "action");
  if (!form || !action) throw new Error(`There is no form to ${path}: ${html.slice(0, 500)}`);
  const inputs = form.match(/<input[^>]*type="hidden"[^>]*>/g) ?? [];
  const hidden = inputs.map((input) => [attribute(input, "name") ?? "", attribute(input, "value") ?? ""]);
  return { action, hidden: Object.fromEntries(hidden) };
}

function attribute(tag: string, name: string): string | null {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? null;
}
