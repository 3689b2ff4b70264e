import { registerHooks } from "node:module"
import { plants } from "./Plants.ts"
import { relapses } from "./Relapses.ts"

/** Loaded before a soak: puts the bug that `PLANT` names into the engine while its source is read. */
const plant = [...plants, ...relapses].find(({ name }) => name === process.env["PLANT"])
if (plant === undefined) throw new Error(`PLANT names no plant: ${process.env["PLANT"]}`)

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(plant.file)) return loaded
    const source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source)
    if (source.split(plant.instead).length !== 2) throw new Error(`${plant.name} does not fit ${plant.file}`)
    return { ...loaded, source: source.replace(plant.instead, () => plant.of) }
  },
})
