import { script } from "./Script.ts"

/*
 * The gate as Lua. All keys are declared and lie under one hash tag, whatever the dial:
 *
 *   KEYS[1] slots      hash         execution id -> its membership, or its request while it waits; fields that begin with # are the gate's own:
 *                                   '#<level> <key>' -> how many members have a line of it, while any has one
 *                                   '#turn <organization>' -> two digits: the dispatcher is owed a line, one is kept for it
 *   KEYS[2] queue      sorted set   '<line>\0<arrival>\0<execution id>' in the line of the level that blocks it, all scores 0
 *   KEYS[3] deadlines  sorted set   execution id by the end of its reservation, or of its wait
 *   KEYS[4] rebuilds   hash         who enters the memberships that the rows prove
 *
 * A membership is a text: '0' while it is reserved and '1' once it is held, its fence, and then, each after a NUL, its lines ('#<level> <key>'),
 * '@' and its organization, '!' and the token of who asked, '~' and the end of its reservation. A request is 'w' and the line in which it
 * waits, its arrival, the end of its wait and of its reservation, whether the dispatcher asks, the field of its organization's turn, its
 * ceilings, with a NUL between them, and then its membership from the lines on. Ids hold no NUL.
 *
 * The memberships are the truth. A count changes in the step that enters or removes one, and `lapse` counts them now and then and holds the
 * counts, and the deadlines, against that.
 *
 * #epoch is the run id of the server on which the memberships were last complete. A server that was restarted or flushed, or took
 * over, has another one or none, and no line is given there before the rows were entered again.
 *
 * What Lua does costs more than what Redis does. So what happens to nearly every dial comes first in its script and makes no functions: those
 * are made anew each time that a script comes to them.
 */

const state = String.raw`
local slots, queue, deadlines = KEYS[1], KEYS[2], KEYS[3]
local call = redis.call

local function lines_of(member)
  local lines = {}
  for line in string.gmatch(member, '%z(#[^%z]+)') do lines[#lines + 1] = line end
  return lines
end

-- What is known of a dial: its membership, or its request.
local function known_of(exec)
  local known = call('HGET', slots, exec)
  if not known then return nil, nil end
  if string.byte(known) == 119 then return nil, known end
  return known, nil
end

local function is_held(member) return string.byte(member) == 49 end
`

const memberships = String.raw`
local function remove(exec, member)
  local lines, gone = lines_of(member), { exec }
  for _, line in ipairs(lines) do
    if call('HINCRBY', slots, line, -1) <= 0 then gone[#gone + 1] = line end
  end
  call('HDEL', slots, unpack(gone))
  if not is_held(member) then call('ZREM', deadlines, exec) end
  return lines
end

local function leave(exec, request)
  call('HDEL', slots, exec)
  call('ZREM', queue, string.match(request, '^w([^%z]*%z[^%z]*%z)') .. exec)
  call('ZREM', deadlines, exec)
end

-- Time only goes on, whichever process tells it.
local function monotone(now)
  local known = tonumber(call('HGET', slots, '#clock') or 0)
  if now <= known then return known end
  call('HSET', slots, '#clock', string.format('%.0f', now))
  return now
end
`

