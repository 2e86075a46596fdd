import type { ReactNode } from "react";
import { RegisterCallbackPage } from "#app/routes/login/register/callback.tsx";
import { APP_URL, login } from "./samples.tsx";

export const HINTS = [
  { key: "email", value: "eva@office.example" },
  { key: "name", value: "Eva Brandt" },
];

export function registerCallback(status: string, isCreated = false): ReactNode {
  return <RegisterCallbackPage state={{ status }} isCreated={isCreated} appUrl={APP_URL} />;
}

/** Every state of the pages of a registration, by name. */
export const REGISTER_PAGES: Readonly<Record<string, ReactNode>> = {
  "sign-in, with registration": login({ reg_hints: HINTS }),
  "sign-in, with registration, form expired": login({ reg_hints: HINTS, error: "xsrf" }),
  "sign-in, providers and registration": login({ reg_hints: HINTS }, { providers: ["google", "microsoft", "apple"] }),
  "registration, link expired": registerCallback("error-token"),
  "registration, failed": registerCallback("error"),
  "registration, account created": registerCallback("error", true),
};
