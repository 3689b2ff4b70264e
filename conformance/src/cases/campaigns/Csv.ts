import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { csv, distantStart, uploadCampaign } from "../../trial/Campaigns.ts"
import type { Part } from "../../trial/Forms.ts"

const settings = (agentId: string, start: string): ReadonlyArray<Part> => [
  { name: "name", value: "Upload" },
  { name: "agent_id", value: agentId },
  { name: "start_time", value: start },
]

const fields: Case = {
  id: "campaigns/csv/fields",
  title: "A form carries structured settings as JSON and scalars as text",
  clauses: [
    "CAMPAIGN-CSV-1",
    "CAMPAIGN-CSV-2",
    "CAMPAIGN-CSV-6",
    "CAMPAIGN-CSV-P10",
    "CAMPAIGN-CREATE-5",
    "CAMPAIGN-FIELD-31",
    "CAMPAIGN-FIELD-33",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const answer = await uploadCampaign(trial, client, [
      ...settings(agentId, await distantStart(trial)),
      csv(`to_number,city\n${trial.numbers.magic("completed", 1)},Paris\n`),
      { name: "working_hours", value: '{"monday":{"start":"09:00","end":"17:00","enabled":true}}' },
      { name: "working_hours_enforced", value: "true" },
      { name: "max_concurrent_calls", value: "12" },
      { name: "retry_policy", value: '{"max_retries":1}' },
      { name: "follow_up_policy", value: '{"enabled":true}' },
      { name: "transliteration", value: '{"fields":["city"]}' },
      { name: "default_call_variables", value: '{"a":1}' },
      { name: "metadata", value: '{"b":2}' },
    ])
    check.status("created", ["CAMPAIGN-CSV-1", "CAMPAIGN-CREATE-5"], answer, 201)
    check.must(answer.succeeded)
    check.equal("contacts", ["CAMPAIGN-CSV-2", "CAMPAIGN-FIELD-33"], answer.at("total_contacts"), 1, answer)
    check.holds("batch", "CAMPAIGN-FIELD-31", answer.string("batch_id") !== "", "a batch_id", answer)
    const expected: ReadonlyArray<readonly [path: string, clause: string, value: unknown]> = [
      ["working_hours.monday.start", "CAMPAIGN-CSV-6", "09:00"],
      ["retry_policy.max_retries", "CAMPAIGN-CSV-6", 1],
      ["follow_up_policy.enabled", "CAMPAIGN-CSV-6", true],
      ["transliteration.fields", "CAMPAIGN-CSV-6", ["city"]],
      ["default_call_variables", "CAMPAIGN-CSV-6", { a: 1 }],
      ["metadata", "CAMPAIGN-CSV-6", { b: 2 }],
      ["working_hours_enforced", "CAMPAIGN-CSV-P10", true],
      ["max_concurrent_calls", "CAMPAIGN-CSV-P10", 12],
    ]
    for (const [path, clause, value] of expected) check.equal(path, clause, answer.at(path), value, answer)
  },
}

/** What the contacts of a file become; the first cell of each row is a number. */
interface Good {
  readonly name: string
  readonly clauses: ReadonlyArray<string>
  readonly file: (number: string) => string
  readonly variables: Readonly<Record<string, string>>
}

const good: ReadonlyArray<Good> = [
  ...["to_number", "phone_number", "phone", "mobile", "number", "msisdn", "MSISDN", "Phone"].map((header): Good => ({
    name: `header-${header}`,
    clauses: ["CAMPAIGN-CSV-3"],
    file: (number) => `${header},city\n${number},Paris\n`,
    variables: { city: "Paris" },
  })),
  {
    name: "first-phone-column",
    clauses: ["CAMPAIGN-CSV-P7"],
    file: (number) => `city,mobile,to_number\nParis,${number},5\n`,
    variables: { city: "Paris", to_number: "5" },
  },
  {
    name: "mirrored-name",
    clauses: ["CAMPAIGN-CSV-5", "CAMPAIGN-CSV-4"],
    file: (number) => `phone,name\n${number},Ada\n`,
    variables: { name: "Ada", callee_name: "Ada" },
  },
  {
    name: "quotes",
    clauses: ["CAMPAIGN-CSV-P1"],
    file: (number) => `phone,"a ""b"", c"\r\n${number},"x, ""y""\nz"\r\n`,
    variables: { 'a "b", c': 'x, "y"\nz' },
  },
  {
    name: "mark-and-blanks",
    clauses: ["CAMPAIGN-CSV-P2"],
    file: (number) => `\u{feff}phone,a\n\n${number},1\n\n`,
    variables: { a: "1" },
  },
  {
    name: "empty-header",
    clauses: ["CAMPAIGN-CSV-P3"],
    file: (number) => `phone,,a\n${number},gone,1\n`,
    variables: { a: "1" },
  },
  {
    name: "written-number",
    clauses: ["CAMPAIGN-CSV-P11"],
    file: (number) =>
      `phone,a\n"${number.slice(1, 4)} (${number.slice(4, 6)}) ${number.slice(6, 9)}-${number.slice(9)}",1\n`,
    variables: { a: "1" },
  },
]

