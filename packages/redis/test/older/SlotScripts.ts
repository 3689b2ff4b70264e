import { script } from "../../src/Script.ts"

/*
 * The gate as Lua. All keys are declared and lie under one hash tag, whatever the dial:
 *
 *   KEYS[1] slots      hash   execution id -> its membership; fields that begin with # are the gate's own: '#wait <execution id>' -> the
 *                      request of a dial that waits, '#turn <organization>' -> two digits: the dispatcher is owed a line, one is kept for it
 *   KEYS[2] lines      sorted set, all scores 0: '<level> <key>\0<execution id>' for each level of each member, and 'member\0<execution id>'.
 *                      How many lines of a level are taken is how many entries begin with it: memberships are counted, never numbers kept.
 *   KEYS[3] queue      sorted set, all scores 0: '<level> <key>\0<arrival>\0<execution id>' in the line of the level that blocks it
 *   KEYS[4] deadlines  sorted set: execution id by the end of its reservation, or of its wait
 *   KEYS[5] rebuilds   hash   who enters the memberships that the rows prove
 *
 * #epoch is the run id of the server on which the memberships were last complete. A server that was restarted or flushed, or took
 * over, has another one or none, and no line is given there before the rows were entered again. Ids hold no NUL.
 */

const state = String.raw`
local slots, lines, queue, deadlines = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local call, pack, unpacked = redis.call, cmsgpack.pack, cmsgpack.unpack

local function used(line)
  return call('ZLEXCOUNT', lines, '[' .. line .. '\0', '(' .. line .. '\1')
end
`

/** Memberships: fence, held, end of the reservation, organization, token of who asked, lines. */
const memberships = String.raw`
local function enter(exec, org, asked, fence, held, reserved, token)
  local entries = { 0, 'member\0' .. exec }
  for _, line in ipairs(asked) do
    entries[#entries + 1] = 0
    entries[#entries + 1] = line .. '\0' .. exec
  end
  call('ZADD', lines, unpack(entries))
  call('HSET', slots, exec, pack({ fence, held, reserved, org, token, asked }), '#fence', fence)
  if held == 0 then call('ZADD', deadlines, reserved, exec) end
end

local function remove(exec, member)
  local entries = { 'member\0' .. exec }
  for _, line in ipairs(member[6]) do entries[#entries + 1] = line .. '\0' .. exec end
  call('ZREM', lines, unpack(entries))
  call('HDEL', slots, exec)
  if member[2] == 0 then call('ZREM', deadlines, exec) end
end

local function waiter_of(exec)
  local raw = call('HGET', slots, '#wait ' .. exec)
  return raw and unpacked(raw)
end

local function leave(exec, waiter)
  if not waiter then return end
  call('HDEL', slots, '#wait ' .. exec)
  call('ZREM', queue, waiter.line .. '\0' .. waiter.arrival .. '\0' .. exec)
  call('ZREM', deadlines, exec)
end
`

/** Admission, as SlotLevels.admit has it, and the line of those who wait. */
const admission = String.raw`
local function turn_of(raw)
  return raw and { owed = string.sub(raw, 1, 1) == '1', kept = string.sub(raw, 2, 2) == '1' }
end

local function read_turn(org)
  return turn_of(call('HGET', slots, '#turn ' .. org))
end

local function set_turn(org, turn)
  call('HSET', slots, '#turn ' .. org, (turn.owed and '1' or '0') .. (turn.kept and '1' or '0'))
end

local function took(org, dispatched, turn)
  if not turn then return end
  turn.owed = not dispatched
  if dispatched then turn.kept = false end
  set_turn(org, turn)
end

-- The first level that is full, and how many of its lines are taken. A line kept for the dispatcher is not for a direct dial.
local function blocking(asked, ceilings, org, dispatched, turn)
  local kept = turn and turn.kept and not dispatched
  for n, line in ipairs(asked) do
    if ceilings[n] >= 0 then
      local taken = used(line)
      local spoken = taken
      if kept and string.sub(line, 1, 13) == 'organization ' then spoken = taken + 1 end
      if spoken >= ceilings[n] then return n, taken end
    end
  end
end

-- Stands in the line of the level that blocks it; one that stood already keeps its arrival.
local function stand(exec, waiter, stood, line)
  waiter.arrival = stood and stood.arrival or string.format('%016.0f', call('HINCRBY', slots, '#arrival', 1))
  leave(exec, stood)
  waiter.line = line
  call('HSET', slots, '#wait ' .. exec, pack(waiter))
  call('ZADD', queue, 0, line .. '\0' .. waiter.arrival .. '\0' .. exec)
  call('ZADD', deadlines, waiter.wait, exec)
end
`

