import { expect, test } from "vitest";
import { serverOfFile } from "#tests/support/server.ts";
import { sendRaw } from "./raw-client.ts";

const TRIES = 20;
const FIVE_MEGABYTES = 5 * 1024 * 1024;

const server = await serverOfFile();

const body = Buffer.alloc(FIVE_MEGABYTES, "a");

test.each([
  ["/login/native", 413],
  ["/oauth2/auth", 413],
  ["/login/apple/callback", 413],
  // Sent by the script of the settings.
  ["/manage/credentials/username.data", 413],
  // Refused by the engine.
  ["/oauth2/token", 400],
])(
  "a body of 5 MB with Connection: close gets its refusal every time: %s %i",
  async (path, status) => {
    const statuses: number[] = [];
    for (let tried = 0; tried < TRIES; tried += 1) {
      const response = await sendRaw(server.url, {
        line: `POST ${path} HTTP/1.1`,
        headers: [
          `Host: ${new URL(server.url).host}`,
          `Origin: ${server.url}`,
          "Connection: close",
          "Content-Type: application/x-www-form-urlencoded",
          `Content-Length: ${body.length}`,
        ],
        body,
        wholeBody: true,
      });
      statuses.push(response.status);
    }
    expect(statuses).toEqual(new Array<number>(TRIES).fill(status));
  },
  60_000,
);
