import { type Hooks, readHooks } from "../control/Hooks.ts"
import { render } from "../report/Format.ts"
import { caseLine, summary } from "../report/Terminal.ts"
import { type ConformanceOptions, runConformance } from "../run/Conformance.ts"
import type { Fetch } from "../http/Wire.ts"
import type { ReportFile, RunArguments } from "./Arguments.ts"
import type { Console } from "./Console.ts"
import type { CaseResult } from "../run/CaseResult.ts"
import type { Report } from "../run/Report.ts"
import { failsRun } from "../run/Verdict.ts"
import type { Forecast } from "../run/Forecast.ts"
import { pastIn } from "./Compare.ts"
import { exit, exitOf } from "./Exit.ts"
import { failedLast, remember } from "./LastRun.ts"
import { progressOn } from "./Progress.ts"
import { Usage } from "./Usage.ts"

const linesOf = async (path: string | undefined, console: Console): Promise<ReadonlyArray<string>> => {
  if (path === undefined) return []
  const text = await console.readFile(path).catch(() => {
    throw new Usage(`cannot read ${path}`)
  })
  return text.split("\n")
}

/** The hooks that a file names; undefined where no file is named. */
const hooksOf = async (file: string | undefined, console: Console): Promise<Hooks | undefined> => {
  if (file === undefined) return undefined
  const text = await console.readFile(file).catch(() => {
    throw new Usage(`cannot read ${file}`)
  })
  try {
    return readHooks(file, text)
  } catch (error) {
    throw new Usage(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Lines for single cases beside the summary; more would scroll it away. */
const shownCases = 40

/** Prints cases as they end: every one when asked, otherwise those that do not hold. */
const caseByCase = (verbose: boolean, console: Console): ((result: CaseResult) => void) => {
  let shown = 0
  return (result) => {
    if (!verbose && !failsRun(result.verdict)) return
    shown += 1
    if (verbose || shown <= shownCases) console.out(`${caseLine(result, console.colour)}\n`)
    else if (shown === shownCases + 1) console.out("… more cases fail; --verbose shows each as it ends\n")
  }
}

/** The cases that failed before, which come first. */
const failedBefore = async ({ baseUrl, since }: RunArguments, console: Console): Promise<ReadonlyArray<string>> => {
  if (since === undefined) return []
  if (since === "last") return failedLast(baseUrl, console)
  const { verdicts } = await pastIn(since, console)
  return [...verdicts].filter(([, verdict]) => failsRun(verdict)).map(([id]) => id)
}

/** What a run with nothing but a key will do, in words. */
const forecastText = ({ bucket, calls, minutes, requests }: Forecast, to: ReadonlyArray<string>): string => {
  const time = minutes === 0 ? "" : `, at the least ${minutes} min: ${bucket} takes longest`
  const ringing = calls === 0 ? "Nobody is rung." : `${calls} call${calls === 1 ? "" : "s"} to ${to[0] ?? "nobody"}.`
  return `About ${requests} requests within the rate of this organization${time}. ${ringing} What is made is taken away again.\n`
}

/** Says what will be done; where somebody is rung, goes on only when told to. */
const announce =
  ({ to, yes }: RunArguments, console: Console) =>
  async (forecast: Forecast): Promise<void> => {
    console.err(forecastText(forecast, to))
    if (forecast.calls === 0 || yes) return
    if (console.confirm === undefined) throw new Usage("--to rings somebody: say --yes where nobody can be asked")
    if (!(await console.confirm("Go on?"))) throw new Usage("nobody was rung")
  }

/** Writes the reports, and says which cannot be: one that fails takes no other along. Answers how many. */
const writeReports = async (report: Report, files: ReadonlyArray<ReportFile>, console: Console): Promise<number> => {
  let unwritten = 0
  for (const { format, path } of files) {
    try {
      await console.writeFile(path, render(report, format))
    } catch (error) {
      console.err(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}\n`)
      unwritten += 1
    }
  }
  return unwritten
}

const minuteMs = 60_000

/** Judges a server, prints what was found and writes the reports; answers the exit status. */
export const run = async (args: RunArguments, console: Console, fetch?: Fetch): Promise<number> => {
  const show = caseByCase(args.verbose, console)
  const told = progressOn(console, () => performance.now())
  const ahead = announce(args, console)
  let leastMs = 0
  const hooks = await hooksOf(args.hooks, console)
  const options: ConformanceOptions = {
    baseUrl: args.baseUrl,
    key: args.key,
    ...(args.controlUrl === undefined ? {} : { controlUrl: args.controlUrl }),
    ...(args.controlToken === undefined ? {} : { controlToken: args.controlToken }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(fetch === undefined ? {} : { fetch }),
    only: args.only,
    knownFailing: await linesOf(args.knownFailing, console),
    knownFlaky: await linesOf(args.knownFlaky, console),
    seed: args.seed,
    ...(args.nonce === undefined ? {} : { nonce: args.nonce }),
    to: args.to,
    first: await failedBefore(args, console),
    ...(args.shard === undefined ? {} : { shard: args.shard }),
    ...(args.requirements === undefined ? {} : { requirements: args.requirements }),
    ...(console.signal === undefined ? {} : { signal: console.signal }),
    onForecast: async (forecast) => {
      await ahead(forecast)
      leastMs = forecast.minutes * minuteMs
    },
    failFast: args.failFast,
    atOnce: args.atOnce,
    onWait: (nonce) => console.err(`another run (nonce ${nonce}) drives this server; waiting for it to end\n`),
    ...(args.profile === undefined ? {} : { profile: args.profile }),
    slow: args.slow,
    extensions: args.extensions,
    onCase: (result, progress) => {
      show(result)
      told(progress, leastMs)
    },
  }
  const report = await runConformance(options)
  console.out(summary(report, console.colour))
  await remember(report, console)
  const unwritten = await writeReports(report, args.reports, console)
  return unwritten > 0 ? exit.harness : exitOf(report.outcome)
}
