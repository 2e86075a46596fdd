import { Link } from "@remix-run/react";
import type { ReactNode } from "react";

type LineLinkProps = {
  to: string;
  /** True for a page that the router of the settings does not have. */
  reloadDocument?: boolean;
  children: ReactNode;
};

/** A link to another page, on a line of its own. */
export function LineLink({ to, reloadDocument = false, children }: LineLinkProps): ReactNode {
  return (
    <Link className="line-link" to={to} reloadDocument={reloadDocument}>
      {children}
    </Link>
  );
}
