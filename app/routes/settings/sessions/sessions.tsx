import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { endOtherSessions, endOwnSession } from "#app/domain/session/end.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, lostFormUrl, requireSettings } from "#app/http/settings-session.server.ts";
import { distinctNames } from "#app/routes/settings/distinct-names.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { SettingsListPage } from "#app/routes/settings/page.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { LineIcon } from "#app/ui/line-icon.tsx";
import { Row, Section, Tag } from "#app/ui/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { RememberedDevices } from "./remembered-devices.tsx";
import { loadSessionsPage, type SessionsPage, type SessionTexts } from "./sessions.server.ts";

const PATH = "/manage/sessions";

const endForm = defineForm({ intent: z.enum(["one", "others"]).catch("one"), session: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  return respondWith(loadSessionsPage(context, request, settings));
}

/** Ends one session of the user, or all but the current one. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireSettings(context, request);
  const { access } = settings;
  const { _xsrf, intent, session: id } = await readForm(request, endForm);
  if (!isOwnSettingsForm(context, access, _xsrf)) {
    return respondWith(loadSessionsPage(context, request, settings, "xsrf"));
  }
  const metadata = requestMetadata(context);
  const outcome =
    intent === "others"
      ? await endOtherSessions(context, access, metadata)
      : await endOwnSession(context, access, { ...metadata, id });
  if (outcome.kind === "unauthorized") return redirect303(lostFormUrl(PATH));
  // A session that has ended in the meantime is a success, too.
  return redirect303(`${PATH}?status=${intent === "others" ? "sessions-ended" : "session-ended"}`);
}

/** The page at /manage/sessions: the user's sessions, with buttons that end them. */
export default function Sessions() {
  const { t } = useTranslation();
  const page: SessionsPage = useDocumentState(usePage<typeof loader, typeof action>());
  const { state, own, others, devices } = page;
  const xsrf = state.xsrf_token;
  const count = others.length + (own ? 1 : 0);
  const names = distinctNames(
    others.map(({ name, signedIn }) => t("manageSessions.session", { name, time: signedIn })),
  );
  return (
    <SettingsListPage
      state={state}
      title={t("manageSessions.heading")}
      lead={count > 0 ? t("manageSessions.intro") : t("manageSessions.noOthers")}
    >
      {count > 0 ? (
        <Section
          id="sessions"
          heading={t("manageSessions.count", { count })}
          lead={others.length > 0 ? undefined : t("manageSessions.noOthers")}
          action={others.length > 0 ? <EndOtherSessionsForm xsrf={xsrf} /> : null}
        >
          {own ? (
            <Row
              label={
                <>
                  <DeviceName {...own} /> <Tag>{t("manageSessions.current")}</Tag>
                </>
              }
              value={<SessionDescription {...own} />}
            />
          ) : null}
          {others.map((session, index) => (
            <Row
              key={session.id}
              label={<DeviceName {...session} />}
              value={<SessionDescription {...session} />}
              action={<EndSessionForm id={session.id} name={names[index] ?? ""} xsrf={xsrf} />}
            />
          ))}
        </Section>
      ) : null}
      <RememberedDevices devices={devices} xsrf={state.xsrf_token} />
    </SettingsListPage>
  );
}

const COMPUTER = "M2.5 4h15v9.5h-15zM7 17h6M10 13.5V17";
const PHONE = "M6 2.5h8v15H6zM9 15h2";

function DeviceName({ name, isPhone }: Pick<SessionTexts, "name" | "isPhone">): ReactNode {
  return (
    <span className="device">
      <LineIcon path={isPhone ? PHONE : COMPUTER} strokeWidth={1.5} />
      {name}
    </span>
  );
}

function SessionDescription({ applications, since, lastUsed, address }: SessionTexts): ReactNode {
  const { t } = useTranslation();
  const origin = [...applications, address].filter(Boolean).join("\u00a0· ");
  return (
    <>
      <span className="also">{t("manageSessions.lastActive", { when: lastUsed })}</span>
      <span className="also">{t("manageSessions.since", { when: since })}</span>
      {origin === "" ? null : (
        <span className="also" translate="no">
          {origin}
        </span>
      )}
    </>
  );
}

function EndSessionForm({ id, name, xsrf }: { id: string; name: string; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  const action = t("manage.actions.end");
  return (
    <SettingsForm action={PATH} hiddenFields={{ _xsrf: xsrf, intent: "one", session: id }}>
      <Submit quiet busy={t("manageSessions.ending")} label={t("manage.actionOn", { action, name })}>
        {action}
      </Submit>
    </SettingsForm>
  );
}

function EndOtherSessionsForm({ xsrf }: { xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsForm action={PATH} hiddenFields={{ _xsrf: xsrf, intent: "others" }}>
      <Submit quiet busy={t("manageSessions.ending")}>
        {t("manageSessions.endAll")}
      </Submit>
    </SettingsForm>
  );
}
