import { describe, expect, it } from "vitest";
import { readConfig } from "#app/config/read.server.ts";
import { readText } from "#tests/support/source-tree.ts";

const containerfile = readText("deploy/Containerfile");
const compose = readText("deploy/compose.yaml");

/** Returns the value of an instruction of the Containerfile. */
const instructionOf = (instruction: string) =>
  new RegExp(`^${instruction} (.*)$`, "m").exec(containerfile)?.[1] ?? `no ${instruction}`;

describe("the image", () => {
  it("has a valid configuration with the environment file that is shipped, without warnings", () => {
    const lines = [
      ...instructionOf("ENV").split(" "),
      ...readText("deploy/gatehouse.env")
        .split("\n")
        .filter((line) => /^\w/.test(line)),
    ];
    const env = Object.fromEntries(lines.map((line) => line.replaceAll('"', "").split(/=(.*)/, 2)));
    const read = readConfig({ ...env, SECRET_KEYS: "a secret key that only the tests know" });
    expect(read).toMatchObject({ ok: true, warnings: [], config: { host: "0.0.0.0", port: 3000 } });
  });

  it("runs as a user that owns its volumes, which the compose file keeps", () => {
    const volumes: string[] = JSON.parse(instructionOf("VOLUME"));
    expect(instructionOf("USER")).toBe("10001:10001");
    expect(containerfile).toContain(`install -d -o 10001 -g 10001 -m 0700 ${volumes.join(" ")}`);
    const mounted = [...compose.matchAll(/"\w+:(\/[^"]+)"/g)].map(([, path]) => path);
    expect(mounted).toEqual(volumes);
  });

  it("listens on the port that the compose file publishes to this machine only", () => {
    expect(compose).toContain(`ports: ["127.0.0.1:3000:${instructionOf("EXPOSE")}"]`);
  });
});
