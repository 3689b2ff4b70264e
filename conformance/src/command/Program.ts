import { cases, extensionCases } from "../cases/Cases.ts"
import type { Fetch } from "../http/Wire.ts"
import { Unreachable } from "../run/Target.ts"
import { type Arguments, readArguments } from "./Arguments.ts"
import type { Console } from "./Console.ts"
import { diff, matrix } from "./Compare.ts"
import { exit } from "./Exit.ts"
import { explain } from "./Explain.ts"
import { list } from "./List.ts"
import { run } from "./Run.ts"
import { Usage, usage } from "./Usage.ts"

const perform = async (args: Arguments, console: Console, fetch?: Fetch): Promise<number> => {
  switch (args.command) {
    case "help":
      console.out(usage)
      return exit.holds
    case "run":
      return run(args.run, console, fetch)
    case "replay":
      if (!args.run.extensions && extensionCases.some(({ id }) => id === args.caseId))
        throw new Usage(`"${args.caseId}" is about an extension: say --extensions`)
      if (![...cases, ...extensionCases].some(({ id }) => id === args.caseId))
        throw new Usage(`no case is called "${args.caseId}"`)
      return run({ ...args.run, only: [args.caseId], verbose: true }, console, fetch)
    case "diff":
      return diff(args, console)
    case "matrix":
      return matrix(args, console)
    case "list":
      list(args, console)
      return exit.holds
    case "explain":
      explain(args.id, console)
      return exit.holds
  }
}

/** Runs a command line and answers the exit status; `fetch` replaces the network in tests. */
export const program = async (argv: ReadonlyArray<string>, console: Console, fetch?: Fetch): Promise<number> => {
  try {
    return await perform(readArguments(argv), console, fetch)
  } catch (error) {
    if (error instanceof Usage) {
      console.err(`${error.message}\n\n${usage}`)
      return exit.usage
    }
    if (console.signal?.aborted === true) {
      console.err("interrupted; what was made has been taken away\n")
      return exit.interrupted
    }
    if (error instanceof Unreachable) {
      console.err(`${error.message}\n`)
      return exit.unreachable
    }
    console.err(`fault of the harness: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    return exit.harness
  }
}
