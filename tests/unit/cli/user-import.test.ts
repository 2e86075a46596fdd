import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { FOREIGN_HASHES, UNUSABLE_HASHES } from "#tests/support/foreign-hashes.ts";
import { readText } from "#tests/support/source-tree.ts";
import { createInstallation, type Installation } from "./terminal.ts";

const [{ hash: HASH }] = FOREIGN_HASHES;
const HEAD = "username,display_name,email,email_verified,phone,group,permissions,locale,status,password_hash";

function fileOf(name: string, content: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

const listing = z.array(z.looseObject({ username: z.string(), display_name: z.string() }));

async function listed({ gatehouse }: Installation) {
  return listing.parse((await gatehouse(["user", "list", "--json"])).json());
}

async function namesOf(installation: Installation) {
  return (await listed(installation)).map(({ username }) => username);
}

async function withNorth(): Promise<Installation> {
  const installation = await createInstallation();
  await installation.gatehouse(["group", "add", "North"]);
  return installation;
}

const FULL = [
  HEAD,
  `anna,Anna Berger,anna@example.com,true,+49 40 1,North,orders claims,de,active,"${HASH}"`,
  'bernd,"Vogel, Bernd",,,,,,,blocked,',
].join("\n");

const ANNA = {
  ...{ username: "anna", display_name: "Anna Berger", email: "anna@example.com", phone: "+49 40 1", group: "North" },
  ...{ permissions: ["orders", "claims"], locale: "de", status: "active", has_password: true },
};
const BERND = {
  ...{ username: "bernd", display_name: "Vogel, Bernd", email: null, phone: null, group: null },
  ...{ permissions: [], locale: null, status: "blocked", has_password: false },
};

describe("user import", () => {
  it.each([
    ["CSV", FULL],
    ["CSV of Windows", FULL.replaceAll("\n", "\r\n")],
    ["CSV of a German Excel", `\ufeff${FULL.replaceAll(/,(?! Bernd)(?=[^"]*("[^"]*"[^"]*)*$)/g, ";")}`],
    ["CSV of an old Mac", FULL.replaceAll("\n", "\r")],
    ["CSV that names its delimiter", `sep=;\n${FULL.replaceAll(/,(?! Bernd)(?=[^"]*("[^"]*"[^"]*)*$)/g, ";")}`],
    ["CSV with empty rows and columns at the end", `${FULL.replaceAll("\n", ",,\n")},,\n${",".repeat(11)}\n , \n`],
    ["CSV of a German Excel below an empty line", `\n${FULL.replaceAll(/,(?! Bernd)(?=[^"]*("[^"]*"[^"]*)*$)/g, ";")}`],
    ["CSV with WAHR", FULL.replace(",true,", ",WAHR,")],
    ["CSV with Ja", FULL.replace(",true,", ",Ja,")],
    [
      "CSV with other spellings of its fields",
      FULL.replace("display_name", "Display Name").replace("password_", "Password-"),
    ],
    [
      "JSON",
      JSON.stringify([
        { ...ANNA, status: undefined, has_password: undefined, email_verified: true, password_hash: HASH },
        { username: "bernd", display_name: "Vogel, Bernd", status: "blocked", email: null },
      ]),
    ],
    [
      "JSON with empty strings",
      JSON.stringify([
        { ...ANNA, status: "", has_password: undefined, email_verified: true, password_hash: HASH, picture: "" },
        { username: "bernd", display_name: "Vogel, Bernd", status: "blocked", group: "", address: { locality: "" } },
      ]),
    ],
  ])("reads everything from %s", async (_what, content) => {
    const installation = await withNorth();
    const imported = await installation.gatehouse(["user", "import", fileOf("staff", content), "--json"]);
    expect(imported.json()).toMatchObject({ rows: 2, added: 2, updated: 0, skipped: 0, problems: [], conflicts: [] });
    expect(imported.exitCode).toBe(0);
    expect(await listed(installation)).toMatchObject([ANNA, BERND]);
  });

  it("reads standard input", async () => {
    const installation = await withNorth();
    const { exitCode, stdout } = await installation.gatehouse(["user", "import", "-"], { input: FULL });
    expect([exitCode, stdout]).toEqual([0, "Imported: 2 added, 0 changed, 0 unchanged, 0 skipped.\n"]);
  });

  it.each([
    ["utf-8", [], Buffer.from("username,display_name\nj\u00fcrgen,J\u00fcrgen Gro\u00df\n", "utf8")],
    [
      "windows-1252",
      ["--encoding", "windows-1252"],
      Buffer.from("username;display_name\nj\u00fcrgen;J\u00fcrgen Gro\u00df\n", "latin1"),
    ],
    [
      "utf-16",
      ["--encoding", "utf-16le"],
      Buffer.from("\ufeffusername\tdisplay_name\nj\u00fcrgen\tJ\u00fcrgen Gro\u00df\n", "utf16le"),
    ],
  ])("keeps umlauts in %s", async (_encoding, args, content) => {
    const installation = await createInstallation();
    expect((await installation.gatehouse(["user", "import", fileOf("staff.csv", content), ...args])).exitCode).toBe(0);
    expect(await listed(installation)).toMatchObject([
      { username: "j\u00fcrgen", display_name: "J\u00fcrgen Gro\u00df" },
    ]);
  });

  it("refuses invalid UTF-8, and names --encoding", async () => {
    const installation = await createInstallation();
    const file = fileOf("staff.csv", Buffer.from("username,display_name\nj\u00fcrgen,J\u00fcrgen\n", "latin1"));
    const { exitCode, stderr } = await installation.gatehouse(["user", "import", file]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("--encoding");
    expect(await listed(installation)).toEqual([]);
  });

  it("records each user in the audit trail", async () => {
    const { gatehouse } = await withNorth();
    await gatehouse(["user", "import", "-"], { input: FULL });
    const trail = await gatehouse(["audit", "list", "--type", "user.added", "--json"]);
    expect(trail.json()).toMatchObject([
      { detail: { username: "anna", reason: "import" } },
      { detail: { username: "bernd", reason: "import" } },
    ]);
  });
});

describe("a dry run", () => {
  it("prints the result, and changes nothing", async () => {
    const installation = await withNorth();
    const { exitCode, stdout } = await installation.gatehouse(["user", "import", "-", "--dry-run"], { input: FULL });
    expect([exitCode, stdout]).toEqual([0, "Would import: 2 added, 0 changed, 0 unchanged, 0 skipped.\n"]);
    expect(await listed(installation)).toEqual([]);
  });
});

describe("rows with a problem", () => {
  const BAD = [
    HEAD,
    "clara,Clara Wolf,,,,,,,,",
    "a b,Two Words,,,,,,,,",
    "dora,,nowhere,perhaps,,South,,xx-not-a-tag-at-all,asleep,secret-in-plain",
    '"emil","Emil\nEngel",,,,,,,,',
    "CLARA,Another Clara,,,,,,,,",
    "fritz,Fritz,,,,,,,,,,one too many",
  ].join("\n");

  it.each(["constructor", "toString", "__proto__"])("includes %s as an invalid boolean", async (word) => {
    const installation = await createInstallation();
    const refused = async (value: string) => {
      const input = `${HEAD}\nclara,Clara Wolf,,${value},,,,,,`;
      return (await installation.gatehouse(["user", "import", "-"], { input })).stderr;
    };
    expect(await refused(word)).toBe(await refused("perhaps"));
  });

  it("are all named with their line and field, and nothing is imported", async () => {
    const installation = await createInstallation();
    const { exitCode, stdout, stderr } = await installation.gatehouse(["user", "import", "-"], { input: BAD });
    expect([exitCode, stdout]).toEqual([1, ""]);
    const lines = stderr.split("\n");
    for (const [line, message] of [
      [3, "username"],
      [4, "display_name"],
      [4, "email"],
      [4, "email_verified: is neither true, yes, 1, wahr or ja, nor false"],
      [4, "locale"],
      [4, "status: is neither active nor blocked"],
      [4, "password_hash"],
      [6, "display_name"],
      [7, "username: duplicate of line 2"],
      [8, "row: has "],
    ]) {
      expect(
        lines.some((one) => one.includes(`line ${line}:`) && one.includes(String(message))),
        `${line} ${message}`,
      ).toBe(true);
    }
    expect(stderr).not.toContain("secret-in-plain");
    expect(await listed(installation)).toEqual([]);
  });

  it.each(UNUSABLE_HASHES)("include a hash that no password matches: %s", async (hash) => {
    const installation = await createInstallation();
    const input = `username,display_name,password_hash\nanna,Anna,"${HASH}"\nbernd,Bernd,"${hash}"\n`;
    const { exitCode, stderr } = await installation.gatehouse(["user", "import", "-"], { input });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/line 3: password_hash: has parameters/);
    expect(stderr).not.toContain(hash);
    expect(await listed(installation)).toEqual([]);
  });

  // Proves requirement 152.
  it("contain a user name that is another user's verified address, in the file or in the database", async () => {
    const installation = await createInstallation();
    const head = "username,display_name,email,email_verified";
    const rows = [head, "anna,Anna,Anna@office.example,true", "bernd,Bernd,bernd@office.example,"];
    expect((await installation.gatehouse(["user", "import", "-"], { input: rows.join("\n") })).exitCode).toBe(0);
    const wrong = [
      head,
      "ANNA@office.example,Mallory,,",
      "carla,Carla,carla@office.example,true",
      "carla@office.example,Mallory,,",
      "dora,Dora,bernd,true",
      "bernd@office.example,Bernd B.,bernd@office.example,true",
      "emil,Emil,bernd@office.example,true",
    ];
    const { exitCode, stderr } = await installation.gatehouse(["user", "import", "-"], { input: wrong.join("\n") });
    expect(exitCode).not.toBe(0);
    const taken = "username: is the verified e-mail address of another user";
    const name = "email: is the user name of another user, so it cannot be verified";
    const found = stderr.split("\n").filter((line) => /line \d/.test(line));
    expect(found).toEqual([
      expect.stringContaining(`line 2: ${taken}`),
      expect.stringContaining(`line 3: ${name}`),
      expect.stringContaining(`line 4: ${taken}`),
      expect.stringContaining("line 5: email: "),
      expect.stringContaining(`line 6: ${taken}`),
      expect.stringContaining(`line 7: ${name}`),
    ]);
    expect(await namesOf(installation)).toEqual(["anna", "bernd"]);
  });

  it("contain an address that is none", async () => {
    const installation = await createInstallation();
    const input = "username,display_name,email\nanna,Anna,a&b@müller.example\nbernd,Bernd,bernd@müller/x.example\n";
    const { exitCode, stderr } = await installation.gatehouse(["user", "import", "-"], { input });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("line 3: email: is not a mail address");
    expect(stderr).not.toContain("line 2");
  });

  it("contain an address with umlauts that is the user name of another user, in either spelling of the domain", async () => {
    const installation = await createInstallation();
    const rows = (first: string, second: string) =>
      ["username,display_name,email,email_verified", `${first},A,,`, `max,Max,${second},true`].join("\n");
    for (const [name, address] of [
      ["max@müller.example", "max@xn--mller-kva.example"],
      ["max@xn--mller-kva.example", "Max@Müller.example"],
    ] as const) {
      const { exitCode, stderr } = await installation.gatehouse(["user", "import", "-"], {
        input: rows(name, address),
      });
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain("line 2: username: is the verified e-mail address of another user");
      expect(stderr).toContain("line 3: email: is the user name of another user, so it cannot be verified");
    }
  });

  it.each([
    [
      "after a line that names the delimiter",
      "sep=;\nusername;display_name\nanna;Anna\n\nbernd;",
      /line 5: display_name/,
    ],
    ["with line ends of an old Mac", "username;display_name\ranna;Anna\rbernd;", /line 3: display_name/],
    [
      "with a cell without a name above it",
      "username,display_name,\nanna,Anna,\nbernd,Bernd,x",
      /line 3: row: has 3 cells, but the first line names 2 fields/,
    ],
    ["with a column without a name", "username,,display_name\nanna,,Anna", /Column 2 of the first line has no name/],
    [
      "with a word that is no boolean",
      "username,display_name,email_verified\nanna,Anna,vielleicht",
      /line 2: email_verified/,
    ],
  ])("are named by the line of the file: %s", async (_what, input, message) => {
    const installation = await createInstallation();
    const { exitCode, stderr } = await installation.gatehouse(["user", "import", "-"], { input });
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(message);
    expect(await namesOf(installation)).toEqual([]);
  });

  it("are printed in JSON, too", async () => {
    const { gatehouse } = await createInstallation();
    const refused = await gatehouse(["user", "import", "-", "--json"], {
      input: "username,display_name,group\nanna,A,South\n",
    });
    expect(refused.exitCode).toBe(1);
    expect(refused.json()).toMatchObject({ problems: [{ line: 2, problem: 'group: "South" does not exist' }] });
  });

  it.each([
    ["nothing", "", "empty"],
    ["an unknown field", "username,display_name,password\n", '"password"'],
    ["no user names", "display_name\nAnna\n", 'Missing field "username"'],
    ["a field twice", "username,display_name,email,email\n", 'Duplicate field "email"'],
    ["broken quotes", 'username,display_name\n"anna,Anna\n', "Line 2: "],
    ["broken JSON", "[{", "JSON"],
    ["another JSON", "[1]", "array of objects"],
  ])("end with 1 for %s", async (_what, input, message) => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stdout, stderr } = await gatehouse(["user", "import", "-"], { input });
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(message);
  });

  it("end with 4 for a file that is not there", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(["user", "import", "/nowhere/staff.csv"])).exitCode).toBe(4);
  });
});

