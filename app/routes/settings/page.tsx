import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorSummary, ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { LineIcon } from "#app/ui/line-icon.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import type { PageTone } from "#app/ui/page.tsx";
import type { OwnListState } from "#app/ui/page-state.ts";
import { serverErrorTexts } from "#app/ui/server-error-texts.ts";
import { SupportDetails } from "#app/ui/support-details.tsx";
import { type Unavailable, useUnavailable } from "#app/ui/use-page.ts";
import { StatusBanner } from "./status-banner.tsx";

/** Pages that are linked as parents of others, with the text keys of their links. */
const PARENTS = { "/": "manage.areas.start", "/manage": "manage.title", "/manage/mfa": "manageMfa.title" } as const;

export type ParentPath = keyof typeof PARENTS;

type SettingsPageProps = {
  /** The page's only h1. */
  title: string;
  lead?: ReactNode;
  /** Shown above the heading: a banner or an error summary. */
  before?: ReactNode;
  /** Parent page, linked in narrow windows: wide ones have the side navigation. */
  parent?: ParentPath | undefined;
  tone?: PageTone;
  children?: ReactNode;
};

/** Frame of a settings page: link to the parent page, heading, lead, content. */
export function SettingsPage({ title, lead, before, parent, tone = "normal", children }: SettingsPageProps): ReactNode {
  const { t } = useTranslation();
  const unavailable = useUnavailable();
  return (
    <div className="sheet" data-tone={unavailable ? "error" : tone}>
      {parent ? (
        <nav className="up" aria-label={t("manage.areas.parent")}>
          {/* The start page is no page of the settings: its link loads a document. */}
          <LineLink to={parent} reloadDocument={parent === "/"}>
            <BackArrow />
            {t(PARENTS[parent])}
          </LineLink>
        </nav>
      ) : null}
      <main className="flow sections" id="main">
        {unavailable ? <UnavailableSummary code={unavailable.code} /> : before}
        <div className="pair">
          <h1>{title}</h1>
          {lead ? <p className="lead">{lead}</p> : null}
        </div>
        {children}
        {unavailable?.reference ? <SupportDetails code={unavailable.code} reference={unavailable.reference} /> : null}
      </main>
    </div>
  );
}

/** States that the form below may not have been saved. The user can send it again. */
function UnavailableSummary({ code }: Pick<Unavailable, "code">): ReactNode {
  const { t } = useTranslation();
  const { description } = serverErrorTexts(code, false);
  return (
    <ErrorSummary
      code={String(code)}
      problems={[{ text: t(description, { count: 1 }) }, { text: t("manageError.unknownChange") }]}
    />
  );
}

type SettingsListPageProps = {
  /** The result of the last form: `status` of a successful one, `error` of a rejected one. */
  state: Pick<OwnListState, "status" | "error">;
  title: string;
  lead: string;
  children: ReactNode;
};

/** Frame of a settings page with a list whose rows have a button each, such as the sessions. */
export function SettingsListPage({ state, title, lead, children }: SettingsListPageProps): ReactNode {
  const { status, error } = state;
  return (
    <SettingsPage
      title={title}
      lead={lead}
      parent="/manage"
      before={
        <>
          <ExpiredFormSummary code={error} />
          {status === undefined ? null : <StatusBanner key={status} status={status} />}
        </>
      }
      tone={error ? "error" : "normal"}
    >
      {children}
    </SettingsPage>
  );
}

/** Arrow to the left, for links back. */
export function BackArrow(): ReactNode {
  return <LineIcon path="M16 10H4m5-5-5 5 5 5" />;
}
