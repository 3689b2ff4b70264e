import { Option, Tracer } from "effect"

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
