import { script } from "./Script.ts"

/*
 * The gate as Lua. All keys are declared and lie under one hash tag, whatever the dial:
 *
 *   KEYS[1] members    hash   execution id -> its membership; the fields that begin with # are the gate's own
 *   KEYS[2] lines      sorted set, all scores 0: '<level> <key>\0<execution id>' for each level of each member, and 'member\0<execution id>'.
 *                      How many lines of a level are taken is how many entries begin with it: memberships are counted, never numbers kept.
 *   KEYS[3] waiting    hash   execution id -> the request of a dial that waits
 *   KEYS[4] queue      sorted set, all scores 0: '<level> <key>\0<arrival>\0<execution id>' in the line of the level that blocks it
 *   KEYS[5] deadlines  sorted set: execution id by the end of its reservation, or of its wait
 *   KEYS[6] turns      hash   organization -> two digits: the dispatcher is owed a line, a line is kept for it
 *   KEYS[7] rebuilds   hash   who enters the memberships that the rows prove
 *
 * #epoch is the run id of the server on which the memberships were last complete. A server that was restarted or flushed, or took
 * over, has another one or none, and no line is given there before the rows were entered again. Ids hold no NUL.
 */

const state = String.raw`
local members, lines, waiting, queue, deadlines, turns = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local call, pack, unpack_ = redis.call, cmsgpack.pack, cmsgpack.unpack

local function complete(epoch, run)
  return epoch == run and call('ZSCORE', lines, '#')
end

local function used(line)
  return call('ZLEXCOUNT', lines, '[' .. line .. '\0', '(' .. line .. '\1')
end
`

/** Memberships: fence, held, end of the reservation, organization, token of who asked, lines. */
const memberships = String.raw`
local function enter(exec, org, asked, fence, held, until_, token)
  local entries = { 0, 'member\0' .. exec }
  for _, line in ipairs(asked) do
    entries[#entries + 1] = 0
    entries[#entries + 1] = line .. '\0' .. exec
  end
  call('ZADD', lines, unpack(entries))
  call('HSET', members, exec, pack({ fence, held, until_, org, token, asked }))
  if held == 0 then call('ZADD', deadlines, until_, exec) end
end

local function remove(exec, member)
  local entries = { 'member\0' .. exec }
  for _, line in ipairs(member[6]) do entries[#entries + 1] = line .. '\0' .. exec end
  call('ZREM', lines, unpack(entries))
  call('HDEL', members, exec)
  if member[2] == 0 then call('ZREM', deadlines, exec) end
end

local function leave(exec)
  local raw = call('HGET', waiting, exec)
  if not raw then return end
  local waiter = unpack_(raw)
  call('HDEL', waiting, exec)
  call('ZREM', queue, waiter.line .. '\0' .. waiter.arrival .. '\0' .. exec)
  call('ZREM', deadlines, exec)
end
`

/** Admission, as SlotLevels.admit has it, and the line of those who wait. */
const admission = String.raw`
local function turn_of(org)
  local raw = call('HGET', turns, org)
  if not raw then return nil end
  return { owed = string.sub(raw, 1, 1) == '1', kept = string.sub(raw, 2, 2) == '1' }
end

local function set_turn(org, turn)
  call('HSET', turns, org, (turn.owed and '1' or '0') .. (turn.kept and '1' or '0'))
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

local function stand(exec, waiter, line)
  local raw = call('HGET', waiting, exec)
  if raw then
    waiter.arrival = unpack_(raw).arrival
    leave(exec)
  elseif not waiter.arrival then
    waiter.arrival = string.format('%016.0f', call('HINCRBY', members, '#arrival', 1))
  end
  waiter.line = line
  call('HSET', waiting, exec, pack(waiter))
  call('ZADD', queue, 0, line .. '\0' .. waiter.arrival .. '\0' .. exec)
  call('ZADD', deadlines, waiter.wait, exec)
end
`

