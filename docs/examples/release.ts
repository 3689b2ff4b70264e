import { Dialling } from "@carillon/core"
import type { Carillon } from "@carillon/http"
import { Effect } from "effect"

/** Lets every process on these rows dial again; returns the hold that stood, or null. */
export const release = (carillon: Carillon) => carillon.run(Effect.flatMap(Dialling, (dialling) => dialling.release))
