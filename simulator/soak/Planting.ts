import { registerHooks } from "node:module"
import { planted, plants } from "./Plants.ts"
import { relapses } from "./Relapses.ts"

/** Loaded before a soak: puts the bug that `PLANT` names into the engine while its source is read. */
const plant = [...plants, ...relapses].find(({ name }) => name === process.env["PLANT"])
if (plant === undefined) throw new Error(`PLANT names no plant: ${process.env["PLANT"]}`)

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(plant.file)) return loaded
    const source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source)
    return { ...loaded, source: planted(source, plant) }
  },
})
