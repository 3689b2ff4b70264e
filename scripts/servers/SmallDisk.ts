import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A filesystem of its opener's own, in memory, so small that it can be filled: whoever writes to it is told that no space is left on the device. */
export interface SmallDisk {
  readonly folder: string
  /** Takes every byte that is left. */
  readonly fill: () => void
  /** Gives them back. */
  readonly free: () => void
  readonly close: () => void
}

/** The largest piece first, and in the end the smallest that a filesystem gives. */
const pieces = [1_048_576, 4_096, 1]

const asRoot = (program: string, ...given: ReadonlyArray<string>): string | null => {
  const [command, ...rest] = process.getuid?.() === 0 ? [program, ...given] : ["sudo", "-n", program, ...given]
  const done = spawnSync(command, rest, { encoding: "utf8" })
  return done.status === 0 ? null : (done.error?.message ?? done.stderr.trim())
}

const isFull = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOSPC"

const fill = (file: string): void => {
  const filler = openSync(file, "w")
  try {
    for (const bytes of pieces) {
      const piece = Buffer.alloc(bytes)
      try {
        for (;;) writeSync(filler, piece)
      } catch (error) {
        if (!isFull(error)) throw error
      }
    }
  } finally {
    closeSync(filler)
  }
}

/** Mounts one, or says why there is none: it takes Linux, and root or `sudo` without a password. */
export const openSmallDisk = (megabytes: number): SmallDisk | string => {
  const folder = mkdtempSync(join(tmpdir(), "carillon-disk-"))
  const fault = asRoot("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=1777`, "tmpfs", folder)
  if (fault !== null) {
    rmdirSync(folder)
    return fault
  }
  const filler = join(folder, "filler")
  return {
    folder,
    fill: () => fill(filler),
    free: () => rmSync(filler, { force: true }),
    close: () => {
      const left = asRoot("umount", folder)
      if (left !== null) throw new Error(`umount ${folder}: ${left}`)
      rmdirSync(folder)
    },
  }
}
