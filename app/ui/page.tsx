import type { ReactNode } from "react";
import { Brand } from "./brand.tsx";

/** Colour of the tab above the sheet. `attention` and `error` are always accompanied by text. */
export type PageTone = "normal" | "attention" | "error";

/** The client application: its name, and host and URL of its home page if known. */
export type ClientLabel = { name: string; host: string | null; uri: string | null };

type PageProps = {
  title: string;
  lead?: ReactNode;
  /** Of a page that reports an error: its code in `data-code`; the heading is the message. */
  code?: string | undefined;
  /** Content above the heading: an error summary or an alert. */
  before?: ReactNode;
  tone?: PageTone;
  client?: ClientLabel | null;
  /** Wide layout, for pages with lists such as consent. */
  wide?: boolean;
  children?: ReactNode;
};

/** The part of a page that depends on its status. */
export type PageHead = Pick<PageProps, "title" | "lead" | "code" | "tone">;

/** Page layout of the login area. */
export function Page({
  title,
  lead,
  code,
  before,
  tone = "normal",
  client = null,
  wide = false,
  children,
}: PageProps): ReactNode {
  return (
    <div className={wide ? "sheet sheet-wide" : "sheet"} data-tone={tone}>
      <Header client={client} />
      <main className="flow" id="main">
        {before}
        <div className="pair" {...(code ? { role: "alert", "data-code": code } : {})}>
          <h1>{title}</h1>
          {lead ? <p className="lead">{lead}</p> : null}
        </div>
        {children}
      </main>
    </div>
  );
}

/** The brand, and the client that the user signs in to, if it has a URI. */
function Header({ client }: { client: ClientLabel | null }): ReactNode {
  const shown = client?.uri ? client : null;
  return (
    <header className={shown ? "from-to" : undefined}>
      <Brand />
      {shown ? (
        <p className="place">
          <b>{shown.name}</b> {shown.host ? <small>{shown.host}</small> : null}
        </p>
      ) : null}
    </header>
  );
}
