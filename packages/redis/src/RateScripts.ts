import { script } from "./Script.ts"

/**
 * The step of `SlidingWindow.hit` on KEYS[1], a hash of the window's number and its two counters. ARGV: the ceiling, the engine's
 * time, and for how long Redis keeps what nobody uses. It answers whether the request was counted, and the counters as they were
 * before: all figures follow from them.
 */
export const hitScript = script(
  "rate_hit",
  `
local limit, now = tonumber(ARGV[1]), tonumber(ARGV[2])
local stored = redis.call('HMGET', KEYS[1], 'w', 'c', 'p')
local was, current, previous = tonumber(stored[1] or 0), tonumber(stored[2] or 0), tonumber(stored[3] or 0)
local window, c, p = math.floor(now / 60000), current, previous
if window <= was then
  window = was
else
  p = window == was + 1 and current or 0
  c = 0
end
local into = math.max(0, now - window * 60000)
if p * (60000 - into) + c * 60000 >= limit * 60000 then
  return { 0, was, current, previous }
end
if window == was then
  redis.call('HINCRBY', KEYS[1], 'c', 1)
else
  redis.call('HSET', KEYS[1], 'w', window, 'c', c + 1, 'p', p)
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return { 1, was, current, previous }
`,
)

/** The counters alone. */
export const readScript = script(
  "rate_read",
  `
local stored = redis.call('HMGET', KEYS[1], 'w', 'c', 'p')
return { 0, tonumber(stored[1] or 0), tonumber(stored[2] or 0), tonumber(stored[3] or 0) }
`,
)
