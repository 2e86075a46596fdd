import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { z } from "zod";

const TIMEOUT_MS = 5_000;

/** Path of the discovery document (OpenID Connect Discovery 1.0 §4). */
export const DISCOVERY = "/.well-known/openid-configuration";

/** The members of a discovery document that are checked. */
export const discoverySchema = z.object({ issuer: z.string(), authorization_endpoint: z.string() });

/** The response to a probe, or why there is none. */
export type ProbeResponse = { status: number; location: string | null; json: unknown } | { failure: string };

/** Sends a GET request without following redirects. */
export async function probe(url: string): Promise<ProbeResponse> {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const json: unknown = await response.json().catch(() => null);
    return { status: response.status, location: response.headers.get("location"), json };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** Sends a GET request with another Host header, which fetch does not allow. Returns the JSON of the response, or null. */
export async function probeHost(url: string, host: string): Promise<unknown> {
  const request = get(url, { headers: { host }, signal: AbortSignal.timeout(TIMEOUT_MS) });
  try {
    const [response]: IncomingMessage[] = await once(request, "response");
    return response === undefined ? null : await json(response);
  } catch {
    return null;
  }
}

/** Returns the code of the innermost cause; the message of fetch is only "fetch failed". */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.cause !== undefined) return failureOf(error.cause);
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name === "TimeoutError" ? `no response within ${TIMEOUT_MS / 1000} s` : error.message;
}
