import { lookup } from "node:dns/promises";
import type { Config } from "#app/config/config.ts";
import type { Clock } from "#app/ports.ts";
import { markOf } from "./mark.ts";
import type { MailMessage } from "./message.server.ts";
import { type MailProblem, problemOf } from "./problem.server.ts";
import { type Listener, type MailServer, smtpTransport } from "./transport.server.ts";

/** A completed step of an SMTP delivery. `detail`: information gained by it. */
export type TranscriptStep = {
  step: "resolve" | "token" | "connect" | "greeting" | "encryption" | "account" | "accepted";
  detail: string;
};

/** Outcome of a delivery. `response`: the server's reply, which may contain addresses; for the administrator only. */
type TranscriptResult = { kind: "accepted" } | { kind: "failed"; problem: MailProblem; response: string | null };

/** Sends one mail over SMTP and reports each step when it is done. */
export async function sendWithTranscript(
  { smtpUrl, mailOauth, ...brand }: Pick<Config, "logo" | "accent"> & MailServer,
  message: MailMessage,
  { clock, onStep }: { clock: Clock; onStep: (step: TranscriptStep) => void },
): Promise<TranscriptResult> {
  const recorder = createRecorder(onStep, smtpUrl.startsWith("smtps:"));
  const transport = smtpTransport({ smtpUrl, mailOauth }, { mark: markOf(brand), clock, listener: recorder.listener });
  try {
    onStep({ step: "resolve", detail: await resolve(new URL(smtpUrl).hostname) });
    await transport.send(message);
    onStep({ step: "accepted", detail: recorder.lastResponse() });
    return { kind: "accepted" };
  } catch (error) {
    return { kind: "failed", problem: problemOf(error), response: responseOf(error) };
  } finally {
    transport.close();
  }
}

/** Resolves a host name to its addresses. Throws an error that problemOf reports as an unknown name. */
async function resolve(hostname: string): Promise<string> {
  // Removes the brackets of an IPv6 address.
  const name = hostname.replace(/^\[(.*)\]$/, "$1");
  try {
    const found = await lookup(name, { all: true });
    return `${name} is ${found.map(({ address }) => address).join(", ")}`;
  } catch (cause) {
    throw Object.assign(new Error("the name cannot be resolved", { cause }), { code: "EDNS" });
  }
}

function createRecorder(onStep: (step: TranscriptStep) => void, isImplicitTls: boolean) {
  const reported = new Set<TranscriptStep["step"]>();
  let isEncrypted = isImplicitTls;
  let response = "";

  function reportOnce(step: TranscriptStep["step"], detail: string): void {
    if (!reported.has(step)) onStep({ step, detail });
    reported.add(step);
  }

  const listener: Listener = (data, message) => {
    if (data["tnx"] === "token") reportOnce("token", message);
    if (data["tnx"] === "network" && typeof data["remoteAddress"] === "string") {
      reportOnce("connect", `${data["remoteAddress"]}, port ${data["remotePort"]}`);
    }
    if (data["tnx"] === "smtp" && message === "Connection upgraded with STARTTLS") isEncrypted = true;
    if (data["tnx"] === "server") {
      [response = ""] = message.split("\n");
      reportOnce("greeting", response);
    }
    // These commands follow the set-up of the connection.
    if (data["tnx"] === "client" && /^(AUTH|MAIL FROM)\b/.test(message)) {
      reportOnce("encryption", isEncrypted ? "TLS" : "none: the server does not offer TLS");
    }
    if (data["action"] === "authenticated") reportOnce("account", `authenticated as ${data["username"]}`);
  };

  return { listener, lastResponse: () => response };
}

function responseOf(error: unknown): string | null {
  const response = error instanceof Error && "response" in error ? error.response : null;
  return typeof response === "string" && response !== "" ? response : null;
}