describe("users who are there already", () => {
  const input = "username,display_name,phone,password_hash\nanna,Anna Neu,1,\nbernd,Bernd,2,\n";

  async function withAnna() {
    const installation = await createInstallation();
    const add = ["user", "add", "Anna", "--display-name", "Anna Alt", "--email", "a@example.com", "--password-stdin"];
    await installation.gatehouse(add, { input: "Ledger-Window-27-Oak" });
    return installation;
  }

  it("stop an import without --on-conflict: 5, and nothing is changed", async () => {
    const installation = await withAnna();
    const { exitCode, stderr } = await installation.gatehouse(["user", "import", "-"], { input });
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/line 2: .*already/);
    expect(await namesOf(installation)).toEqual(["Anna"]);
  });

  it("are left alone with skip, so that the same file twice is the same as once", async () => {
    const installation = await withAnna();
    const args = ["user", "import", "-", "--on-conflict", "skip", "--json"];
    expect((await installation.gatehouse(args, { input })).json()).toMatchObject({ added: 1, skipped: 1 });
    expect((await installation.gatehouse(args, { input })).json()).toMatchObject({ added: 0, skipped: 2 });
    expect(await listed(installation)).toMatchObject([
      { display_name: "Anna Alt", phone: null },
      { display_name: "Bernd" },
    ]);
  });

  it("are changed with update, in the fields of the file, and keep their password", async () => {
    const installation = await withAnna();
    const withHash = `username,display_name,phone,email,password_hash\nanna,Anna Neu,1,,"${HASH}"\n`;
    const args = ["user", "import", "-", "--on-conflict", "update", "--json"];
    expect((await installation.gatehouse(args, { input: withHash })).json()).toMatchObject({ added: 0, updated: 1 });
    expect(await listed(installation)).toMatchObject([
      { display_name: "Anna Neu", phone: "1", email: "a@example.com" },
    ]);
    const trail = await installation.gatehouse(["audit", "list", "--user", "anna"]);
    expect(trail.stdout).not.toContain("user.password-set");
  });

  it("get a password by update when they have none, and the status of the file", async () => {
    const installation = await createInstallation();
    await installation.gatehouse(["user", "add", "anna", "--display-name", "Anna"]);
    const args = ["user", "import", "-", "--on-conflict", "update"];
    const rows = (status: string) => `username,display_name,status,password_hash\nanna,Anna,${status},"${HASH}"\n`;
    await installation.gatehouse(args, { input: rows("blocked") });
    expect(await listed(installation)).toMatchObject([{ status: "blocked", has_password: true }]);
    await installation.gatehouse(args, { input: rows("") });
    expect(await listed(installation)).toMatchObject([{ status: "blocked" }]);
    await installation.gatehouse(args, { input: rows("active") });
    expect(await listed(installation)).toMatchObject([{ status: "active" }]);
  });
});

