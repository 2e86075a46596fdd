import { z } from "zod";
import { type ProbeResponse, probe } from "./http-probe.server.ts";

/** The address on which a server listens: HOST and PORT. */
export type ListenAddress = { host: string; port: number };

/** Body of /readyz. */
const readinessSchema = z.object({ status: z.enum(["ready", "not ready"]), checks: z.record(z.string(), z.string()) });

/** State of a server. `foreign`: another program responds at its address. `failed` of "not ready": names of checks. */
export type Readiness =
  | { kind: "ready" }
  | { kind: "not ready"; failed: string[] }
  | { kind: "foreign"; status: number }
  | { kind: "unreachable"; failure: string };

/** Returns the origin at which this machine reaches a server: on loopback, if it listens on all interfaces. */
export function localOrigin({ host, port }: ListenAddress): string {
  const own = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${own}:${port}`;
}

/** Requests /readyz of the server at this address. */
export async function checkReadiness(address: ListenAddress): Promise<Readiness> {
  return readinessOf(await probe(`${localOrigin(address)}/readyz`));
}

function readinessOf(response: ProbeResponse): Readiness {
  if ("failure" in response) return { kind: "unreachable", failure: response.failure };
  const { success, data } = readinessSchema.safeParse(response.json);
  if (!success) return { kind: "foreign", status: response.status };
  if (response.status === 200) return { kind: "ready" };
  const checks = Object.entries(data.checks).filter(([, state]) => state === "failed");
  return { kind: "not ready", failed: checks.map(([name]) => name) };
}
