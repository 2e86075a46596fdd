import { z } from "zod";
import { MAX_KEY_NAME_LENGTH } from "#app/domain/webauthn/key-name.ts";
import { listOwnKeys } from "#app/domain/webauthn/own-keys.server.ts";
import { defineForm, type FormResult, firstError, withRules } from "#app/http/define-form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { describeRemoval, securityKeyTexts, settingsState, timeTexts } from "#app/routes/settings/page-data.server.ts";
import type { FactorRemoval, SecurityKeyTexts } from "#app/routes/settings/second-factors.tsx";
import type { SettingsFormState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/** The name of a key. The JSON call that registers a key has the same limits. */
export const keyForm = withRules(defineForm({ name: z.string().trim().default("") }), (schema) =>
  schema.refine(({ name }) => name !== "" && name.length <= MAX_KEY_NAME_LENGTH, {
    path: ["name"],
    error: "bad request",
  }),
);

export type SecurityKeyPage = PageView<
  SettingsFormState,
  {
    securityKey: SecurityKeyTexts;
    constraint: typeof keyForm.constraint;
    lastResult?: FormResult | undefined;
    /** The name typed in a rejected form that renames; else null. */
    typedName: string | null;
    removal: FactorRemoval;
  }
>;

type Input = { id: string; rejected?: { lastResult: FormResult; typedName: string } };

/** Loads the page that removes one security key; null when the user has no key of this id. */
export async function loadKeyRemovalPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { id, error }: { id: string; error?: "xsrf" },
): Promise<SecurityKeyPage | null> {
  const page = await loadSecurityKeyPage(context, request, settings, { id });
  if (!page) return null;
  const { t } = await settingsTexts(context, request);
  const heading = page.securityKey.passkey ? "managePasskey.remove.heading" : "manageKey.remove.heading";
  const title = pageTitle(t, t(heading), error !== undefined);
  return { ...page, status: htmlStatus(error), title, state: { ...page.state, ...(error ? { error } : {}) } };
}

/** Loads the page of one security key, with the error of a rejected form; null when the user has no key of this id. */
export async function loadSecurityKeyPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { id, rejected }: Input,
): Promise<SecurityKeyPage | null> {
  const { access } = settings;
  const keys = await listOwnKeys(context, access);
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) return null;
  const texts = await timeTexts(context, request);
  const { t } = texts;
  const error = firstError(rejected?.lastResult);
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t(key.passkey ? "managePasskey.one.title" : "manageKey.title"), error !== undefined),
    state: { ...(await settingsState(context, settings)), ...(error ? { error } : {}) },
    constraint: keyForm.constraint,
    lastResult: rejected?.lastResult,
    securityKey: securityKeyTexts(key, texts),
    typedName: rejected?.typedName ?? null,
    removal: await describeRemoval(context, settings, key.passkey ? "passkeys" : "securityKeys"),
  };
}
