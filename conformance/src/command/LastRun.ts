/** What the last run on a server found failing, so that the next one can begin with it (`--since last`). */
import { isObject, parseJson } from "../http/Json.ts"
import type { Report } from "../run/Report.ts"
import { failsRun } from "../run/Verdict.ts"
import type { Console } from "./Console.ts"

/** Servers that are remembered; the one that was judged longest ago is forgotten first. */
const maxServers = 50

type Remembered = ReadonlyArray<readonly [baseUrl: string, failed: ReadonlyArray<string>]>

const isText = (value: unknown): value is string => typeof value === "string"

const rememberedIn = (text: string | undefined): Remembered => {
  const parsed = text === undefined ? undefined : parseJson(text)
  if (!isObject(parsed)) return []
  return Object.entries(parsed).flatMap(([baseUrl, failed]) =>
    Array.isArray(failed) ? [[baseUrl, failed.filter(isText)] as const] : [],
  )
}

/** The cases of a report that failed it. */
const failedIn = ({ cases }: Pick<Report, "cases">): ReadonlyArray<string> =>
  cases.filter(({ verdict }) => failsRun(verdict)).map(({ id }) => id)

/** The cases that failed when this server was last judged from this machine; none where it never was. */
export const failedLast = async (
  baseUrl: string,
  { memory }: Pick<Console, "memory">,
): Promise<ReadonlyArray<string>> => rememberedIn(await memory.read()).find(([server]) => server === baseUrl)?.[1] ?? []

/** Remembers what failed. */
export const remember = async (report: Report, { memory }: Pick<Console, "memory">): Promise<void> => {
  const { baseUrl } = report.target
  const others = rememberedIn(await memory.read()).filter(([server]) => server !== baseUrl)
  const all = [...others, [baseUrl, failedIn(report)] as const].slice(-maxServers)
  await memory.write(`${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
}
