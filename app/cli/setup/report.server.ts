import { z } from "zod";
import { EXIT } from "#app/cli/output/command-error.ts";
import type { Output } from "#app/cli/output/output.server.ts";
import { properties, timeText } from "#app/cli/output/table.ts";
import type { AdministratorState } from "./first-administrator.server.ts";
import type { Installation } from "./installation.server.ts";
import { type Layout, secretFileOf } from "./layout.server.ts";
import type { Program } from "./service-user.server.ts";

const findingsSchema = z.object({
  findings: z.array(z.object({ check: z.string(), state: z.string(), found: z.string(), fix: z.string().nullable() })),
});

/** Shows what `gatehouse doctor` finds. It does not end setup: the proxy may still be obtaining its certificate. */
export async function showProblems(output: Output, program: Program): Promise<void> {
  const text = await program.run(["doctor", "--json"], { accepts: [EXIT.ok, EXIT.failed] });
  const { findings } = findingsSchema.parse(JSON.parse(text));
  const problems = findings.filter(({ state }) => state === "failed" || state === "warning");
  for (const { check, state, found, fix } of problems) {
    output.note(`${state}: ${check}: ${found}${fix ? `\n  -> ${fix}` : ""}`);
  }
  output.note(problems.length > 0 ? "Check again with: gatehouse doctor\n" : "gatehouse doctor finds no problem.\n");
}

/** Prints what is set, without secrets. */
export function showSettings(
  output: Output,
  { layout, installation, state }: { layout: Layout; installation: Installation; state: AdministratorState },
): void {
  const { env, secrets } = installation.settings;
  const smtpUrl = secrets["SMTP_URL"] ?? env["SMTP_URL"];
  const isReady = state.kind === "ready";
  output.lines(
    properties([
      ["public address", env["ISSUER"] ?? []],
      ["product name", env["PRODUCT_NAME"] ?? []],
      ["imprint", env["IMPRINT_URL"] ?? []],
      ["mail", smtpUrl ? new URL(smtpUrl).host : "none: mails are written to files"],
      ["proxy", installation.proxyFile?.file ?? "your own"],
      ["administrator", `${state.username} (${isReady ? "has a password and a second factor" : "has not signed in"})`],
      ["administration", env["ADMIN_PAGES"] === "off" ? "off (ADMIN_PAGES)" : administrationUrl(env["ISSUER"] ?? "")],
      ["configuration", layout.environmentFile],
      ["secret key", `${secretFileOf(layout, "SECRET_KEYS")} (keep a copy in a second place)`],
    ]),
  );
}

function administrationUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/manage/admin`;
}

/** Prints the link that was just created, or the end of the one that was created before. */
export function showLink(
  output: Output,
  { kind, username, linkExpiresAt, url }: AdministratorState,
  timeZone: string,
): void {
  if (kind === "ready") return;
  const end = timeText(linkExpiresAt, timeZone);
  if (url === null) {
    output.note(`\nA link for ${username} was created before; it is valid until ${end}.`);
    output.note("For a new one, which ends it: gatehouse setup --new-link");
    return;
  }
  output.note(`\n${username} chooses a password and a second factor on this page. Single-use, valid until ${end}:`);
  output.lines([url]);
}
