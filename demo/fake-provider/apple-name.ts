import type { KoaContextWithOIDC } from "oidc-provider";
import { escapeHtml } from "#demo/pages.ts";
import type { FakeProviderUser } from "./fake-provider.ts";

/** Adds `user` to the form that posts a code: a person's name, which stands in no token. */
export function addName(people: readonly FakeProviderUser[]) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { body } = ctx;
    const sub = ctx.oidc?.session?.accountId;
    const person = people.find((one) => one.sub === sub);
    if (typeof body !== "string" || !person || !body.includes('name="code"')) return;
    const [firstName = "", ...lastNames] = person.name.split(" ");
    const user = JSON.stringify({ name: { firstName, lastName: lastNames.join(" ") }, email: person.email });
    ctx.body = body.replace("</form>", `<input type="hidden" name="user" value="${escapeHtml(user)}"></form>`);
  };
}
