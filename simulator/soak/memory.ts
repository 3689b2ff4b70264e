/** Loaded into the process of a simulator under load: tells its parent how much memory it holds, whenever asked. */
process.on("message", () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
// The channel alone keeps nobody alive.
process.channel?.unref()
