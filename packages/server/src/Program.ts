import { parseArgs } from "node:util"
import { Migrations } from "@carillon/postgres"
import { Effect } from "effect"
import { logs } from "./Logs.ts"
import { database } from "./Ports.ts"
import { reasonOf } from "./Reason.ts"
import { startServer } from "./Server.ts"
import type { Settings } from "./settings/Settings.ts"
import { type SettingsSource, settingsOf, Wrong } from "./settings/SettingsFile.ts"

/** What the program needs of the process around it. */
export interface Surroundings extends SettingsSource {
  readonly write: (line: string) => void
  readonly complain: (line: string) => void
  /** Resolves when the process is told to stop: softly (SIGTERM), or at once (from the keyboard). */
  readonly stopped: () => Promise<"softly" | "at once">
}

/** 0: done; 1: it could not be done; 2: the command or a setting is wrong. */
export type ExitCode = 0 | 1 | 2

const usage = `carillon-server [serve] [--config FILE] [--log-json]
  serves /v2 until it is told to stop (SIGTERM)
carillon-server migrate [--config FILE]
  brings the schema up to date and ends; serving does so as well
carillon-server check [--config FILE]
  says what is wrong with the settings, and opens nothing

Settings come from variables (CARILLON_DATABASE_URL) and a file in JSON ({"database":{"url":"…"}}),
which --config or CARILLON_CONFIG names. Every setting: docs/reference/server.md`

const options = {
  config: { type: "string" },
  "log-json": { type: "boolean" },
  help: { type: "boolean" },
} as const

const commands = ["serve", "migrate", "check"] as const
type Command = (typeof commands)[number]

/** What was asked for, and with which settings. */
interface Asked {
  readonly command: Command
  readonly settings: Settings
}

const askedOf = (args: ReadonlyArray<string>, around: Surroundings): Asked | "help" => {
  let parsed
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new Wrong([reasonOf(error), "See --help."])
  }
  const { positionals, values } = parsed
  if (values.help === true) return "help"
  const [word = "serve", ...more] = positionals
  const command = commands.find((each) => each === word)
  if (command === undefined || more.length > 0)
    throw new Wrong([`'${positionals.join(" ")}' is no command; see --help.`])
  const environment =
    values["log-json"] === true ? { ...around.environment, CARILLON_LOG_FORMAT: "json" } : around.environment
  return { command, settings: settingsOf(values.config, { environment, readFile: around.readFile }) }
}

const millisPerSecond = 1_000

const serve = async (settings: Settings, { stopped }: Surroundings): Promise<void> => {
  // Who is told while it starts, starts and leaves.
  const told = stopped()
  const server = await startServer(settings)
  const how = await told
  const seconds = how === "softly" ? settings.noticeSeconds : 0
  await server.carillon.run(Effect.logInfo(`Was told to stop: serves on for ${seconds} s, then drains.`))
  await server.leave(seconds * millisPerSecond)
}

const migrate = async (settings: Settings, { write }: Surroundings): Promise<void> => {
  const steps = await Effect.runPromise(Migrations.migrate.pipe(Effect.provide(database(settings))))
  for (const [id, name] of steps) write(`${id} ${name}`)
  write(steps.length === 0 ? "The schema is up to date." : "The schema was brought up to date.")
}

/** Runs the command line. */
export const program = async (args: ReadonlyArray<string>, around: Surroundings): Promise<ExitCode> => {
  let asked
  try {
    asked = askedOf(args, around)
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
    for (const line of error.lines) around.complain(`carillon-server: ${line}`)
    return 2
  }
  if (asked === "help") {
    around.write(usage)
    return 0
  }
  const { command, settings } = asked
  try {
    if (command === "serve") await serve(settings, around)
    else if (command === "migrate") await migrate(settings, around)
    else around.write("The settings are right.")
    return 0
  } catch (error) {
    await Effect.runPromise(Effect.logFatal(reasonOf(error)).pipe(Effect.provide(logs(settings))))
    return 1
  }
}