/** Handing on what came free, as MemorySlots does: every turn of the loop grants, moves a waiter away or closes a line. */
const handing = String.raw`
-- Time only goes on, whichever process tells it.
local function monotone(now)
  local known = tonumber(call('HGET', members, '#clock') or 0)
  if now <= known then return known end
  call('HSET', members, '#clock', now)
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
    local waiter = unpack_(call('HGET', waiting, exec))
    local turn = turn_of(waiter.org)
    local at = blocking(waiter.lines, waiter.ceilings, waiter.org, waiter.dispatched, turn)
    if waiter.wait < now then
      leave(exec)
    elseif not at and turn and turn.owed and not turn.kept then
      set_turn(waiter.org, { owed = false, kept = true })
    elseif not at then
      leave(exec)
      took(waiter.org, waiter.dispatched, turn)
      enter(exec, waiter.org, waiter.lines, call('HINCRBY', members, '#fence', 1), 0, waiter.reserved, waiter.token)
      granted[#granted + 1] = exec
    else
      local line = waiter.lines[at]
      open[line] = nil
      if line ~= waiter.line then stand(exec, waiter, line) end
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
  state,
  memberships,
  admission,
  String.raw`
local exec, org = ARGV[2], ARGV[3]
local stored = call('HMGET', members, '#epoch', exec)
if not complete(stored[1], ARGV[1]) then return { -1 } end
if stored[2] then
  local member = unpack_(stored[2])
  if member[5] ~= ARGV[6] then
    member[5] = ARGV[6]
    call('HSET', members, exec, pack(member))
  end
  return { 1, member[1] }
