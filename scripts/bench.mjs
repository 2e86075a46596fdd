// @ts-check
// `npm run bench`: starts the benchmark (tests/bench/main.ts), which loads native modules, unless this Node is too old.
import { OLDEST_NODE } from "./node.mjs";

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  console.error(`bench: Node ${OLDEST_NODE} or newer is needed; this is Node ${process.versions.node}.`);
  process.exitCode = 3;
} else {
  const { register } = await import("tsx/esm/api");
  register();
  await import("../tests/bench/main.ts");
}
