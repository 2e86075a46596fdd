import { useLocation, useNavigation, useNavigationType } from "@remix-run/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { PAGE_EVENT, PAGE_SHOWN } from "#app/client/attributes.ts";
import { scriptsFor, useDocumentContext } from "./document-context.tsx";

/** What a browser does by itself when it loads a document, for pages of the settings that change without one. */
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

/** Puts focus and view to the top of a new page and wakes the small scripts. Answers the title to be read out. */
function useChangedPage(): string {
  const facts = useDocumentContext();
  const { key, pathname } = useLocation();
  const way = useNavigationType();
  const shown = useRef<string | null>(null);
  const [title, setTitle] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each entry of the history, whatever else changes.
  useEffect(() => {
    const isChange = shown.current !== null && shown.current !== key;
    shown.current = key;
    for (const url of scriptsFor(pathname, facts)) {
      // What the document came with runs by itself.
      if (isChange && !loaded.has(url)) loadScript(url);
      loaded.add(url);
    }
    if (isChange) {
      if (way !== "POP") scrollTo(0, 0);
      takeFocus({ preventScroll: way === "POP" });
      setTitle(document.title);
    }
    document.documentElement.setAttribute(PAGE_SHOWN, "");
    dispatchEvent(new Event(PAGE_EVENT));
  }, [key]);
  return title;
}

/** An error is read first, else the heading. */
function takeFocus(options: FocusOptions): void {
  const summary = document.querySelector<HTMLElement>("[role=alert][tabindex='-1']");
  const target = summary ?? document.querySelector("h1");
  target?.setAttribute("tabindex", "-1");
  target?.focus(options);
}

/** The small scripts that this document has had. What React puts into a page says nothing of it: such a script never runs. */
const loaded = new Set<string>();

function loadScript(url: string): void {
  document.head.append(Object.assign(document.createElement("script"), { src: url }));
}

/**
 * Links within a page lead there without a change of address: for the router that would be another visit, which no longer
 * knows what was wrong with a form. Answers the end of it.
 */
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

/** Shown while the data of a page is on its way. */
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
