import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { isInteractive, type Streams } from "#app/cli/output/output.server.ts";
import { prompt } from "#app/cli/output/prompts.server.ts";
import { readConfig } from "#app/config/read.server.ts";

/** Reason why an answer is refused, and what is expected. */
type Problem = { wrong: string; expected: string };

/** A question that is asked on a terminal, or answered by the option `flag`. */
export type Question = {
  flag: string;
  text: string;
  /** The answer if the user enters nothing. */
  initial?: string;
  /** An empty answer is accepted. */
  isOptional?: boolean;
  normalize?(answer: string): string;
  problemOf(answer: string): Problem | null;
};

/** Asks questions, and collects the options that are missing without a terminal. */
export type Interview = {
  isInteractive: boolean;
  /** Returns the checked answer: `given`, or what the user enters. Throws CommandError (usage). */
  answer(given: string | undefined, question: Question): Promise<string>;
  /** Notes that an option is missing. */
  miss(flag: string): void;
  /** Throws CommandError (usage) if an option is missing. */
  requireComplete(): void;
};

/** Creates an interview on these streams. */
export function createInterview(streams: Streams): Interview {
  const missing: string[] = [];
  const canAsk = isInteractive(streams);
  return {
    isInteractive: canAsk,
    async answer(given, question) {
      if (given !== undefined) return checked(given, question);
      if (canAsk) return ask(streams, question);
      if (question.initial === undefined && !question.isOptional) missing.push(question.flag);
      return question.initial ?? "";
    },
    miss: (flag) => missing.push(flag),
    requireComplete() {
      if (missing.length === 0) return;
      throw new CommandError(EXIT.usage, [
        "Nothing was changed: there is no terminal to ask questions, and these options are missing:",
        `  ${missing.join(" ")}`,
        "Run gatehouse setup on a terminal, or see gatehouse setup --help.",
      ]);
    },
  };
}

function checked(given: string, question: Question): string {
  const answer = question.normalize?.(given.trim()) ?? given.trim();
  const problem = problemOf(answer, question);
  if (!problem) return answer;
  throw new CommandError(EXIT.usage, [`${question.flag} ${problem.wrong}`, `  expected: ${problem.expected}`]);
}

async function ask(streams: Streams, question: Question): Promise<string> {
  const { text, initial } = question;
  for (;;) {
    const line = await prompt(streams, initial === undefined ? `${text}: ` : `${text} [${initial}]: `);
    if (line === null) {
      streams.stderr.write("\n");
      throw new CommandError(EXIT.usage, ["No answer was entered. Run gatehouse setup again."]);
    }
    const typed = line.trim() || (initial ?? "");
    const answer = question.normalize?.(typed) ?? typed;
    const problem = problemOf(answer, question);
    if (!problem) return answer;
    streams.stderr.write(`  The answer ${problem.wrong}.\n  expected: ${problem.expected}\n`);
  }
}

function problemOf(answer: string, question: Question): Problem | null {
  if (answer !== "") return question.problemOf(answer);
  return question.isOptional ? null : { wrong: "is empty", expected: "an answer" };
}

/** Returns the problem of a value of a configuration key, by the rules of the configuration. */
export function keyProblem(key: string): Question["problemOf"] {
  return (answer) => {
    const read = readConfig({ [key]: answer });
    return read.ok ? null : (read.mistakes.find((mistake) => mistake.key === key) ?? null);
  };
}

/** Returns the problem of an answer that must be one of a few words. */
export function choiceProblem(words: readonly string[]): Question["problemOf"] {
  const expected = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return (answer) => (words.includes(answer) ? null : { wrong: `is ${JSON.stringify(answer)}`, expected });
}
