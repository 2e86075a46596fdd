import { join } from "node:path";
import { z } from "zod";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Random } from "#app/ports.ts";
import { DEMO_FOLDER, readOrMake } from "./demo-environment.server.ts";

const FILE = join(DEMO_FOLDER, "accounts.json");

/** The people of the demo. */
export const DEMO_PEOPLE = [
  {
    username: "anna.berger",
    displayName: "Anna Berger",
    phone: "+49 40 5550101",
    permissions: ["contracts", "reports"],
    office: "Nordlicht Makler",
  },
  {
    username: "anna.berger.alpen",
    displayName: "Anna Berger",
    phone: null,
    permissions: [],
    office: "Alpenblick Makler",
  },
  {
    username: "bernd.vogel",
    displayName: "Bernd Vogel",
    phone: "+49 40 5550102",
    permissions: ["contracts"],
    office: "Nordlicht Makler",
  },
  { username: "carla.winter", displayName: "Carla Winter", phone: null, permissions: [], office: "Nordlicht Makler" },
] as const;

const passwordsSchema = z.record(z.string(), z.string());

/** The password of each person of the demo, drawn at the first start and the same ever after. Throws CommandError. */
export function readDemoPasswords(random: Random): ReadonlyMap<string, string> {
  const text = readOrMake(FILE, () => {
    const drawn = DEMO_PEOPLE.map(({ username }) => [username, drawPassword(random)]);
    return `${JSON.stringify(Object.fromEntries(drawn), null, 2)}\n`;
  });
  const passwords = new Map(Object.entries(parse(text)));
  if (DEMO_PEOPLE.some(({ username }) => !passwords.has(username))) throw damaged();
  return passwords;
}

function parse(text: string): Record<string, string> {
  try {
    return passwordsSchema.parse(JSON.parse(text));
  } catch {
    throw damaged();
  }
}

function damaged(): CommandError {
  return new CommandError(EXIT.failed, [
    `${FILE} cannot be read.`,
    `Remove the folder ${DEMO_FOLDER} to start the demo afresh.`,
  ]);
}

/** Without the letters and digits that look like others; 16, 16 and 8 of them, so that a random byte picks fairly. */
const UPPER = "ABCDEFGHKLMNPRTW";
const LOWER = "abcdefghkmnprtwx";
const DIGITS = "23456789";

/** Four groups such as `Kx7m`: every rule is kept, 60 random bits. */
function drawPassword(random: Random): string {
  const groups = Array.from({ length: 4 }, () => {
    const bytes = random.bytes(4);
    return [UPPER, LOWER, DIGITS, LOWER]
      .map((letters, place) => letters[(bytes[place] ?? 0) % letters.length])
      .join("");
  });
  return groups.join("-");
}
