import type { Carillon } from "@carillon/http"

/** Lets every process on these rows dial again; returns the hold that stood, or null. */
export const release = (carillon: Carillon) => carillon.dialling.release()
