import type { EntryContext } from "@remix-run/node";
import { z } from "zod";
import type { DocumentContext } from "#app/ui/document-context.tsx";

/** What a page is made of: whatever it shows is in here, so that the same content always gives the same page. */
export type PageContent = { facts: DocumentContext; context: EntryContext; url: string; language: string };

/** Makes the page's markup from its content. */
type Render = (content: PageContent) => string;

/** The sign-in form: the one page that is asked for again and again, and differs by its tokens alone. */
const FORMS = ["routes/login/login", "routes/login/native"];

/** Letters that stand the same in text, attributes, addresses and JSON, and so can be put into a finished page. */
const token = z.string().regex(/^[\w.-]{20,}$/);
const view = z.looseObject({
  title: z.string(),
  username: z.string().regex(/^[\w.-]*$/),
  state: z.looseObject({
    xsrf_token: token,
    login_challenge: token,
    // A challenge that is none can be any text, one of the page too: only our own are taken out of it again.
    error: z
      .string()
      .refine((error) => error !== "challenge")
      .optional(),
    login_hint: z.undefined().optional(),
    login_result: z.undefined().optional(),
  }),
});

/** In place of what was typed: no name may come faster than another for having been typed before. */
const ANY_NAME = "name-in-the-place-of-any-other";

/** Marks a place for a value by its number. No text of ours has these characters. */
const HOLE = /\uE000(\d)\uE001/;

const MAX_TEMPLATES = 100;
const MAX_KEY_LENGTH = 8000;

/** By the component of the page, which is another one after a change while developing. */
const templates = new WeakMap<object, Map<string, readonly string[]>>();

/**
 * Renders a page. Of the sign-in form everything is kept but nonce, reference, tokens and typed name, and those are put
 * into it the next time: rendering it is a third of what the request costs. Any other page is rendered anew.
 */
export function renderFromTemplate(content: PageContent, render: Render): string {
  const form = readForm(content);
  return form ? fill(form, render) : render(content);
}

/** `values`: what is put into the page at its holes. */
type Form = { content: PageContent; component: object; values: readonly string[]; username: string };

function readForm({ facts, context, ...rest }: PageContent): Form | null {
  const { actionData, loaderData, errors, matches } = context.staticHandlerContext;
  const id = matches.at(-1)?.route.id ?? "";
  const component = context.routeModules[id]?.default;
  // An address may carry a name, too: then nothing is kept.
  if (!FORMS.includes(id) || !component || errors || rest.url.includes("username=")) return null;
  const shown = view.safeParse(actionData?.[id] ?? loaderData[id]);
  if (!shown.success) return null;
  const { username, state } = shown.data;
  const data = { ...shown.data, username: username && ANY_NAME };
  const staticHandlerContext = {
    ...context.staticHandlerContext,
    ...(actionData?.[id] ? { actionData: { [id]: data } } : { loaderData: { ...loaderData, [id]: data } }),
  };
  const content = {
    ...rest,
    facts: { ...facts, username: facts.username && ANY_NAME },
    context: { ...context, staticHandlerContext },
  };
  return {
    content,
    component,
    values: [facts.nonce, facts.requestId, state.xsrf_token, state.login_challenge],
    username,
  };
}

function fill({ content, component, values, username }: Form, render: Render): string {
  const known = templates.get(component) ?? new Map<string, readonly string[]>();
  templates.set(component, known);
  const key = withHoles(keyOf(content), values);
  const template = known.get(key) ?? withHoles(render(content), values).split(HOLE);
  if (key.length <= MAX_KEY_LENGTH) known.set(key, template);
  const [oldest] = known.keys();
  if (known.size > MAX_TEMPLATES && oldest !== undefined) known.delete(oldest);
  const inserted = [...values, username];
  return template.map((part, index) => (index % 2 === 0 ? part : inserted[Number(part)])).join("");
}

/** All that the page depends on, as text. */
function keyOf({ facts, context, url, language }: PageContent): string {
  const { loaderData, actionData } = context.staticHandlerContext;
  return JSON.stringify([language, url, facts, loaderData, actionData]);
}

function withHoles(text: string, values: readonly string[]): string {
  return [...values, ANY_NAME].reduce((holed, value, number) => holed.replaceAll(value, `\uE000${number}\uE001`), text);
}