end
local asked, ceilings, dispatched = {}, {}, false
for n = 7, #ARGV, 2 do
  asked[#asked + 1] = ARGV[n]
  ceilings[#ceilings + 1] = tonumber(ARGV[n + 1])
  if string.sub(ARGV[n], 1, 9) == 'campaign ' then dispatched = true end
end
local turn = turn_of(org)
local at, taken = blocking(asked, ceilings, org, dispatched, turn)
if not at then
  leave(exec)
  took(org, dispatched, turn)
  local fence = call('HINCRBY', members, '#fence', 1)
  enter(exec, org, asked, fence, 0, tonumber(ARGV[4]), ARGV[6])
  return { 1, fence }
end
local wait = tonumber(ARGV[5])
if wait >= 0 then
  stand(exec, {
    org = org, lines = asked, ceilings = ceilings, dispatched = dispatched,
    reserved = tonumber(ARGV[4]), wait = wait, token = ARGV[6]
  }, asked[at])
end
return { 0, at, taken, ceilings[at] }
`,
)

/** ARGV: execution id, fence. Answers 1 where the membership lasts from now on. */
export const holdScript = script(
  state,
  String.raw`
local raw = call('HGET', members, ARGV[1])
if not raw then return 0 end
local member = unpack_(raw)
if member[1] ~= tonumber(ARGV[2]) then return 0 end
if member[2] == 0 then
  member[2] = 1
  call('HSET', members, ARGV[1], pack(member))
  call('ZREM', deadlines, ARGV[1])
end
return 1
`,
)

/** ARGV: execution id, fence, time, channel. Answers the dials that were granted a line. */
export const releaseScript = script(
  state,
  memberships,
  admission,
  handing,
  String.raw`
local raw = call('HGET', members, ARGV[1])
if not raw then return {} end
local member = unpack_(raw)
if member[1] ~= tonumber(ARGV[2]) then return {} end
remove(ARGV[1], member)
return hand_on_lines(member[6], tonumber(ARGV[3]), ARGV[4])
`,
)

/** Takes back an acquire whose answer was lost. ARGV: execution id, its token, time, channel. */
export const abandonScript = script(
  state,
  memberships,
  admission,
  handing,
  String.raw`
local queued = call('HGET', waiting, ARGV[1])
if queued and unpack_(queued).token == ARGV[2] then leave(ARGV[1]) end
local raw = call('HGET', members, ARGV[1])
if not raw then return {} end
local member = unpack_(raw)
if member[2] == 1 or member[5] ~= ARGV[2] then return {} end
remove(ARGV[1], member)
return hand_on_lines(member[6], tonumber(ARGV[3]), ARGV[4])
`,
)

/** ARGV: execution id. */
export const leaveScript = script(
  state,
  memberships,
  String.raw`
leave(ARGV[1])
return 1
`,
)

/** ARGV: run id, lines. Answers how many are taken of each; nothing where the memberships are not complete. */
export const usedScript = script(
  state,
  String.raw`
local counts = {}
if not complete(call('HGET', members, '#epoch'), ARGV[1]) then return counts end
for n = 2, #ARGV do counts[n - 1] = used(ARGV[n]) end
return counts
`,
)

/** ARGV: the execution id after which to begin, how many. Answers {execution id, organization, fence, held, end of the reservation, lines}. */
export const membersScript = script(
  state,
  String.raw`
local first = 'member\0' .. ARGV[1]
local found = {}
for n, entry in ipairs(call('ZRANGEBYLEX', lines, '(' .. first, '(member\1', 'LIMIT', 0, ARGV[2])) do
  local exec = string.sub(entry, 8)
  local member = unpack_(call('HGET', members, exec))
  found[n] = { exec, member[4], member[1], member[2], member[3], member[6] }
end
return found
`,
)

/** Enters a held membership, over a ceiling if need be. ARGV: execution id, organization, fence, lines. */
export const restoreScript = script(
  state,
  memberships,
  String.raw`
local exec, fence = ARGV[1], tonumber(ARGV[3])
local raw = call('HGET', members, exec)
if raw then
  local known = unpack_(raw)
  if known[2] == 1 then return 0 end
  remove(exec, known)
end
leave(exec)
if fence > tonumber(call('HGET', members, '#fence') or 0) then call('HSET', members, '#fence', fence) end
local asked = {}
for n = 4, #ARGV do asked[#asked + 1] = ARGV[n] end
enter(exec, ARGV[2], asked, fence, 1, 0, '')
return 1
`,
)

/** ARGV: organization, whether contacts want lines, time, channel. */
export const wantScript = script(
  state,
  memberships,
  admission,
  handing,
  String.raw`
local org, wanting = ARGV[1], ARGV[2] == '1'
local turn = turn_of(org)
if not wanting then
  call('HDEL', turns, org)
elseif not turn then
  set_turn(org, { owed = false, kept = false })
end
if not turn or not turn.kept then return {} end
if wanting then set_turn(org, { owed = turn.owed, kept = false }) end
return hand_on_lines({ 'organization ' .. org }, tonumber(ARGV[3]), ARGV[4])
`,
)

/** Voids what has lapsed before any line is handed on, and forgets who waited in vain. ARGV: time, channel. */
export const lapseScript = script(
  state,
  memberships,
  admission,
  handing,
  String.raw`
local now = monotone(tonumber(ARGV[1]))
local open = {}
for _, exec in ipairs(call('ZRANGEBYSCORE', deadlines, '-inf', now)) do
  local raw = call('HGET', members, exec)
  if raw then
    local member = unpack_(raw)
    remove(exec, member)
    for _, line in ipairs(member[6]) do open[line] = true end
  else
    local queued = call('HGET', waiting, exec)
    if queued and unpack_(queued).wait < now then leave(exec) end
  end
end
return hand_on(open, now, ARGV[2])
`,
)

/** Begins to enter what the rows prove. What one key lost without the others is worth nothing, so it goes. ARGV: who, how long it may take. */
export const beginRebuildScript = script(
  state,
  String.raw`
local sound = call('HEXISTS', members, '#epoch') == 1 and call('ZSCORE', lines, '#')
if not sound and call('HLEN', KEYS[7]) == 0 then
  call('DEL', members, lines, waiting, queue, deadlines, turns)
end
call('HSET', KEYS[7], ARGV[1], 1)
call('PEXPIRE', KEYS[7], ARGV[2])
return 1
`,
)

/**
 * Says that the memberships are complete. ARGV: who, run id. Answers 0 where they were lost again meanwhile. Fences go on from the
 * present microsecond, so that none that was given before is given again.
 */
export const endRebuildScript = script(
  state,
  String.raw`
if call('HEXISTS', KEYS[7], ARGV[1]) == 0 then
  return complete(call('HGET', members, '#epoch'), ARGV[2]) and 1 or 0
end
local time = call('TIME')
local fence = math.max(tonumber(call('HGET', members, '#fence') or 0), tonumber(time[1]) * 1000000 + tonumber(time[2]))
call('HSET', members, '#epoch', ARGV[2], '#fence', fence)
call('ZADD', lines, 0, '#')
call('DEL', KEYS[7])
return 1
`,
)
