import { parseArgs } from "node:util"
import { Carillon } from "@carillon/http"
import { Migrations } from "@carillon/postgres"
import { Effect, Layer, Logger, References } from "effect"
import { serverCarriers } from "../carriers/Carriers.ts"
import { database, ports, secrets } from "../Ports.ts"
import { reasonOf } from "../Reason.ts"
import type { Settings } from "../settings/Settings.ts"
import { type SettingsSource, settingsOf, Wrong } from "../settings/SettingsFile.ts"
import type { AdminCommand, Answer } from "./AdminCommand.ts"
import { adminCommands } from "./Commands.ts"
import { linesOf } from "./Text.ts"
import { type AdminOption, Words } from "./Words.ts"

/** What the program needs of the process around it. */
export interface AdminSurroundings extends SettingsSource {
  readonly write: (line: string) => void
  readonly complain: (line: string) => void
}

/** 0: done, and it holds; 1: it could not be done, is not there or does not hold; 2: the command or a setting is wrong. */
export type AdminExit = 0 | 1 | 2

/** What every command takes. */
export const everywhere: Readonly<Record<string, AdminOption | { readonly value: null; readonly meaning: string }>> = {
  config: { value: "FILE", meaning: "the settings of the server; or CARILLON_CONFIG" },
  json: { value: null, meaning: "one JSON document instead of lines" },
  help: { value: null, meaning: "this text" },
}

/** The command that brings the schema up to date, without an engine. */
export const migrateCommand = { name: "migrate", meaning: "brings the schema up to date, and tells the steps" } as const

const usageOf = ({ arguments: names, meaning, name, options }: AdminCommand): ReadonlyArray<string> => [
  `carillon-admin ${[name, ...names].join(" ")}`,
  `  ${meaning}`,
  ...Object.entries(options).map(
    ([option, { meaning: of, value }]) => `    ${`--${option} ${value}`.padEnd(26)} ${of}`,
  ),
]

/** What `--help` prints. */
export const adminUsage = (): string =>
  [
    ...adminCommands.flatMap(usageOf),
    `carillon-admin ${migrateCommand.name}`,
    `  ${migrateCommand.meaning}`,
    "",
    ...Object.entries(everywhere).map(([name, { meaning, value }]) =>
      `  --${name}${value === null ? "" : ` ${value}`}`.padEnd(20).concat(meaning),
    ),
    "",
    "It reads the settings of the server: CARILLON_DATABASE_URL at least.",
  ].join("\n")

/** Lines go to the complaints, from warnings on: what is asked for is alone on the output. */
const quietLogs = Layer.mergeAll(
  Logger.layer([Logger.consoleLogFmt]),
  Layer.succeed(Logger.LogToStderr, true),
  Layer.succeed(References.MinimumLogLevel, "Warn"),
)

const migrate = async (settings: Settings): Promise<Answer> => {
  const steps = await Effect.runPromise(Migrations.migrate.pipe(Effect.provide(database(settings))))
  return { said: { steps: steps.map(([id, name]) => `${id} ${name}`) }, isWell: true }
}

/** An engine that takes up no work, for as long as a command runs. */
const withEngine = async (settings: Settings, use: (carillon: Carillon) => Promise<Answer>): Promise<Answer> => {
  const carillon = await Carillon.make({
    ports: ports(settings, serverCarriers(settings)),
    secrets: secrets(settings),
    telemetry: quietLogs,
    metrics: false,
    takesWork: false,
  })
  try {
    return await use(carillon)
  } finally {
    await carillon.close()
  }
}

/** What was asked for. */
interface Asked {
  readonly isJson: boolean
  readonly answer: () => Promise<Answer>
}

type Values = Readonly<Record<string, string | boolean | ReadonlyArray<string | boolean> | undefined>>

/** The command line in parts, by the options of one command. */
const partsOf = (args: ReadonlyArray<string>, own: Readonly<Record<string, AdminOption>>) => {
  const options = Object.fromEntries(
    Object.entries({ ...everywhere, ...own }).map(([name, { value }]) => [
      name,
      { type: value === null ? "boolean" : "string", multiple: value !== null } as const,
    ]),
  )
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new Wrong([`${reasonOf(error)}; see --help.`])
  }
}

const textsOf = (
  values: Values,
  own: Readonly<Record<string, AdminOption>>,
): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    ["config", ...Object.keys(own)].map((name) => {
      const value = values[name] ?? []
      const texts = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string")
      if (texts.length > 1 && own[name]?.isRepeatable !== true) throw new Wrong([`--${name}: is said twice`])
      return [name, texts]
    }),
  )

/** The command whose words come first, and the words behind them. */
const commandOf = (
  words: ReadonlyArray<string>,
): { readonly command: AdminCommand; readonly rest: ReadonlyArray<string> } => {
  const [noun = "", verb = "", ...rest] = words
  const command = adminCommands.find(({ name }) => name === `${noun} ${verb}`)
  if (command === undefined) throw new Wrong([`'${words.join(" ")}' is no command; see --help.`])
  const needed = command.arguments.filter((each) => !each.startsWith("["))
  if (rest.length < needed.length || rest.length > command.arguments.length) {
    throw new Wrong([`${command.name} takes ${command.arguments.join(" ") || "no argument"}; see --help.`])
  }
  return { command, rest }
}

/** Every option that some command takes: enough to tell words from values before it is known which command it is. */
const anyOptions = Object.fromEntries(adminCommands.flatMap(({ options }) => Object.entries(options)))

const askedOf = (args: ReadonlyArray<string>, around: AdminSurroundings): Asked | "help" => {
  const first = partsOf(args, anyOptions)
  if (first.values["help"] === true || first.positionals.length === 0) return "help"
  const isMigration = first.positionals.length === 1 && first.positionals[0] === migrateCommand.name
  const { command, rest } = isMigration ? { command: null, rest: [] } : commandOf(first.positionals)
  const own = command?.options ?? {}
  const { values } = partsOf(args, own)
  const texts = textsOf(values, own)
  const settings = settingsOf(texts["config"]?.[0], around)
  const words = new Words(rest, texts)
  return {
    isJson: values["json"] === true,
    answer: () =>
      command === null ? migrate(settings) : withEngine(settings, (carillon) => command.run(words, carillon)),
  }
}

/** Runs the command line. */
export const adminProgram = async (args: ReadonlyArray<string>, around: AdminSurroundings): Promise<AdminExit> => {
  try {
    const asked = askedOf(args, around)
    if (asked === "help") {
      around.write(adminUsage())
      return args.length === 0 ? 2 : 0
    }
    const { isWell, said } = await asked.answer()
    if (asked.isJson) around.write(JSON.stringify(said, null, 2))
    else for (const line of linesOf(said)) around.write(line)
    return isWell ? 0 : 1
  } catch (error) {
    for (const line of error instanceof Wrong ? error.lines : [reasonOf(error)])
      around.complain(`carillon-admin: ${line}`)
    return error instanceof Wrong ? 2 : 1
  }
}
