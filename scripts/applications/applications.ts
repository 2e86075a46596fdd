import type { Application } from "./application.ts";
import { grafana } from "./grafana.ts";
import { nextcloud } from "./nextcloud.ts";
import { oauth2Proxy } from "./oauth2-proxy.ts";
import { paperlessNgx } from "./paperless-ngx.ts";
import { proxmoxVe } from "./proxmox-ve.ts";
import { synologyDsm } from "./synology-dsm.ts";
import { vaultwarden } from "./vaultwarden.ts";
import { zammad } from "./zammad.ts";

/** All applications that have a page in docs/applications. */
export const APPLICATIONS: readonly Application[] = [
  grafana,
  nextcloud,
  oauth2Proxy,
  paperlessNgx,
  proxmoxVe,
  synologyDsm,
  vaultwarden,
  zammad,
];
