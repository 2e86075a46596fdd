import type { TFunction } from "i18next";
import { findPerson } from "#app/domain/administration/person.server.ts";
import { findHelpRefusal, type GivenHelp, HELP_HOURS, type HelpRefusal } from "#app/domain/help-link/give.server.ts";
import { HOUR_MS } from "#app/durations.ts";
import type { Administration } from "#app/http/administration.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import { exactTimeText } from "#app/i18n/time-texts.server.ts";
import { pageTitle } from "#app/ui/title.ts";

/** The changes that help can open. */
export type HelpKind = "new-device" | "new-password";

/** `error`: of a refused form. */
export type GiveState = { error?: "xsrf" | "bad request" | undefined; xsrf_token: string };

type FormView = { view: "form"; untils: { hours: number; until: string }[] };

type RefusedView = { view: "refused"; refusal: HelpRefusal["kind"]; until: string | null };

/** `place`: the address that the person types; `url`: with the token. */
type GivenView = {
  view: "given";
  words: string[];
  url: string;
  place: string;
  qrCode: string;
  until: string;
  isNotified: boolean;
};

/** `path`: of the person's page. */
type PageProps<View> = View & {
  state: GiveState;
  kind: HelpKind;
  person: { id: string; path: string; name: string; username: string; phone: string | null };
};

/** The form, or the reason why the person cannot be helped. */
export type FormPageProps = PageProps<FormView | RefusedView>;

/** The help, which is shown once. */
export type GivenPageProps = PageProps<GivenView>;

type GivePage<View> = { status: number; title: string } & PageProps<View>;

type PageInput = { id: string; kind: HelpKind; error?: GiveState["error"] };

/** Loads the form, or the reason why this person cannot be helped in this way now. */
export async function loadGivePage(
  administration: Administration,
  request: Request,
  input: PageInput,
): Promise<GivePage<FormView | RefusedView>> {
  const { context, administrator } = administration;
  const { store, clock } = context;
  const person = await findPerson(store, administrator, input.id);
  if (!person?.mayChange) throw refusal(404, "page_not_found");
  const now = clock.now();
  const when = await timesOf(administration, request);
  const found = await findHelpRefusal(store, person.user, { kind: input.kind, now });
  if (found) {
    const until = found.kind === "other kind" ? when(found.until) : null;
    const view = { view: "refused", refusal: found.kind, until } as const;
    return pageOf(administration, request, { ...input, user: person.user, view });
  }
  const untils = HELP_HOURS.map((hours) => ({ hours, until: when(new Date(now.getTime() + hours * HOUR_MS)) }));
  return pageOf(administration, request, { ...input, user: person.user, view: { view: "form", untils } });
}

type User = GivenHelp["user"];

/** Loads the page that shows new help, which cannot be shown again. */
export async function loadGivenPage(
  administration: Administration,
  request: Request,
  { help: { words, url, user, expiresAt, isNotified }, ...input }: PageInput & { help: GivenHelp },
): Promise<GivePage<GivenView>> {
  const until = (await timesOf(administration, request))(expiresAt);
  const { host } = new URL(administration.context.config.issuer);
  const qrCode = await drawQrCode(url);
  const view = { view: "given", words, url, place: `${host}/help`, qrCode, until, isNotified } as const;
  return pageOf(administration, request, { ...input, user, view });
}

async function pageOf<View extends { view: string }>(
  administration: Administration,
  request: Request,
  { kind, error, user, view }: PageInput & { user: User; view: View },
): Promise<GivePage<View>> {
  const { context, xsrf } = administration;
  const { t } = await settingsTexts(context, request);
  const heading = view.view === "given" ? t("adminHelp.given.heading") : headingOf(t, kind);
  return {
    status: htmlStatus(error),
    title: pageTitle(t, heading, error !== undefined),
    state: { ...(error ? { error } : {}), xsrf_token: xsrf },
    kind,
    person: {
      id: user.id,
      path: `/manage/admin/people/${user.id}`,
      name: user.displayName,
      username: user.username,
      phone: user.phone,
    },
    ...view,
  };
}

function headingOf(t: TFunction, kind: HelpKind): string {
  return kind === "new-device" ? t("adminHelp.newDevice.heading") : t("adminHelp.newPassword.heading");
}

async function timesOf({ context }: Administration, request: Request): Promise<(at: Date) => string> {
  const { language } = await settingsTexts(context, request);
  return (at) => exactTimeText(at, { language, timeZone: context.config.timeZone });
}
