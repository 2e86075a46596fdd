import { request } from "node:http";

/** A response of the metrics port. */
type MetricsResponse = { status: number; type: string; text: string };

/** Sends a request to the metrics port, or any other port. */
export function requestMetrics(
  port: number,
  path = "/metrics",
  { method = "GET", host = "127.0.0.1" }: { method?: string; host?: string } = {},
): Promise<MetricsResponse> {
  return new Promise((resolve, reject) => {
    const clientRequest = request({ host, port, path, method, agent: false }, async (response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const type = response.headers["content-type"] ?? "";
      resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString("utf8") });
    });
    clientRequest.once("error", reject);
    clientRequest.end();
  });
}

/** Values by name and labels as written: `name{label="value"}`. */
export type Metrics = ReadonlyMap<string, number>;

export function parseMetrics(text: string): Metrics {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

export async function readMetrics(port: number): Promise<Metrics> {
  const { status, text } = await requestMetrics(port);
  if (status !== 200) throw new Error(`expected metrics, got ${status}: ${text.slice(0, 500)}`);
  return parseMetrics(text);
}

/** Returns the increases of counters since `before`; unchanged ones are omitted. */
export function movedSince(before: Metrics, now: Metrics, name: string): Record<string, number> {
  const moved = [...now].filter(([key]) => key.startsWith(`${name}{`) || key === name);
  return Object.fromEntries(
    moved
      .map(([key, value]) => [key.slice(name.length), value - (before.get(key) ?? 0)] as const)
      .filter(([, difference]) => difference !== 0),
  );
}
