// @ts-check
// Packs the program of a staged folder as an image for podman and Docker.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../children.mjs";
import { ROOT } from "../setup.mjs";
import { ReleaseError } from "./files.mjs";

const BUILD_TIMEOUT_MS = 15 * 60_000;

/**
 * Builds the image with podman and returns the path of its archive.
 *
 * @param {{ folder: string, out: string, architecture: string, version: string, epoch: number }} input
 */
export async function packImage({ folder, out, architecture, version, epoch }) {
  const tags = [`gatehouse:${version}`, "gatehouse:latest"];
  const file = join(out, `gatehouse_${version}_${architecture}.image.tar`);
  rmSync(file, { force: true });
  await podman([
    "build",
    // The format of OCI has no HEALTHCHECK.
    "--format=docker",
    `--timestamp=${epoch}`,
    `--build-arg=VERSION=${version}`,
    `--file=${join(ROOT, "deploy/Containerfile")}`,
    ...tags.map((tag) => `--tag=${tag}`),
    folder,
  ]);
  await podman(["save", "--format=docker-archive", `--output=${file}`, ...tags]);
  return file;
}

/** @param {string[]} args */
async function podman(args) {
  const { code, output } = await run("podman", args, { timeoutMs: BUILD_TIMEOUT_MS });
  if (code !== 0) throw new ReleaseError(`podman ${args[0]} failed:\n${output.trim()}`);
}
