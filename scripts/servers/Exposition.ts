/** One sample of Prometheus' text format. */
export interface Sample {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
}

interface Family {
  readonly type: string
  readonly samples: Array<Sample>
}

const nameText = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const labelText = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/

const fault = (line: string, why: string): never => {
  throw new Error(`${why}: ${line}`)
}

const numberOf = (text: string, line: string): number => {
  if (text === "+Inf") return Infinity
  if (text === "-Inf") return -Infinity
  const value = Number(text)
  return text === "" || Number.isNaN(value) ? fault(line, "no number") : value
}

const labelsOf = (text: string, line: string): ReadonlyMap<string, string> => {
  const labels = new Map<string, string>()
  for (let rest = text; rest !== "";) {
    const [whole = "", name = "", value = ""] = labelText.exec(rest) ?? fault(line, "no label")
    if (labels.has(name)) fault(line, "a label twice")
    labels.set(name, value)
    rest = rest.slice(whole.length)
  }
  return labels
}

const suffixes: Readonly<Record<string, ReadonlyArray<string>>> = {
  histogram: ["_bucket", "_sum", "_count"],
  counter: [""],
  gauge: [""],
}

const keyOf = (labels: ReadonlyMap<string, string>, without?: string): string =>
  JSON.stringify([...labels].filter(([name]) => name !== without).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The buckets of each series grow with their bounds, and the last of them is its count. */
const judgeHistogram = (name: string, samples: ReadonlyArray<Sample>): void => {
  const last = new Map<string, { readonly bound: number; readonly value: number }>()
  for (const { labels, name: part, value } of samples) {
    const key = keyOf(labels, "le")
    const before = last.get(key)
    if (part === `${name}_bucket`) {
      const bound = numberOf(labels.get("le") ?? "", name)
      if (before !== undefined && (bound <= before.bound || value < before.value)) fault(name, "buckets out of order")
      last.set(key, { bound, value })
    } else if (part === `${name}_count` && (before?.bound !== Infinity || before.value !== value)) {
      fault(name, "a count that is not its last bucket's")
    }
  }
}

/** Reads Prometheus' text format, strictly: every family has its type first and its samples together, no series comes twice. */
export const readExposition = (text: string): ReadonlyMap<string, Family> => {
  const families = new Map<string, Family>()
  let open: (Family & { readonly name: string }) | null = null
  if (text !== "" && !text.endsWith("\n")) fault(text.slice(-80), "no newline at the end")
  for (const line of text.split("\n").slice(0, -1)) {
    const [, comment, named = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (comment === "HELP") continue
    if (comment === "TYPE") {
      if (!nameText.test(named) || families.has(named) || suffixes[rest] === undefined) fault(line, "a type")
      open = { name: named, type: rest, samples: [] }
      families.set(named, open)
      continue
    }
    const [, name = "", labels = "", value = ""] = sampleLine.exec(line) ?? fault(line, "no sample")
    const belongs = open !== null && suffixes[open.type]?.some((suffix) => name === open?.name + suffix)
    if (open === null || belongs !== true) fault(line, "a sample without its type")
    open?.samples.push({ name, labels: labelsOf(labels, line), value: numberOf(value, line) })
  }
  for (const [name, { samples, type }] of families) {
    const keys = samples.map((sample) => sample.name + keyOf(sample.labels))
    if (new Set(keys).size !== keys.length) fault(name, "a series twice")
    if (type === "histogram") judgeHistogram(name, samples)
    if (type === "counter" && samples.some(({ value }) => value < 0)) fault(name, "a counter below zero")
  }
  return families
}
