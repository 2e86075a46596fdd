import { Argument, type Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples } from "#app/cli/command-options.ts";

/** Shells for which a script can be printed. */
const SHELLS = ["bash"] as const;

/** `gatehouse completion`: prints a script by which the shell completes commands and options. */
export function addCompletionCommand(program: Command, { output }: CommandLine): void {
  const command = program
    .command("completion")
    .description("print a script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action(() => output.lines([bashScript(program)]));
  examples(command, [
    "completion bash > /etc/bash_completion.d/gatehouse",
    'completion bash > ~/.gatehouse-completion && echo ". ~/.gatehouse-completion" >> ~/.bashrc',
  ]);
}

/** `words` by the path of a command ("user add"), and choices by path and option ("user import --encoding"). */
type Completions = { words: Map<string, readonly string[]>; choices: Map<string, readonly string[]> };

function bashScript(program: Command): string {
  const completions: Completions = { words: new Map(), choices: new Map() };
  collect(program, "", completions);
  const { words, choices } = completions;
  return `# Completion of gatehouse for bash. Update it with: gatehouse completion bash
_gatehouse_words() {
  case "$1" in
${casesOf(words)}
  esac
}
_gatehouse_choices() {
  case "$1" in
${casesOf(choices)}
  esac
}
_gatehouse() {
  local word path="" current="\${COMP_WORDS[COMP_CWORD]}" index values
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ " $(_gatehouse_words "$path") " == *" $word "* && $word != -* ]] && path="\${path:+$path }$word"
  done
  values=$(_gatehouse_choices "$path \${COMP_WORDS[COMP_CWORD - 1]}")
  [[ -n $values ]] || values=$(_gatehouse_words "$path")
  COMPREPLY=($(compgen -W "$values" -- "$current"))
}
complete -o default -F _gatehouse gatehouse`;
}

function collect(command: Command, path: string, completions: Completions): void {
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const commands = help.visibleCommands(command);
  const names = options.flatMap(({ long }) => long ?? []);
  const values = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  completions.words.set(path, [...commands.map((one) => one.name()), ...values, ...names]);
  for (const { long, argChoices } of options)
    if (long && argChoices) completions.choices.set(`${path} ${long}`, argChoices);
  for (const one of commands) collect(one, path === "" ? one.name() : `${path} ${one.name()}`, completions);
}

/** Names and choices are words of the program itself, which contain no quote. */
function casesOf(values: ReadonlyMap<string, readonly string[]>): string {
  return [...values].map(([key, words]) => `    "${key}") echo "${words.join(" ")}" ;;`).join("\n");
}
