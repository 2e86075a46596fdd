import type { ReactNode } from "react";
import { Brand } from "./brand.tsx";
import type { ClientLabel } from "./page.tsx";

/** Where people are, a thin rule, and where they will end up. */
export function FromTo({ client }: { client: ClientLabel }): ReactNode {
  return (
    <header className="from-to">
      <Brand />
      <p className="place">
        <b>{client.name}</b> {client.host ? <small>{client.host}</small> : null}
      </p>
    </header>
  );
}