/** Handing on what came free, as MemorySlots does: every turn of the loop grants, moves a waiter away or closes a line. */
const handing = String.raw`
local function hand_on(open, now, channel)
  local heads, granted = {}, {}
  -- The first who waits in a line: its arrival has 16 digits.
  local function look(line)
    heads[line] = open[line] and call('ZRANGEBYLEX', queue, '[' .. line .. '\0', '(' .. line .. '\1', 'LIMIT', 0, 1)[1]
  end
  for line in pairs(open) do look(line) end
  while true do
    local first, from
    for line, head in pairs(heads) do
      local arrival = head and string.sub(head, #line + 2, #line + 17)
      if head and (not first or arrival < first) then first, from = arrival, line end
    end
    if not first then break end
    local exec = string.sub(heads[from], #from + 19)
    local _, request = known_of(exec)
    local wait, reserved, dispatched, turn_field, ceilings, tail =
      string.match(request, '^[^%z]*%z[^%z]*%z([^%z]*)%z([^%z]*)%z([^%z]*)%z([^%z]*)%z([^%z]*)(.*)$')
    local lines = lines_of(tail)
    local known = call('HMGET', slots, '#fence', turn_field, unpack(lines))
    local turn = known[2]
    -- A line kept for the dispatcher is not for a direct dial.
    local kept = turn and dispatched == '0' and string.byte(turn, 2) == 49
    local fence = string.format('%.0f', known[1] + 1)
    local put = { exec, '0' .. fence .. tail, '#fence', fence }
    local n, at = 0, nil
    for each in string.gmatch(ceilings, '%S+') do
      n = n + 1
      local taken, ceiling = tonumber(known[2 + n] or 0), tonumber(each)
      local spoken = kept and string.find(lines[n], '#organization ', 1, true) == 1 and taken + 1 or taken
      if ceiling >= 0 and spoken >= ceiling then
        at = n
        break
      end
      put[3 + 2 * n], put[4 + 2 * n] = lines[n], taken + 1
    end
    if tonumber(wait) < now then
      leave(exec, request)
      look(from)
    elseif not at and turn and string.byte(turn, 1) == 49 and string.byte(turn, 2) == 48 then
      call('HSET', slots, turn_field, '01')
    elseif not at then
      if turn then put[#put + 1], put[#put + 2] = turn_field, dispatched == '1' and '00' or '1' .. string.sub(turn, 2, 2) end
      call('ZREM', queue, heads[from])
      call('HSET', slots, unpack(put))
      call('ZADD', deadlines, reserved, exec)
      granted[#granted + 1] = exec
      look(from)
    else
      local line = lines[at]
      open[line], heads[line] = nil, nil
      if line ~= from then
        -- It waits in the line that blocks it by now, and keeps its arrival.
        call('HSET', slots, exec, 'w' .. line .. string.sub(request, #from + 2))
        call('ZREM', queue, heads[from])
        call('ZADD', queue, 0, line .. '\0' .. first .. '\0' .. exec)
        look(from)
      end
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
 * ARGV: run id, execution id, the turn's field, the membership from the lines on, the end of the reservation, the request from the end of the
 * wait on (empty: it does not wait), whether the dispatcher asks, then the levels' lines, and then their ceilings (-1: none). Answers
 * {1, fence}, {0, number of the level, taken, ceiling}, or {-1} where the memberships are not complete.
 */
export const acquireScript = script(
  "acquire",
  String.raw`
