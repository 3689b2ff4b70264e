import { Context } from "effect"

/**
 * The organization for which something is done, where that is known; empty for the engine's own work. Whatever several organizations share goes
 * round by it: nothing else depends on it.
 */
export const CurrentParty = Context.Reference<string>("@carillon/core/engine/Party", { defaultValue: () => "" })
