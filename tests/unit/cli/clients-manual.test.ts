import { describe, expect, it } from "vitest";
import { MAX_HINTS } from "#app/domain/client/hints.ts";
import { DEFAULT_SCOPES } from "#app/domain/client/new-client.ts";
import { CONSENT_DAYS } from "#app/domain/consent/remembered.server.ts";
import { SESSION_IDLE_SECONDS, SESSION_MAX_SECONDS } from "#app/domain/engine-session/lifetime.ts";
import { ACR_MFA, ACR_PASSWORD } from "#app/domain/engine-session/subject.server.ts";
import { NAME_LIMIT } from "#app/domain/registration/complete.server.ts";
import { REGISTRATION_MINUTES } from "#app/domain/registration/registration.server.ts";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import { LIFETIMES } from "#app/oidc/lifetimes.server.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { readText } from "#tests/support/source-tree.ts";
import { run } from "./terminal.ts";

const manual = readText("docs/clients.md");

/** Returns the second cell of a table row. */
function cell(first: string): string {
  const row = manual.split("\n").find((line) => line.startsWith(`| ${first} |`));
  return row?.split("|")[2]?.trim() ?? "";
}

describe("docs/clients.md", () => {
  it.each(SCOPES.filter(({ claims }) => claims.length > 0))("lists the claims of the scope $id", ({ id, claims }) => {
    expect(cell(`\`${id}\``)).toBe(claims.map((claim) => `\`${claim}\``).join(", "));
  });

  it("names every scope, and no other", () => {
    for (const { id } of SCOPES) expect(manual).toContain(`\`${id}\``);
    const inTable = [...manual.matchAll(/^\| `(\w+)` \| `\w+`/gm)].map(([, id]) => id);
    expect(inTable).toEqual(SCOPES.filter(({ claims }) => claims.length > 0).map(({ id }) => id));
  });

  it("states the actual limits of a registration", () => {
    expect(MAX_HINTS).toBe(10);
    expect(manual).toContain("ten at most, 200 characters each");
    expect(manual).toContain(`(${REGISTRATION_MINUTES} min, good once)`);
    expect(manual).toContain(`more than ${NAME_LIMIT.points} user names`);
  });

  it("states the actual lifetimes", () => {
    expect(cell("authorization code")).toContain(`${LIFETIMES.authorizationCode} s`);
    expect(cell("access token")).toBe(`${LIFETIMES.accessToken / MINUTE_SECONDS} min`);
    expect(cell("ID token")).toBe(`${LIFETIMES.idToken / MINUTE_SECONDS} min`);
    expect(cell("refresh token")).toContain(`${LIFETIMES.refreshToken / DAY_SECONDS} days`);
    expect(cell("a sign-in that is under way")).toBe(`${LIFETIMES.interaction / MINUTE_SECONDS} min`);
    expect(cell("session")).toContain(`${SESSION_MAX_SECONDS / HOUR_SECONDS} h from the sign-in`);
    expect(cell("session")).toContain(`${SESSION_IDLE_SECONDS / HOUR_SECONDS} h without use`);
    expect(manual).toContain(`${CONSENT_DAYS} days`);
  });

  it("names every address and both acr values", () => {
    for (const path of Object.values(ENGINE_ROUTES)) expect(manual).toContain(`\`${path}\``);
    for (const acr of [ACR_PASSWORD, ACR_MFA]) expect(manual).toContain(`\`${acr}\``);
  });

  it("names options of `client add` only that are there", async () => {
    const { stdout } = await run(["client", "add", "--help"]);
    const named = new Set([...manual.matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option));
    // Options of curl, journalctl, audit list, client preview and Nextcloud, and of every command.
    const nextcloud = ["--group-provisioning", "--mapping-groups"];
    const others = ["--data-urlencode", "--since", "--type", "--user", "--help", ...nextcloud];
    for (const foreign of others) named.delete(foreign);
    expect([...named].filter((option) => !stdout.includes(`${option} `))).toEqual([]);
    expect(stdout).toContain(DEFAULT_SCOPES.join(" "));
  });
});
