import type { Answer } from "../../../http/Answer.ts"
import type { Client } from "../../../http/Client.ts"
import type { Case } from "../../../run/Case.ts"
import { form } from "../../../trial/Forms.ts"
import { suppressionsOf } from "../../../trial/Callees.ts"

/** Sends a file of numbers; with a calling code they are national ones. */
const upload = (client: Client, text: string, callingCode?: string): Promise<Answer> =>
  client.send(
    "POST",
    "/v2/suppressions",
    form([
      { name: "file", filename: "numbers.csv", type: "text/csv", value: text },
      ...(callingCode === undefined ? [] : [{ name: "calling_code", value: callingCode }]),
    ]),
  )

const files: Case = {
  id: "extensions/suppressions/files",
  title: "Numbers come in a file: a column of a CSV, or one in each line",
  clauses: ["SUPPRESSION-E3", "SUPPRESSION-E20"],
  requires: ["fixtures", "extension:suppressions"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const [one, two, three] = [trial.numbers.plain(), trial.numbers.plain(), trial.numbers.plain()]
    const column = await upload(client, `name,phone\nAda,${one}\nGrace,${two}\n`)
    check.equal(
      "a-column",
      ["SUPPRESSION-E3", "SUPPRESSION-E20"],
      [column.status, column.at("added")],
      [201, 2],
      column,
    )
    const lines = await upload(client, `${two}\n${three}\n`)
    check.equal(
      "lines",
      "SUPPRESSION-E20",
      [lines.status, lines.at("added"), lines.at("unchanged")],
      [201, 1, 1],
      lines,
    )
    for (const number of [one, two, three])
      check.equal("stored", ["SUPPRESSION-E3", "SUPPRESSION-E20"], (await suppressionsOf(client, number)).length, 1)
  },
}

/** Lines of a file with a calling code, and the number that each means. Nobody has them. */
const meant: ReadonlyArray<readonly [code: string, line: string, number: string, clause: string]> = [
  ["1", "(212) 555-0123", "+12125550123", "SUPPRESSION-E22"],
  ["1", "1-212-555-0124", "+12125550124", "SUPPRESSION-E22"],
  ["1", "212,5550125", "+12125550125", "SUPPRESSION-E22"],
  ["39", "06 1234 5678", "+390612345678", "SUPPRESSION-E24"],
  ["44", "020 7946 0958", "+442079460958", "SUPPRESSION-E25"],
  ["33", "01 99 00 12 34", "+33199001234", "SUPPRESSION-E25"],
  ["49", "030 23125 123", "+493023125123", "SUPPRESSION-E25"],
]

/** Lines that might be other numbers. */
const unclear: ReadonlyArray<readonly [code: string, line: string, clause: string]> = [
  ["1", "212555012", "SUPPRESSION-E22"],
  ["44", "00442079460958", "SUPPRESSION-E23"],
  ["44", "442079460958", "SUPPRESSION-E23"],
  ["34", "0911234567", "SUPPRESSION-E26"],
]

const national: Case = {
  id: "extensions/suppressions/national",
  title: "National numbers are read by the calling code, and what might be another number is refused with its line",
  clauses: [
    "SUPPRESSION-E11",
    "SUPPRESSION-E21",
    "SUPPRESSION-E22",
    "SUPPRESSION-E23",
    "SUPPRESSION-E24",
    "SUPPRESSION-E25",
    "SUPPRESSION-E26",
  ],
  requires: ["fixtures", "extension:suppressions"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    for (const [code, line, number, clause] of meant) {
      const added = await upload(client, `${line}\n`, code)
      check.equal(`${code}-${line}`, clause, [added.status, added.at("added")], [201, 1], added)
      check.equal(`${number}-is-meant`, [clause, "SUPPRESSION-E11"], (await suppressionsOf(client, number)).length, 1)
    }
    for (const [code, line, clause] of unclear) {
      const good = code === "1" ? "2125550130" : code === "44" ? "02079460959" : "911234567"
      const refused = await upload(client, `${good}\n${line}\n`, code)
      check.refused(`${code}-${line}-refused`, clause, refused, 1001)
      check.that(`${code}-${line}-line`, "SUPPRESSION-E21", /\b2\b/.test(refused.message), {
        expected: "a message that names line 2",
        got: refused.message,
        at: refused,
      })
    }
    const plus = await upload(client, "+34911234567\n", "34")
    check.equal("with-its-plus", "SUPPRESSION-E26", [plus.status, plus.at("added")], [201, 1], plus)
  },
}

/** Cases of files of numbers. */
export const suppressionFileCases: ReadonlyArray<Case> = [files, national]
