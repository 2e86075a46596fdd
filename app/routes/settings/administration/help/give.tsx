import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { giveHelp } from "#app/domain/help-link/give.server.ts";
import { requireFreshAdministration } from "#app/http/administration.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { refusalText } from "#app/routes/settings/administration/help-refusal-text.ts";
import { AdministrationPage } from "#app/routes/settings/administration/page.tsx";
import { AccountRow } from "#app/ui/account-row.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import type { Problem } from "#app/ui/error-summary.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { type FormPageProps, type GiveState, type HelpKind, loadGivenPage, loadGivePage } from "./give.server.ts";
import { GivenPage } from "./given-page.tsx";

/** `proved`: "yes" if the giver confirms to know the person. */
const giveForm = defineForm({
  hours: z.enum(["1", "8", "24"]).transform((hours) => HOURS[hours]),
  proved: text(),
});

const HOURS = { "1": 1, "8": 8, "24": 24 } as const;

/** Shows the form of help for a new device or a new password, by the last part of the path. */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const administration = await requireFreshAdministration(context, request, "help people");
  return respondWith(loadGivePage(administration, request, inputOf(request, params)));
}

/** Gives help, and shows it in the response: neither the words nor the link are in a URL, and both are shown once. */
export async function action({ context: given, request, params }: ActionFunctionArgs) {
  const administration = await requireFreshAdministration(given, request, "help people");
  const { administrator, access, context } = administration;
  const { _xsrf, hours, proved } = await readForm(request, giveForm);
  const input = inputOf(request, params);
  const showAgain = (error: GiveState["error"]) =>
    respondWith(loadGivePage(administration, request, { ...input, error }));
  if (!isOwnSettingsForm(context, access, _xsrf)) return showAgain("xsrf");
  if (proved !== "yes") return showAgain("bad request");
  const { language } = await settingsTexts(context, request);
  const { id: personId, kind } = input;
  const outcome = await giveHelp(context, administrator, {
    ...requestMetadata(context),
    ...{ personId, kind, hours, language },
  });
  switch (outcome.kind) {
    case "given":
      return respondWith(loadGivenPage(administration, request, { ...input, help: outcome.help }));
    case "refused":
      return showAgain(undefined);
    default:
      throw refusal(404, "page_not_found");
  }
}

function inputOf(request: Request, { id = "" }: { id?: string | undefined }): { id: string; kind: HelpKind } {
  return { id, kind: new URL(request.url).pathname.endsWith("/new-device") ? "new-device" : "new-password" };
}

/** The pages at /manage/admin/people/:id/help/new-device and …/new-password. */
export default function GiveHelp() {
  const page = usePage<typeof loader, typeof action>();
  return page.view === "given" ? <GivenPage {...page} /> : <GivePage {...page} />;
}

function GivePage(page: FormPageProps): ReactNode {
  const { t } = useTranslation();
  const { state, kind, person } = page;
  const problem = problemOf(t, state.error);
  const isDevice = kind === "new-device";
  return (
    <AdministrationPage
      title={isDevice ? t("adminHelp.newDevice.heading") : t("adminHelp.newPassword.heading")}
      lead={isDevice ? t("adminHelp.newDevice.lead") : t("adminHelp.newPassword.lead")}
      parent={{ to: person.path, text: t("adminPerson.title") }}
      error={state.error && problem ? { code: state.error, problems: [problem] } : null}
      tone={page.view === "refused" ? "attention" : "normal"}
    >
      <AccountRow name={person.name}>
        <b>{person.name}</b>
        <small>{t("adminHelp.username", { username: person.username })}</small>
        {person.phone ? <small>{t("adminHelp.phone", { phone: person.phone })}</small> : null}
      </AccountRow>
      {page.view === "refused" ? (
        <>
          <Notice kind="attention">
            <p>{refusalText(t, { ...page, name: person.name })}</p>
          </Notice>
          <div className="actions">
            <ButtonLink href={person.path} quiet>
              {t("adminHelp.back")}
            </ButtonLink>
          </div>
        </>
      ) : null}
      {page.view === "form" ? (
        <div className="beside">
          <GiveForm page={page} untils={page.untils} error={problem} />
          <Tips isDevice={isDevice} />
        </div>
      ) : null}
    </AdministrationPage>
  );
}

const PROVED_FIELD = "proved";

function GiveForm({
  page: { state, kind, person },
  untils,
  error,
}: {
  page: FormPageProps;
  untils: readonly { hours: number; until: string }[];
  error: Problem | null;
}): ReactNode {
  const { t } = useTranslation();
  const isUnproved = error?.field === PROVED_FIELD;
  return (
    <form className="flow" method="post" action={`${person.path}/help/${kind}`}>
      <XsrfInput token={state.xsrf_token} />
      <fieldset className="picks">
        <legend>{t("adminHelp.duration")}</legend>
        {untils.map(({ hours, until }, index) => (
          <div className="pick" key={hours}>
            <input type="radio" id={`hours-${hours}`} name="hours" value={hours} defaultChecked={index === 0} />
            <label htmlFor={`hours-${hours}`}>
              <b>{t("adminHelp.hours", { count: hours })}</b>
              <small>{t("adminHelp.until", { until })}</small>
            </label>
          </div>
        ))}
      </fieldset>
      <div className="check">
        <input
          id={PROVED_FIELD}
          type="checkbox"
          name="proved"
          value="yes"
          required
          {...(isUnproved ? { "aria-invalid": true } : {})}
        />
        <label htmlFor={PROVED_FIELD}>{t("adminHelp.proved")}</label>
      </div>
      <div className="actions">
        <Submit>{t("adminHelp.submit")}</Submit>
        <ButtonLink href={person.path} quiet>
          {t("adminHelp.abort")}
        </ButtonLink>
      </div>
    </form>
  );
}

function Tips({ isDevice }: { isDevice: boolean }): ReactNode {
  const { t } = useTranslation();
  return (
    <aside className="tips" aria-labelledby="before">
      <h2 id="before">{t("adminHelp.tips.heading")}</h2>
      <ol>
        <li>{t("adminHelp.tips.call")}</li>
        <li>{isDevice ? t("adminHelp.tips.newDevice") : t("adminHelp.tips.newPassword")}</li>
        <li>{t("adminHelp.tips.notified")}</li>
      </ol>
    </aside>
  );
}

function problemOf(t: TFunction, error: GiveState["error"]): Problem | null {
  switch (error) {
    case undefined:
      return null;
    case "xsrf":
      return { text: t("common.formExpired") };
    case "bad request":
      return { text: t("adminHelp.unproved"), field: PROVED_FIELD };
  }
}
