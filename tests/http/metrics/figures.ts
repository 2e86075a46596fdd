import { request } from "node:http";

/** A response of the metrics port. */
export type Told = { status: number; type: string; text: string };

/** Sends a request to the metrics port, or any other port. */
export function ask(
  port: number,
  path = "/metrics",
  { method = "GET", host = "127.0.0.1" }: { method?: string; host?: string } = {},
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, method, agent: false }, async (answer) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      const type = answer.headers["content-type"] ?? "";
      resolve({ status: answer.statusCode ?? 0, type, text: Buffer.concat(chunks).toString("utf8") });
    });
    asked.once("error", reject);
    asked.end();
  });
}

/** Values by name and labels as written: `name{label="value"}`. */
export type Figures = ReadonlyMap<string, number>;

export function readFigures(text: string): Figures {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

export async function figuresOf(port: number): Promise<Figures> {
  const { status, text } = await ask(port);
  if (status !== 200) throw new Error(`No figures but ${status}: ${text.slice(0, 500)}`);
  return readFigures(text);
}

/** Returns the increases of counters since `before`; unchanged ones are omitted. */
export function movedSince(before: Figures, now: Figures, name: string): Record<string, number> {
  const moved = [...now].filter(([key]) => key.startsWith(`${name}{`) || key === name);
  return Object.fromEntries(
    moved
      .map(([key, value]) => [key.slice(name.length), value - (before.get(key) ?? 0)] as const)
      .filter(([, difference]) => difference !== 0),
  );
}
