import { Context, Effect, Option, Tracer } from "effect"

/** Whether spans are made; where they go to is the tracer's business. Off unless the host asks for them. */
export const CurrentTracing = Context.Reference<boolean>("@carillon/core/operating/Tracing", {
  defaultValue: () => false,
})

/**
 * Runs an effect under a span where spans are made (`CurrentTracing`, asked for once), and is the effect itself where they are not. Attributes
 * name nobody's number and nothing that customers have written.
 */
export const traced = <A, E>(
  isTraced: boolean,
  span: () => Tracer.SpanOptionsNoTrace & { readonly name: string },
  effect: Effect.Effect<A, E>,
): Effect.Effect<A, E> => {
  if (!isTraced) return effect
  const { name, ...options } = span()
  return Effect.withSpan(effect, name, options)
}

const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span of whoever asks, as the header `traceparent` names it (W3C Trace Context); nothing where it names none. */
export const askingSpan = (header: string | null): Option.Option<Tracer.ExternalSpan> => {
  const [, traceId, spanId, flags] = traceparent.exec(header ?? "") ?? []
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return Option.none()
  const sampled = (Number.parseInt(flags ?? "0", 16) & 1) === 1
  return Option.some(Tracer.externalSpan({ traceId, spanId, sampled }))
}

/** The value of the header `traceparent` for whoever is asked under this span; null where its tracer has ids that are none of W3C's, or none. */
export const traceparentOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): string | null => {
  const value = `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
  return Option.isSome(askingSpan(value)) ? value : null
}
