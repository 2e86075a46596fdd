import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeAtomically } from "#app/db/files/companion-files.server.ts";
import type { Layout } from "./layout.server.ts";

export const PROXIES = ["caddy", "nginx", "own"] as const;

export type ProxyName = (typeof PROXIES)[number];

/** The address for browsers, and the port of Gatehouse. */
type Addresses = { issuer: string; port: string };

/**
 * A proxy whose file was written or exists. `isNew`: its service has to load the file. `problem`: reason why it cannot be
 * used yet, and what to do.
 */
export type ProxyFile = { file: string; isNew: boolean; problem: readonly string[] };

/** Host name in the files of deploy/. */
const EXAMPLE = "login.example.com";

const READABLE_BY_ALL = 0o644;

/** Returns the proxy whose file setup has written, "own" if there is none. */
export function findProxy({ caddyfile, nginxSite }: Layout): ProxyName {
  if (existsSync(caddyfile) && isOurs(readFileSync(caddyfile, "utf8"))) return "caddy";
  return existsSync(nginxSite) ? "nginx" : "own";
}

/** Writes the file of the proxy, unless it exists. A file of another origin is not changed. */
export function writeProxyFile(layout: Layout, proxy: Exclude<ProxyName, "own">, addresses: Addresses): ProxyFile {
  return proxy === "caddy" ? writeCaddyfile(layout, addresses) : writeNginxSite(layout, addresses);
}

function writeCaddyfile({ caddyfile }: Layout, addresses: Addresses): ProxyFile {
  const existing = existsSync(caddyfile) ? readFileSync(caddyfile, "utf8") : "";
  if (isOurs(existing)) return { file: caddyfile, isNew: false, problem: [] };
  const text = caddyfileFor(addresses);
  if (existing.trim() !== "" && !isPackageDefault(existing)) {
    const file = `${caddyfile}.gatehouse`;
    writeReadable(file, text);
    return { file, isNew: false, problem: [`${caddyfile} has other sites. Copy the ones of ${file} into it.`] };
  }
  writeReadable(caddyfile, text);
  return { file: caddyfile, isNew: true, problem: [] };
}

function isOurs(text: string): boolean {
  return text.startsWith("# Gatehouse behind Caddy");
}

/** Returns whether a Caddyfile is the one of Debian's package: static files on port 80. */
function isPackageDefault(text: string): boolean {
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim());
  return lines.filter(Boolean).join(" ") === ":80 { root * /usr/share/caddy file_server }";
}

function caddyfileFor({ issuer, port }: Addresses): string {
  const { hostname, host } = new URL(issuer);
  return readTemplate("Caddyfile")
    .replaceAll(`http://${EXAMPLE}`, `http://${hostname}`)
    .replaceAll(`https://${EXAMPLE}`, `https://${host}`)
    .replaceAll(EXAMPLE, hostname)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`);
}

/** The site is enabled when there is a certificate, because nginx does not start without it. */
function writeNginxSite(layout: Layout, addresses: Addresses): ProxyFile {
  const { nginxSite, nginxLink, certificates } = layout;
  const { hostname } = new URL(addresses.issuer);
  if (!existsSync(nginxSite)) writeReadable(nginxSite, nginxSiteFor(layout, addresses));
  if (!existsSync(join(certificates, hostname, "fullchain.pem"))) {
    return {
      file: nginxSite,
      isNew: false,
      problem: [
        `nginx needs a certificate in ${join(certificates, hostname)}. Obtain it, e.g. with`,
        `  apt install python3-certbot-nginx && certbot certonly --nginx -d ${hostname}`,
        "Then run gatehouse setup again, which enables the site.",
      ],
    };
  }
  const isNew = !existsSync(nginxLink);
  mkdirSync(dirname(nginxLink), { recursive: true });
  if (isNew) symlinkSync("../sites-available/gatehouse.conf", nginxLink);
  return { file: nginxLink, isNew, problem: [] };
}

function nginxSiteFor({ certificates }: Layout, { issuer, port }: Addresses): string {
  const { hostname, origin, port: tlsPort } = new URL(issuer);
  return readTemplate("nginx.conf")
    .replaceAll("/etc/letsencrypt/live", certificates)
    .replaceAll(`https://${EXAMPLE}`, origin)
    .replaceAll(EXAMPLE, hostname)
    .replaceAll(/(listen (?:\[::\]:)?)443 /g, `$1${tlsPort || "443"} `)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`);
}

function writeReadable(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeAtomically(file, text, READABLE_BY_ALL);
}

/** Reads a file of deploy/, which is above this file in the sources as in build/. */
function readTemplate(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "deploy", name)) && dirname(folder) !== folder) folder = dirname(folder);
  return readFileSync(join(folder, "deploy", name), "utf8");
}