const readings: Case = {
  id: "campaigns/csv/readings",
  title: "The phone column is found by its header, and every other column is a variable",
  clauses: [
    "CAMPAIGN-CSV-3",
    "CAMPAIGN-CSV-4",
    "CAMPAIGN-CSV-5",
    "CAMPAIGN-CSV-P1",
    "CAMPAIGN-CSV-P2",
    "CAMPAIGN-CSV-P3",
    "CAMPAIGN-CSV-P7",
    "CAMPAIGN-CSV-P11",
    "CAMPAIGN-EXTENSION-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const start = await distantStart(trial)
    for (const { clauses, file, name, variables } of good) {
      const number = trial.numbers.magic("completed", 1)
      const answer = await uploadCampaign(trial, client, [...settings(agentId, start), csv(file(number))])
      if (!check.status(name, clauses, answer, 201)) continue
      const listed = await client.get(`/v2/campaigns/${answer.string("campaign_id")}/contacts`)
      const first = listed.items()[0]
      const row = isObject(first) ? first : {}
      // That contacts can be read at all, and what of them is shown, is a reading.
      const isShown = "to_number" in row && "variables" in row
      const about = isShown ? [...clauses, "CAMPAIGN-EXTENSION-P1"] : ["CAMPAIGN-EXTENSION-P1"]
      check.equal(`${name}-number`, about, row["to_number"], number, listed)
      check.equal(`${name}-variables`, about, row["variables"], variables, listed)
    }
  },
}

type Bad = readonly [name: string, clauses: ReadonlyArray<string>, file: string | Uint8Array, code: number]

const bad = (number: string): ReadonlyArray<Bad> => [
  ["empty", ["CAMPAIGN-ERROR-4"], "", 1000],
  ["no-header", ["CAMPAIGN-ERROR-5"], `${number},Ada\n`, 1000],
  ["no-phone-column", ["CAMPAIGN-ERROR-5"], "name,city\nAda,Paris\n", 1000],
  ["short-number", ["CAMPAIGN-LIMITS-3"], "to_number\n+123456\n", 1001],
  ["long-number", ["CAMPAIGN-LIMITS-3"], "to_number\n+1234567890123456\n", 1001],
]

/** Files of which only a reading says that they are wrong. */
const doubtful = (number: string): ReadonlyArray<Bad> => [
  ["only-header", ["CAMPAIGN-JSON-P2"], "to_number,name\n", 1000],
  ["duplicate-headers", ["CAMPAIGN-CSV-P4"], `to_number,a,a\n${number},1,2\n`, 1000],
  ["open-quote", ["CAMPAIGN-CSV-P1"], `to_number,a\n${number},"1\n`, 1000],
  ["not-utf8", ["CAMPAIGN-CSV-P6"], new Uint8Array([0x70, 0x68, 0x6f, 0x6e, 0x65, 0x0a, 0xff, 0xfe, 0x0a]), 1000],
  ["too-many-columns", ["CAMPAIGN-CSV-P5"], `to_number,a\n${number},1,2\n`, 1001],
  ["too-few-columns", ["CAMPAIGN-CSV-P5"], `to_number,a\n${number}\n`, 1001],
]