/** Handing on what came free, as MemorySlots does: every turn of the loop grants, moves a waiter away or closes a line. */
const handing = String.raw`
-- Time only goes on, whichever process tells it.
local function monotone(now)
  local known = tonumber(call('HGET', slots, '#clock') or 0)
  if now <= known then return known end
  call('HSET', slots, '#clock', now)
  return now
end

local function first_of(open)
  local arrival, exec
  for line in pairs(open) do
    local head = call('ZRANGEBYLEX', queue, '[' .. line .. '\0', '(' .. line .. '\1', 'LIMIT', 0, 1)[1]
    if head then
      local came = string.sub(head, #line + 2, #line + 17)
      if not arrival or came < arrival then arrival, exec = came, string.sub(head, #line + 19) end
    end
  end
  return exec
end

local function hand_on(open, now, channel)
  local granted = {}
  while true do
    local exec = first_of(open)
    if not exec then break end
    local waiter = waiter_of(exec)
    local turn = read_turn(waiter.org)
    local at = blocking(waiter.lines, waiter.ceilings, waiter.org, waiter.dispatched, turn)
    if waiter.wait < now then
      leave(exec, waiter)
    elseif not at and turn and turn.owed and not turn.kept then
      set_turn(waiter.org, { owed = false, kept = true })
    elseif not at then
      leave(exec, waiter)
      took(waiter.org, waiter.dispatched, turn)
      local fence = call('HINCRBY', slots, '#fence', 1)
      enter(exec, waiter.org, waiter.lines, fence, 0, waiter.reserved, waiter.token)
      granted[#granted + 1] = exec
    else
      local line = waiter.lines[at]
      open[line] = nil
      if line ~= waiter.line then stand(exec, waiter, waiter_of(exec), line) end
    end
  end
  if #granted > 0 then call('PUBLISH', channel, cjson.encode(granted)) end
  return granted
end

local function hand_on_lines(of, now, channel)
  if call('ZCARD', queue) == 0 then return {} end
  local open = {}
  for _, line in ipairs(of) do open[line] = true end
  return hand_on(open, monotone(now), channel)
end
`

/**
 * ARGV: run id, execution id, organization, end of the reservation, end of the wait or -1, token, then each level's line and ceiling
 * (-1: none). Answers {1, fence}, {0, number of the level, taken, ceiling}, or {-1} where the memberships are not complete.
 */
