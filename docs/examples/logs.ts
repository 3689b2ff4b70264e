import { Layer, Logger, References } from "effect"

/** One JSON object a line, from warnings on. */
export const telemetry = Layer.mergeAll(
  Logger.layer([Logger.consoleJson]),
  Layer.succeed(References.MinimumLogLevel, "Warn"),
)
