import { gzipSync } from "node:zlib";
import { readPage } from "#tests/support/html.ts";
import type { Bench, Finding } from "../bench.ts";
import { openLoginPage } from "./login-page.ts";

const MOST_BYTES = 10_000;

/** Matches React in a script, and Remix's hydration data in a page. */
const REACT = /react\.element|hydrateRoot|__remix(Context|Manifest)/;

/** Measures the size of the login page's files, each compressed separately, without images. */
export async function weighLoginPage(bench: Bench): Promise<Finding[]> {
  const { response } = await openLoginPage(bench);
  const page = readPage(response.body);
  const styles = page.all("link", { rel: "stylesheet" }).flatMap(({ attributes }) => attributes.href ?? []);
  const preloaded = page.all("link", { rel: "modulepreload" }).flatMap(({ attributes }) => attributes.href ?? []);
  const scripts = page.all("script").flatMap(({ attributes }) => attributes.src ?? []);
  const inline = page.all("script").filter(({ attributes }) => attributes.src === undefined).length;
  const load = async (path: string) => (await bench.http.send(new URL(path, bench.gatehouse.url))).body;
  const css = await Promise.all(styles.map(load));
  const js = await Promise.all([...scripts, ...preloaded].map(load));
  const html = compressed(response.body);
  const withCss = html + sum(css.map(compressed));
  const details = {
    html,
    styles: css.map(compressed),
    scripts: js.map(compressed),
    files: { styles, scripts, preloaded },
    inline,
  };
  const hasReact = [response.body, ...js].some((text) => REACT.test(text));
  return [
    weight("login page: HTML + CSS, gzip", withCss, { text: `≤ ${MOST_BYTES}`, met: withCss <= MOST_BYTES }, details),
    weight("login page: HTML + CSS + script, gzip", withCss + sum(js.map(compressed)), null, {}),
    { ...weight("login page: scripts with React", Number(hasReact), { text: "0", met: !hasReact }, {}), unit: "" },
  ];
}

function weight(what: string, ours: number, target: Finding["target"], details: Finding["details"]): Finding {
  return { what, unit: "bytes", ours, reference: null, ratio: null, target, details };
}

function compressed(text: string): number {
  return gzipSync(text).byteLength;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