const refusals: Case = {
  id: "campaigns/csv/refusals",
  title: "A file that cannot be read, or has wrong rows, is refused and leaves nothing behind",
  clauses: [
    "CAMPAIGN-CSV-P1",
    "CAMPAIGN-CSV-P4",
    "CAMPAIGN-CSV-P5",
    "CAMPAIGN-CSV-P6",
    "CAMPAIGN-CSV-P8",
    "CAMPAIGN-CSV-P9",
    "CAMPAIGN-CSV-P10",
    "CAMPAIGN-CREATE-7",
    "CAMPAIGN-ERROR-4",
    "CAMPAIGN-ERROR-5",
    "CAMPAIGN-ERROR-G1",
    "CAMPAIGN-JSON-P2",
    "CAMPAIGN-LIMITS-2",
    "CAMPAIGN-LIMITS-3",
    "CAMPAIGN-LIMITS-4",
    "CAMPAIGN-LIMITS-5",
    "CAMPAIGN-LIMITS-6",
    "CONSTANT-11",
    "CONSTANT-13",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const own = settings(agentId, await distantStart(trial))
    const number = trial.numbers.magic("completed", 1)
    const upload = (file: string | Uint8Array) => uploadCampaign(trial, client, [...own, csv(file)])
    const before = (await client.get("/v2/campaigns")).at("pagination.total")
    for (const [name, clauses, file, code] of bad(number)) {
      const answer = await upload(file)
      check.refused(name, clauses, answer, code)
      if (name === "empty") {
        check.equal("empty-wording", "CAMPAIGN-ERROR-G1", answer.message, "The uploaded CSV file is empty.", answer)
      }
    }
    const rows = await upload(`to_number,a\n${number},1\nx,2\n\n${number},3\n${number}\n`)
    check.refused("bad-rows", ["CAMPAIGN-LIMITS-4", "CAMPAIGN-CSV-P8"], rows, 1001)
    const lines = (rows.message.match(/\d+/g) ?? []).map(Number)
    check.holds(
      "header-is-line-one",
      ["CAMPAIGN-LIMITS-5", "CAMPAIGN-LIMITS-6"],
      lines.includes(3) && !lines.includes(2),
      "line 3 and not line 2",
      rows,
    )
    check.holds(
      "lines",
      "CAMPAIGN-CSV-P8",
      lines.includes(3) && lines.includes(6) && !lines.includes(2) && !lines.includes(5),
      "lines 3 and 6",
      rows,
    )
    const many = await upload(`to_number\n${"x\n".repeat(30)}`)
    const named = new Set((many.message.match(/\d+/g) ?? []).map(Number))
    const twenty = Array.from({ length: 20 }, (_, nth) => nth + 2)
    const isTwenty = twenty.every((line) => named.has(line)) && !named.has(22) && !named.has(31)
    check.holds("twenty-lines", ["CAMPAIGN-LIMITS-5", "CONSTANT-13"], isTwenty, "lines 2 to 21", many)
    // A message may also say how many there are, and how many more.
    check.holds("no-more", ["CAMPAIGN-LIMITS-5", "CONSTANT-13"], named.size <= 22, "20 line numbers at most", many)
    check.holds("together", "CAMPAIGN-LIMITS-4", named.has(2) && named.has(3), "lines 2 and 3 in one answer", many)
    const row = `${number},${"x".repeat(1_000)}\n`
    const large = await upload(`to_number,a\n${row.repeat(Math.ceil((20 * 1024 * 1024) / row.length) + 1)}`)
    check.refused("too-large", ["CAMPAIGN-LIMITS-2", "CONSTANT-11"], large, 1000, 413)
    const after = await client.get("/v2/campaigns")
    check.equal("nothing-stored", "CAMPAIGN-CREATE-7", after.at("pagination.total"), before, after)
    const bounds = await upload("to_number\n+9991234\n+999123456789012\n")
    check.status("seven-and-fifteen-digits", "CAMPAIGN-LIMITS-3", bounds, 201)
    for (const [name, clauses, file, code] of doubtful(number)) check.refused(name, clauses, await upload(file), code)
    const without = await uploadCampaign(trial, client, own)
    check.refused("no-file", "CAMPAIGN-CSV-P9", without, 1002)
    check.names("no-file-named", "CAMPAIGN-CSV-P9", without, "file")
    const broken = await uploadCampaign(trial, client, [
      ...own,
      { name: "metadata", value: "{" },
      csv(`phone\n${number}\n`),
    ])
    check.refused("bad-json-field", "CAMPAIGN-CSV-P10", broken, 1000)
  },
}

export const csvCases: ReadonlyArray<Case> = [fields, readings, refusals]