local call, slots, exec, levels = redis.call, KEYS[1], ARGV[2], (#ARGV - 7) / 2
local known = call('HMGET', slots, '#epoch', '#fence', exec, ARGV[3], unpack(ARGV, 8, 7 + levels))
if known[1] ~= ARGV[1] then return { -1 } end
local stood, turn = known[3], known[4]
if stood and string.byte(stood) ~= 119 then
  -- It is a member. The token is that of who asked last.
  local before, after = string.match(stood, '^(.*%z!)[^%z]*(.*)$')
  call('HSET', slots, exec, before .. string.match(ARGV[4], '%z!([^%z]*)') .. after)
  return { 1, tonumber(string.match(stood, '^.(%d+)')) }
end
local kept = turn and ARGV[7] == '0' and string.byte(turn, 2) == 49
local fence = known[2] + 1
local told = string.format('%.0f', fence)
local put = { exec, '0' .. told .. ARGV[4], '#fence', told }
local at, taken, ceiling
for n = 1, levels do
  taken, ceiling = tonumber(known[4 + n] or 0), tonumber(ARGV[7 + levels + n])
  local spoken = kept and string.find(ARGV[7 + n], '#organization ', 1, true) == 1 and taken + 1 or taken
  if ceiling >= 0 and spoken >= ceiling then
    at = n
    break
  end
  put[3 + 2 * n], put[4 + 2 * n] = ARGV[7 + n], taken + 1
end
if stood and (not at or ARGV[6] ~= '') then call('ZREM', KEYS[2], string.match(stood, '^w([^%z]*%z[^%z]*%z)') .. exec) end
if not at then
  if turn then put[#put + 1], put[#put + 2] = ARGV[3], ARGV[7] == '1' and '00' or '1' .. string.sub(turn, 2, 2) end
  call('HSET', slots, unpack(put))
  call('ZADD', KEYS[3], ARGV[5], exec)
  return { 1, fence }
end
if ARGV[6] ~= '' then
  -- It stands in the line of the level that blocks it; one that stood already keeps its arrival.
  local arrival = stood and string.match(stood, '^[^%z]*%z([^%z]*)') or string.format('%016.0f', call('HINCRBY', slots, '#arrival', 1))
  local place = ARGV[7 + at] .. '\0' .. arrival .. '\0'
  call('HSET', slots, exec, 'w' .. place .. ARGV[6] .. ARGV[4])
  call('ZADD', KEYS[2], 0, place .. exec)
  call('ZADD', KEYS[3], string.match(ARGV[6], '^[^%z]*'), exec)
end
return { 0, at, taken, ceiling }
`,
)

/** ARGV: execution id, fence and a NUL. Answers 1 where the membership lasts from now on. */
export const holdScript = script(
  "hold",
  String.raw`
local member = redis.call('HGET', KEYS[1], ARGV[1])
if not member or string.find(member, ARGV[2], 2, true) ~= 2 then return 0 end
if string.byte(member) == 48 then
  redis.call('HSET', KEYS[1], ARGV[1], '1' .. string.sub(member, 2))
  redis.call('ZREM', KEYS[3], ARGV[1])
end
return 1
`,
)

/** ARGV: execution id, fence and a NUL, time, channel. Answers the dials that were granted a line. */
export const releaseScript = script(
  "release",
  String.raw`
local call, slots, exec = redis.call, KEYS[1], ARGV[1]
local member = call('HGET', slots, exec)
if not member or string.find(member, ARGV[2], 2, true) ~= 2 then return {} end
local lines, levels = {}, 0
for line in string.gmatch(member, '%z(#[^%z]+)') do
  levels = levels + 1
  lines[levels] = line
end
local counts = call('HMGET', slots, unpack(lines))
local gone, put = { exec }, {}
for n = 1, levels do
  local left = tonumber(counts[n] or 0) - 1
  if left > 0 then
    put[#put + 1] = lines[n]
    put[#put + 1] = left
  else
    gone[#gone + 1] = lines[n]
  end
end
if #put > 0 then call('HSET', slots, unpack(put)) end
call('HDEL', slots, unpack(gone))
if string.byte(member) == 48 then call('ZREM', KEYS[3], exec) end
if call('ZCARD', KEYS[2]) == 0 then return {} end
`,
  state,
  memberships,
  handing,
  "return hand_on_lines(lines, tonumber(ARGV[3]), ARGV[4])",
)

/** Takes back an acquire whose answer was lost; nobody can have held it, because nobody knows its fence. ARGV: execution id, its token, time, channel. */
export const abandonScript = script(
  "abandon",
  state,
  memberships,
  handing,
  String.raw`
local member, request = known_of(ARGV[1])
if not string.find(member or request or '', '\0!' .. ARGV[2] .. '\0', 1, true) then return {} end
if request then
  leave(ARGV[1], request)
  return {}
end
return hand_on_lines(remove(ARGV[1], member), tonumber(ARGV[3]), ARGV[4])
`,
)

/** What was reserved for it and is not held is handed on. ARGV: execution id, time, channel. Answers the dials that were granted a line. */
export const leaveScript = script(
  "leave",
  state,
  memberships,
  handing,
  String.raw`
local member, request = known_of(ARGV[1])
if request then leave(ARGV[1], request) end
if not member or is_held(member) then return {} end
return hand_on_lines(remove(ARGV[1], member), tonumber(ARGV[2]), ARGV[3])
`,
)

/** ARGV: run id, lines. Answers how many are taken of each; nothing where the memberships are not complete. */
export const usedScript = script(
  "used",
  String.raw`
local known = redis.call('HMGET', KEYS[1], '#epoch', unpack(ARGV, 2))
if known[1] ~= ARGV[1] then return {} end
local counts = {}
for n = 2, #ARGV do counts[n - 1] = tonumber(known[n] or 0) end
return counts
`,
)

/** Reads some of the memberships, in no order. ARGV: where to go on, how many. Answers {where to go on, {execution id, membership, …}}. */
export const scanScript = script(
  "scan",
  String.raw`
local page = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local found = {}
for n = 1, #page[2], 2 do
  if string.byte(page[2][n]) ~= 35 and string.byte(page[2][n + 1]) ~= 119 then
    found[#found + 1] = page[2][n]
    found[#found + 1] = page[2][n + 1]
  end
end
return { page[1], found }
`,
)

/** Enters a held membership, over a ceiling if need be. ARGV: execution id, fence, the membership from the lines on. */
export const restoreScript = script(
  "restore",
  state,
  memberships,
  String.raw`
local exec, fence = ARGV[1], tonumber(ARGV[2])
local member, request = known_of(exec)
if member then
  if is_held(member) then return 0 end
  remove(exec, member)
end
if request then leave(exec, request) end
for _, line in ipairs(lines_of(ARGV[3])) do call('HINCRBY', slots, line, 1) end
local newest = math.max(fence, tonumber(call('HGET', slots, '#fence') or 0))
call('HSET', slots, exec, '1' .. ARGV[2] .. ARGV[3], '#fence', string.format('%.0f', newest))
return 1
`,
)

/** ARGV: organization, whether contacts want lines, time, channel. */
export const wantScript = script(
  "want",
  state,
  memberships,
  handing,
  String.raw`
local field, wanting = '#turn ' .. ARGV[1], ARGV[2] == '1'
local turn = call('HGET', slots, field)
local kept = turn and string.byte(turn, 2) == 49
if not wanting then
  call('HDEL', slots, field)
elseif not turn or kept then
  call('HSET', slots, field, (turn and string.sub(turn, 1, 1) or '0') .. '0')
end
if not kept then return {} end
return hand_on_lines({ '#organization ' .. ARGV[1] }, tonumber(ARGV[3]), ARGV[4])
`,
)

/** Counts the memberships anew, puts counts right that are another, and deadlines that are missing. Says how many counts were wrong. */
const recounting = String.raw`
local function recount(open)
  local counted, kept, wrong, dials = {}, {}, 0, 0
  local all = call('HGETALL', slots)
  for n = 1, #all, 2 do
    local field, known = all[n], all[n + 1]
    if string.byte(field) ~= 35 then
      dials = dials + 1
      local ends = string.match(known, '^w[^%z]*%z[^%z]*%z([^%z]*)') or string.match(known, '^0.*%z~([^%z]*)$')
      if ends then call('ZADD', deadlines, 'NX', ends, field) end
      if string.byte(known) ~= 119 then
        for line in string.gmatch(known, '%z(#[^%z]+)') do counted[line] = (counted[line] or 0) + 1 end
      end
    elseif string.find(field, '^#%a+ ') and string.find(field, '^#turn ') ~= 1 then
      kept[field] = tonumber(known)
    end
  end
  for line, count in pairs(counted) do
    if kept[line] ~= count then
      call('HSET', slots, line, count)
      open[line], wrong = true, wrong + 1
    end
  end
  for line in pairs(kept) do
    if not counted[line] then
      call('HDEL', slots, line)
      open[line], wrong = true, wrong + 1
    end
  end
  call('HSET', slots, '#recounted', string.format('%.0f', monotone(0)), '#dials', dials)
  return wrong
end
`

/**
 * Voids what has lapsed before any line is handed on, and forgets who waited in vain. Counts the memberships anew when that was last so long
 * ago, for each of those that were there then. The keys of an older release go once nobody has told them the time for long.
 * KEYS: also those of the older release. ARGV: time, channel, milliseconds for each membership between two counts, and those for which an older
 * release was silent before its keys go. Answers {the dials that were granted a line, how many counts were wrong}.
 */
export const lapseScript = script(
  "lapse",
  state,
  memberships,
  handing,
  recounting,
  String.raw`
local now = monotone(tonumber(ARGV[1]))
local open, wrong = {}, 0
for _, exec in ipairs(call('ZRANGEBYSCORE', deadlines, '-inf', string.format('%.0f', now))) do
  local member, request = known_of(exec)
  if member then
    for _, line in ipairs(remove(exec, member)) do open[line] = true end
  elseif not request then
    call('ZREM', deadlines, exec)
  elseif tonumber(string.match(request, '^w[^%z]*%z[^%z]*%z([^%z]*)')) < now then
    leave(exec, request)
  end
end
local last = call('HMGET', slots, '#recounted', '#dials')
if now - (last[1] or 0) >= (last[2] or 0) * ARGV[3] then
  wrong = recount(open)
  local told = call('HGET', KEYS[5], '#clock')
  if told and now - told > tonumber(ARGV[4]) then call('DEL', unpack(KEYS, 5)) end
end
return { hand_on(open, now, ARGV[2]), wrong }
`,
)

/** Forgets every line, as a flush would. */
export const forgetScript = script("forget", "return redis.call('DEL', unpack(KEYS))")

/** Begins to enter what the rows prove. What one key lost without the others is worth nothing, so it goes. ARGV: who, how long it may take. */
export const beginRebuildScript = script(
  "begin_rebuild",
  state,
  String.raw`
if call('HEXISTS', slots, '#epoch') == 0 and call('HLEN', KEYS[4]) == 0 then
  call('DEL', slots, queue, deadlines)
end
call('HSET', KEYS[4], ARGV[1], 1)
call('PEXPIRE', KEYS[4], ARGV[2])
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
if call('HEXISTS', KEYS[4], ARGV[1]) == 0 then
  return call('HGET', slots, '#epoch') == ARGV[2] and 1 or 0
end
local time = call('TIME')
local fence = math.max(tonumber(call('HGET', slots, '#fence') or 0), tonumber(time[1]) * 1000000 + tonumber(time[2]))
call('HSET', slots, '#epoch', ARGV[2], '#fence', string.format('%.0f', fence))
call('DEL', KEYS[4])
return 1
`,
)
