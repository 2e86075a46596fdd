import { join } from "node:path";

/** Paths of an installation. */
export type Layout = {
  /** "/", or the folder in place of it. */
  root: string;
  /** Only root reads this folder. */
  configFolder: string;
  environmentFile: string;
  /** The folders that the service writes. */
  dataFolder: string;
  backupFolder: string;
  /** Passes the mail server's secret to the unit. */
  dropIn: string;
  caddyfile: string;
  nginxSite: string;
  nginxLink: string;
  certificates: string;
};

/** Returns the paths of the installation below `root`; those of the Debian package for "/". */
export function layoutUnder(root: string): Layout {
  const at = (path: string) => join(root, path);
  return {
    root,
    configFolder: at("etc/gatehouse"),
    environmentFile: at("etc/gatehouse/gatehouse.env"),
    dataFolder: at("var/lib/gatehouse"),
    backupFolder: at("var/backups/gatehouse"),
    dropIn: at("etc/systemd/system/gatehouse.service.d/mail.conf"),
    caddyfile: at("etc/caddy/Caddyfile"),
    nginxSite: at("etc/nginx/sites-available/gatehouse.conf"),
    nginxLink: at("etc/nginx/sites-enabled/gatehouse.conf"),
    certificates: at("etc/letsencrypt/live"),
  };
}

/** Returns the file of a secret: `smtp-url` for SMTP_URL. */
export function secretFileOf({ configFolder }: Pick<Layout, "configFolder">, key: string): string {
  return join(configFolder, key.toLowerCase().replaceAll("_", "-"));
}
