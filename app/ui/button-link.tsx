import type { ReactNode } from "react";

/** A link with a button's weight: the one way on of a page that has no form. */
export function ButtonLink({ href, quiet = false, children }: { href: string; quiet?: boolean; children: ReactNode }) {
  return (
    <a className={quiet ? "button quiet" : "button"} href={href}>
      {children}
    </a>
  );
}
