import type { ReactNode } from "react";
import { Brand } from "./brand.tsx";

/** Colour of the register tab. It never speaks alone: `attention` and `error` come with words on the sheet. */
export type PageTone = "normal" | "attention" | "error";

/** The application a person comes from: its name, and host and address of its home page where they are known. */
export type ClientLabel = { name: string; host: string | null; uri: string | null };

type PageProps = {
  /** The page's only h1. */
  title: string;
  lead?: ReactNode;
  /** What stands above the heading: an error summary, or the alert of a page that cannot go on. */
  before?: ReactNode;
  tone?: PageTone;
  client?: ClientLabel | null;
  /** For pages with lists, such as consent. */
  wide?: boolean;
  children?: ReactNode;
};

/**
 * The sheet of the login area. The header shows when there is somewhere to return to; otherwise the product's mark
 * stands alone.
 */
export function Page({
  title,
  lead,
  before,
  tone = "normal",
  client = null,
  wide = false,
  children,
}: PageProps): ReactNode {
  return (
    <div className={wide ? "sheet sheet-wide" : "sheet"} data-tone={tone}>
      {client?.uri ? <FromTo client={client} /> : <Brand />}
      <main className="flow" id="main">
        {before}
        <div className="pair">
          <h1>{title}</h1>
          {lead ? <p className="lead">{lead}</p> : null}
        </div>
        {children}
      </main>
    </div>
  );
}

/** Names the client that the user signs in to. */
function FromTo({ client }: { client: ClientLabel }): ReactNode {
  return (
    <header className="from-to">
      <Brand />
      <p className="place">
        <b>{client.name}</b> {client.host ? <small>{client.host}</small> : null}
      </p>
    </header>
  );
}
