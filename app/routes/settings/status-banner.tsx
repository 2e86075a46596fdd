import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

/** What a change in the settings is reported as, in the query parameter `status`; any other value shows nothing. */
const SUCCESSES = {
  "password-success": "manage.banner.password-success",
  "username-success": "manage.banner.username-success",
  "oauth-disconnect-success": "manage.banner.oauth-disconnect-success",
  "oauth-connect-success": "manage.banner.oauth-connect-success",
  "mfa-success": "manage.banner.mfa-success",
  "session-ended": "manage.banner.session-ended",
  "sessions-ended": "manage.banner.sessions-ended",
  "consent-withdrawn": "manage.banner.consent-withdrawn",
  "factor-removed": "manage.banner.factor-removed",
  "key-renamed": "manage.banner.key-renamed",
} as const;

/** When the banner begins to fade, and when it is gone (specification section 9). */
const FADE_MS = 6_600;
const GONE_MS = 7_000;

/** Reports a change that was just made. It goes by itself; without script it stays until the next page. */
export function StatusBanner({ status }: { status: string }): ReactNode {
  return isSuccess(status) ? <Banner status={status} /> : null;
}

function Banner({ status }: { status: keyof typeof SUCCESSES }): ReactNode {
  const { t } = useTranslation();
  const [isClosed, setClosed] = useState(false);
  const close = useCallback(() => setClosed(true), []);
  const banner = useRef<HTMLDivElement>(null);
  useForgottenStatus();
  useFading(banner, close);
  if (isClosed) return null;
  return (
    <div className="alert banner" data-kind="ok" data-code={status} role="status" ref={banner}>
      <p className="word">{t("common.successTitle")}</p>
      <p>{t(SUCCESSES[status])}</p>
      <CloseButton onClose={close} />
    </div>
  );
}

/** The address without the status: loading the page again, or coming back to it, reports nothing. */
function useForgottenStatus(): void {
  useEffect(() => {
    const url = new URL(location.href);
    url.searchParams.delete("status");
    history.replaceState(history.state, "", url);
  }, []);
}

/** Lets an element fade and go after its time, which stands still while somebody points at it or is in it. */
function useFading(element: { readonly current: HTMLElement | null }, onGone: () => void): void {
  useEffect(() => {
    const { current } = element;
    // Who wants no motion closes it, or goes on.
    if (!current || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const fading = createFading(current, onGone);
    const isBusy = () => current.matches(":hover, :focus-within");
    const decide = () => (isBusy() ? fading.pause() : fading.run());
    // What has the focus is known only after it has moved.
    const decideSoon = () => setTimeout(decide);
    const events = ["mouseenter", "mouseleave", "focusin", "focusout"] as const;
    for (const event of events) current.addEventListener(event, decideSoon);
    decide();
    return () => {
      fading.pause();
      for (const event of events) current.removeEventListener(event, decideSoon);
    };
  }, [element, onGone]);
}

function createFading(element: HTMLElement, onGone: () => void) {
  let spentMs = 0;
  let startedAt: number | null = null;
  let timers: ReturnType<typeof setTimeout>[] = [];

  function pause(): void {
    if (startedAt !== null) spentMs += performance.now() - startedAt;
    startedAt = null;
    for (const timer of timers) clearTimeout(timer);
    timers = [];
    element.removeAttribute("data-fading");
  }

  function run(): void {
    if (startedAt !== null) return;
    // Somebody has read it while it was fading: it begins to fade anew.
    spentMs = Math.min(spentMs, FADE_MS);
    startedAt = performance.now();
    timers = [
      setTimeout(() => element.setAttribute("data-fading", ""), FADE_MS - spentMs),
      setTimeout(onGone, GONE_MS - spentMs),
    ];
  }

  return { pause, run };
}

/** A button; before the page hydrates, or without script, a link to the page without the banner. */
function CloseButton({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const [isLive, setLive] = useState(false);
  useEffect(() => setLive(true), []);
  const label = t("common.dismiss");
  if (!isLive) {
    return (
      <a className="close" href="/manage" aria-label={label}>
        <Cross />
      </a>
    );
  }
  const close = () => {
    onClose();
    // The button is gone: the page's beginning is where to go on.
    const heading = document.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus();
  };
  return (
    <button className="close" type="button" aria-label={label} onClick={close}>
      <Cross />
    </button>
  );
}

function Cross(): ReactNode {
  return (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="m5 5 10 10M15 5 5 15" />
    </svg>
  );
}

function isSuccess(status: string): status is keyof typeof SUCCESSES {
  return Object.hasOwn(SUCCESSES, status);
}
