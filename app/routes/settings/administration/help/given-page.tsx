import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { AdministrationPage } from "#app/routes/settings/administration/page.tsx";
import { WithdrawForm } from "#app/routes/settings/administration/withdraw-form.tsx";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import type { GivenPageProps } from "./give.server.ts";

/** Shows new help: the words to read aloud, the link and its QR code. */
export function GivenPage(page: GivenPageProps): ReactNode {
  const { t } = useTranslation();
  const { state, person, words, url, place, qrCode, until, isNotified } = page;
  return (
    <AdministrationPage
      title={t("adminHelp.given.heading")}
      lead={t("adminHelp.given.lead", { name: person.name, until })}
      parent={{ to: person.path, text: t("adminPerson.title") }}
      banner={
        <Alert kind="info" word={t("adminHelp.given.once")}>
          <p>{isNotified ? t("adminHelp.given.notified") : t("adminHelp.given.notNotified")}</p>
        </Alert>
      }
    >
      <section className="flow flow-close" aria-labelledby="read">
        <h2 id="read">{t("adminHelp.given.read")}</h2>
        <p>{t("adminHelp.given.opens")}</p>
        <p>
          <strong translate="no">{place}</strong>
        </p>
        <p>
          <Emphasis text={t("adminHelp.given.types", { username: person.username })} part={person.username} />
        </p>
        <ol className="codes words" translate="no">
          {words.map((word, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: words may repeat, and never move
            <li key={index}>{word}</li>
          ))}
        </ol>
      </section>
      <section className="flow flow-close" aria-labelledby="show">
        <h2 id="show">{t("adminHelp.given.show")}</h2>
        <p>{t("adminHelp.given.scan")}</p>
        <p className="qr">
          <img src={`data:image/png;base64,${qrCode}`} alt={t("adminHelp.given.qr")} width={208} height={208} />
        </p>
        <p translate="no">
          <code>{url}</code>
        </p>
      </section>
      <div className="actions">
        <ButtonLink href={person.path}>{t("adminHelp.given.done")}</ButtonLink>
        <WithdrawForm personId={person.id} xsrf={state.xsrf_token} />
      </div>
    </AdministrationPage>
  );
}
