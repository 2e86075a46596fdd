import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "./copy-button.tsx";

export type TotpSecretProps = {
  /** Base64 of a PNG, without the `data:` prefix. */
  qrCode: string;
  secretBase32: string;
  otpauthUri: string;
};

const SECRET_ID = "secret-key";

/** First step of the TOTP set-up: the secret as QR code, text and otpauth link. */
export function TotpSecret({ qrCode, secretBase32, otpauthUri }: TotpSecretProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="flow" aria-labelledby={stepId(1)}>
      <SetUpStep number={1} title={t("manageTotp.addAccount")} />
      {/* A phone shows the link here, because it cannot scan its own screen; CSS shows one of the two links. */}
      <p className="app-link-first">
        <a className="button" href={otpauthUri}>
          {t("manageTotp.secret.openApp")}
        </a>
      </p>
      <div className="secret-forms">
        <div className="flow flow-close">
          <h3>{t("manageTotp.scan.heading")}</h3>
          <QrCode pngBase64={qrCode} alt={t("manageTotp.scan.alt")} />
        </div>
        <div className="flow flow-close">
          <h3>{t("manageTotp.secret.heading")}</h3>
          <SecretKey id={SECRET_ID} secretBase32={secretBase32} />
          <div className="actions">
            <CopyButton text={secretBase32} shownIn={SECRET_ID} done={t("manageTotp.secret.copied")}>
              {t("manageTotp.secret.copy")}
            </CopyButton>
            <a className="line-link app-link-last" href={otpauthUri}>
              {t("manageTotp.secret.openApp")}
            </a>
          </div>
        </div>
      </div>
      <p className="caution">{t("manageTotp.secret.warning")}</p>
    </section>
  );
}

/** Heading of a set-up step. */
export function SetUpStep({ number, title }: { number: 1 | 2; title: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <div>
      <p className="step">{t("manageTotp.step", { step: number, total: 2 })}</p>
      <h2 id={stepId(number)}>{title}</h2>
    </div>
  );
}

/** Returns the id of a step's heading. */
export function stepId(number: 1 | 2): string {
  return `step-${number}`;
}

/** A QR code on a tile that is light in every colour scheme, because scanners need the quiet zone. */
function QrCode({ pngBase64, alt }: { pngBase64: string; alt: string }): ReactNode {
  return (
    <p className="qr">
      <img src={`data:image/png;base64,${pngBase64}`} alt={alt} width={208} height={208} />
    </p>
  );
}

/** A secret in groups of four characters, which do not break across lines. */
function SecretKey({ id, secretBase32 }: { id: string; secretBase32: string }): ReactNode {
  return (
    <p className="secret-key" id={id} translate="no">
      {(secretBase32.match(/.{1,4}/g) ?? []).map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat, and never move
        <Fragment key={index}>
          {index > 0 ? " " : null}
          <span>{group}</span>
        </Fragment>
      ))}
    </p>
  );
}
