-- serves: earlier
-- The properties that the placeholders of a broadcast stand for, as they were when its emails began to be made: a property may be deleted meanwhile, or
-- get another fallback, and what is sent and shown must not change. Broadcasts that have started keep all that there are now.
alter table broadcasts add column properties jsonb;
update broadcasts b set properties = coalesce((
  select jsonb_agg(jsonb_build_object('number', p.number, 'key', p.key, 'fallbackValue', p.fallback_value) order by p.id)
  from contact_properties p where p.team_id = b.team_id
), '[]') where b.started_at is not null;
