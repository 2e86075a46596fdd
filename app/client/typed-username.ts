/** The key of the typed user name in the tab's storage. */
const STORAGE_KEY = "gatehouse_typed_username";

/** The fields of the sign-in and of the password reset. New passwords have a read-only one for password managers. */
const FIELD = "main input[name=username]:not([type=radio], [type=hidden], [readonly], :disabled)";

type Typed = { path: string; username: string };

/**
 * Keeps the typed user name while the user changes the language: in the storage of the tab, until the page has loaded,
 * because servers log URLs.
 */
export function keepTypedUsername(): void {
  const field = document.querySelector<HTMLInputElement>(FIELD);
  const typed = takeTyped();
  if (field && typed?.path === location.pathname) field.value = typed.username;
  document.querySelector("footer")?.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a[hreflang]") : null;
    if (link && field && field.value !== field.defaultValue) store({ path: location.pathname, username: field.value });
  });
}

function takeTyped(): Typed | null {
  try {
    const stored = sessionStorage.getItem(STORAGE_KEY);
    sessionStorage.removeItem(STORAGE_KEY);
    return stored === null ? null : JSON.parse(stored);
  } catch {
    // Storage blocked.
    return null;
  }
}

function store(typed: Typed): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(typed));
  } catch {
    // Storage blocked or full: the user types the name again.
  }
}