describe("rows of existing users that change nothing", () => {
  const file = JSON.stringify([
    { ...ANNA, status: undefined, has_password: undefined, email_verified: true, password_hash: HASH },
    {
      username: "bernd",
      display_name: "Vogel, Bernd",
      status: "blocked",
      address: { country: "DE", locality: "Kiel" },
    },
  ]);
  const args = ["user", "import", "-", "--on-conflict", "update", "--json"];

  it("are counted as unchanged, and neither stored nor recorded", async () => {
    const installation = await withNorth();
    expect((await installation.gatehouse(args, { input: file })).json()).toMatchObject({ added: 2 });
    const before = await installation.gatehouse(["audit", "export"]);
    const dryRun = await installation.gatehouse([...args, "--dry-run"], { input: file });
    expect(dryRun.json()).toMatchObject({ updated: 0, unchanged: 2 });
    const again = await installation.gatehouse(args, { input: file });
    expect(again.json()).toMatchObject({ added: 0, updated: 0, unchanged: 2, skipped: 0 });
    expect((await installation.gatehouse(["audit", "export"])).stdout).toBe(before.stdout);
  });

  it("are told from changed ones, whose event names the changed fields only", async () => {
    const installation = await withNorth();
    await installation.gatehouse(args, { input: file });
    const changed = file.replace("Kiel", "Hamburg");
    const again = await installation.gatehouse(args, { input: changed });
    expect(again.json()).toMatchObject({ updated: 1, unchanged: 1 });
    const events = (await installation.gatehouse(["audit", "list", "--type", "user.changed", "--json"])).json();
    expect(events).toMatchObject([{ detail: { reason: "address" } }]);
  });
});

