/** Where a trail is exported from. */
export interface ExportSource {
  /** The service without `/v2`. */
  readonly baseUrl: string
  /** A key with `audit:read`. */
  readonly key: string
  readonly fetch?: typeof fetch
}

const pageSize = 100

interface AuditPage {
  readonly data: ReadonlyArray<unknown>
  readonly pagination: { readonly total_pages: number }
}

const isPage = (value: unknown): value is AuditPage =>
  typeof value === "object" &&
  value !== null &&
  "data" in value &&
  Array.isArray(value.data) &&
  "pagination" in value &&
  typeof value.pagination === "object" &&
  value.pagination !== null &&
  "total_pages" in value.pagination &&
  typeof value.pagination.total_pages === "number"

/** The service refused or could not be read. */
export class ExportFailure extends Error {
  override readonly name = "ExportFailure"
}

const withoutEndSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}

/** Reads a page, newest records first; nothing later than `until` is on it. */
const readPage = async (source: ExportSource, page: number, until?: string): Promise<AuditPage> => {
  const query = new URLSearchParams({ page: String(page), page_size: String(pageSize) })
  if (until !== undefined) query.set("to_date", until)
  const target = `${withoutEndSlashes(source.baseUrl)}/v2/audit-logs?${query}`
  const ask = source.fetch ?? fetch
  const response = await ask(target, { headers: { authorization: `Bearer ${source.key}` } })
  if (response.status === 429) {
    const seconds = Number(response.headers.get("retry-after") ?? "1")
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    return readPage(source, page, until)
  }
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok || !isPage(body)) throw new ExportFailure(`the service answered ${response.status} to ${target}`)
  return body
}

const fieldOf = (record: unknown, field: "sequence" | "created_at"): unknown =>
  typeof record === "object" && record !== null ? Reflect.get(record, field) : undefined

/**
 * The whole trail of the key's organization as JSON lines, oldest first: the last page is read first, and each from its end. It goes up
 * to the time of the newest record that there is at the start, so that what is appended meanwhile shifts no page.
 */
export const exportLines = async function* (source: ExportSource): AsyncGenerator<string> {
  const newest = await readPage(source, 1)
  const until = fieldOf(newest.data[0], "created_at")
  if (typeof until !== "string") return
  const { pagination } = await readPage(source, 1, until)
  let sequence = 0
  for (let page = pagination.total_pages; page >= 1; page--) {
    const { data } = await readPage(source, page, until)
    for (const record of data.toReversed()) {
      // Records of that very millisecond may still have come; what was written before is not written again.
      const nth = Number(fieldOf(record, "sequence"))
      if (nth <= sequence) continue
      if (nth !== sequence + 1) throw new ExportFailure("the trail changed while it was read; export it again")
      sequence = nth
      yield JSON.stringify(record)
    }
  }
}
