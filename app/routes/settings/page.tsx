import type { ReactNode } from "react";
import type { PageTone } from "#app/ui/page.tsx";
import { BackLink } from "./back-link.tsx";

type SettingsPageProps = {
  /** The page's only h1. */
  title: string;
  lead?: ReactNode;
  /** What stands above the heading: a banner, or an error summary. */
  before?: ReactNode;
  /** The page above this one. */
  back?: { to: string; text: string };
  tone?: PageTone;
  children?: ReactNode;
};

/** The sheet of a page of the settings. */
export function SettingsPage({ title, lead, before, back, tone = "normal", children }: SettingsPageProps): ReactNode {
  return (
    <div className="sheet" data-tone={tone}>
      <main className="flow ledgers" id="main">
        {before}
        <div className="pair">
          {back ? <BackLink to={back.to}>{back.text}</BackLink> : null}
          <h1>{title}</h1>
          {lead ? <p className="lead">{lead}</p> : null}
        </div>
        {children}
      </main>
    </div>
  );
}
