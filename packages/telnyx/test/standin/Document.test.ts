import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { actionParameters, dialParameters, type ParameterTable, type Rule } from "./Contract.ts"

/** The types of the package `telnyx`, which is generated of the vendor's document. */
const types = join(dirname(createRequire(import.meta.url).resolve("telnyx")), "resources", "calls")

const interfaces: ReadonlyArray<readonly [name: string, file: string, table: ParameterTable]> = [
  ["CallDialParams", "calls.d.ts", dialParameters],
  ["ActionAnswerParams", "actions.d.ts", actionParameters.answer],
  ["ActionHangupParams", "actions.d.ts", actionParameters.hangup],
  ["ActionStartRecordingParams", "actions.d.ts", actionParameters.record_start],
  ["ActionStopRecordingParams", "actions.d.ts", actionParameters.record_stop],
  ["ActionSpeakParams", "actions.d.ts", actionParameters.speak],
  ["ActionStartStreamingParams", "actions.d.ts", actionParameters.streaming_start],
  ["ActionStopStreamingParams", "actions.d.ts", actionParameters.streaming_stop],
  ["ActionTransferParams", "actions.d.ts", actionParameters.transfer],
]

const field = /^ {4}(\w+)(\??): ([^;{]*)/gm

/** The fields of an interface: name, whether it must be there, and its words where it has some. */
const fieldsOf = (text: string, name: string) => {
  const start = text.indexOf(`export interface ${name} {`)
  if (start === -1) throw new Error(`The package has no ${name}`)
  const body = text.slice(start, text.indexOf("\n}", start)).replaceAll(/\/\*\*[\s\S]*?\*\//g, "")
  return [...body.matchAll(field)].map(([, key = "", mark, type = ""]) => ({
    key,
    isRequired: mark === "",
    words: [...type.matchAll(/'([^']*)'/g)].map(([, word]) => word),
  }))
}

const isListed = (rule: Rule | undefined): rule is ReadonlyArray<string | number> => Array.isArray(rule)

it.each(interfaces)("has the fields of %s, what it needs, and its words", (name, file, table) => {
  const fields = fieldsOf(readFileSync(join(types, file), "utf8"), name)
  expect(Object.keys(table.rules).toSorted()).toEqual(fields.map(({ key }) => key).toSorted())
  expect([...table.required].toSorted()).toEqual(
    fields
      .filter(({ isRequired }) => isRequired)
      .map(({ key }) => key)
      .toSorted(),
  )
  for (const { key, words } of fields) {
    const rule = table.rules[key]
    if (isListed(rule) && words.length > 0) expect([key, new Set(rule)]).toEqual([key, new Set(words)])
  }
})
