import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import type { FakeProviderOptions } from "./fake-provider.ts";
import { personListPage } from "./page.ts";

const LONGEST_FORM = 4096;

/** The one page of a stand-in: whoever is pressed is signed in. */
export function createSignInDesk(provider: Provider, { name, people, cancelledError }: FakeProviderOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { params } = await provider.interactionDetails(request, response);
      if (request.method !== "POST") return sendPage(response, 200, personListPage({ name, people }));
      const chosen = new URLSearchParams(await readForm(request)).get("sub");
      const person = people.find(({ sub }) => sub === chosen);
      const result = person
        ? { login: { accountId: person.sub }, select_account: {} }
        : { error: cancelledError, error_description: `asked by ${String(params.client_id)}` };
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    } catch {
      sendPage(response, 400, personListPage({ name, people: [] }));
    }
  };
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
  response.end(html);
}

async function readForm(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > LONGEST_FORM) throw new Error("the form is too long");
  }
  return text;
}
