import { type HeapProfiler, Session } from "node:inspector/promises"
import { timed } from "./Harness.ts"

/** One allocation in so many bytes is looked at: of a round that allocates hundreds of megabytes that is one in ten thousand, give or take. */
const samplingInterval = 32_768

const bytesOf = ({ children, selfSize }: HeapProfiler.SamplingHeapProfileNode): number =>
  children.reduce((sum, child) => sum + bytesOf(child), selfSize)

/** Measures work as `timed` does, and how many bytes it has allocated, those that were collected meanwhile included; by samples. */
export const allocated: typeof timed = async (work) => {
  const session = new Session()
  session.connect()
  await session.post("HeapProfiler.startSampling", {
    samplingInterval,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  const round = await timed(work)
  const { profile } = await session.post("HeapProfiler.stopSampling")
  session.disconnect()
  return { ...round, bytes: bytesOf(profile.head) }
}
