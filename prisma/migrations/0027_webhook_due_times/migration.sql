-- What happened is due at once, also where the clock of the process that wrote it is ahead: put right, it would hold the messages for as long as it was
-- wrong.
create or replace function queue_webhook_messages() returns trigger language plpgsql as $$
begin
  if not exists (select from webhooks w where w.status = 'enabled' and w.team_id in (select n.team_id from written n)) then
    return null;
  end if;
  with subscribed as (
    select w.id as webhook_id, w.endpoint is not null as is_sent, w.is_ordered, n.id, n.team_id, n.type, n.subject_id, n.created_at
    from written n join webhooks w on w.team_id = n.team_id and w.status = 'enabled' and n.type = any(w.events)
  ), messages as (
    insert into webhook_messages (webhook_id, id, team_id, type, subject_id, created_at)
    select webhook_id, id, team_id, type, subject_id, created_at from subscribed
  )
  insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at, is_ordered)
  select webhook_id, id, team_id, subject_id, least(created_at, now()), is_ordered from subscribed where is_sent order by id;
  return null;
end $$;
