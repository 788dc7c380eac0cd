-- Rows that are written, and changed once or twice within a second, find room for their next version on the page that they are on. Then no index gets an
-- entry for it, the write-ahead log has only what has changed, and the room of the old version is used again without waiting for a vacuum.
alter table emails set (fillfactor = 50);
alter table recipients set (fillfactor = 50);
alter table deliveries set (fillfactor = 50);

do $$
declare child regclass;
begin
  for child in select inhrelid from pg_inherits where inhparent = 'attempts'::regclass loop
    execute format('alter table %s set (fillfactor = 45)', child);
  end loop;
end $$;
