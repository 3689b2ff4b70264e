/** A label of a metric. Every label has a bound: `values` are all that it may be, or it is one of at most `most` that something else decides. */
export interface Label<V extends string = string> {
  readonly name: string
  readonly values: ReadonlyArray<V> | null
  readonly most: number
  readonly description: string
}

/** What a metric measures: a sum that only grows, how things stand now, or how values are spread. */
export type MetricKind = "counter" | "gauge" | "histogram"

/** A metric as it is declared: everything that is recorded is an entry of `catalogue`. */
export interface Declaration<K extends MetricKind = MetricKind, L extends ReadonlyArray<Label> = ReadonlyArray<Label>> {
  /** As OpenTelemetry writes it, with dots. */
  readonly name: string
  readonly kind: K
  /** In the words of UCUM: `s`, or `{call}` for what is counted. */
  readonly unit: string
  readonly description: string
  readonly labels: L
  /** Upper bounds of a histogram's buckets. */
  readonly boundaries: ReadonlyArray<number>
}

/** One value for each label, in the order of the declaration. */
export type ValuesOf<L extends ReadonlyArray<Label>> = {
  readonly [N in keyof L]: L[N] extends Label<infer V> ? V : never
}

/** A label that is one of these. */
export const oneOf = <V extends string>(name: string, values: ReadonlyArray<V>, description: string): Label<V> => ({
  name,
  values,
  most: values.length,
  description,
})

/** A label whose values follow from something else that is bounded; beyond `most` different ones it says `other`. */
export const upTo = (name: string, most: number, description: string): Label => ({
  name,
  values: null,
  most,
  description,
})

/** What stands for all values of a label beyond its bound. */
export const otherValue = "other"

type Parts<L extends ReadonlyArray<Label>> = readonly [name: string, unit: string, description: string, ...labels: L]

export const counter = <const L extends ReadonlyArray<Label>>(
  ...[name, unit, description, ...labels]: Parts<L>
): Declaration<"counter", L> => ({ name, kind: "counter", unit, description, labels, boundaries: [] })

export const gauge = <const L extends ReadonlyArray<Label>>(
  ...[name, unit, description, ...labels]: Parts<L>
): Declaration<"gauge", L> => ({ name, kind: "gauge", unit, description, labels, boundaries: [] })

export const histogram =
  (boundaries: ReadonlyArray<number>) =>
  <const L extends ReadonlyArray<Label>>(
    ...[name, unit, description, ...labels]: Parts<L>
  ): Declaration<"histogram", L> => ({ name, kind: "histogram", unit, description, labels, boundaries })

/** The most series that a metric can have. */
export const seriesBound = ({ labels }: Declaration): number =>
  labels.reduce((product, { most, values }) => product * (values === null ? most + 1 : most), 1)

/** Its name in Prometheus: dots are underscores, seconds and totals are told by the end of it. */
export const prometheusName = ({ kind, name, unit }: Pick<Declaration, "kind" | "name" | "unit">): string => {
  const base = name.replaceAll(/[^a-zA-Z0-9]/g, "_")
  const measured = unit === "s" ? `${base}_seconds` : base
  return kind === "counter" ? `${measured}_total` : measured
}
