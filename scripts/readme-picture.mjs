// @ts-check
// Writes docs/images/gatehouse.png, the picture of README.md: sign-in page and login settings of the demo, side by side.
// node scripts/readme-picture.mjs
import "./supported-node.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BuildError, build } from "./build.mjs";
import { ensureChromium, ensurePackages, ROOT, SetupError } from "./setup.mjs";

const PICTURE = "docs/images/gatehouse.png";

/** Sizes in CSS pixels: both pages, the space around them, and the whole picture. */
const SIGN_IN = { width: 480, height: 900 };
const SETTINGS = { width: 760, height: SIGN_IN.height };
const SPACE = 20;
const WHOLE = { width: SIGN_IN.width + SETTINGS.width + 3 * SPACE, height: SIGN_IN.height + 2 * SPACE };

/** README is shown at about half of this width, and on screens with twice the resolution. */
const SCALE = 1.5;

/** @typedef {{ app_url: string, accounts: { username: string, password: string }[] }} Demo */

async function main() {
  await ensurePackages();
  await build(() => console.error("readme-picture: building"));
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-picture-"));
  const child = spawn(process.execPath, [join(ROOT, "build/demo.js"), "--json"], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  try {
    await takePicture(await readStart(child));
    console.log(`${PICTURE} written`);
  } finally {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Resolves to the addresses and accounts that the demo prints when it is ready.
 *
 * @param {import("node:child_process").ChildProcessByStdio<null, import("node:stream").Readable, null>} child
 * @returns {Promise<Demo>}
 */
async function readStart(child) {
  let text = "";
  for await (const part of child.stdout.setEncoding("utf8")) {
    text += part;
    if (text.endsWith("}\n")) return JSON.parse(text);
  }
  throw new Error(`The demo ended with ${child.exitCode}.`);
}

/** @param {Demo} demo */
async function takePicture(demo) {
  const { chromium } = await import("playwright");
  const browser = await chromium.launch({ args: ["--no-sandbox"], executablePath: await ensureChromium() });
  try {
    const context = await browser.newContext({
      locale: "en-GB",
      colorScheme: "light",
      reducedMotion: "reduce",
      deviceScaleFactor: SCALE,
    });
    const pictures = await visit(await context.newPage(), demo);
    // On a page of its own, which has no Content-Security-Policy.
    const page = await context.newPage();
    await page.setViewportSize(WHOLE);
    await page.setContent(sideBySide(pictures));
    await page.screenshot({ path: join(ROOT, PICTURE) });
  } finally {
    await browser.close();
  }
}

/**
 * Signs in to the demo application and opens the login settings. Returns a picture of the two pages of Gatehouse.
 *
 * @param {import("playwright").Page} page
 * @param {Demo} demo
 */
async function visit(page, { app_url, accounts }) {
  const [{ username, password } = { username: "", password: "" }] = accounts;
  await page.setViewportSize(SIGN_IN);
  await page.goto(`${app_url}/sign-in`);
  await page.locator("input[name=username]").fill(username);
  await page.locator("input[name=password]").fill(password);
  await page.locator("input[name=password]").blur();
  const signIn = await page.screenshot();
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.locator("form[action^='/consent/accept'] button").click();
  await page.getByRole("button", { name: "Login settings" }).click();
  await page.waitForURL(/\/manage/);
  await page.setViewportSize(SETTINGS);
  return [signIn, await page.screenshot()];
}

/** @param {readonly Buffer[]} pictures */
function sideBySide(pictures) {
  const images = pictures.map((picture) => `<img src="data:image/png;base64,${picture.toString("base64")}">`);
  return `<style>
    body { margin: ${SPACE}px; display: flex; gap: ${SPACE}px; background: #d5dad8 }
    img { height: ${SIGN_IN.height}px; border-radius: 8px }
  </style>${images.join("")}`;
}

try {
  await main();
} catch (error) {
  const isKnown = error instanceof SetupError || error instanceof BuildError;
  console.error(`readme-picture: ${isKnown ? error.message : error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
}
