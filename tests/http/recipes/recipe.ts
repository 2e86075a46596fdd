import { type SnippetKind, snippetFor } from "#app/cli/snippets/snippet.ts";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import { showClient } from "#app/domain/client/show.server.ts";
import { noteSecret } from "#tests/support/sent-secrets.ts";
import type { TestServer } from "#tests/support/server.ts";

/** A client with its sample code, as `client add --snippet` prints it. */
export type Recipe = { code: string; clientId: string; clientSecret: string; redirectUri: string };

/** Registers a client and returns its sample code. */
export async function createRecipe(
  server: TestServer,
  kind: SnippetKind,
  input: Partial<NewClientInput> = {},
): Promise<Recipe> {
  const { clientId, clientSecret, redirectUri } = await server.clients.create(input);
  const code = snippetFor(kind, server.url, await showClient(server.context, clientId));
  return { code, clientId, clientSecret: clientSecret ?? "", redirectUri };
}

/** A secret of the application's session. */
export function sessionSecret(): string {
  const secret = "only-the-recipes-of-the-tests-have-this";
  noteSecret("session secret", secret);
  return secret;
}
