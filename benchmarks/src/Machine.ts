import { readdirSync, readFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"

/** At a higher load average (of the last minute, for each core) the machine is busy before anything was measured. */
const loadPerCoreMax = 0.25

/** When others took more cores than this on average while something was measured, it is no figure. */
export const othersCoresMax = 0.15

/** Linux counts processor time in hundredths of a second, for whoever asks. */
const tickMs = 10

/** Milliseconds of processor that all processes have taken, and what a hypervisor took from all, by `/proc/stat`. Interrupts are nobody's. */
export const machineMs = (stat: string): number => {
  const [, user = 0, nice = 0, system = 0, , , , , steal = 0] = (stat.split("\n", 1)[0] ?? "").split(/\s+/).map(Number)
  return (user + nice + system + steal) * tickMs
}

export interface ProcessTime {
  readonly pid: number
  readonly parent: number
  /** Milliseconds of processor that it took, with those of its children that are gone. */
  readonly ms: number
}

/** A process by its `/proc/<pid>/stat`; its name may have spaces and parentheses. */
export const processTime = (stat: string): ProcessTime => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [parent, user, system, goneUser, goneSystem] = [1, 11, 12, 13, 14].map((nth) => Number(fields[nth]))
  const ticks = (user ?? 0) + (system ?? 0) + (goneUser ?? 0) + (goneSystem ?? 0)
  return { pid: Number.parseInt(stat, 10), parent: parent ?? 0, ms: ticks * tickMs }
}

/** Milliseconds of processor that a process took with all that descend from it. */
export const treeMs = (processes: ReadonlyArray<ProcessTime>, root: number): number => {
  const children = Map.groupBy(processes, ({ parent }) => parent)
  const own = processes.filter(({ pid }) => pid === root)
  // A list is iterated over what is added on the way, too.
  for (const { pid } of own) own.push(...(children.get(pid) ?? []))
  return own.reduce((sum, { ms }) => sum + ms, 0)
}

const statOf = (pid: string): ReadonlyArray<ProcessTime> => {
  try {
    return [processTime(readFileSync(`/proc/${pid}/stat`, "utf8"))]
  } catch {
    // It has ended since the directory was read.
    return []
  }
}

/** What others have taken so far. */
const othersMs = (): number => {
  const all = machineMs(readFileSync("/proc/stat", "utf8"))
  const processes = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? statOf(name) : []))
  return all - treeMs(processes, process.pid)
}

/** Begins to watch; the function says how many cores others had on average since then, and null where that cannot be known. */
export const watchOthers = (): (() => number | null) => {
  if (process.platform !== "linux") return () => null
  const [begun, before] = [performance.now(), othersMs()]
  return () => Math.max(0, (othersMs() - before) / (performance.now() - begun))
}

/** What a run was taken with and on. */
export interface Conditions {
  readonly node: string
  readonly platform: string
  readonly cpu: string
  readonly cores: number
  readonly at: string
  /** The load average of the last minute when it began. */
  readonly load: number
}

export const conditions = (): Conditions => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  at: new Date().toISOString(),
  load: loadavg()[0] ?? 0,
})

/** Why nothing that is measured now would be a figure; null where nothing speaks against it. */
export const busy = ({ cores, load }: Pick<Conditions, "cores" | "load">): string | null =>
  load <= loadPerCoreMax * cores
    ? null
    : `the load average was ${load.toFixed(2)} at the start, more than ${loadPerCoreMax} for each core`
