import { Context, Effect, Layer } from "effect"
import { Simulator, type SimulatorOptions } from "./Simulator.ts"

/** A simulator as a service, for programs that are written with Effect. */
export class SimulatedWorld extends Context.Service<SimulatedWorld, Simulator>()("@carillon/simulator/SimulatedWorld") {
  /** A fresh world that is closed with its scope. */
  static readonly layer = (options: SimulatorOptions = {}) =>
    Layer.effect(
      SimulatedWorld,
      Effect.acquireRelease(
        Effect.promise(() => Simulator.start(options)),
        (simulator) => Effect.promise(() => simulator.close()),
      ),
    )
}
