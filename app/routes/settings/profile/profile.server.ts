import { z } from "zod";
import type { ProfileChange } from "#app/config/config.ts";
import { findOwnProfile, type OwnProfile } from "#app/domain/profile/own-profile.server.ts";
import { defineForm, type FormResult, firstError, notBlank, text } from "#app/http/define-form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { type Settings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { type PendingTexts, pendingTexts, settingsState } from "#app/routes/settings/page-data.server.ts";
import type { SettingsFormState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export const nameForm = defineForm({
  displayName: notBlank("name is empty"),
  givenName: text(),
  familyName: text(),
});

export const phoneForm = defineForm({ phone: text() });

/** `request` sends a link to the typed address, `again` to the pending one. */
export const emailForm = defineForm({
  intent: z.enum(["request", "again", "withdraw"]).catch("request"),
  email: text(),
});

/** Text keys of the titles. */
const TITLES = {
  name: "manageProfile.editName.title",
  phone: "manageProfile.editPhone.title",
  email: "manageProfile.editEmail.title",
} as const satisfies Record<ProfileChange, string>;

/** The errors of a rejected form. `waitMinutes`: with `throttled`, minutes until the next attempt, rounded up. */
type Rejected = { lastResult?: FormResult | undefined; waitMinutes?: number | undefined };

export type ProfilePage = PageView<
  SettingsFormState,
  Rejected & {
    profile: OwnProfile;
    /** Null if no change is pending, or on another page than that of the e-mail address. */
    pending: PendingTexts | null;
  }
>;

/** Throws a Response 404 unless users may change this part of their profile. */
export function requireAllowed({ config }: Pick<LoadContext, "config">, change: ProfileChange): void {
  if (!config.profileChanges.includes(change)) throw refusal(404, "page_not_found");
}

/**
 * Loads the page that changes a part of the profile, with the errors of a rejected form.
 * @throws a redirect to the error page when the access has ended since the guard checked it
 */
export async function loadProfilePage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { change, ...rejected }: Rejected & { change: ProfileChange },
): Promise<ProfilePage> {
  const profile = await findOwnProfile(context, settings.access);
  if (!profile) throw redirect303(UNAUTHORIZED_URL);
  const error = firstError(rejected.lastResult);
  const state = { ...(await settingsState(context, settings)), ...(error ? { error } : {}) };
  const { t } = await settingsTexts(context, request);
  const pending = change === "email" ? await pendingTexts(context, request, settings) : null;
  const title = pageTitle(t, t(TITLES[change]), error !== undefined);
  return { status: htmlStatus(error), title, state, profile, pending, ...rejected };
}