export const acquireScript = script(
  "acquire",
  state,
  memberships,
  admission,
  String.raw`
local exec, org, token = ARGV[2], ARGV[3], ARGV[6]
local known = call('HMGET', slots, '#epoch', exec, '#fence', '#turn ' .. org, '#wait ' .. exec)
if known[1] ~= ARGV[1] then return { -1 } end
if known[2] then
  local member = unpacked(known[2])
  if member[5] ~= token then
    member[5] = token
    call('HSET', slots, exec, pack(member))
  end
  return { 1, member[1] }
end
local asked, ceilings, dispatched = {}, {}, false
for n = 7, #ARGV, 2 do
  asked[#asked + 1] = ARGV[n]
  ceilings[#ceilings + 1] = tonumber(ARGV[n + 1])
  if string.sub(ARGV[n], 1, 9) == 'campaign ' then dispatched = true end
end
local turn, stood = turn_of(known[4]), known[5] and unpacked(known[5])
local reserved, wait = tonumber(ARGV[4]), tonumber(ARGV[5])
local at, taken = blocking(asked, ceilings, org, dispatched, turn)
if not at then
  leave(exec, stood)
  took(org, dispatched, turn)
  local fence = tonumber(known[3]) + 1
  enter(exec, org, asked, fence, 0, reserved, token)
  return { 1, fence }
end
if wait >= 0 then
  local waiter = { org = org, lines = asked, ceilings = ceilings, dispatched = dispatched, reserved = reserved, wait = wait, token = token }
  stand(exec, waiter, stood, asked[at])
end
return { 0, at, taken, ceilings[at] }
`,
)

/** ARGV: execution id, fence. Answers 1 where the membership lasts from now on. */
export const holdScript = script(
  "hold",
  state,
  String.raw`
local raw = call('HGET', slots, ARGV[1])
if not raw then return 0 end
local member = unpacked(raw)
if member[1] ~= tonumber(ARGV[2]) then return 0 end
if member[2] == 0 then
  member[2] = 1
  call('HSET', slots, ARGV[1], pack(member))
  call('ZREM', deadlines, ARGV[1])
end
return 1
`,
)

/** ARGV: execution id, fence, time, channel. Answers the dials that were granted a line. */
export const releaseScript = script(
  "release",
  state,
  memberships,
  admission,
  handing,
  String.raw`
local raw = call('HGET', slots, ARGV[1])
if not raw then return {} end
local member = unpacked(raw)
if member[1] ~= tonumber(ARGV[2]) then return {} end
remove(ARGV[1], member)
return hand_on_lines(member[6], tonumber(ARGV[3]), ARGV[4])
`,
)

/** Takes back an acquire whose answer was lost; nobody can have held it, because nobody knows its fence. ARGV: execution id, its token, time, channel. */
export const abandonScript = script(
  "abandon",
  state,
  memberships,
  admission,
  handing,
  String.raw`
local waiter = waiter_of(ARGV[1])
if waiter and waiter.token == ARGV[2] then leave(ARGV[1], waiter) end
local raw = call('HGET', slots, ARGV[1])
if not raw then return {} end
local member = unpacked(raw)
if member[5] ~= ARGV[2] then return {} end
remove(ARGV[1], member)
return hand_on_lines(member[6], tonumber(ARGV[3]), ARGV[4])
`,
)

/** What was reserved for it and is not held is handed on. ARGV: execution id, time, channel. Answers the dials that were granted a line. */
export const leaveScript = script(
  "leave",
  state,
  memberships,
  admission,
  handing,
  String.raw`
leave(ARGV[1], waiter_of(ARGV[1]))
local raw = call('HGET', slots, ARGV[1])
if not raw then return {} end
local member = unpacked(raw)
if member[2] == 1 then return {} end
remove(ARGV[1], member)
return hand_on_lines(member[6], tonumber(ARGV[2]), ARGV[3])
`,
)

/** ARGV: run id, lines. Answers how many are taken of each; nothing where the memberships are not complete. */
export const usedScript = script(
  "used",
  state,
  String.raw`
local counts = {}
if call('HGET', slots, '#epoch') ~= ARGV[1] then return counts end
for n = 2, #ARGV do counts[n - 1] = used(ARGV[n]) end
return counts
`,
)

/** ARGV: the execution id after which to begin, how many. Answers {execution id, organization, fence, held, end of the reservation, lines}. */
export const membersScript = script(
  "members",
  state,
  String.raw`
local first = 'member\0' .. ARGV[1]
local found = {}
for n, entry in ipairs(call('ZRANGEBYLEX', lines, '(' .. first, '(member\1', 'LIMIT', 0, ARGV[2])) do
  local exec = string.sub(entry, 8)
  local member = unpacked(call('HGET', slots, exec))
  found[n] = { exec, member[4], member[1], member[2], member[3], member[6] }
end
return found
`,
)

