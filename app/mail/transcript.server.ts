import { lookup } from "node:dns/promises";
import type { MailMessage } from "./message.server.ts";
import { type MailProblem, problemOf } from "./problem.server.ts";
import { type Listener, smtpTransport } from "./transport.server.ts";

/** A completed step of an SMTP delivery. `detail`: information gained by it. */
export type TranscriptStep = {
  step: "resolve" | "connect" | "greeting" | "encryption" | "account" | "accepted";
  detail: string;
};

/** Outcome of a delivery. `answer`: the server's reply, which may contain addresses; for the administrator only. */
export type TranscriptEnd = { kind: "accepted" } | { kind: "failed"; problem: MailProblem; answer: string | null };

/** Sends one mail over SMTP and reports each step when it is done. */
export async function sendWithTranscript(
  smtpUrl: string,
  message: MailMessage,
  tell: (step: TranscriptStep) => void,
): Promise<TranscriptEnd> {
  const hearing = hear(tell, smtpUrl.startsWith("smtps:"));
  const transport = smtpTransport(smtpUrl, hearing.listener);
  try {
    tell({ step: "resolve", detail: await resolve(new URL(smtpUrl).hostname) });
    await transport.send(message);
    tell({ step: "accepted", detail: hearing.lastAnswer() });
    return { kind: "accepted" };
  } catch (error) {
    return { kind: "failed", problem: problemOf(error), answer: answerOf(error) };
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

function hear(tell: (step: TranscriptStep) => void, encryptedFromStart: boolean) {
  const told = new Set<TranscriptStep["step"]>();
  let encrypted = encryptedFromStart;
  let answer = "";

  function tellOnce(step: TranscriptStep["step"], detail: string): void {
    if (!told.has(step)) tell({ step, detail });
    told.add(step);
  }

  const listener: Listener = (data, message) => {
    if (data["tnx"] === "network" && typeof data["remoteAddress"] === "string") {
      tellOnce("connect", `${data["remoteAddress"]}, port ${data["remotePort"]}`);
    }
    if (data["tnx"] === "smtp" && message === "Connection upgraded with STARTTLS") encrypted = true;
    if (data["tnx"] === "server") {
      [answer = ""] = message.split("\n");
      tellOnce("greeting", answer);
    }
    // These commands follow the set-up of the connection.
    if (data["tnx"] === "client" && /^(AUTH|MAIL FROM)\b/.test(message)) {
      tellOnce("encryption", encrypted ? "TLS" : "none: the server offers none");
    }
    if (data["action"] === "authenticated") tellOnce("account", `signed in as ${data["username"]}`);
  };

  return { listener, lastAnswer: () => answer };
}

function answerOf(error: unknown): string | null {
  const response = error instanceof Error && "response" in error ? error.response : null;
  return typeof response === "string" && response !== "" ? response : null;
}
