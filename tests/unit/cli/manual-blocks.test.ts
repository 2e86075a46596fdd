import { describe, expect, it } from "vitest";
import { readManualBlocks } from "#tests/support/manual.ts";
import { readText } from "#tests/support/source-tree.ts";

/** Manuals whose blocks are run. The German operations manual has the same blocks (operations-manual.test.ts). */
const MANUALS = ["docs/operations.md", "docs/clients.md"];

/** Tests that run blocks as printed: they name the block. */
const RUNNERS = [
  "tests/http/manual/clients.test.ts",
  "tests/http/manual/new-machine.test.ts",
  "tests/http/manual/operations.test.ts",
];

/** Generated recipes, and the tests that run the sample code of which they are made. */
const RECIPES: Readonly<Record<string, { kind: string; test: string }>> = {
  "docs/clients.md: Node.js: openid-client": {
    kind: "openid-client",
    test: "tests/http/recipes/openid-client.test.ts",
  },
  "docs/clients.md: Browser: oidc-client-ts": {
    kind: "oidc-client-ts",
    test: "tests/browser/journey-oidc-client-ts.test.ts",
  },
  "docs/clients.md: Shell: curl": { kind: "curl", test: "tests/http/recipes/curl.test.ts" },
  "docs/clients.md: Python: Authlib": { kind: "authlib", test: "tests/http/recipes/authlib.test.ts" },
  "docs/clients.md: Apache: mod_auth_openidc": {
    kind: "mod_auth_openidc",
    test: "tests/http/recipes/mod-auth-openidc.test.ts",
  },
};

/** Blocks that no test runs, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "docs/operations.md: Mail through Microsoft 365 or Google (2)":
    "PowerShell commands for a tenant of Microsoft 365, which the tests do not have.",
  "docs/operations.md: Mail through Microsoft 365 or Google (3)":
    "Settings of such a tenant. tests/http/mail/token.test.ts uses the same keys with a server of its own.",
  "docs/operations.md: Diagnostic commands":
    "A list of commands with placeholders, each for another problem. operations-manual.test.ts checks names and options.",
  "docs/operations.md: Import users": "A file, which tests/unit/cli/user-import.test.ts imports.",
  "docs/clients.md: Groups": "An ID token with groups. tests/http/oidc/groups-claim.test.ts issues one.",
  "docs/clients.md: Groups (2)": "It needs Java and Maven, as the recipe for Spring Security.",
  "docs/clients.md: Python: Django with mozilla-django-oidc":
    "Debian 12 has no package of version 4. snippets.test.ts compares the values.",
  "docs/clients.md: Java: Spring Security": "It needs Java and Maven. snippets.test.ts compares the values.",
};

const ids = MANUALS.flatMap(readManualBlocks).map(({ id }) => id);
const named = RUNNERS.flatMap((file) =>
  [...readText(file).matchAll(/manualBlock\("([^"]+)"\)/g)].map(([, id = ""]) => id),
);

describe("the blocks of the manuals", () => {
  it("are all run by a test, or listed with the reason why not", () => {
    const covered = [...named, ...Object.keys(RECIPES), ...Object.keys(NOT_RUN)];
    expect(ids.filter((id) => !covered.includes(id))).toEqual([]);
  });

  it("are not listed if they do not exist, or if a test runs them", () => {
    const listed = [...Object.keys(RECIPES), ...Object.keys(NOT_RUN)];
    expect(listed.filter((id) => !ids.includes(id) || named.includes(id))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it.each(Object.entries(RECIPES))("are sample code that a test runs: %s", (_id, { kind, test }) => {
    expect(readText(test)).toMatch(new RegExp(`(createRecipe|snippetFor)\\((server, )?"${kind}"`));
  });

  it("name no file in the home of root, which the user of the service cannot read", () => {
    const manuals = [...MANUALS, "docs/operations.de.md", "README.md"];
    const inCommands = manuals.flatMap((manual) =>
      [...readText(manual).matchAll(/```\w*\n[\s\S]*?```|`[^`\n]+`/g)]
        .map(([text]) => text)
        .filter((text) => /(^|[\s=])(\/root\/|~\/)/m.test(text)),
    );
    expect(inCommands).toEqual([]);
  });

  it("give no file of the current folder to a command that runs as the user of the service", () => {
    const manuals = [...MANUALS, "docs/operations.de.md", "README.md"];
    const relative = manuals.flatMap((manual) =>
      [
        ...readText(manual).matchAll(
          /(?<![=\w])gatehouse [^`\n<>|#]*?(?<= )[\w-]+\.(csv|json|sqlite|txt|pem|png|svg)\b/g,
        ),
      ].map(([text]) => text),
    );
    expect(relative).toEqual([]);
  });
});