describe("an import with --invite", () => {
  const input = [
    "username,display_name,email,status,password_hash",
    "anna,Anna,anna@example.com,,",
    `bernd,Bernd,bernd@example.com,,"${HASH}"`,
    "carl,Carl,carl@example.com,blocked,",
  ].join("\n");
  const args = ["user", "import", "-", "--invite", "--on-conflict", "skip", "--json"];

  it("mails each new user who needs a password a link, once", async () => {
    const installation = await createInstallation();
    expect((await installation.gatehouse([...args, "--dry-run"], { input })).json()).toMatchObject({ invited: 1 });
    expect((await installation.gatehouse(["mail", "queue", "--json"])).json()).toEqual([]);
    for (const [added, invited] of [
      [3, 1],
      [0, 0],
    ]) {
      expect((await installation.gatehouse(args, { input })).json()).toMatchObject({ added, invited });
      const mails = (await installation.gatehouse(["mail", "queue", "--json"])).json();
      expect(mails).toMatchObject([{ kind: "invitation", recipient: "anna@example.com" }]);
    }
    const { stdout } = await installation.gatehouse(["audit", "list", "--type", "user.invited"]);
    expect(stdout.match(/user\.invited/g)).toHaveLength(1);
  });

  it("is refused if a new user without a password has no address", async () => {
    const installation = await createInstallation();
    const { exitCode, stderr } = await installation.gatehouse(args.slice(0, -1), {
      input: `${input}\ndora,Dora,,,\nemil,Emil,,,"${HASH}"`,
    });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining("line 5: email: is missing, so the user cannot be"),
    ]);
    expect(stderr).not.toContain("line 6");
    expect(await listed(installation)).toEqual([]);
  });
});

