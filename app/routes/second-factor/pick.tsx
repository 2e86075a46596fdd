import type { ReactNode } from "react";

type PickProps = { label: string; hint?: string };

/** A choice that leads on at once: a link. */
export function PickLink({ href, ...words }: PickProps & { href: string }): ReactNode {
  return (
    <a className="pick" href={href}>
      <PickWords {...words} />
    </a>
  );
}

/** A choice that changes something: the button of a form. */
export function PickButton({ name, value, ...words }: PickProps & { name: string; value: string }): ReactNode {
  return (
    <button className="pick" type="submit" name={name} value={value}>
      <PickWords {...words} />
    </button>
  );
}

function PickWords({ label, hint }: PickProps): ReactNode {
  return (
    <>
      <span>
        <b>{label}</b>
        {hint ? <small>{hint}</small> : null}
      </span>
      <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.75" aria-hidden="true">
        <path d="m8 5 5 5-5 5" />
      </svg>
    </>
  );
}
