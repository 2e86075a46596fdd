import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import * as attribute from "#app/client/attributes.ts";
import { SecurityKey } from "./security-key.tsx";

type KeyFormProps = {
  /** Where the form goes once the key is accepted; in the settings the script goes on by itself. */
  action: "/mfa/verify" | "/mfa/setup" | "/manage/mfa/register-fido2";
  /** What the script is to do: FACTOR_FORM. */
  kind: "key" | "new-key" | "own-key";
  /** What the form carries beside what the script puts into it. */
  hidden?: ReactNode;
  /** Given for a key that is set up: the browser's question shows it. */
  productName?: string;
  timeoutSeconds: number;
  /** What the browser is going to ask, where it is more than the key. */
  explain?: string;
  /** The button that starts, also after a failure. */
  start: string;
  /** Fields between the picture and the buttons. */
  fields?: ReactNode;
  /** What ends the whole matter; stands below the buttons. */
  cancel: ReactNode;
};

/** Talks to a security key by script, and is sent once the key is accepted. Start and stop are the script's to show. */
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
