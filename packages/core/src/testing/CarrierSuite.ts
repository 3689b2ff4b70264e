import { layer as withLayer } from "@effect/vitest"
import type { Layer } from "effect"
import type { Telephony } from "../telephony/ports/Telephony.ts"
import { carrierLaws } from "./CarrierLaws.ts"
import type { CarrierStage, CarrierTraits } from "./CarrierStage.ts"

export { CarrierStage, type CarrierTraits, type RefusalKind, type SentCallback } from "./CarrierStage.ts"

/**
 * Lays down what every carrier must do: what a dial is answered with, one leg for each, found for ever, hung up at each phase, reported so that no
 * order of the reports matters. Each test takes ids of its own, so that they may share a far end.
 */
export const suite = <E>(name: string, layer: Layer.Layer<Telephony | CarrierStage, E>, traits: CarrierTraits): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    for (const { holds, name } of carrierLaws(traits)) it.effect(name, () => holds)
  })
