import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { LineIcon } from "#app/ui/line-icon.tsx";

/** Text keys by value of the query parameter `status` after a successful change; other values show no banner. */
const SUCCESSES = {
  "password-success": "manage.banner.password-success",
  "username-success": "manage.banner.username-success",
  "oauth-disconnect-success": "manage.banner.oauth-disconnect-success",
  "oauth-connect-success": "manage.banner.oauth-connect-success",
  "mfa-success": "manage.banner.mfa-success",
  "session-ended": "manage.banner.session-ended",
  "device-forgotten": "manage.banner.device-forgotten",
  "sessions-ended": "manage.banner.sessions-ended",
  "consent-withdrawn": "manage.banner.consent-withdrawn",
  "key-removed": "manage.banner.key-removed",
  "totp-removed": "manage.banner.totp-removed",
  "codes-stored": "manage.banner.codes-stored",
  "key-renamed": "manage.banner.key-renamed",
  "passkey-added": "manage.banner.passkey-added",
  "passkey-removed": "manage.banner.passkey-removed",
  "passkey-renamed": "manage.banner.passkey-renamed",
  "default-method-saved": "manage.banner.default-method-saved",
  "language-saved": "manage.banner.language-saved",
  "name-saved": "manage.banner.name-saved",
  "phone-saved": "manage.banner.phone-saved",
  "phone-removed": "manage.banner.phone-removed",
  "email-sent": "manage.banner.email-sent",
  "email-withdrawn": "manage.banner.email-withdrawn",
} as const;

/** Time until the banner starts to fade, and until it is removed (specification section 9). */
const FADE_AFTER_MS = 6_600;
const REMOVE_AFTER_MS = 7_000;

/**
 * Reports a successful change. Disappears after 7 seconds and leaves its place empty, so that nothing moves; without
 * JavaScript it stays until the next page.
 */
export function StatusBanner({ status }: { status: string }): ReactNode {
  return isSuccess(status) ? <Banner status={status} /> : null;
}

function Banner({ status }: { status: keyof typeof SUCCESSES }): ReactNode {
  const { t } = useTranslation();
  const [isClosed, setClosed] = useState(false);
  const [emptyPlacePx, setEmptyPlacePx] = useState<number | null>(null);
  const close = useCallback(() => setClosed(true), []);
  const banner = useRef<HTMLDivElement>(null);
  useUrlWithoutStatus();
  const end = useCallback(() => setEmptyPlacePx(banner.current?.offsetHeight ?? 0), []);
  useFadeOut(banner, end);
  const closeByKey = useCallback(() => {
    if (banner.current?.contains(document.activeElement)) focusHeading();
    close();
  }, [close]);
  useEscapeKey(closeByKey);
  if (emptyPlacePx !== null) return <div style={{ blockSize: emptyPlacePx }} />;
  if (isClosed) return null;
  return (
    <div className="alert banner" data-kind="ok" data-code={status} role="status" ref={banner}>
      <p className="word">{t("common.successTitle")}</p>
      <p>{t(SUCCESSES[status])}</p>
      <CloseButton onClose={close} />
    </div>
  );
}

/**
 * Removes `status` from the URL, and the removed passkey, so that a reload and the back button do not show the banner
 * again.
 */
function useUrlWithoutStatus(): void {
  useEffect(() => {
    const url = new URL(location.href);
    url.searchParams.delete("status");
    url.searchParams.delete("removed");
    history.replaceState(history.state, "", url);
  }, []);
}

/** Calls `onEscape` when the user presses Escape. */
function useEscapeKey(onEscape: () => void): void {
  useEffect(() => {
    const close = ({ key }: KeyboardEvent) => {
      if (key === "Escape") onEscape();
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [onEscape]);
}

/** Fades an element out and calls `onEnd`. The time pauses while the element is hovered or contains the focus. */
function useFadeOut(element: { readonly current: HTMLElement | null }, onEnd: () => void): void {
  useEffect(() => {
    const { current } = element;
    // With reduced motion, the banner stays until the user closes it.
    if (!current || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const fadeOut = createFadeOut(current, onEnd);
    const isInUse = () => current.matches(":hover, :focus-within");
    const update = () => (isInUse() ? fadeOut.pause() : fadeOut.run());
    // :focus-within has its new value only after the event.
    const scheduleUpdate = () => setTimeout(update);
    const events = ["mouseenter", "mouseleave", "focusin", "focusout"] as const;
    for (const event of events) current.addEventListener(event, scheduleUpdate);
    update();
    return () => {
      fadeOut.pause();
      for (const event of events) current.removeEventListener(event, scheduleUpdate);
    };
  }, [element, onEnd]);
}

function createFadeOut(element: HTMLElement, onEnd: () => void) {
  let elapsedMs = 0;
  let startedAt: number | null = null;
  let timers: ReturnType<typeof setTimeout>[] = [];

  function pause(): void {
    if (startedAt !== null) elapsedMs += performance.now() - startedAt;
    startedAt = null;
    for (const timer of timers) clearTimeout(timer);
    timers = [];
    element.removeAttribute("data-fading");
  }

  function run(): void {
    if (startedAt !== null) return;
    // A pause during the fade restarts the fade.
    elapsedMs = Math.min(elapsedMs, FADE_AFTER_MS);
    startedAt = performance.now();
    timers = [
      setTimeout(() => element.setAttribute("data-fading", ""), FADE_AFTER_MS - elapsedMs),
      setTimeout(onEnd, REMOVE_AFTER_MS - elapsedMs),
    ];
  }

  return { pause, run };
}

/** A button; before hydration and without JavaScript, a link to the page without the banner. */
function CloseButton({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const [isHydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  const label = t("common.dismiss");
  if (!isHydrated) {
    return (
      <a className="close" href="/manage" aria-label={label}>
        <Cross />
      </a>
    );
  }
  const close = () => {
    onClose();
    focusHeading();
  };
  return (
    <button className="close" type="button" aria-label={label} onClick={close}>
      <Cross />
    </button>
  );
}

/** Moves the focus from the banner, which is removed, to the heading. */
function focusHeading(): void {
  const heading = document.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus();
}

function Cross(): ReactNode {
  return <LineIcon path="m5 5 10 10M15 5 5 15" />;
}

/** Returns true if the banner reports this status. */
export function isSuccess(status: string): status is keyof typeof SUCCESSES {
  return Object.hasOwn(SUCCESSES, status);
}
