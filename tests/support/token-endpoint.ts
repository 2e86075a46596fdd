import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { UnsecuredJWT } from "jose";
import type { SMTPServerOptions } from "smtp-server";
import { startSmtp } from "./smtp.ts";

/** Responds to a token request. */
export type Respond = (response: ServerResponse, request: URLSearchParams) => void;

type TokenEndpoint = {
  url: string;
  /** The form of each request. */
  requests: URLSearchParams[];
  /** Every issued token, oldest first. */
  issued: string[];
  /** Replaces the response to the following requests; null: a token again. */
  respondWith(respond: Respond | null): void;
  close(): Promise<void>;
};

/** Claims of the tokens of Microsoft Entra that matter here. */
export const EXCHANGE_CLAIMS = { aud: "https://outlook.office365.com", roles: ["SMTP.SendAsApp"] };

/** Starts a token endpoint that issues unsigned JWTs, which live for an hour. */
export async function startTokenEndpoint(claims: object = EXCHANGE_CLAIMS): Promise<TokenEndpoint> {
  const requests: URLSearchParams[] = [];
  const issued: string[] = [];
  let respond: Respond | null = null;
  const issue: Respond = (response) => {
    const token = new UnsecuredJWT({ ...claims, jti: `token-${issued.length + 1}` }).encode();
    issued.push(token);
    sendJson(response, 200, { token_type: "Bearer", expires_in: 3600, access_token: token });
  };
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await bodyOf(request));
    requests.push(form);
    (respond ?? issue)(response, form);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the token endpoint does not listen");
  return {
    url: `http://127.0.0.1:${address.port}/oauth2/v2.0/token`,
    requests,
    issued,
    respondWith(replacement) {
      respond = replacement;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Refuses as Microsoft Entra does: with its error codes, and a description that repeats what was sent. */
export function refuseLikeEntra(status: number, error: string, code: number): Respond {
  return (response, request) => {
    const description = `AADSTS${code}: refused '${request.get("client_id")}', secret ${request.get("client_secret")}.`;
    sendJson(response, status, { error, error_description: description, error_codes: [code], trace_id: "trace" });
  };
}

/** Sends a JSON response. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The refusals of Exchange Online, as its customers see them. */
export const EXCHANGE_REFUSALS = {
  unsuccessful: "5.7.3 Authentication unsuccessful [AM0PR06CA0126.eurprd06.prod.outlook.com]",
  mailboxOff: "5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Mailbox.",
  tenantOff: "5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.",
} as const;

/**
 * Starts an SMTP server that authenticates by XOAUTH2 only. `refuse` returns the text of a refusal (535), or null to
 * accept. `logins`: mailbox and token of each attempt.
 */
export async function startTokenSmtp(
  refuse: (token: string) => string | null = () => null,
  options: SMTPServerOptions = {},
) {
  const logins: { user: string; token: string }[] = [];
  const server = await startSmtp({
    authOptional: false,
    authMethods: ["XOAUTH2"],
    allowInsecureAuth: true,
    onAuth({ username = "", accessToken = "" }, _session, done) {
      logins.push({ user: username, token: accessToken });
      const refusal = refuse(accessToken);
      if (refusal === null) return done(null, { user: username });
      return done(Object.assign(new Error(refusal), { responseCode: 535 }));
    },
    ...options,
  });
  return { ...server, logins };
}
