// @ts-check
// Packs the program of a staged folder as an image for podman and Docker.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../children.mjs";
import { findDebianTool } from "../debian-tools.mjs";
import { ROOT } from "../setup.mjs";
import { ReleaseError } from "./files.mjs";

/** The name in deploy/compose.yaml. */
const NAME = "gatehouse:latest";

const BUILD_TIMEOUT_MS = 15 * 60_000;

/**
 * Builds the image with buildah and returns the path of its archive, which `podman load` and `docker load` read.
 *
 * @param {{ folder: string, out: string, architecture: string, version: string, epoch: number, base?: string,
 *   env?: Readonly<Record<string, string>> }} input base: an image in place of the one that the Containerfile names;
 *   env: of buildah, e.g. STORAGE_DRIVER
 */
export async function packImage({ folder, out, architecture, version, epoch, base, env = {} }) {
  const file = join(out, `gatehouse_${version}_${architecture}.image.tar`);
  rmSync(file, { force: true });
  const options = [
    // The format of OCI has no HEALTHCHECK.
    "--format=docker",
    `--timestamp=${epoch}`,
    `--build-arg=VERSION=${version}`,
    `--file=${join(ROOT, "deploy/Containerfile")}`,
    `--tag=${NAME}`,
    ...(base ? [`--from=${base}`] : []),
  ];
  await buildah(["build", ...options, folder], env);
  await buildah(["push", NAME, `docker-archive:${file}:${NAME}`], env);
  return file;
}

/**
 * @param {string[]} args
 * @param {Readonly<Record<string, string>>} given
 */
async function buildah(args, given) {
  const tool = findDebianTool("buildah");
  if (tool === null) throw new ReleaseError("buildah is not installed: apt install buildah");
  const env = { ...tool.env, ...given };
  const { code, output } = await run(tool.program, args, { env, timeoutMs: BUILD_TIMEOUT_MS });
  if (code !== 0) throw new ReleaseError(`buildah ${args[0]} failed:\n${output.trim()}`);
}
