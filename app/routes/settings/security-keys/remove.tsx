import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { removeOwnKey } from "#app/domain/webauthn/own-keys.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { redirectNotAllowed } from "#app/routes/settings/page-data.server.ts";
import { RemovalNotice, SecurityKeyDescription } from "#app/routes/settings/second-factors.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { loadKeyRemovalPage, type SecurityKeyPage } from "./key.server.ts";

const FACTORS_PATH = "/manage/mfa";

const removalForm = defineForm({});

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const page = await loadKeyRemovalPage(context, request, settings, { id: params.id ?? "" });
  if (!page) throw refusal(404, "page_not_found");
  return data(page, page.status);
}

/** Removes the security key or passkey. A duplicate submission finds no key and redirects to the second factors. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const id = params.id ?? "";
  const { _xsrf } = await readForm(request, removalForm);
  if (!isOwnSettingsForm(context, settings.access, _xsrf)) {
    const page = await loadKeyRemovalPage(context, request, settings, { id, error: "xsrf" });
    return page ? data(page, page.status) : redirect303(FACTORS_PATH);
  }
  const outcome = await removeOwnKey(context, settings.access, { ...requestMetadata(context), id });
  switch (outcome.kind) {
    case "done":
      return redirect303(removedUrl(outcome, id));
    case "security key not found":
      return redirect303(FACTORS_PATH);
    default:
      return redirectNotAllowed(outcome, pathOf(encodeURIComponent(id)));
  }
}

/** The page at /manage/mfa/keys/{id}/remove, with the form that removes the security key or passkey. */
export default function RemoveSecurityKey() {
  const { t } = useTranslation();
  const page: SecurityKeyPage = useDocumentState(usePage<typeof loader, typeof action>());
  const { state, securityKey, removal } = page;
  const texts = securityKey.passkey ? PASSKEY_TEXTS : KEY_TEXTS;
  return (
    <SettingsPage
      title={t(texts.heading)}
      lead={
        <>
          <b translate="no">{securityKey.name}</b>
          <SecurityKeyDescription {...securityKey} />
        </>
      }
      parent="/manage/mfa"
      before={<ExpiredFormSummary code={state.error} />}
      tone={state.error ? "error" : "attention"}
    >
      <p>
        {t(texts.description)} {t("manageFactor.others")}
      </p>
      <RemovalNotice {...removal} />
      <SettingsForm className="flow" action={pathOf(securityKey.id)} hiddenFields={{ _xsrf: state.xsrf_token }}>
        <div className="actions">
          <Submit danger>{t(texts.submit)}</Submit>
          <ButtonLink href={FACTORS_PATH} quiet>
            {t(texts.keep)}
          </ButtonLink>
        </div>
      </SettingsForm>
    </SettingsPage>
  );
}

const KEY_TEXTS = {
  heading: "manageKey.remove.heading",
  description: "manageKey.remove.description",
  submit: "manageKey.remove.submit",
  keep: "manageKey.remove.keep",
} as const;

const PASSKEY_TEXTS = {
  heading: "managePasskey.remove.heading",
  description: "managePasskey.remove.description",
  submit: "managePasskey.remove.submit",
  keep: "managePasskey.remove.keep",
} as const;

/** Returns the URL of the second factors, which signals the removal of a passkey to the password manager. */
function removedUrl({ isPasskey }: { isPasskey: boolean }, id: string): string {
  if (!isPasskey) return `${FACTORS_PATH}?status=key-removed`;
  return `${FACTORS_PATH}?${new URLSearchParams({ status: "passkey-removed", removed: id })}`;
}

function pathOf(id: string): string {
  return `/manage/mfa/keys/${id}/remove`;
}
