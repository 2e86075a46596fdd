import type { ReactNode } from "react";
import { LineLink } from "#app/ui/line-link.tsx";
import { BackArrow } from "./header.tsx";

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
