// A browser of a Debian machine, in the network of the machine. Its cookies are kept in a file.
// first LINK USERNAME FILE   follows the link of setup to the login settings, and checks the page of people
// again URL FILE             opens the login settings; fails unless the user is still signed in
import { readFileSync, writeFileSync } from "node:fs";
import { signInFirst } from "#tests/http/setup/first-sign-in.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { type Cookie, createCookieJar } from "#tests/support/cookie-jar.ts";

const [task, url = "", ...rest] = process.argv.slice(2);
const base = new URL(url).origin;

if (task === "first") {
  const [username = "", file = ""] = rest;
  const browser = createBrowser({ base });
  await signInFirst(browser, { link: url, username, clock: { now: () => new Date() } });
  const people = await browser.get("/manage/admin/people");
  require(people.status === 200, `The administrator may not see the people: ${people.status}`);
  writeFileSync(file, JSON.stringify(browser.jar.all()));
} else {
  const [file = ""] = rest;
  const cookies: Cookie[] = JSON.parse(readFileSync(file, "utf8"));
  const browser = createBrowser({ base, jar: createCookieJar(cookies) });
  const page = await browser.follow(await browser.get("/manage"));
  require(page.status === 200 && page.url === `${base}/manage`, `Not signed in: ${page.status} ${page.url}`);
}

function require(isMet: boolean, message: string): void {
  if (!isMet) throw new Error(message);
}
