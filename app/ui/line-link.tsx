import { Link } from "@remix-run/react";
import type { ReactNode } from "react";

/** A link to another page of the settings, on a line of its own. */
export function LineLink({ to, children }: { to: string; children: ReactNode }): ReactNode {
  return (
    <Link className="line-link" to={to}>
      {children}
    </Link>
  );
}