describe("a long import", () => {
  const rows = Array.from({ length: 1_500 }, (_, index) => `user${index},User ${index}`);
  const input = ["username,display_name", ...rows].join("\n");

  it("prints its progress, one line for each 10 %, on standard error", async () => {
    const installation = await createInstallation();
    const { exitCode, stdout, stderr } = await installation.gatehouse(["user", "import", "-", "--json"], { input });
    expect(exitCode).toBe(0);
    expect(z.looseObject({ added: z.literal(1_500) }).safeParse(JSON.parse(stdout)).success).toBe(true);
    expect(stderr.match(/^Importing: \d+ % \(\d+ of 1500\)$/gm)).toHaveLength(10);
  });
});

describe("the picture and the address in an import", () => {
  const CSV = [
    "username,display_name,picture,address.street_address,address.locality",
    "anna,Anna Berger,https://pictures.example/anna.png,Hafenstr. 1,Kiel",
    "bernd,Bernd Vogel,,,",
  ].join("\n");
  const LIST = [
    {
      ...{ username: "anna", display_name: "Anna Berger", picture: "https://pictures.example/anna.png" },
      address: { street_address: "Hafenstr. 1", locality: "Kiel" },
    },
    { username: "bernd", display_name: "Bernd Vogel" },
  ];

  it.each([
    ["CSV", CSV],
    ["JSON", JSON.stringify(LIST)],
  ])("are read from %s", async (_what, content) => {
    const installation = await createInstallation();
    const imported = await installation.gatehouse(["user", "import", fileOf("staff", content)]);
    expect([imported.exitCode, imported.stderr]).toEqual([0, ""]);
    expect(await listed(installation)).toMatchObject([
      { picture: "https://pictures.example/anna.png", address: { street_address: "Hafenstr. 1", locality: "Kiel" } },
      { picture: null, address: null },
    ]);
  });

  it("change with an update, if the row contains them", async () => {
    const installation = await createInstallation();
    await installation.gatehouse(["user", "import", fileOf("staff", CSV)]);
    const update = "username,display_name,address.locality\nanna,Anna Berger,Bonn";
    await installation.gatehouse(["user", "import", fileOf("staff", update), "--on-conflict", "update"]);
    expect(await listed(installation)).toMatchObject([
      { picture: "https://pictures.example/anna.png", address: { locality: "Bonn" } },
      {},
    ]);
  });

  it.each([
    ["http://pictures.example/anna.png,Kiel", "line 2: picture: "],
    ["https://pictures.example/anna.png,Ki\u0007el", "line 2: address.locality: "],
  ])("are refused with the line: %s", async (cells, message) => {
    const installation = await createInstallation();
    const content = `username,display_name,picture,address.locality\nanna,Anna Berger,${cells}`;
    const imported = await installation.gatehouse(["user", "import", fileOf("staff", content)]);
    expect(imported.exitCode).toBe(1);
    expect(imported.stderr).toContain(message);
    expect(await namesOf(installation)).toEqual([]);
  });
});

