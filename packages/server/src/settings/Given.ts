import { ConfigProvider, Effect } from "effect"
import { variableOf } from "./SettingBook.ts"

/** What somebody set, and where: a variable, or a place in the file. */
export interface GivenValue {
  readonly text: string
  readonly where: string
}

/** The values that were given, by the names of their settings. A variable goes before the file. */
export class Given {
  readonly #variables: ReadonlyMap<string, string>
  readonly #file: ReadonlyMap<string, string>
  readonly #fileName: string

  constructor(
    environment: Readonly<Record<string, string | undefined>>,
    file: ReadonlyMap<string, string>,
    fileName: string,
  ) {
    const own = Object.entries(environment).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
      name.startsWith("CARILLON_") && name !== "CARILLON_CONFIG" && value !== undefined && value !== ""
        ? [[name, value]]
        : [],
    )
    this.#variables = new Map(own)
    this.#file = file
    this.#fileName = fileName
  }

  find(name: string): GivenValue | null {
    const variable = variableOf(name)
    const text = this.#variables.get(variable)
    if (text !== undefined) return { text, where: variable }
    const written = this.#file.get(name)
    return written === undefined ? null : { text: written, where: this.#fileName }
  }

  /** What was given and is no setting, each with its place. */
  unknown(isSetting: (name: string) => boolean, isVariable: (variable: string) => boolean): ReadonlyArray<string> {
    return [
      ...[...this.#variables.keys()].filter((name) => !isVariable(name)).map((name) => `${name}: is not a setting`),
      ...[...this.#file.keys()]
        .filter((name) => !isSetting(name))
        .map((name) => `${name}: is not a setting (in ${this.#fileName})`),
    ]
  }

  get provider(): ConfigProvider.ConfigProvider {
    return ConfigProvider.make((path) => {
      const found = this.find(path.join("."))
      return Effect.succeed(found === null ? undefined : ConfigProvider.makeValue(found.text))
    })
  }
}

/** A file that cannot be read as settings. */
export class UnreadableFile extends Error {}

/** How deep settings lie: `carrier.main.voice`. */
const depthMax = 3

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const leaves = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> => {
  const name = path.join(".")
  if (isScalar(value)) return [[name, String(value)]]
  if (Array.isArray(value) && value.every(isScalar)) return [[name, value.join(",")]]
  if (typeof value !== "object" || value === null || Array.isArray(value) || path.length === depthMax)
    throw new UnreadableFile(`${name}: must be a text, a number, true, false, or a list of these`)
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
}

/** The values of a file in JSON, by the names of their settings. Throws `UnreadableFile`. */
export const valuesOf = (text: string): ReadonlyMap<string, string> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UnreadableFile("it is not JSON")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UnreadableFile("it must be a JSON object")
  }
  return new Map(leaves(value, []))
}
