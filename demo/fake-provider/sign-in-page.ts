import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import { escapeHtml } from "#demo/pages.ts";
import { STYLE } from "#demo/style.ts";
import type { FakeProviderOptions, FakeProviderUser } from "./types.ts";

const MAX_FORM_LENGTH = 4096;

/** Creates the handler of the sign-in page: a button per user signs that user in, without a password. */
export function createSignInPage(provider: Provider, { name, users, cancelledError }: FakeProviderOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { params } = await provider.interactionDetails(request, response);
      if (request.method !== "POST") return sendPage(response, 200, userListPage(name, users));
      const chosen = new URLSearchParams(await readForm(request)).get("sub");
      const user = users.find(({ sub }) => sub === chosen);
      const result = user
        ? { login: { accountId: user.sub }, select_account: {} }
        : { error: cancelledError, error_description: `sign-in cancelled for ${String(params.client_id)}` };
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    } catch {
      sendPage(response, 400, userListPage(name, []));
    }
  };
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
  response.end(html);
}

/** Without users, the page states that the interaction has ended. */
function userListPage(name: string, users: readonly FakeProviderUser[]): string {
  const title = `${name} (fake provider of the demo)`;
  const rows = users.map(
    (user) => `<p><button class="button quiet" name="sub" value="${escapeHtml(user.sub)}">
<span>${escapeHtml(user.name)}<br><small>${escapeHtml(user.email)}</small></span></button></p>`,
  );
  const form = `<p>This is not ${escapeHtml(name)}, but a fake OpenID provider on this machine. Choose a user:</p>
<form method="post">${rows.join("\n")}
<p><button class="button" name="sub" value="">Cancel</button></p></form>`;
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${users.length > 0 ? form : "<p>This sign-in has ended. Go back to the application and start again.</p>"}
</main></body>
</html>
`;
}

async function readForm(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_FORM_LENGTH) throw new Error(`form body is longer than ${MAX_FORM_LENGTH} characters`);
  }
  return text;
}
