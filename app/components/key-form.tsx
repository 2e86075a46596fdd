import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import * as attribute from "#app/enhance/attributes.ts";
import { type PendingFields, PendingInputs } from "./pending-inputs.tsx";
import { SecurityKey } from "./security-key.tsx";

/** What the browser's question shows when a key is set up. */
export type NewKeyNames = { productName: string; username: string; displayName: string };

type KeyFormProps = {
  /** Where the form goes once the key is accepted. */
  action: "/mfa/verify" | "/mfa/setup";
  pending: PendingFields;
  /** Given for a key that is set up; a registered one needs no names. */
  names?: NewKeyNames;
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
  const { action, pending, names, timeoutSeconds, explain, start, fields, cancel } = props;
  return (
    <form className="flow" method="post" action={action} noValidate {...formAttributes(names)}>
      <PendingInputs {...pending} />
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

function formAttributes(names: NewKeyNames | undefined): Record<string, string> {
  if (!names) return { [attribute.FACTOR_FORM]: "key" };
  return {
    [attribute.FACTOR_FORM]: "new-key",
    [attribute.PRODUCT_NAME]: names.productName,
    [attribute.USERNAME]: names.username,
    [attribute.DISPLAY_NAME]: names.displayName,
  };
}
