import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import * as attribute from "#app/client/attributes.ts";
import { SecurityKey } from "./security-key.tsx";

type KeyFormProps = {
  /** URL that the form posts to after the key was accepted; in the settings the script navigates instead. */
  action: "/mfa/verify" | "/mfa/setup" | "/manage/mfa/register-fido2";
  /** Value of the attribute FACTOR_FORM, which selects the ceremony. */
  kind: "key" | "new-key" | "own-key";
  /** Hidden fields of the form. */
  hidden?: ReactNode;
  /** For a registration: the relying party name in the browser's dialog. */
  productName?: string;
  timeoutSeconds: number;
  /** Explanation of what the browser will request besides the key. */
  explain?: string;
  /** Label of the start button. */
  start: string;
  /** Fields between the key panel and the buttons. */
  fields?: ReactNode;
  /** Cancel button or link, after the other buttons. */
  cancel: ReactNode;
};

/** Form of a security-key ceremony. The client script runs it, and shows and hides the start and stop buttons. */
export function KeyForm(props: KeyFormProps): ReactNode {
  const { t } = useTranslation();
  const { action, kind, hidden, productName, timeoutSeconds, explain, start, fields, cancel } = props;
  return (
    <form
      className="flow"
      method="post"
      action={action}
      noValidate
      {...{ [attribute.FACTOR_FORM]: kind }}
      {...(productName === undefined ? {} : { [attribute.PRODUCT_NAME]: productName })}
    >
      {hidden}
      {explain ? (
        <p className="lead" hidden {...{ [attribute.SCRIPT_ONLY]: "" }}>
          {explain}
        </p>
      ) : null}
      <SecurityKey timeoutSeconds={timeoutSeconds} />
      {fields}
      <div className="actions">
        <button className="button" type="submit" hidden {...{ [attribute.KEY_START]: "" }}>
          {start}
        </button>
        <button className="button quiet" type="button" hidden {...{ [attribute.KEY_STOP]: "" }}>
          {t("mfaLogin.fido2.stop")}
        </button>
        {cancel}
      </div>
    </form>
  );
}
