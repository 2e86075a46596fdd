import type { ReactNode } from "react";
import { KeySetUpScreen, type KeySetUpScreenProps } from "./setup-key.tsx";
import { TotpSetUpScreen, type TotpSetUpScreenProps } from "./setup-totp.tsx";
import { SecondFactorScreen, type SecondFactorScreenProps } from "./verify-page.tsx";

/** `step`: nothing can be set up (any more), and the step itself says why. */
export type SetUpScreenProps =
  | ({ page: "totp" } & TotpSetUpScreenProps)
  | ({ page: "key" } & KeySetUpScreenProps)
  | ({ page: "step" } & SecondFactorScreenProps);

/** The page at /mfa/setup: an authenticator app or a security key, in the middle of a sign-in. */
export function SetUpScreen(props: SetUpScreenProps): ReactNode {
  switch (props.page) {
    case "totp":
      return <TotpSetUpScreen {...props} />;
    case "key":
      return <KeySetUpScreen {...props} />;
    case "step":
      return <SecondFactorScreen {...props} />;
  }
}
