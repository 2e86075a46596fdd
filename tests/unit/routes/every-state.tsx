import type { ReactNode } from "react";
import { EVERY_PAGE } from "./samples.tsx";
import { FACTOR_RESET_PAGES } from "./samples-factor-reset.tsx";
import { PASSWORD_RESET_PAGES } from "./samples-password-reset.tsx";
import { REGISTER_PAGES } from "./samples-register.tsx";
import { SECOND_FACTOR_PAGES } from "./samples-second-factor.tsx";

/** Every state of every page of the login area, by name. */
export const EVERY_STATE: Readonly<Record<string, ReactNode>> = {
  ...EVERY_PAGE,
  ...SECOND_FACTOR_PAGES,
  ...PASSWORD_RESET_PAGES,
  ...FACTOR_RESET_PAGES,
  ...REGISTER_PAGES,
};
