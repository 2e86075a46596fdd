import { useLocation, useNavigation, useNavigationType } from "@remix-run/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { PAGE_EVENT, PAGE_SHOWN } from "#app/client/attributes.ts";
import { scriptsFor, useDocumentContext } from "./document-context.tsx";

/** After a client-side navigation, handles focus, scrolling, scripts and announcements as a document load does. */
export function PageChanges(): ReactNode {
  const title = useChangedPage();
  useEffect(stayOnPage, []);
  return (
    <>
      <p className="visually-hidden" aria-live="polite">
        {title}
      </p>
      <Loading />
    </>
  );
}

/** Moves focus and scroll position to the new page and starts its client scripts. Returns the title to announce. */
function useChangedPage(): string {
  const documentContext = useDocumentContext();
  const { key, pathname } = useLocation();
  const navigationType = useNavigationType();
  const shown = useRef<string | null>(null);
  const [title, setTitle] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per history entry.
  useEffect(() => {
    const isChange = shown.current !== null && shown.current !== key;
    shown.current = key;
    for (const url of scriptsFor(pathname, documentContext)) {
      // The scripts of the initial document have already run.
      if (isChange && !loaded.has(url)) loadScript(url);
      loaded.add(url);
    }
    if (isChange) {
      if (navigationType !== "POP") scrollTo(0, 0);
      takeFocus({ preventScroll: navigationType === "POP" });
      setTitle(document.title);
    }
    document.documentElement.setAttribute(PAGE_SHOWN, "");
    dispatchEvent(new Event(PAGE_EVENT));
  }, [key]);
  return title;
}

/** Focuses the error summary if there is one, else the heading. */
function takeFocus(options: FocusOptions): void {
  const summary = document.querySelector<HTMLElement>("[role=alert][tabindex='-1']");
  const target = summary ?? document.querySelector("h1");
  target?.setAttribute("tabindex", "-1");
  target?.focus(options);
}

/** URLs of the scripts that were loaded into this document. Scripts that React inserts on the client do not run. */
const loaded = new Set<string>();

function loadScript(url: string): void {
  document.head.append(Object.assign(document.createElement("script"), { src: url }));
}

/** Handles fragment links, because the router would drop the action data. Returns a function that stops it. */
function stayOnPage(): () => void {
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    const target = document.getElementById(link?.getAttribute("href")?.slice(1) ?? "");
    if (!target) return;
    event.preventDefault();
    if (target.tabIndex < 0) target.setAttribute("tabindex", "-1");
    target.focus();
  };
  addEventListener("click", follow);
  return () => removeEventListener("click", follow);
}

/** Spinner during a navigation. */
function Loading(): ReactNode {
  const { t } = useTranslation();
  const isBusy = useNavigation().state !== "idle";
  return (
    <p className="loading" role="status" data-busy={isBusy ? "" : undefined}>
      {isBusy ? (
        <>
          <span className="spinner" aria-hidden="true" />
          {t("manage.loading")}
        </>
      ) : null}
    </p>
  );
}
