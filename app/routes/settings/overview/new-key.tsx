import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { KeyNameField } from "#app/ui/key-name-field.tsx";
import { Submit } from "#app/ui/submit.tsx";
import type { OverviewPage } from "./overview.server.ts";

/** Asks for the name of a security key or passkey that was just registered; nothing without one. */
export function NewKey({ newKey, state }: Pick<OverviewPage, "newKey" | "state">): ReactNode {
  const { t } = useTranslation();
  if (!newKey) return null;
  return (
    <section aria-labelledby="new-key">
      <div className="section-head">
        <h2 id="new-key">{t(newKey.isPasskey ? "managePasskey.naming" : "manageFido2.naming.title")}</h2>
        <p className="note">{t("manageFido2.naming.lead")}</p>
      </div>
      <SettingsForm
        className="flow flow-close"
        action={`/manage/mfa/keys/${newKey.id}`}
        hiddenFields={{ _xsrf: state.xsrf_token }}
      >
        <KeyNameField defaultName={newKey.name} isPasskey={newKey.isPasskey} />
        <div className="actions">
          <Submit>{t("manageKey.save")}</Submit>
        </div>
      </SettingsForm>
    </section>
  );
}