const NAMES = ["North, East", 'Choir; "Tuesday"', "B\u00fcro M\u00fcnchen"];

describe("the groups and names in an import", () => {
  const CELL = `North, East;"Choir; ""Tuesday"""; Bu\u0308ro Mu\u0308nchen;`;
  const quoted = `"${CELL.replaceAll('"', '""')}"`;
  const update = ["user", "import", "-", "--on-conflict", "update", "--json"];

  async function withGroups() {
    const installation = await createInstallation();
    for (const name of ["Home", "Other", ...NAMES]) await installation.gatehouse(["group", "add", name]);
    await installation.gatehouse(["group", "add", "Staff", "--default"]);
    return installation;
  }

  const membersOf = async (installation: Installation) =>
    (await listed(installation)).map(({ group, further_groups: groups }) => [group, [groups].flat().toSorted()]);

  it.each([
    ["CSV", `username,display_name,given_name,family_name,group,groups\nanna,Anna,Anna,Berger,Home,${quoted}\n`],
    ["CSV with ;", `username;display_name;given_name;family_name;group;groups\nanna;Anna;Anna;Berger;Home;${quoted}\n`],
    [
      "JSON",
      JSON.stringify([
        {
          ...{ username: "anna", display_name: "Anna", given_name: "Anna", family_name: "Berger", group: "Home" },
          groups: [...NAMES, "Home", NAMES[0]],
        },
      ]),
    ],
  ])(
    "are read from %s, with the default groups for a new user, and are unchanged the second time",
    async (_what, input) => {
      const installation = await withGroups();
      expect((await installation.gatehouse(update, { input })).json()).toMatchObject({ added: 1, problems: [] });
      expect(await listed(installation)).toMatchObject([{ given_name: "Anna", family_name: "Berger" }]);
      expect(await membersOf(installation)).toEqual([["Home", [...NAMES, "Staff"].toSorted()]]);
      const trail = await installation.gatehouse(["audit", "export"]);
      expect((await installation.gatehouse(update, { input })).json()).toMatchObject({ updated: 0, unchanged: 1 });
      expect((await installation.gatehouse(["audit", "export"])).stdout).toBe(trail.stdout);
    },
  );

  it("are read from the example of the manual", async () => {
    const installation = await createInstallation();
    const names = ["Accounting", "Choir; Tuesday", "North, East"];
    for (const name of ["North", ...names]) await installation.gatehouse(["group", "add", name]);
    const [, input = ""] = /```csv\n([\s\S]*?)```/.exec(readText("docs/operations.md")) ?? [];
    const imported = await installation.gatehouse(["user", "import", "-"], { input });
    expect([imported.exitCode, imported.stderr]).toEqual([0, ""]);
    expect(await listed(installation)).toMatchObject([{ given_name: "Anna", group: "North", further_groups: names }]);
  });

  it("are replaced by an update whose row contains groups, except default groups, and by no other", async () => {
    const installation = await withGroups();
    const add = ["user", "add", "anna", "--display-name", "Anna", "--group", "Home", "--add-group", "Other"];
    await installation.gatehouse(add);
    const rows = (row: object) => ({ input: JSON.stringify([{ username: "anna", display_name: "Anna", ...row }]) });
    await installation.gatehouse(update, rows({ phone: "1" }));
    expect(await membersOf(installation)).toEqual([["Home", ["Other", "Staff"]]]);
    expect((await installation.gatehouse([...update, "--dry-run"], rows({ groups: [] }))).json()).toMatchObject({
      updated: 1,
    });
    await installation.gatehouse(update, rows({ groups: ["Home", NAMES[0]] }));
    expect(await membersOf(installation)).toEqual([["Home", [NAMES[0], "Staff"]]]);
    await installation.gatehouse(update, rows({ group: NAMES[0], groups: ["Other"] }));
    expect(await membersOf(installation)).toEqual([[NAMES[0], ["Other", "Staff"]]]);
    await installation.gatehouse(update, rows({ groups: [] }));
    expect(await membersOf(installation)).toEqual([[NAMES[0], ["Staff"]]]);
    const events = await installation.gatehouse(["audit", "list", "--type", "group.member-removed"]);
    expect(events.stdout.match(/group\.member-removed/g)).toHaveLength(2);
  });

  it.each([
    ["an unknown group", '"Other;Nowhere"', 'line 2: groups: "Nowhere" does not exist'],
    ["a wrong quote", '"Other;""Choir"', "line 2: groups: is no list of names"],
    ["a line break", '"Other\nHome"', "groups: is no list of names"],
    ["a name in quotes that contains more", '"""North"", East"', "line 2: groups: is no list of names"],
  ])("are refused with the line for %s", async (_what, cell, message) => {
    const installation = await withGroups();
    const input = `username,display_name,groups\nanna,Anna,${cell}\n`;
    const { exitCode, stderr } = await installation.gatehouse(["user", "import", "-"], { input });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(await namesOf(installation)).toEqual([]);
  });

  it.each([
    ["groups", "Other"],
    ["groups", { 0: "Other" }],
    ["groups", [{ name: "Other" }]],
    ["groups", null],
    ["given_name", 7],
    ["family_name", "x".repeat(101)],
    ["further_groups", ["Other"]],
    ["furtherGroups", ["Other"]],
    ["addGroups", ["Other"]],
    ["group_id", "1"],
  ])("are refused in JSON as %s: %j", async (field, value) => {
    const installation = await withGroups();
    const input = JSON.stringify([{ username: "anna", display_name: "Anna", [field]: value }]);
    const { exitCode, stderr } = await installation.gatehouse(["user", "import", "-"], { input });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(field)]);
    expect(await namesOf(installation)).toEqual([]);
  });

  it("are refused above the limit, before anything is imported", async () => {
    const installation = await withGroups();
    const groups = Array.from({ length: 500 }, (_, number) => `Group ${number}`);
    for (const name of groups.slice(0, 100)) await installation.gatehouse(["group", "add", name]);
    const rows = (names: readonly string[]) => ({
      input: JSON.stringify([
        { username: "anna", display_name: "Anna" },
        { username: "bernd", display_name: "Bernd", groups: names },
      ]),
    });
    for (const names of [groups.slice(0, 100), groups]) {
      const { exitCode, stderr } = await installation.gatehouse(["user", "import", "-"], rows(names));
      expect(exitCode).toBe(1);
      expect(stderr).toContain("line 2: groups: ");
    }
    expect(await namesOf(installation)).toEqual([]);
    const imported = await installation.gatehouse(["user", "import", "-"], rows(groups.slice(0, 99)));
    expect(imported.exitCode).toBe(0);
  });
});

