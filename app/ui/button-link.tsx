import type { ReactNode } from "react";

/** A link that looks like a button: the next step on a page without a form. */
export function ButtonLink({ href, quiet = false, children }: { href: string; quiet?: boolean; children: ReactNode }) {
  return (
    <a className={quiet ? "button quiet" : "button"} href={href}>
      {children}
    </a>
  );
}
