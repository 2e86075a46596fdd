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
      "The public address, as people's browsers and the applications spell it. It is the `iss` of every token and the start of every link in a mail; requests for any other host name are refused. A change of it breaks every application until its issuer is changed as well.",
    expected: "an origin such as https://login.example.com, without a slash at its end; http only on this machine",
    example: "https://login.example.com",
    unset: { default: ISSUER_DEFAULT },
  }),
  HOST: key(listenHost(), {
    topic: "address",
    meaning:
      "The address to listen on. The default is reached from this machine only, for example by a proxy beside Gatehouse. `0.0.0.0` or `::` listens on every network of the machine, as a container needs.",
    expected: "an IP address or a host name, without a port and without brackets",
    example: "0.0.0.0",
    unset: { default: "127.0.0.1" },
  }),
  PORT: key(wholeNumber(1, 65_535), {
    topic: "address",
    meaning: "The TCP port to listen on. The port that people see stands in ISSUER.",
    expected: "a whole number from 1 to 65535",
    example: "8080",
    unset: { default: PORT_DEFAULT },
  }),
  DATABASE_URL: key(databaseUrl(), {
    topic: "database",
    meaning:
      "Where everything is stored. `sqlite:` and the path of a file, which is made when it is missing; a relative path starts at the working directory, `sqlite:/var/lib/gatehouse/gatehouse.sqlite` is an absolute one. Or a PostgreSQL server and the name of its database. In a password, `/ ? # @ :` and `%` are percent-encoded.",
    expected: "sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    example: "postgres://gatehouse:PASSWORD@db.example.com:5432/gatehouse",
    unset: { default: "sqlite:./data/gatehouse.sqlite" },
    secret: "url",
  }),
  SECRET_KEYS: key(secretKeys(), {
    topic: "secrets",
    meaning:
      "The keys that encrypt secrets in the database and sign cookies and forms: one, or several separated by commas, the newest first. To change the key, put a new one in front and keep the old one behind it until nothing is encrypted with it. Without the right key the database cannot be used: keep a copy apart from the backups. `openssl rand -base64 48` makes a good key.",
    expected: `one key or several separated by commas, the newest first, each of at least ${SECRET_KEY_MIN_LENGTH} characters, without a comma in it`,
    // Too short on purpose: a key copied from the manual must not work.
    example: "NEWEST-KEY,OLDER-KEY",
    unset: "refused",
    secret: "hidden",
  }),
  TRUST_PROXY: key(addressList().optional(), {
    topic: "proxies",
    meaning:
      "The proxies in front of Gatehouse. Only they are believed when they say by `X-Forwarded-*` headers whom they speak for; from any other address these headers are dropped. Without it every request counts as coming from the address that connects, so that behind a proxy all people share one limit of failed sign-ins.",
    expected: 'IP addresses and CIDR blocks separated by commas; "true", names and blocks of every address are refused',
    example: "127.0.0.1,10.20.0.0/16",
    unset: { means: "no proxy is trusted" },
  }),
};
