import { expect, test } from "vitest";
import { MANAGE_CALLS } from "#app/http/manage-calls.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { describeApi } from "../../../scripts/describe-api.ts";
import { generateOpenApi } from "../../../scripts/generate-openapi.ts";

test("docs/openapi.json is the one the calls' schemas generate", async () => {
  // When this fails: npm run generate.
  expect(await generateOpenApi(ROOT, { check: true })).toEqual([]);
});

test("every call is described, with what it takes, what it answers and every refusal", () => {
  const { paths } = describeApi();
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const calls = Object.values(MANAGE_CALLS).map(({ method, path }) => `${method} /${path}`);
  expect(described.sort()).toEqual(["POST /token", ...calls].sort());
  const text = JSON.stringify(paths);
  for (const { refusals } of Object.values(MANAGE_CALLS))
    for (const code of Object.values(refusals).flat()) expect(text).toContain(`"${code}"`);
});
