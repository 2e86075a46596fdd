import type { ReactNode } from "react";

/** Something that is set up: a check mark, and the word that says so. */
export function CheckState({ children }: { children: ReactNode }): ReactNode {
  return (
    <span className="check-state">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="9" fill="currentColor" />
        <path d="m6 10.5 2.7 2.7L14 7.5" fill="none" stroke="var(--card)" strokeWidth="2" strokeLinecap="round" />
      </svg>
      {children}
    </span>
  );
}
