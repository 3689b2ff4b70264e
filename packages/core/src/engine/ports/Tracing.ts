import { Context, Effect, Tracer } from "effect"

/** Whether spans are made; where they go to is the tracer's business. Off unless the host asks for them. */
export const CurrentTracing = Context.Reference<boolean>("@carillon/core/engine/Tracing", {
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
