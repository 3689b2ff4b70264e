import { Clock, Duration, Effect } from "effect"
import type { VendorClock } from "../vendors/Vendor.ts"

/** Effect's time on the world's, so that what sleeps wakes with the rest of it. */
export const effectClock = ({ at, now }: VendorClock): Clock.Clock => {
  const nanos = () => BigInt(now()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const wake = async () => resume(Effect.void)
        const cancel = at(now() + Duration.toMillis(duration), wake)
        return Effect.sync(cancel)
      }),
  }
}
