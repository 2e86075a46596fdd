import type { LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requireAdministration } from "#app/http/administration.server.ts";
import { respondWith } from "#app/http/reply.server.ts";
import { AdministrationPage, Banner } from "#app/routes/settings/administration/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { loadPersonPage, type PersonPage } from "./person.server.ts";
import { Sections } from "./rows.tsx";

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const administration = await requireAdministration(context, request, "see people");
  return respondWith(loadPersonPage(administration, request, params.id ?? ""));
}

/** The page at /manage/admin/people/{id}: data, groups, applications, sign-in, sessions and history of a person. */
export default function PersonRoute() {
  const { t } = useTranslation();
  const page: PersonPage = useDocumentState(usePage<typeof loader, never>());
  const { url, name, lead, tags, notice, helping, ending, sections, done } = page;
  return (
    <AdministrationPage
      title={name}
      lead={lead}
      tags={tags.length === 0 ? null : <Tags tags={tags} />}
      parent={{ to: "/manage/admin/people", text: t("admin.people") }}
      banner={<PersonBanner done={done} url={url} />}
    >
      {notice === null ? null : <p className="note">{notice}</p>}
      <Buttons buttons={helping} />
      <Sections sections={sections} />
      <Buttons buttons={ending} isQuiet />
    </AdministrationPage>
  );
}

function Tags({ tags }: Pick<PersonPage, "tags">): ReactNode {
  return tags.map(({ text, isSettled }) => (
    <span className="tag" key={text} data-kind={isSettled ? "off" : undefined}>
      {text}
    </span>
  ));
}

type ButtonsProps = { buttons: PersonPage["helping"]; isQuiet?: boolean };

function Buttons({ buttons, isQuiet = false }: ButtonsProps): ReactNode {
  if (buttons.length === 0) return null;
  return (
    <div className="pair">
      <div className="actions natural">
        {buttons.map(({ to, text, reason }, place) =>
          reason === null ? (
            <ButtonLink key={to} href={to} quiet={isQuiet || place > 0}>
              {text}
            </ButtonLink>
          ) : (
            // biome-ignore lint/a11y/useValidAnchor: a link without a destination: it stays in its place, and the sentence below says why.
            <a key={to} className="button quiet" role="link" aria-disabled="true" aria-describedby={reasonId(place)}>
              {text}
            </a>
          ),
        )}
      </div>
      {buttons.map(({ to, reason }, place) =>
        reason === null ? null : (
          <p className="small" id={reasonId(place)} key={to}>
            {reason}
          </p>
        ),
      )}
    </div>
  );
}

function reasonId(place: number): string {
  return `reason-${place + 1}`;
}

/** Reports the last change by the parameter `done`. */
function PersonBanner({ done, url }: { done: string | null; url: string }): ReactNode {
  const { t } = useTranslation();
  const words = {
    saved: t("adminPerson.done.saved"),
    "office-saved": t("adminPerson.done.office"),
    "groups-saved": t("adminPerson.done.groups"),
    "role-saved": t("adminPerson.done.role"),
    blocked: t("adminPerson.done.blocked"),
    unblocked: t("adminPerson.done.unblocked"),
    "sessions-ended": t("adminPerson.done.sessionsEnded"),
    "last-day-saved": t("adminPerson.done.lastDay"),
    "method-removed": t("adminPerson.done.methodRemoved"),
    invited: t("adminPerson.done.invited"),
    "help-withdrawn": t("adminPerson.done.helpWithdrawn"),
  };
  return <Banner done={done} words={words} close={url} />;
}
