import { useLocation, useNavigation, useNavigationType } from "@remix-run/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { PAGE_EVENT, PAGE_SHOWN } from "#app/enhance/attributes.ts";
import { scriptsFor, usePageFacts } from "./page-facts.tsx";

/** What a browser does by itself when it loads a document, for pages of the settings that change without one. */
export function PageChanges(): ReactNode {
  const title = useChangedPage();
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
  const facts = usePageFacts();
  const { key, pathname } = useLocation();
  const way = useNavigationType();
  const shown = useRef<string | null>(null);
  const [title, setTitle] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each entry of the history, whatever else changes.
  useEffect(() => {
    const isChange = shown.current !== null && shown.current !== key;
    shown.current = key;
    for (const url of scriptsFor(pathname, facts)) loadScript(url);
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

/** React puts no script into a page that runs. */
function loadScript(url: string): void {
  if (document.querySelector(`script[src="${url}"]`)) return;
  document.head.append(Object.assign(document.createElement("script"), { src: url }));
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
