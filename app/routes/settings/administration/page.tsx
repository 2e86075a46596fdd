import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { BackArrow } from "#app/routes/settings/page.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { LineIcon } from "#app/ui/line-icon.tsx";
import type { PageTone } from "#app/ui/page.tsx";

type AdministrationPageProps = {
  /** The page's only h1. */
  title: string;
  lead?: ReactNode;
  /** Tags below the lead, such as the states of a person. */
  tags?: ReactNode;
  /** The page's one primary action, a ButtonLink beside the heading. */
  action?: ReactNode;
  /** Parent page, linked in narrow windows: wide ones have the side navigation. */
  parent: { to: string; text: string };
  /** A Banner about the last form that succeeded. */
  banner?: ReactNode;
  /** Errors of a refused form: the code of the first one, and a sentence for each. The tone is "error" then. */
  error?: { code: string; problems: readonly Problem[] } | null | undefined;
  tone?: PageTone;
  children?: ReactNode;
};

/** Frame of a page of the administration: link to the parent page, banner, heading with an action, content. */
export function AdministrationPage({
  title,
  lead,
  tags,
  action,
  parent,
  banner,
  error,
  tone = "normal",
  children,
}: AdministrationPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="sheet" data-tone={error ? "error" : tone}>
      <nav className="up" aria-label={t("manage.areas.parent")}>
        <a className="line-link" href={parent.to}>
          <BackArrow />
          {parent.text}
        </a>
      </nav>
      <main className="flow sections" id="main">
        {error ? <ErrorSummary {...error} /> : banner}
        <div className="pair heading">
          <h1>{title}</h1>
          {lead ? <p className="lead">{lead}</p> : null}
          {tags ? <p className="tags">{tags}</p> : null}
          {action ? <p className="act">{action}</p> : null}
        </div>
        {children}
      </main>
    </div>
  );
}

type BannerProps = {
  /** The query parameter `done`. */
  done: string | null;
  /** The sentences by value of `done`; another value shows no banner. */
  words: Readonly<Record<string, string>>;
  /** URL of the page without the banner. */
  close: string;
};

/** Reports the last form that succeeded. It stays until the next page: the pages have no router that could remove it. */
export function Banner({ done, words, close }: BannerProps): ReactNode {
  const { t } = useTranslation();
  if (done === null || !Object.hasOwn(words, done)) return null;
  return (
    <div className="alert banner" data-kind="ok" data-code={done} role="status">
      <p className="word">{t("common.successTitle")}</p>
      <p>{words[done]}</p>
      <a className="close" href={close} aria-label={t("common.dismiss")}>
        <LineIcon path="m5 5 10 10M15 5 5 15" />
      </a>
    </div>
  );
}
