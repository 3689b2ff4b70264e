import { Clock, Context, Effect, Layer, Metric } from "effect"
import { type Declaration, type Label, otherValue, type ValuesOf } from "../rules/Declaration.ts"

const nanosPerSecond = 1e9

/** What is measured of one engine: two in one process share none. */
export type MetricRegistry = typeof Metric.MetricRegistry.Service

interface Family {
  readonly series: Map<string, Series>
  /** Of each label without a list, the values that were seen. */
  readonly seen: ReadonlyArray<Set<string>>
}

type Series = Metric.Metric<number, unknown>

const separator = "\u0000"

const boundedBy = (label: Label, seen: Set<string> | undefined, value: string): string => {
  if (label.values !== null || seen === undefined || seen.has(value)) return value
  if (seen.size >= label.most) return otherValue
  seen.add(value)
  return value
}

const metricOf = (
  { boundaries, description, kind, labels, name, unit }: Declaration,
  values: ReadonlyArray<string>,
): Series => {
  // The exporter of OTLP reads the unit here, and the one of Prometheus leaves it out.
  const attributes = {
    unit,
    ...Object.fromEntries(labels.map((label, nth) => [label.name, values[nth] ?? otherValue])),
  }
  switch (kind) {
    case "counter":
      return Metric.counter(name, { description, attributes, incremental: true })
    case "gauge":
      return Metric.gauge(name, { description, attributes })
    case "histogram":
      return Metric.histogram(name, { description, attributes, boundaries })
  }
}

/** Records what is declared in `metrics` into a registry of Effect's, from which Prometheus and OTLP read. It is cheap, and never fails. */
export class Meters {
  readonly #context: Context.Context<never>
  readonly #clock: Clock.Clock
  readonly #families = new Map<Declaration, Family>()

  constructor(registry: MetricRegistry, clock: Clock.Clock) {
    this.#context = Context.make(Metric.MetricRegistry, registry)
    this.#clock = clock
  }

  /** A moment in seconds, from which `record` measures. */
  now(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / nanosPerSecond
  }

  count<L extends ReadonlyArray<Label>>(declared: Declaration<"counter", L>, values: ValuesOf<L>, by = 1): void {
    this.#series(declared, values).updateUnsafe(by, this.#context)
  }

  record<L extends ReadonlyArray<Label>>(
    declared: Declaration<"histogram", L>,
    values: ValuesOf<L>,
    value: number,
  ): void {
    this.#series(declared, values).updateUnsafe(value, this.#context)
  }

  set<L extends ReadonlyArray<Label>>(declared: Declaration<"gauge", L>, values: ValuesOf<L>, value: number): void {
    this.#series(declared, values).updateUnsafe(value, this.#context)
  }

  /** Says nothing of it any more: what is not known is not told as it was. */
  forget<L extends ReadonlyArray<Label>>(declared: Declaration<"gauge", L>, values: ValuesOf<L>): void {
    Metric.removeUnsafe(this.#series(declared, values), this.#context)
  }

  /** A gauge without labels that is read when somebody asks for it. */
  watch(declared: Declaration<"gauge", readonly []>, read: () => number): void {
    const { description, name, unit } = declared
    const watched = Metric.gauge(name, { description, attributes: { unit } })
    const nothing = () => undefined
    Metric.registerUnsafe(watched, this.#context, { get: () => ({ value: read() }), update: nothing, modify: nothing })
  }

  #series(declared: Declaration, values: ReadonlyArray<string>): Series {
    let family = this.#families.get(declared)
    if (family === undefined) {
      family = { series: new Map(), seen: declared.labels.map(() => new Set<string>()) }
      this.#families.set(declared, family)
    }
    const { seen, series } = family
    const asked = values.join(separator)
    const known = series.get(asked)
    if (known !== undefined) return known
    const bounded = values.map((value, nth) => {
      const label = declared.labels[nth]
      return label === undefined ? otherValue : boundedBy(label, seen[nth], value)
    })
    const key = bounded.join(separator)
    const found = series.get(key) ?? metricOf(declared, bounded)
    series.set(key, found)
    return found
  }
}

/** Where an engine records what it measures; null, which is the default, measures nothing. */
export const CurrentMeters = Context.Reference<Meters | null>("@carillon/core/metrics/Meters", {
  defaultValue: () => null,
})

/** Measures into a registry, unless that is switched off, and lets exporters read from it. */
export const metersLayer = (registry: MetricRegistry, isMeasured = true): Layer.Layer<never> =>
  Layer.effectContext(
    Effect.map(Clock.Clock, (clock) =>
      Context.make(Metric.MetricRegistry, registry).pipe(
        Context.add(CurrentMeters, isMeasured ? new Meters(registry, clock) : null),
      ),
    ),
  )
