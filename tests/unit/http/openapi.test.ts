import { expect, test } from "vitest";
import type { DocumentedCall } from "#app/routes/api/documented-call.ts";
import { REGISTRATION_CALLS } from "#app/routes/api/registration-calls.server.ts";
import { SECOND_FACTOR_CALLS } from "#app/routes/api/second-factor-calls.server.ts";
import { SETTINGS_CALLS } from "#app/routes/api/settings-calls.server.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { describeApi } from "../../../scripts/describe-api.ts";
import { generateOpenApi } from "../../../scripts/generate-openapi.ts";

test("docs/openapi.json is the one the calls' schemas generate", async () => {
  // If this fails, run `npm run generate`.
  expect(await generateOpenApi(ROOT, { check: true })).toEqual([]);
});

test.each([
  "/mfa/verify-totp",
  "/mfa/init-fido2",
  "/mfa/verify-fido2",
  "/mfa/init-totp",
  "/mfa/setup-totp",
  "/mfa/init-fido2-registration",
  "/mfa/setup-fido2",
  "/api/v1/rpc/registration/redeem",
  "/api/v1/rpc/registration/complete",
])("the document has POST %s", (path) => {
  expect(Object.keys(Object(describeApi().paths)[path] ?? {})).toEqual(["post"]);
});

const GROUPS: readonly [base: string, calls: Readonly<Record<string, DocumentedCall>>][] = [
  ["/api/v1/rpc/user/manage", SETTINGS_CALLS],
  ["/mfa", SECOND_FACTOR_CALLS],
  ["/api/v1/rpc/registration", REGISTRATION_CALLS],
];

test("every call is described, with request, response and every error", () => {
  const { paths } = describeApi();
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const calls = GROUPS.flatMap(([base, group]) =>
    Object.values(group).map(({ method, path }) => `${method} ${base}/${path}`),
  );
  expect(described.sort()).toEqual(["POST /api/v1/rpc/user/manage/token", ...calls].sort());
  const text = JSON.stringify(paths);
  for (const { refusals } of GROUPS.flatMap(([, group]) => Object.values(group)))
    for (const code of Object.values(refusals).flat()) expect(text).toContain(`"${code}"`);
});

test("every operationId is there once", () => {
  const ids = Object.values(describeApi().paths).flatMap((methods) =>
    Object.values(methods).map((operation) => Object(operation).operationId),
  );
  expect(ids).toEqual([...new Set(ids)]);
});

test("the second-factor calls need the mfa_token, the anti-forgery header and the browser cookie", () => {
  const { components, paths } = describeApi();
  expect(Object(paths)["/mfa/verify-totp"].post.security).toEqual([{ mfaToken: [], xsrf: [], browser: [] }]);
  expect(components.securitySchemes).toMatchObject({
    mfaToken: { type: "http", scheme: "bearer" },
    xsrf: { type: "apiKey", in: "header", name: "X-XSRF-Token" },
    browser: { type: "apiKey", in: "cookie", name: "__Host-gatehouse_browser" },
  });
});

test("the registration calls accept the client's secret in the header or in the body", () => {
  const { post } = Object(describeApi().paths)["/api/v1/rpc/registration/redeem"];
  expect(post.security).toEqual([{ client: [] }, {}]);
  const { allOf } = post.requestBody.content["application/json"].schema;
  expect(allOf).toMatchObject([
    { required: ["registration_token"] },
    { properties: { client_id: { type: "string" }, client_secret: { type: "string" } } },
  ]);
});
