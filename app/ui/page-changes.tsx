import { useLocation, useNavigation, useNavigationType } from "@remix-run/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { findFirstField } from "#app/client/first-field.ts";
import { useDocumentContext } from "./document-context.tsx";

/** After a client-side navigation, handles focus, scrolling and announcements as a document load does. */
export function PageChanges(): ReactNode {
  const { scriptUrl } = useDocumentContext();
  const title = useChangedPage();
  useEffect(stayOnPage, []);
  // Effects run after hydration.
  useEffect(() => loadClientScript(scriptUrl), [scriptUrl]);
  return (
    <>
      <p className="visually-hidden" aria-live="polite">
        {title}
      </p>
      <Loading />
    </>
  );
}

/** Loads the script that defines the custom elements; it also finds those that later navigations insert. */
export function loadClientScript(url: string): void {
  // An error page unmounts PageChanges; the next page mounts it again.
  if (document.querySelector(`script[src="${url}"]`)) return;
  document.head.append(Object.assign(document.createElement("script"), { src: url }));
}

/** Moves focus and scroll position to the new page. Returns the title to announce. */
function useChangedPage(): string {
  const { key } = useLocation();
  const navigationType = useNavigationType();
  const shown = useRef<string | null>(null);
  const [title, setTitle] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per history entry.
  useEffect(() => {
    const isChange = shown.current !== null && shown.current !== key;
    shown.current = key;
    if (!isChange) return;
    if (navigationType !== "POP") scrollTo(0, 0);
    takeFocus({ preventScroll: navigationType === "POP" });
    setTitle(document.title);
  }, [key]);
  return title;
}

/** Focuses the error summary, else the invalid field, else the first field, else the heading. */
function takeFocus(options: FocusOptions): void {
  // The summary precedes the fields.
  const problem = document.querySelector<HTMLElement>("[role=alert][tabindex], [aria-invalid]");
  const target = problem ?? findFirstField() ?? document.querySelector<HTMLElement>("h1");
  // Makes the heading focusable.
  if (target?.tabIndex === -1) target.tabIndex = -1;
  target?.focus(options);
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
