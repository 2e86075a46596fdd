import { escapeHtml } from "#demo/pages.ts";
import { STYLE } from "#demo/style.ts";
import type { FakeProviderUser } from "./fake-provider.ts";

/** The people of a stand-in, each a button, and a way back. Without people: there is nothing to sign in to (any more). */
export function personListPage({ name, people }: { name: string; people: readonly FakeProviderUser[] }): string {
  const title = `${name}, played by the demo`;
  const rows = people.map(
    (person) => `<p><button class="button quiet" name="sub" value="${escapeHtml(person.sub)}">
<span>${escapeHtml(person.name)}<br><small>${escapeHtml(person.email)}</small></span></button></p>`,
  );
  const form = `<p>This is not ${escapeHtml(name)}. It is a small OpenID provider on this machine that stands in for it. Choose who you are:</p>
<form method="post">${rows.join("\n")}
<p><button class="button" name="sub" value="">Cancel</button></p></form>`;
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${people.length > 0 ? form : "<p>This sign-in is over. Go back to the application and begin again.</p>"}
</main></body>
</html>
`;
}
