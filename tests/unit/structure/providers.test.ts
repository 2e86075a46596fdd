import ts from "typescript";
import { expect, it } from "vitest";
import { readSources } from "#tests/support/source-tree.ts";

/** The table of names, the configuration keys, the protocol settings and the logo. */
const ENTRIES = [
  "app/config/provider-keys.server.ts",
  "app/config/providers.ts",
  "app/ui/provider-mark.tsx",
  "app/upstream/providers.server.ts",
];

/** A provider in an identifier, key or text; `-apple-system` and `apple-touch-icon` are names of web standards. */
const PROVIDER = /(?<!-)(google|microsoft|apple)(?!-(system|touch-icon))/i;

/** Its texts describe the demo, which always has the same three providers. */
const DEMO = "demo/command.ts";

/** They name the mail servers of two of the providers, which are independent of signing in there. */
const MAIL = /^app\/(mail|config\/mail-|cli\/commands\/setup|cli\/setup\/mail-)/;

/** It names the makers of passkey providers and security keys, which are independent of signing in there. */
const AUTHENTICATORS = "app/domain/webauthn/authenticator-names.ts";

const printer = ts.createPrinter({ removeComments: true });

it("names an external provider in the code of four files only", () => {
  const naming = readSources("app").filter(
    ({ path, tree }) =>
      path !== DEMO && path !== AUTHENTICATORS && !MAIL.test(path) && PROVIDER.test(printer.printFile(tree)),
  );
  expect(naming.map(({ path }) => path).sort()).toEqual(ENTRIES);
});
