import { catalogue, type Declaration, prometheusName, seriesBound } from "@carillon/core/ports"

const cell = (text: string): string => text.replaceAll("|", "\\|")

const labelLines = ({ labels }: Declaration): ReadonlyArray<string> =>
  labels.map(({ description, most, name, values }) => {
    const bound = values === null ? `at most ${most}, then \`other\`` : values.map((value) => `\`${value}\``).join(", ")
    return `- \`${name}\`: ${description}. ${bound[0]?.toUpperCase()}${bound.slice(1)}.`
  })

const section = (declared: Declaration): string => {
  const { boundaries, description, kind, name, unit } = declared
  const buckets = kind === "histogram" ? [`Buckets end at ${boundaries.join(", ")}.`] : []
  return [
    `### \`${name}\``,
    `In Prometheus \`${prometheusName(declared)}\`. A ${kind} in \`${unit}\`. ${description}`,
    ...(declared.labels.length === 0 ? [] : [labelLines(declared).join("\n")]),
    ...buckets,
  ].join("\n\n")
}

const row = (declared: Declaration): string =>
  `| \`${prometheusName(declared)}\` | ${declared.kind} | ${seriesBound(declared)} | ${cell(declared.description)} |`

/** The page of all metrics, from the list that the code records by. */
export const metricsPage = (): string => `# Metrics

Every metric that an engine records, with all that its labels may be. It is made of the list in the code; \`npm run node -- scripts/pages.ts\` writes it.
[Operating](../guides/operating.md) says how they are read.

No label holds an organization, a number, an id or anything else that customers name, so the count of series has a bound, which a test holds: the third column.
A histogram is three more series for each, and one for each bucket.

| in Prometheus | kind | at most | |
|---|---|---|---|
${catalogue.map(row).join("\n")}

## Each of them

${catalogue.map(section).join("\n\n")}
`
