import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { DEBIAN_BASE } from "../../../scripts/debian-tools.mjs";
import { packImage } from "../../../scripts/release/image.mjs";

const run = promisify(execFile);

/** The name of the base in the store of a test. */
const BASE = "localhost/base";

/** Configuration of an image, as in its archive. */
const configSchema = z.object({
  config: z.object({
    User: z.string(),
    Env: z.array(z.string()),
    Entrypoint: z.array(z.string()),
    Cmd: z.array(z.string()),
    Volumes: z.record(z.string(), z.object({})),
    Healthcheck: z.object({ Test: z.array(z.string()) }),
  }),
});
const manifestSchema = z.tuple([
  z.object({ Config: z.string(), RepoTags: z.array(z.string()), Layers: z.array(z.string()) }),
]);

/** An image that was unpacked into a folder. */
export type UnpackedImage = z.infer<typeof configSchema>["config"] & {
  root: string;
  tags: string[];
  /**
   * Returns the command that runs a program in the folder as the image's user, with its environment: the arguments of
   * chroot in place of a container.
   */
  command(env: Readonly<Record<string, string>>, args: readonly string[]): string[];
};

/**
 * Builds the image of a staged folder like `npm run release -- --image`, over a base of Debian packages, and unpacks its
 * archive. Root only, because files of the image belong to its user.
 */
export async function buildImage(folder: string, { version, epoch }: { version: string; epoch: number }) {
  if (process.getuid?.() !== 0) throw new Error("The image can be run by root only: start the tests as root.");
  const place = mkdtempSync(join(tmpdir(), "gatehouse-image-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const env = prepareStore(place);
  await buildBase(place, env);
  const out = { out: place, architecture: "amd64", version, epoch };
  const archive = await packImage({ folder, ...out, base: BASE, env });
  return unpackImage(archive, join(place, "unpacked"));
}

/** Returns an environment in which buildah has its files in this folder, and needs no container to run a command. */
function prepareStore(place: string): Record<string, string> {
  const storage = join(place, "storage.conf");
  const [graph, running] = [join(place, "store"), join(place, "run")];
  writeFileSync(storage, `[storage]\ndriver = "vfs"\ngraphroot = "${graph}"\nrunroot = "${running}"\n`);
  const registries = join(place, "registries.conf");
  writeFileSync(registries, "");
  mkdirSync(join(place, ".config/containers"), { recursive: true });
  const policy = JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] });
  writeFileSync(join(place, ".config/containers/policy.json"), policy);
  const own = { HOME: place, TMPDIR: place, BUILDAH_ISOLATION: "chroot" };
  return { ...own, CONTAINERS_STORAGE_CONF: storage, CONTAINERS_REGISTRIES_CONF: registries };
}

async function buildBase(place: string, given: Readonly<Record<string, string>>): Promise<void> {
  const { program, env } = requireDebianTool("buildah");
  const context = join(place, "base");
  mkdirSync(join(context, "etc"), { recursive: true });
  writeFileSync(join(context, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  const file = join(context, "Containerfile");
  writeFileSync(file, "FROM scratch\nCOPY debian /\nCOPY etc /etc\n");
  await run("cp", ["-a", DEBIAN_BASE, join(context, "debian")]);
  await run(program, ["build", "--format=docker", `--tag=${BASE}`, context], { env: { ...env, ...given } });
}

async function unpackImage(archive: string, folder: string): Promise<UnpackedImage> {
  const root = join(folder, "root");
  mkdirSync(root, { recursive: true });
  await run("tar", ["-xf", archive, "-C", folder]);
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const [{ Config, RepoTags: tags, Layers }] = manifestSchema.parse(read("manifest.json"));
  for (const layer of Layers) {
    await run("tar", ["-xpf", join(folder, layer), "-C", root, "--numeric-owner", "--same-owner"]);
  }
  const { config } = configSchema.parse(read(Config));
  return {
    ...config,
    root,
    tags,
    command(env, args) {
      const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
      return [
        "/usr/sbin/chroot",
        `--userspec=${config.User}`,
        root,
        "/usr/bin/env",
        "-i",
        ...config.Env,
        ...variables,
        ...args,
      ];
    },
  };
}
