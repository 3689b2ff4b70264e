import { Result } from "effect"
import { serverCarriers, WrongCarrier } from "../carriers/Carriers.ts"
import { reasonOf } from "../Reason.ts"
import { Given, UnreadableFile, valuesOf } from "./Given.ts"
import { readSettings, type Settings } from "./Settings.ts"

/** Where settings come from. */
export interface SettingsSource {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The text of a file; throws where it cannot be read. */
  readonly readFile: (path: string) => string
}

/** What is wrong with a command line or with settings, a line each. */
export class Wrong extends Error {
  readonly lines: ReadonlyArray<string>

  constructor(lines: ReadonlyArray<string>) {
    super(lines.join("\n"))
    this.lines = lines
  }
}

/** The settings of a file and the environment. Throws `Wrong`, which names everything that is wrong with them. */
export const settingsOf = (file: string | undefined, { environment, readFile }: SettingsSource): Settings => {
  const path = file ?? environment["CARILLON_CONFIG"]
  let values: ReadonlyMap<string, string> = new Map()
  try {
    if (path !== undefined) values = valuesOf(readFile(path))
  } catch (error) {
    const reason = error instanceof UnreadableFile ? error.message : `cannot be read (${reasonOf(error)})`
    throw new Wrong([`${path}: ${reason}`])
  }
  const read = readSettings(new Given(environment, values, path ?? ""))
  if (Result.isFailure(read)) throw new Wrong(read.failure)
  try {
    serverCarriers(read.success)
  } catch (error) {
    throw error instanceof WrongCarrier ? new Wrong([error.message]) : error
  }
  return read.success
}
