import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "#tests/support/source-tree.ts";

/** Returns the texts of the JavaScript files of a folder. */
function scriptsOf(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".js"));
  return names.map((name) => readFileSync(join(ROOT, folder, name), "utf8"));
}

const bundle = scriptsOf("build").join("\n");

// oidc-provider stores the name of a record's class with the record, and the adapter hashes the ids of some by this name.
const records = scriptsOf("node_modules/oidc-provider/lib/models").flatMap((text) =>
  [...text.matchAll(/\bclass (\w+)/g)].map(([, name = ""]) => name),
);

test("the record classes of oidc-provider are found", () => {
  expect(records).toEqual(
    expect.arrayContaining(["AccessToken", "AuthorizationCode", "Grant", "RefreshToken", "Session"]),
  );
});

// `Sequence` is compared by @peculiar/asn1-schema.
test.each([...records, "Sequence"])("the bundle keeps the name of the class %s", (name) => {
  expect(bundle).toMatch(new RegExp(`__name\\d*\\(this, "${name}"\\)`));
});
