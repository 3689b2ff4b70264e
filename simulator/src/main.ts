#!/usr/bin/env node
import "./cli/RecentNode.ts"
import "effect/schema/SchemaJITCompiler/enable"
import { readFileSync } from "node:fs"
import { Cause, Data, Effect, Exit, Result } from "effect"
import { banner } from "./cli/Banner.ts"
import { runMain } from "./cli/RunMain.ts"
import { showProgress } from "./cli/Progress.ts"
import { FlagError, readFlags, type Settings, usage } from "./cli/Flags.ts"
import { CountersAway } from "./counters/CounterPlace.ts"
import { Simulator } from "./Simulator.ts"
import { shownStorage } from "./storage/StorageText.ts"
import { serve } from "./server/Server.ts"

/** A drain that takes longer is cut off. */
const drainMaxMs = 3_000

/** Why the simulator does not run, in one line, and what the process ends with. */
class Refusal extends Data.TaggedError("Refusal")<{ readonly message: string; readonly exitCode: number }> {}

const readText = (file: string): string => readFileSync(file, "utf8")

const args = process.argv.slice(2)

const settings = Effect.try({
  try: () => readFlags(args, process.env, readText),
  catch: (error) =>
    error instanceof FlagError
      ? new Refusal({ message: error.message, exitCode: 2 })
      : new Refusal({ message: String(error), exitCode: 1 }),
})

const unbound = ({ host, port }: Settings, error: unknown): Refusal => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  const message =
    code === "EADDRINUSE"
      ? `--port: ${port} is already in use on ${host}`
      : `--host: cannot bind to ${host}:${port} (${String(code ?? error)})`
  return new Refusal({ message, exitCode: 1 })
}

const unopened = ({ simulator: { storage = "memory:" } }: Settings, error: unknown): Refusal => {
  if (error instanceof CountersAway) return new Refusal({ message: `--counters: ${error.message}`, exitCode: 1 })
  if (storage === "memory:") throw error
  const message = `--storage: cannot open ${shownStorage(storage)} (${error instanceof Error ? error.message : String(error)})`
  return new Refusal({ message, exitCode: 1 })
}

/** Serves until it is interrupted, then drains. */
const served = Effect.fnUntraced(function* (chosen: Settings) {
  const simulator = yield* Effect.tryPromise({
    try: () => Simulator.start(chosen.simulator),
    catch: (error) => unopened(chosen, error),
  })
  const server = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => serve(simulator, chosen.host, chosen.port, chosen.names),
      catch: (error) => unbound(chosen, error),
    }),
    ({ close }) => Effect.timeoutOption(Effect.promise(close), drainMaxMs),
  )
  const { info } = simulator
  if (chosen.printJson) {
    const { agent_id, key, organization_id } = info
    process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port, organization_id, key, agent_id })}\n`)
  } else if (!chosen.quiet) {
    const { clock, limits, seed } = chosen.simulator
    process.stdout.write(banner(server.url, info, `clock ${clock}, seed ${seed}, limits ${limits}`))
  }
  if (process.stdout.isTTY && !chosen.quiet && !chosen.printJson) {
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        showProgress(
          () => simulator.glance(),
          (text) => process.stdout.write(text),
        ),
      ),
      (stop) => Effect.sync(stop),
    )
  }
  return yield* Effect.never
})

/** Lives a journal through again. */
const replayed = Effect.gen(function* () {
  const { exitCode, text } = yield* Effect.tryPromise({
    try: async () => (await import("./cli/ReplayCommand.ts")).replayCommand(args.slice(1), readText),
    catch: (error) =>
      new Refusal({
        message: error instanceof Error ? error.message : String(error),
        exitCode: error instanceof FlagError ? 2 : 1,
      }),
  })
  process.stdout.write(text)
  process.exitCode = exitCode
})

const program = Effect.gen(function* () {
  if (args[0] === "replay") return yield* replayed
  const chosen = yield* settings
  if (chosen === "help") process.stdout.write(`${usage}\n`)
  else yield* Effect.scoped(served(chosen))
})

/** Being told to stop is a success; a refusal says why in one line. */
const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return 0
  const error = Cause.findError(exit.cause)
  if (Result.isFailure(error) || !(error.success instanceof Refusal)) {
    process.stderr.write(`carillon-simulator: ${Cause.pretty(exit.cause)}\n`)
    return 1
  }
  process.stderr.write(`carillon-simulator: ${error.success.message}\n`)
  return error.success.exitCode
}

runMain(program, {
  disableErrorReporting: true,
  teardown: (exit, end) => end(exitCodeOf(exit) || Number(process.exitCode ?? 0)),
})
