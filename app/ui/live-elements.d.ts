import type { HTMLAttributes } from "react";

/** A custom element of app/client/elements with these attributes. React 18 needs `class` instead of `className`. */
type LiveElement<Name extends string = never> = Omit<HTMLAttributes<HTMLElement>, "className"> & {
  class?: string;
} & Record<Name, string>;

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "caps-lock-hint": LiveElement<"for" | "text">;
      "code-entry": LiveElement<"texts">;
      "copy-text": LiveElement<"label" | "text" | "shown-in" | "done" | "failed">;
      "new-password": LiveElement<"missing" | "blocked">;
      "passkey-sign-in": LiveElement<"rp-id" | "challenge" | "texts">;
      "password-rules": LiveElement<"texts">;
      "passkey-signal": LiveElement<"rp-id" | "user-id" | "accepted" | "removed">;
      "print-page": LiveElement<"label">;
      "save-text": LiveElement<"label" | "text" | "file-name">;
      "security-key": LiveElement<"purpose" | "product-name" | "texts">;
      "show-password": LiveElement<
        "show-text" | "hide-text" | "show-label" | "hide-label" | "shown-status" | "hidden-status"
      >;
      "strength-meter": LiveElement<"texts">;
      "tips-card": LiveElement<"show-text" | "hide-text">;
    }
  }
}
