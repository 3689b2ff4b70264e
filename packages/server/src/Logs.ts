import { Layer, Logger, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import type { Settings } from "./settings/Settings.ts"

type Telling = Pick<Settings, "logFormat" | "logLevel">

/** How lines are written. */
export const logs = ({ logFormat, logLevel }: Telling): Layer.Layer<never> =>
  Layer.merge(
    Logger.layer([logFormat === "json" ? Logger.consoleJson : Logger.consoleLogFmt]),
    Layer.succeed(References.MinimumLogLevel, logLevel),
  )

/** The same, and what is sent as OTLP. */
export const telemetry = (settings: Telling & Pick<Settings, "otlpUrl">): Layer.Layer<never> =>
  settings.otlpUrl === undefined
    ? logs(settings)
    : Layer.provideMerge(
        Otlp.layerProtobuf({ baseUrl: settings.otlpUrl, resource: { serviceName: "carillon" } }).pipe(
          Layer.provide(FetchHttpClient.layer),
        ),
        logs(settings),
      )
