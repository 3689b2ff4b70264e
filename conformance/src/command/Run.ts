import { render } from "../report/Format.ts"
import { caseLine, summary } from "../report/Terminal.ts"
import { type ConformanceOptions, runConformance } from "../run/Conformance.ts"
import type { Fetch } from "../http/Wire.ts"
import type { RunArguments } from "./Arguments.ts"
import type { Console } from "./Console.ts"
import { exitOf } from "./Exit.ts"
import { Usage } from "./Usage.ts"

const linesOf = async (path: string | undefined, console: Console): Promise<ReadonlyArray<string>> => {
  if (path === undefined) return []
  const text = await console.readFile(path).catch(() => {
    throw new Usage(`cannot read ${path}`)
  })
  return text.split("\n")
}

/** Judges a server, prints what was found and writes the reports; answers the exit status. */
export const run = async (args: RunArguments, console: Console, fetch?: Fetch): Promise<number> => {
  const options: ConformanceOptions = {
    baseUrl: args.baseUrl,
    key: args.key,
    ...(args.controlUrl === undefined ? {} : { controlUrl: args.controlUrl }),
    ...(args.controlToken === undefined ? {} : { controlToken: args.controlToken }),
    ...(fetch === undefined ? {} : { fetch }),
    only: args.only,
    knownFailing: await linesOf(args.knownFailing, console),
    knownFlaky: await linesOf(args.knownFlaky, console),
    seed: args.seed,
    ...(args.nonce === undefined ? {} : { nonce: args.nonce }),
    failFast: args.failFast,
    onWait: (nonce) => console.err(`another run (nonce ${nonce}) drives this server; waiting for it to end\n`),
    ...(args.profile === undefined ? {} : { profile: args.profile }),
    slow: args.slow,
    onCase: (result) => console.out(`${caseLine(result, console.colour)}\n`),
  }
  const report = await runConformance(options)
  console.out(summary(report, console.colour))
  for (const { format, path } of args.reports) await console.writeFile(path, render(report, format))
  return exitOf(report.outcome)
}
