import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DomainError, type ErrorCode } from "#app/domain/base/errors.ts";
import { previewRemoval, type Removal, removeGroup } from "#app/domain/group/remove.server.ts";
import { listName } from "#app/domain/user/person-name.ts";
import { requireFreshAdministration } from "#app/http/administration.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { AdministrationPage } from "#app/routes/settings/administration/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Row, Section } from "#app/ui/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { refusedBy } from "./group.server.ts";
import { GROUPS_PATH, groupPath } from "./texts.ts";

/** `seen`: the consequences that the page showed. */
const removeForm = defineForm({ seen: text() });

/** Names that the page shows for each application. */
const SHOWN_NAMES = 20;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { xsrf } = await requireFreshAdministration(context, request, "manage groups");
  return respondWith(loadPage(context, request, { id: params["id"] ?? "", xsrf }));
}

/** Removes the group, unless its removal would end something that the page did not show. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const administration = await requireFreshAdministration(context, request, "manage groups");
  const { access, xsrf } = administration;
  const id = params["id"] ?? "";
  const { _xsrf, seen } = await readForm(request, removeForm);
  const reject = (error: ErrorCode) => respondWith(loadPage(context, request, { id, xsrf, error }));
  if (!isOwnSettingsForm(context, access, _xsrf)) return reject("xsrf");
  try {
    await removeGroup(administration.context, { id }, { endMemberships: true, seen });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    switch (error.code) {
      // Another administrator was faster.
      case "group not found":
        throw refusal(404, "page_not_found");
      case "group has members":
      case "group changed":
        return reject(error.code);
      default:
        throw error;
    }
  }
  return redirect303(`${GROUPS_PATH}?done=removed`);
}

async function loadPage(
  context: LoadContext,
  request: Request,
  { id, xsrf, error }: { id: string; xsrf: string; error?: ErrorCode },
) {
  const { t } = await settingsTexts(context, request);
  const removal = await previewRemoval(context, { id }).catch((reason: unknown) => {
    throw refusedBy(reason);
  });
  const { group, homeMembers, furtherMembers, helpDesks, seen } = removal;
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("adminGroups.remove"), error !== undefined),
    state: { xsrf_token: xsrf, ...(error ? { error } : {}) },
    error,
    ...{ group: { id, name: group.name }, homeMembers, furtherMembers, seen },
    helpDesks: helpDesks.map(({ displayName }) => displayName),
    losses: lossesByApplication(removal),
    people: new Set(removal.losses.map(({ userId }) => userId)).size,
  };
}

/** The users who lose one application; `names` are the first of them. */
type ApplicationLoss = { id: string; name: string; people: number; names: string[] };

function lossesByApplication({ losses }: Removal): ApplicationLoss[] {
  const found = new Map<string, ApplicationLoss>();
  for (const loss of losses) {
    const { clientId: id, clientName: name } = loss;
    const entry = found.get(id) ?? { id, name, people: 0, names: [] };
    if (entry.people < SHOWN_NAMES) entry.names.push(listName(loss));
    found.set(id, { ...entry, people: entry.people + 1 });
  }
  return [...found.values()];
}

/** The page at /manage/admin/groups/:id/remove: what the removal ends, and the button. */
export default function RemoveGroup() {
  const { t } = useTranslation();
  const { error, ...data } = usePage<typeof loader, typeof action>();
  const { group, homeMembers, losses } = data;
  return (
    <AdministrationPage
      title={t("adminGroups.removeTitle", { name: group.name })}
      lead={homeMembers > 0 ? undefined : t("adminGroups.removeLead")}
      parent={{ to: groupPath(group.id), text: group.name }}
      error={error ? { code: error, problems: [{ text: errorText(t, error) }] } : null}
      tone="attention"
    >
      {homeMembers > 0 ? (
        <>
          <div className="alert" data-kind="attention" data-code="home-group">
            <p className="word">{t("adminGroups.isOffice", { count: homeMembers })}</p>
            <p>{t("adminGroups.moveFirst")}</p>
          </div>
          <div className="actions natural">
            <ButtonLink quiet href={`/manage/admin/people?office=${encodeURIComponent(group.id)}`}>
              {t("adminGroups.showPeople")}
            </ButtonLink>
          </div>
        </>
      ) : (
        <>
          <Consequences {...data} />
          {losses.length === 0 ? null : <Losses losses={losses} />}
          <form className="actions natural" method="post" action={`${groupPath(group.id)}/remove`}>
            <XsrfInput token={data.state.xsrf_token} />
            <input type="hidden" name="seen" value={data.seen} />
            <Submit danger>{t("adminGroups.remove")}</Submit>
            <ButtonLink quiet href={groupPath(group.id)}>
              {t("common.cancel")}
            </ButtonLink>
          </form>
        </>
      )}
    </AdministrationPage>
  );
}

function errorText(t: TFunction, error: ErrorCode): string {
  return error === "xsrf" ? t("common.formExpired") : t("adminGroups.error.changedBeforeRemoval");
}

type ConsequencesProps = { furtherMembers: number; people: number; helpDesks: readonly string[] };

function Consequences({ furtherMembers, people, helpDesks }: ConsequencesProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="alert" data-kind="attention">
      <p className="word">
        {people === 0 ? t("adminGroups.nobodyLoses") : t("adminGroups.peopleLose", { count: people })}
      </p>
      <p>{t("adminGroups.membershipsEnd", { count: furtherMembers })}</p>
      {helpDesks.length === 0 ? null : (
        <p>{t("adminGroups.helpDesksEnd", { count: helpDesks.length, names: helpDesks.join(", ") })}</p>
      )}
    </div>
  );
}

function Losses({ losses }: { losses: readonly ApplicationLoss[] }): ReactNode {
  const { t } = useTranslation();
  return (
    <Section id="losses" heading={t("adminGroups.losses", { count: losses.length })}>
      {losses.map(({ id, name, people, names }) => (
        <Row
          key={id}
          label={name}
          value={
            <>
              <span>{t("adminGroups.lossOf", { count: people })}</span>
              <span className="also">{names.join(" · ")}</span>
              {people > names.length ? (
                <span className="also">{t("adminGroups.andMore", { count: people - names.length })}</span>
              ) : null}
            </>
          }
        />
      ))}
    </Section>
  );
}
