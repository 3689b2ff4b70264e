import { parseArgs } from "node:util"
import { ExportFailure, exportLines } from "./AuditExport.ts"
import { UnreadableLine, verifyLines } from "./AuditFile.ts"

const usage = `carillon audit verify FILE [--expected-head HASH] [--expected-count N]
  verifies an exported audit trail offline; - reads standard input
carillon audit export --base-url URL [--key KEY]
  writes the trail of the key's organization as JSON lines, oldest first; the key may be in CARILLON_KEY`

/** What the program needs of the process around it. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The lines of a file, or of standard input for "-". */
  readonly lines: (file: string) => AsyncIterable<string>
  readonly write: (line: string) => void
  readonly complain: (line: string) => void
  readonly fetch?: typeof fetch
}

/** 0: it holds; 1: it does not; 2: the command cannot be understood; 3: there is nothing to judge. */
export type ExitCode = 0 | 1 | 2 | 3

const options = {
  "expected-head": { type: "string" },
  "expected-count": { type: "string" },
  "base-url": { type: "string" },
  key: { type: "string" },
  help: { type: "boolean" },
} as const

const verify = async (
  file: string,
  head: string | undefined,
  count: string | undefined,
  { complain, lines, write }: Surroundings,
): Promise<ExitCode> => {
  if (count !== undefined && !/^\d{1,15}$/.test(count)) {
    complain("--expected-count: must be a whole number")
    return 2
  }
  const expected = {
    ...(head === undefined ? {} : { expectedHead: head }),
    ...(count === undefined ? {} : { expectedCount: Number(count) }),
  }
  try {
    const report = await verifyLines(lines(file), expected)
    write(JSON.stringify(report, null, 2))
    return report.valid ? 0 : 1
  } catch (error) {
    if (error instanceof UnreadableLine) {
      complain(`${file}: ${error.message}`)
      return 1
    }
    complain(`${file}: cannot be read`)
    return 3
  }
}

const exported = async (baseUrl: string, key: string, around: Surroundings): Promise<ExitCode> => {
  try {
    const source = { baseUrl, key }
    const ask = around.fetch === undefined ? source : { ...source, fetch: around.fetch }
    for await (const line of exportLines(ask)) around.write(line)
    return 0
  } catch (error) {
    around.complain(error instanceof ExportFailure ? error.message : `${baseUrl} cannot be reached`)
    return 3
  }
}

/** Runs the command line. */
export const program = async (args: ReadonlyArray<string>, around: Surroundings): Promise<ExitCode> => {
  let parsed
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    around.complain(error instanceof Error ? error.message : String(error))
    return 2
  }
  const { positionals, values } = parsed
  if (values.help === true) {
    around.write(usage)
    return 0
  }
  const [noun, verb, file, ...more] = positionals
  if (noun === "audit" && verb === "verify" && file !== undefined && more.length === 0) {
    return verify(file, values["expected-head"], values["expected-count"], around)
  }
  const key = values.key ?? around.env["CARILLON_KEY"]
  if (
    noun === "audit" &&
    verb === "export" &&
    file === undefined &&
    values["base-url"] !== undefined &&
    key !== undefined
  ) {
    return exported(values["base-url"], key, around)
  }
  around.complain(usage)
  return 2
}
