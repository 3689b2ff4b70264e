import { Option, Tracer } from "effect"
import { assert, it } from "vitest"
import { askingSpan, traceparentOf } from "../../src/operating/rules/TraceParent.ts"

it("names a span as it reads it, and one without such ids not at all", () => {
  const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"]
  for (const sampled of [true, false]) {
    const read = Option.getOrNull(askingSpan(traceparentOf(Tracer.externalSpan({ traceId, spanId, sampled }))))
    assert.deepInclude(read, { traceId, spanId, sampled })
  }
  assert.isNull(traceparentOf(Tracer.externalSpan({ traceId: "noop", spanId: "noop" })))
})
