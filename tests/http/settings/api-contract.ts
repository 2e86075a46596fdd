import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "#tests/support/source-tree.ts";

const Response = z.object({
  headers: z.record(z.string(), z.object({ $ref: z.string() })).default({}),
  content: z.object({
    "application/json": z.object({
      schema: z.record(z.string(), z.json()).transform((schema) => z.fromJSONSchema(schema)),
    }),
  }),
});

const Contract = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ responses: z.record(z.string(), Response) }))),
  components: z.object({ headers: z.record(z.string(), z.object({ required: z.boolean() })) }),
});

const { paths, components } = Contract.parse(JSON.parse(readFileSync(join(ROOT, "docs/openapi.json"), "utf8")));

const operations = Object.entries(paths).map(([template, methods]) => {
  const pattern = template.replace(/\{\w+\}/g, "(google|microsoft|apple)");
  return { path: new RegExp(`^${pattern}$`), methods };
});

/** A response to an application or to a browser. */
type CallResponse = { status: number; headers: Headers | IncomingHttpHeaders; body: string };

/**
 * Throws unless docs/openapi.json documents the response's body, keys and headers for this call and status.
 * @param path from the issuer on, with its first slash; a query is ignored
 */
export function expectDocumented(method: string, path: string, received: CallResponse): void {
  const call = `${method} ${path}`;
  const operation = operationOf(method, path);
  // Undocumented calls must not exist.
  if (!operation) {
    if (received.status < 400) throw new Error(`${call} is not in docs/openapi.json; status ${received.status}`);
    return;
  }
  const response = operation.responses[received.status];
  if (!response) throw new Error(`docs/openapi.json has no status ${received.status} for ${call}`);
  expectHeaders(`${call}, ${received.status} ${received.body}`, response.headers, received.headers);
  const result = response.content["application/json"].schema.safeParse(JSON.parse(received.body));
  if (!result.success) {
    throw new Error(
      `${call}, ${received.status}: ${received.body} is not as documented: ${z.prettifyError(result.error)}`,
    );
  }
}

function operationOf(method: string, path: string) {
  const pathOnly = path.replace(/\?.*$/, "");
  return operations.find((operation) => operation.path.test(pathOnly))?.methods[method.toLowerCase()];
}

/** Throws unless all required headers are present and all present ones are documented. */
function expectHeaders(
  what: string,
  documented: z.infer<typeof Response>["headers"],
  headers: CallResponse["headers"],
): void {
  const isSent = (name: string) => (headers instanceof Headers ? headers.has(name) : headers[name] !== undefined);
  const allowed = new Map(
    Object.entries(documented).map(([name, { $ref }]) => {
      const component = components.headers[$ref.replace(/^.*\//, "")];
      return [name.toLowerCase(), component?.required ?? true];
    }),
  );
  for (const name of ["x-api-next-token", "retry-after", "www-authenticate"]) {
    if (isSent(name) && !allowed.has(name)) throw new Error(`${what}: ${name} is not documented`);
    if (!isSent(name) && allowed.get(name)) throw new Error(`${what}: ${name} is documented and missing`);
  }
}
