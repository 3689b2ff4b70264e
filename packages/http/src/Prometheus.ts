import type { MetricRegistry } from "@carillon/core"
import { catalogue, prometheusName } from "@carillon/core/ports"
import { Context, Metric } from "effect"

const names = new Map(catalogue.map((declared) => [declared.name, prometheusName(declared)]))

/** What a scrape is answered with: the text format 0.0.4. */
export const prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

/**
 * Everything in a registry as Prometheus reads it; what is declared has its unit at the end of its name, as is the custom there. What Effect formats
 * with is loaded when somebody asks: an engine whose metrics nobody reads starts without it.
 */
export const prometheusText = async (registry: MetricRegistry): Promise<string> => {
  const { PrometheusMetrics } = await import("effect/observability")
  return PrometheusMetrics.formatUnsafe(Context.make(Metric.MetricRegistry, registry), {
    metricNameMapper: (name) => names.get(name) ?? name,
  })
}