describe("a quote that is never closed", () => {
  it.each([
    ["in the first record", 'username,display_name\n"anna,Anna\nbernd,Bernd\ncarla,Carla\n', 2],
    ["in the middle", 'username,display_name\nanna,Anna\nbernd,"Bernd\ncarla,Carla\ndora,Dora\n', 3],
    ["after a record of several lines", 'username,display_name\nanna,"Anna\nBerger"\n\nbernd,"Bernd\ncarla,Carla', 5],
    ["with the line breaks of Windows", 'username,display_name\r\nanna,Anna\r\nbernd,"Bernd\r\ncarla,Carla\r\n', 3],
    ["in the head", '"username,display_name\nanna,Anna\n', 1],
  ])("%s is reported with the first line of its record", async (_what, content, line) => {
    const installation = await createInstallation();
    const imported = await installation.gatehouse(["user", "import", fileOf("staff.csv", content)]);
    expect([imported.exitCode, imported.stdout]).toEqual([1, ""]);
    expect(imported.stderr).toContain(`Line ${line}: the record that starts here has an unclosed quote`);
  });
});

it("refuses a file that blocks the last active administrators, before anything is stored", async () => {
  const installation = await createInstallation();
  const { gatehouse } = installation;
  for (const name of ["karin", "sven", "uwe"]) {
    await gatehouse(["user", "add", name, "--display-name", name]);
    await gatehouse(["role", "grant", name, "administrator"]);
  }
  await gatehouse(["user", "block", "uwe"]);
  const head = "username,display_name,status";
  const all = fileOf("all.csv", [head, "anna,Anna,active", "karin,karin,blocked", "sven,sven,blocked"].join("\n"));
  for (const options of [[], ["--dry-run"]]) {
    const { exitCode, stderr } = await gatehouse(["user", "import", all, "--on-conflict", "update", ...options]);
    expect(exitCode).toBe(1);
    for (const line of [3, 4]) expect(stderr).toContain(`line ${line}: status: would leave no active administrator`);
  }
  expect(await namesOf(installation)).toEqual(["karin", "sven", "uwe"]);
  const some = fileOf("some.csv", [head, "sven,sven,blocked"].join("\n"));
  expect((await gatehouse(["user", "import", some, "--on-conflict", "update"])).exitCode).toBe(0);
});
