import type { Locator, Page } from "playwright";
import type { TestUser } from "#tests/support/server.ts";
import type { BrowserUser, Installation } from "./installation.ts";

export type Credentials = Pick<TestUser, "username" | "password">;

/** Fields and buttons of the sign-in page, located as a user finds them. */
export function loginPage({ page, t }: Pick<BrowserUser, "page" | "t">) {
  const username = page.getByLabel(t("field.usernameOrEmail.label"), { exact: true });
  const password = page.getByLabel(t("field.password.label"), { exact: true });
  const submit = page.getByRole("button", { name: t("login.submit"), exact: true });
  const notYou = page.getByRole("button", { name: t("login.notYouLabel"), exact: true });
  return {
    username,
    password,
    submit,
    /** Forgets the remembered user name. */
    notYou,
    async signIn(user: Credentials) {
      const isRemembered = (await username.isVisible()) && !(await username.isEditable());
      if (isRemembered && (await username.inputValue()) !== user.username) await notYou.click();
      if (await username.isEditable()) await username.fill(user.username);
      await password.fill(user.password);
      await submit.click();
    },
  };
}

/** The page "You are logged in as". */
export function accountPage({ page, t }: Pick<BrowserUser, "page" | "t">) {
  return {
    proceed: page.getByRole("button", { name: t("loginHint.proceed") }),
    otherAccount: page.getByRole("link", { name: t("loginHint.otherAccount") }),
  };
}

export function consentPage({ page, t }: Pick<BrowserUser, "page" | "t">) {
  return {
    scopes: page.locator(".scopes li b"),
    allow: page.getByRole("button", { name: t("consent.allow"), exact: true }),
    /** A submit button, or a link if the page has the response's URL. */
    reject: page.getByText(t("consent.reject"), { exact: true }),
  };
}

export function logoutPage({ page, t }: Pick<BrowserUser, "page" | "t">) {
  return {
    accept: page.getByRole("button", { name: t("logout.pending.accept"), exact: true }),
    reject: page.getByRole("button", { name: t("logout.pending.reject"), exact: true }),
  };
}

export async function seesHeading({ page }: Pick<BrowserUser, "page">, text: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: text, exact: true }).waitFor();
}

/** Opens an application's sign-in and submits the sign-in form. */
export async function signInAt(browserUser: BrowserUser, address: string, user: Credentials): Promise<void> {
  await browserUser.page.goto(address);
  await loginPage(browserUser).signIn(user);
}

/** Waits until the page's scripts have run; those of the settings run after hydration. */
export async function scriptsHaveRun({ page }: Pick<BrowserUser, "page">): Promise<void> {
  await page.waitForLoadState();
  // The script of all pages defines this element last.
  await page.waitForFunction(() => document.scripts.length === 0 || customElements.get("security-key") !== undefined);
}

/** Waits for the browser or a script to focus this element. */
export async function hasFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(":focus")).waitFor();
}

export function alertOf(page: Page): Locator {
  return page.getByRole("alert");
}

/** Reads the page's `data-state`. */
export async function stateOf(page: Page): Promise<Record<string, unknown>> {
  return JSON.parse((await page.locator("#root").getAttribute("data-state")) ?? "null");
}

/** Reads the JSON that an application displays. */
export async function readDetail(page: Page, id: string): Promise<Record<string, unknown>> {
  return JSON.parse((await page.locator(`#${id}`).textContent()) ?? "null");
}

/** Returns the paths of the product's pages that the browser requested, from index `from` on. */
export function pagesSeen({ server }: Pick<Installation, "server">, { requests }: BrowserUser, from: number): string[] {
  const own = requests.slice(from).filter((url) => new URL(url).origin === server.url);
  return own.map((url) => new URL(url).pathname).filter((path) => /^\/(login|consent|logout|error)/.test(path));
}
