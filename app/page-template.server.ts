import type { EntryContext } from "@remix-run/node";
import { z } from "zod";
import type { DocumentContext } from "#app/ui/document-context.tsx";

/** The data of a document, for its components and for Remix. */
export type DocumentData = { documentContext: DocumentContext; context: EntryContext };

/** Everything that a page depends on: the same content always renders the same markup. */
type PageContent = DocumentData & { url: string; language: string };

type Render = (content: PageContent) => string;

/** Routes of the sign-in form, which is requested most often and differs only by its tokens. */
const FORMS = ["routes/login/login", "routes/login/native"];

/** Characters that need no escaping in text, attributes, URLs and JSON, so values can be inserted into markup. */
const token = z.string().regex(/^[\w.-]{20,}$/);
const cachedPageSchema = z.looseObject({
  title: z.string(),
  username: z.string().regex(/^[\w.-]*$/),
  passkey: z.looseObject({ challenge: token }).nullish(),
  state: z.looseObject({
    xsrf_token: token,
    login_challenge: token,
    // An invalid challenge can be any text, even one that occurs in the page; only our own challenges can be replaced.
    error: z
      .string()
      .refine((error) => error !== "challenge")
      .optional(),
    login_hint: z.undefined().optional(),
    login_result: z.undefined().optional(),
  }),
});

/** Replaces the typed user name in the template, so that the response time does not depend on earlier names. */
const NAME_PLACEHOLDER = "name-in-the-place-of-any-other";

/** Placeholder of a value, by number. Our texts never contain these characters. */
const PLACEHOLDER = /\uE000(\d)\uE001/;

const MAX_TEMPLATES = 100;
const MAX_KEY_LENGTH = 8000;

/** By page component, which changes during development. */
const templates = new WeakMap<object, Map<string, readonly string[]>>();

/**
 * Renders a page. The markup of the sign-in form is cached without nonce, reference, tokens and typed name, which are
 * inserted per request; rendering takes a third of the request's time. Other pages are not cached.
 */
export function renderFromTemplate(content: PageContent, render: Render): string {
  const form = readForm(content);
  return form ? fill(form, render) : render(content);
}

/** `values`: the values of the placeholders. */
type Form = { content: PageContent; component: object; values: readonly string[]; username: string };

function readForm({ documentContext, context, ...rest }: PageContent): Form | null {
  const { actionData, loaderData, errors, matches } = context.staticHandlerContext;
  const id = matches.at(-1)?.route.id ?? "";
  const component = context.routeModules[id]?.default;
  // The query may contain a user name: such pages are not cached.
  if (!FORMS.includes(id) || !component || errors || rest.url.includes("username=")) return null;
  const shown = cachedPageSchema.safeParse(actionData?.[id] ?? loaderData[id]);
  if (!shown.success) return null;
  const { username, state, passkey } = shown.data;
  const tokens = [state.xsrf_token, state.login_challenge, ...(passkey ? [passkey.challenge] : [])];
  const data = { ...shown.data, username: username && NAME_PLACEHOLDER };
  const staticHandlerContext = {
    ...context.staticHandlerContext,
    ...(actionData?.[id] ? { actionData: { [id]: data } } : { loaderData: { ...loaderData, [id]: data } }),
  };
  const content = {
    ...rest,
    documentContext,
    context: { ...context, staticHandlerContext },
  };
  return {
    content,
    component,
    values: [documentContext.nonce, documentContext.requestId, ...tokens],
    username,
  };
}

function fill({ content, component, values, username }: Form, render: Render): string {
  const cache = templates.get(component) ?? new Map<string, readonly string[]>();
  templates.set(component, cache);
  const key = withPlaceholders(keyOf(content), values);
  const template = cache.get(key) ?? withPlaceholders(render(content), values).split(PLACEHOLDER);
  if (key.length <= MAX_KEY_LENGTH) cache.set(key, template);
  const [oldest] = cache.keys();
  if (cache.size > MAX_TEMPLATES && oldest !== undefined) cache.delete(oldest);
  const inserted = [...values, username];
  return template.map((part, index) => (index % 2 === 0 ? part : inserted[Number(part)])).join("");
}

/** Returns the cache key: everything that the page depends on. */
function keyOf({ documentContext, context, url, language }: PageContent): string {
  const { loaderData, actionData } = context.staticHandlerContext;
  return JSON.stringify([language, url, documentContext, loaderData, actionData]);
}

function withPlaceholders(text: string, values: readonly string[]): string {
  return [...values, NAME_PLACEHOLDER].reduce(
    (result, value, number) => result.replaceAll(value, `\uE000${number}\uE001`),
    text,
  );
}
