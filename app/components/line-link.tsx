import type { ReactNode } from "react";

/** A link to another page of the settings, on a line of its own. */
export function LineLink({ to, children }: { to: string; children: ReactNode }): ReactNode {
  return (
    <a className="line-link" href={to}>
      {children}
    </a>
  );
}
