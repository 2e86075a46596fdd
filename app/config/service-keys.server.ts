import { addressList, listenHost, ownIssuer } from "./address-values.server.ts";
import { databaseUrl } from "./database-value.server.ts";
import { key } from "./key.server.ts";
import { wholeNumber } from "./plain-values.server.ts";
import { SECRET_KEY_MIN_LENGTH, secretKeys } from "./secret-values.server.ts";

const ISSUER_DEFAULT = "http://localhost:3000";
const PORT_DEFAULT = "3000";

/** Keys for address, database, secrets and proxies. */
export const serviceKeys = {
  ISSUER: key(ownIssuer(), {
    topic: "address",
    meaning:
      "The public URL, as browsers and applications use it. It is the `iss` of every token and the start of every link in a mail; requests for any other host are refused. After a change, every application must be configured with the new issuer.",
    expected: "an origin such as https://login.example.com, without a trailing slash; http only for this machine",
    example: "https://login.example.com",
    unset: { default: ISSUER_DEFAULT },
  }),
  HOST: key(listenHost(), {
    topic: "address",
    meaning:
      "The address to listen on. The default accepts connections from this machine only, for example from a proxy on it. `0.0.0.0` or `::` listens on all network interfaces, which a container needs.",
    expected: "an IP address or a host name, without a port and without brackets",
    example: "0.0.0.0",
    unset: { default: "127.0.0.1" },
  }),
  PORT: key(wholeNumber(1, 65_535), {
    topic: "address",
    meaning: "The TCP port to listen on. The public port is part of ISSUER.",
    expected: "an integer from 1 to 65535",
    example: "8080",
    unset: { default: PORT_DEFAULT },
  }),
  DATABASE_URL: key(databaseUrl(), {
    topic: "database",
    meaning:
      "The database: `sqlite:` and the path of a file, which is created if it does not exist, or the URL of a PostgreSQL database. A relative path starts at the working directory; `sqlite:/var/lib/gatehouse/gatehouse.sqlite` is an absolute path. Percent-encode `/ ? # @ :` and `%` in a password. A Unix socket is written as by libpq: `postgresql://USER@/DATABASE?host=/var/run/postgresql`.",
    expected: "sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    example: "postgres://gatehouse:PASSWORD@db.example.com:5432/gatehouse",
    unset: { default: "sqlite:./data/gatehouse.sqlite" },
    secret: "url",
  }),
  SECRET_KEYS: key(secretKeys(), {
    topic: "secrets",
    meaning:
      "The keys that encrypt secrets in the database and authenticate cookies and forms: one key, or several separated by commas, the newest first. To change the key, insert a new key at the start and keep the old one after it until no value is encrypted with it (`gatehouse secrets reencrypt`). The database cannot be used without the right key: store a copy separately from the backups. Generate a key with `openssl rand -base64 48`.",
    expected: `one key or several separated by commas, the newest first, each of at least ${SECRET_KEY_MIN_LENGTH} characters, without commas`,
    // Too short on purpose: a key copied from the manual must not work.
    example: "NEWEST-KEY,OLDER-KEY",
    unset: "refused",
    secret: "hidden",
  }),
  TRUST_PROXY: key(addressList().optional(), {
    topic: "proxies",
    meaning:
      "The proxies in front of Gatehouse. `X-Forwarded-*` headers are used only in requests from these addresses and ignored in all others. If the key is not set, the client address is the address that connects, so all users behind a proxy share one limit of failed sign-ins.",
    expected: 'IP addresses and CIDR blocks, separated by commas; not "true", host names, or a block of all addresses',
    example: "127.0.0.1,10.20.0.0/16",
    unset: { means: "no proxy is trusted" },
  }),
};