/** Enters a held membership, over a ceiling if need be. ARGV: execution id, organization, fence, lines. */
export const restoreScript = script(
  "restore",
  state,
  memberships,
  String.raw`
local exec, fence = ARGV[1], tonumber(ARGV[3])
local raw = call('HGET', slots, exec)
if raw then
  local known = unpacked(raw)
  if known[2] == 1 then return 0 end
  remove(exec, known)
end
leave(exec, waiter_of(exec))
local asked = {}
for n = 4, #ARGV do asked[#asked + 1] = ARGV[n] end
local newest = math.max(fence, tonumber(call('HGET', slots, '#fence') or 0))
enter(exec, ARGV[2], asked, fence, 1, 0, '')
call('HSET', slots, '#fence', newest)
return 1
`,
)

/** ARGV: organization, whether contacts want lines, time, channel. */
export const wantScript = script(
  "want",
  state,
  memberships,
  admission,
  handing,
  String.raw`
local org, wanting = ARGV[1], ARGV[2] == '1'
local turn = read_turn(org)
if not wanting then
  call('HDEL', slots, '#turn ' .. org)
elseif not turn then
  set_turn(org, { owed = false, kept = false })
end
if not turn or not turn.kept then return {} end
if wanting then set_turn(org, { owed = turn.owed, kept = false }) end
return hand_on_lines({ 'organization ' .. org }, tonumber(ARGV[3]), ARGV[4])
`,
)

/**
 * Voids what has lapsed before any line is handed on, and forgets who waited in vain. Where one key was lost without the other, what is left
 * is not complete any more. ARGV: time, channel.
 */
export const lapseScript = script(
  "lapse",
  state,
  memberships,
  admission,
  handing,
  String.raw`
local now = monotone(tonumber(ARGV[1]))
if not call('ZSCORE', lines, '#') then call('HDEL', slots, '#epoch') end
local open = {}
for _, exec in ipairs(call('ZRANGEBYSCORE', deadlines, '-inf', now)) do
  local raw = call('HGET', slots, exec)
  if raw then
    local member = unpacked(raw)
    remove(exec, member)
    for _, line in ipairs(member[6]) do open[line] = true end
  else
    local waiter = waiter_of(exec)
    if waiter and waiter.wait < now then leave(exec, waiter) end
  end
end
return hand_on(open, now, ARGV[2])
`,
)

/** Begins to enter what the rows prove. What one key lost without the others is worth nothing, so it goes. ARGV: who, how long it may take. */
export const beginRebuildScript = script(
  "begin_rebuild",
  state,
  String.raw`
local sound = call('HEXISTS', slots, '#epoch') == 1 and call('ZSCORE', lines, '#')
if not sound and call('HLEN', KEYS[5]) == 0 then
  call('DEL', slots, lines, queue, deadlines)
end
call('HSET', KEYS[5], ARGV[1], 1)
call('PEXPIRE', KEYS[5], ARGV[2])
return 1
`,
)

/**
 * Says that the memberships are complete. ARGV: who, run id. Answers 0 where they were lost again meanwhile. Fences go on from the
 * present microsecond, so that none that was given before is given again.
 */
export const endRebuildScript = script(
  "end_rebuild",
  state,
  String.raw`
if call('HEXISTS', KEYS[5], ARGV[1]) == 0 then
  return call('HGET', slots, '#epoch') == ARGV[2] and call('ZSCORE', lines, '#') and 1 or 0
end
local time = call('TIME')
local fence = math.max(tonumber(call('HGET', slots, '#fence') or 0), tonumber(time[1]) * 1000000 + tonumber(time[2]))
call('HSET', slots, '#epoch', ARGV[2], '#fence', fence)
call('ZADD', lines, 0, '#')
call('DEL', KEYS[5])
return 1
`,
)
