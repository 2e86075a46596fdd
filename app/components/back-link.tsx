import type { ReactNode } from "react";
import { LineLink } from "./line-link.tsx";
import { BackArrow } from "./settings-header.tsx";

/** Leads to the page above this one. */
export function BackLink({ to, children }: { to: string; children: ReactNode }): ReactNode {
  return (
    <p className="back-link">
      <LineLink to={to}>
        <BackArrow />
        {children}
      </LineLink>
    </p>
  );
}
