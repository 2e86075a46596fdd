import { Fragment, type ReactNode } from "react";

/** A secret in groups of four characters, which do not break across lines. */
export function SecretKey({ id, secretBase32 }: { id: string; secretBase32: string }): ReactNode {
  return (
    <p className="secret-key" id={id} translate="no">
      {(secretBase32.match(/.{1,4}/g) ?? []).map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat, and never move
        <Fragment key={index}>
          {index > 0 ? " " : null}
          <span>{group}</span>
        </Fragment>
      ))}
    </p>
  );
}
