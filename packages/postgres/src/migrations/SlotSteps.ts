/**
 * The steps of the gate as functions of the server, so that each is one round trip and its lock is held no longer than that. They do to rows what
 * `MemorySlots` does to maps, and every step takes the lock of the installation first: what is read after it is what others have left.
 * A request is a `SlotRequest` as JSON.
 */
const functions: ReadonlyArray<string> = [
  // A step does not wait for the disk under the lock that everybody needs. The commit of a call comes later in the log and waits for it, so no call
  // is durable before its line; what a crash of the server may lose is a line given back, which the reconciler finds.
  `create function carillon.slot_lock() returns void language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('carillon slots', 0));
end
$$`,

  `create function carillon.slot_used(level text, key text) returns bigint language plpgsql as $$
begin
  case level
    when 'platform' then return (select count(*) from carillon.slot_members as m where m.platform_key = key);
    when 'organization' then return (select count(*) from carillon.slot_members as m where m.organization_key = key);
    when 'agent' then return (select count(*) from carillon.slot_members as m where m.agent_key = key);
    else return (select count(*) from carillon.slot_members as m where m.campaign_key = key);
  end case;
end
$$`,

  `create function carillon.slot_is_dispatched(asked json) returns boolean language sql as $$
  select exists (select 1 from json_array_elements(asked -> 'levels') as d where d ->> 'level' = 'campaign')
$$`,

  // The first level that is full, counted from 1, and how many of its lines are taken. A line kept for the dispatcher is not for a direct dial.
  `create function carillon.slot_blocking(asked json, out at integer, out taken bigint) language plpgsql as $$
declare
  demand record;
  kept integer := 0;
begin
  if not carillon.slot_is_dispatched(asked) then
    select count(*) into kept from carillon.slot_wants as w
    where w.organization_id = asked ->> 'organization_id' and w.kept;
  end if;
  for demand in
    select d.nth, d.value ->> 'level' as level, d.value ->> 'key' as key, (d.value ->> 'ceiling')::bigint as ceiling
    from json_array_elements(asked -> 'levels') with ordinality as d(value, nth) order by d.nth
  loop
    continue when demand.ceiling is null;
    taken := carillon.slot_used(demand.level, demand.key);
    if taken + (case demand.level when 'organization' then kept else 0 end) >= demand.ceiling then
      at := demand.nth;
      return;
    end if;
  end loop;
end
$$`,

  `create function carillon.slot_enter(asked json, fence bigint, until bigint, is_held boolean) returns void language sql as $$
  insert into carillon.slot_members (execution_id, organization_id, fence, held, reserved_until, levels,
    platform_key, organization_key, agent_key, campaign_key)
  select asked ->> 'execution_id', asked ->> 'organization_id', slot_enter.fence, is_held, until,
    json_agg(json_build_object('level', d.value -> 'level', 'key', d.value -> 'key') order by d.nth),
    max(d.value ->> 'key') filter (where d.value ->> 'level' = 'platform'),
    max(d.value ->> 'key') filter (where d.value ->> 'level' = 'organization'),
    max(d.value ->> 'key') filter (where d.value ->> 'level' = 'agent'),
    max(d.value ->> 'key') filter (where d.value ->> 'level' = 'campaign')
  from json_array_elements(asked -> 'levels') with ordinality as d(value, nth)
$$`,

  // Gives a line to a dial that found room: it waits no longer, and it is remembered whose turn is next.
  `create function carillon.slot_grant(asked json) returns bigint language plpgsql as $$
declare
  dispatched boolean := carillon.slot_is_dispatched(asked);
  granted bigint := nextval('carillon.slot_fences');
begin
  delete from carillon.slot_waiters as w where w.execution_id = asked ->> 'execution_id';
  update carillon.slot_wants as w set owed = not dispatched, kept = w.kept and not dispatched
  where w.organization_id = asked ->> 'organization_id';
  perform carillon.slot_enter(asked, granted, (asked ->> 'reservedUntil')::bigint, false);
  return granted;
end
$$`,

  // Gives freed room to the dials that wait for it, in order of arrival. One that another level blocks by now moves to that level's line,
  // so every turn of the loop either grants, moves a waiter away or closes a line.
  `create function carillon.slot_hand_on(levels text[], keys text[], now bigint) returns text[] language plpgsql as $$
declare
  waiter record;
  full_at integer;
  full_level text;
  full_key text;
  is_owed boolean;
  granted text[] := '{}';
begin
  while cardinality(levels) > 0 loop
    select w.execution_id, w.level, w.key, w.request into waiter from carillon.slot_waiters as w
    join unnest(levels, keys) as o(level, key) on w.level = o.level and w.key = o.key
    order by w.arrival limit 1;
    exit when not found;
    select b.at into full_at from carillon.slot_blocking(waiter.request) as b;
    is_owed := exists (select 1 from carillon.slot_wants as w
      where w.organization_id = waiter.request ->> 'organization_id' and w.owed and not w.kept);
    if (waiter.request ->> 'waitUntil')::bigint < now then
      delete from carillon.slot_waiters as w where w.execution_id = waiter.execution_id;
    elsif full_at is null and is_owed then
      update carillon.slot_wants as w set owed = false, kept = true
      where w.organization_id = waiter.request ->> 'organization_id';
    elsif full_at is null then
      perform carillon.slot_grant(waiter.request);
      granted := granted || waiter.execution_id::text;
    else
      full_level := waiter.request -> 'levels' -> (full_at - 1) ->> 'level';
      full_key := waiter.request -> 'levels' -> (full_at - 1) ->> 'key';
      select coalesce(array_agg(o.level), '{}'), coalesce(array_agg(o.key), '{}') into levels, keys
      from unnest(levels, keys) as o(level, key) where o.level <> full_level or o.key <> full_key;
      update carillon.slot_waiters as w set level = full_level, key = full_key where w.execution_id = waiter.execution_id;
    end if;
  end loop;
  return granted;
end
$$`,

  `create function carillon.slot_acquire(asked json, out fence bigint, out at integer, out taken bigint) language plpgsql as $$
begin
  perform carillon.slot_lock();
  select m.fence into fence from carillon.slot_members as m where m.execution_id = asked ->> 'execution_id';
  if found then return; end if;
  select b.at, b.taken into at, taken from carillon.slot_blocking(asked) as b;
  if at is null then
    fence := carillon.slot_grant(asked);
  elsif asked ->> 'waitUntil' is not null then
    insert into carillon.slot_waiters as w (execution_id, level, key, request)
    values (asked ->> 'execution_id', asked -> 'levels' -> (at - 1) ->> 'level', asked -> 'levels' -> (at - 1) ->> 'key', asked)
    on conflict (execution_id) do update set level = excluded.level, key = excluded.key, request = excluded.request;
  end if;
end
$$`,

  `create function carillon.slot_release(execution_id text, fence bigint, now bigint) returns text[] language plpgsql as $$
declare
  gone json;
begin
  perform carillon.slot_lock();
  delete from carillon.slot_members as m
  where m.execution_id = slot_release.execution_id and m.fence = slot_release.fence returning m.levels into gone;
  if not found then return '{}'; end if;
  return carillon.slot_hand_on(
    array(select d ->> 'level' from json_array_elements(gone) as d),
    array(select d ->> 'key' from json_array_elements(gone) as d), now);
end
$$`,

  // Voids every lapsed reservation before any line is handed on, so that arrival alone decides who gets one.
  `create function carillon.slot_lapse(now bigint) returns text[] language plpgsql as $$
declare
  levels text[];
  keys text[];
begin
  perform carillon.slot_lock();
  with gone as (
    delete from carillon.slot_members as m where not m.held and m.reserved_until <= now returning m.levels
  ), lines as (
    select distinct d ->> 'level' as level, d ->> 'key' as key from gone, json_array_elements(gone.levels) as d
  )
  select coalesce(array_agg(l.level), '{}'), coalesce(array_agg(l.key), '{}') into levels, keys from lines as l;
  return carillon.slot_hand_on(levels, keys, now);
end
$$`,

  // A reservation of the same dial would lapse under a call that may be live: the membership that the rows prove takes its place.
  `create function carillon.slot_restore(member json) returns void language plpgsql as $$
begin
  perform carillon.slot_lock();
  if exists (select 1 from carillon.slot_members as m where m.execution_id = member ->> 'execution_id' and m.held) then
    return;
  end if;
  delete from carillon.slot_members as m where m.execution_id = member ->> 'execution_id';
  delete from carillon.slot_waiters as w where w.execution_id = member ->> 'execution_id';
  perform setval('carillon.slot_fences', greatest(nextval('carillon.slot_fences'), (member ->> 'fence')::bigint));
  perform carillon.slot_enter(member, (member ->> 'fence')::bigint, 0, true);
end
$$`,

  `create function carillon.slot_want(organization_id text, wanting boolean, now bigint) returns text[] language plpgsql as $$
declare
  was_kept boolean;
begin
  perform carillon.slot_lock();
  select w.kept into was_kept from carillon.slot_wants as w where w.organization_id = slot_want.organization_id;
  if not wanting then
    delete from carillon.slot_wants as w where w.organization_id = slot_want.organization_id;
  elsif was_kept is null then
    insert into carillon.slot_wants (organization_id, owed, kept) values (slot_want.organization_id, false, false);
  end if;
  if was_kept is not true then return '{}'; end if;
  if wanting then
    update carillon.slot_wants as w set kept = false where w.organization_id = slot_want.organization_id;
  end if;
  return carillon.slot_hand_on(array['organization'], array[slot_want.organization_id], now);
end
$$`,
]

const inOneLine = (text: string): string =>
  text
    .split("\n")
    .map((line, nth, lines) => (nth === 0 ? line.trimEnd() : nth === lines.length - 1 ? line.trimStart() : line.trim()))
    .filter((line, nth, lines) => line !== "" || nth === 0 || nth === lines.length - 1)
    .join(" ")

/** A function is one line, because a migration is cut into statements where lines end. */
export const slotSteps = functions.map(inOneLine).join(";\n")
