import { fileKey, KEYS } from "./environment.server.ts";
import { type KeyDescription, TOPICS, type Topic } from "./key.server.ts";

const TITLES: Record<Topic, { title: string; intro: string }> = {
  address: { title: "Address", intro: "Where people reach Gatehouse, and where it listens." },
  database: {
    title: "Database",
    intro: "One SQLite file is enough for an office. PostgreSQL lets several processes share the work.",
  },
  secrets: { title: "Secret keys", intro: "There is no default: without a key of your own nothing starts." },
  names: { title: "Names and links", intro: "What the pages are called and where they link to." },
  mail: { title: "Mail", intro: "Reset links and security notices go by mail." },
  proxies: { title: "Proxies", intro: "Gatehouse speaks plain HTTP; a proxy in front of it speaks TLS." },
  "sign-in": { title: "Sign-in", intro: "How much a sign-in asks for." },
  google: { title: "Sign in with Google", intro: "All keys or none." },
  microsoft: { title: "Sign in with Microsoft", intro: "All keys or none." },
  apple: { title: "Sign in with Apple", intro: "All keys or none; the client secret is signed with the private key." },
  backup: { title: "Backups and records", intro: "What is kept, where and for how long." },
  logs: { title: "Time, figures and logs", intro: "What the people who run Gatehouse see." },
};

/** docs/configuration.md, whole: a section per topic, in it one per key, all of it from the facts of the keys. */
export function renderManual(): string {
  return [preface(), shortest(), overview(), ...TOPICS.map(section)].join("\n");
}

function preface(): string {
  return `<!-- Made by \`npm run generate\` from app/config. Do not edit by hand. -->

# Configuration

Gatehouse is configured by environment variables alone. A variable that is set to nothing counts as not set.

- \`gatehouse config check\` reads them and says everything that is wrong at once. The server does the same when it
  starts, and ends with exit code 3 if there is a mistake.
- \`gatehouse config show\` shows every key with the value that holds and where it comes from. Secrets are never shown.
- Every secret can come from a file: \`SECRET_KEYS_FILE=/run/secrets/gatehouse\` names the file that holds SECRET_KEYS.
  Line breaks at the end of the file are left out. The value and its file together are a mistake.
- A name that looks like a slip of the pen, such as SECRET_KEY, is warned of.
`;
}

function shortest(): string {
  const demanded = [...KEYS].filter(([, facts]) => facts.unset === "refused");
  const lines = demanded.map(([name, facts]) => assignment(name, facts.example));
  return `The shortest configuration of an installation behind a proxy on the same machine:

\`\`\`sh
${[assignment("ISSUER", "https://login.example.com"), ...lines, "TRUST_PROXY=127.0.0.1"].join("\n")}
\`\`\`
`;
}

function overview(): string {
  const lines = TOPICS.map((topic) => {
    const links = keysOf(topic).map(([name]) => `[${name}](#${name.toLowerCase()})`);
    return `- ${TITLES[topic].title}: ${links.join(", ")}`;
  });
  return `All keys:\n\n${lines.join("\n")}\n`;
}

function section(topic: Topic): string {
  const { title, intro } = TITLES[topic];
  return [`## ${title}\n\n${intro}\n`, ...keysOf(topic).map(([name, facts]) => entry(name, facts))].join("\n");
}

function keysOf(topic: Topic): [string, KeyDescription][] {
  return [...KEYS].filter(([, facts]) => facts.topic === topic);
}

function entry(name: string, facts: KeyDescription): string {
  const secret = facts.secret ? `- Secret, also from the file that \`${fileKey(name)}\` names\n` : "";
  return `### ${name}

${facts.meaning}

- Value: ${expected(facts)}
- Not set: ${unset(facts)}
${secret}- Example: \`${assignment(name, facts.example)}\`
`;
}

// Outside code, Markdown takes <ADDRESS> for a tag.
function expected(facts: KeyDescription): string {
  return facts.expected.replaceAll("<", "&lt;").replaceAll("\\n", "`\\n`");
}

function unset(facts: KeyDescription): string {
  if (facts.unset === "refused") {
    return "**refused**";
  }
  return "default" in facts.unset ? `\`${facts.unset.default}\`` : facts.unset.means;
}

// Quoted where a shell would take a character for its own.
function assignment(name: string, value: string): string {
  return `${name}=${/^[\w@%+=:,./-]*$/.test(value) ? value : `'${value}'`}`;
}
